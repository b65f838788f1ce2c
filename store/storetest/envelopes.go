package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// sealedText is an age file of no secret, for stores that do not open it.
const sealedText = `-----BEGIN AGE ENCRYPTED FILE-----
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBub3doZXJlCm5vdGhpbmcK
-----END AGE ENCRYPTED FILE-----`

// Envelope returns an envelope that can be stored, and that no one can open.
func Envelope(name, account string) store.Envelope {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return store.Envelope{
		Name: name, Account: account, Sealed: []byte(sealedText),
		Label: store.Label{
			Created: at, Updated: at.Add(time.Hour), Expires: at.Add(24 * time.Hour), Automations: []string{"login"}, Recipients: []string{"age1nokey"},
			Fields: []store.Field{{Name: "email <&> é"}, {Name: "password", Secret: true, Origins: []string{"https://login.example"}}},
		},
	}
}

// kindsOf returns all kinds of envelopes of a store.
func kindsOf(s store.Store) map[store.EnvelopeKind]store.Envelopes {
	return map[store.EnvelopeKind]store.Envelopes{
		store.TaskEnvelope: s.Tasks(), store.CredentialEnvelope: s.Vault(), store.LoginEnvelope: s.Logins(),
	}
}

func keep(t *testing.T, st store.Envelopes, e store.Envelope) store.Envelope {
	t.Helper()
	saved, err := st.Save(t.Context(), e)
	if err != nil {
		t.Fatalf("Save(%q, %q): %v", e.Name, e.Account, err)
	}
	return saved
}

func envelopesKept(t *testing.T, s store.Store) {
	for kind, st := range kindsOf(s) {
		for _, account := range []string{"", "müller/50%", "Ada", "ada"} {
			want := Envelope("login.example", account)
			saved := keep(t, st, want)
			want.Kind, want.Revision = kind, 1
			if diff := cmp.Diff(want, saved); diff != "" {
				t.Errorf("Save gave (-want +got):\n%s", diff)
			}
			got, err := st.Get(t.Context(), "login.example", account)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Get gave %v (-want +got):\n%s", err, diff)
			}
		}
	}
}

func envelopesListed(t *testing.T, s store.Store) {
	for kind, st := range kindsOf(s) {
		keep(t, st, Envelope("b", ""))
		keep(t, st, Envelope("a-1", "z"))
		keep(t, st, Envelope("a", "y"))
		keep(t, st, Envelope("a", ""))
		var got []string
		for e, err := range st.List(t.Context()) {
			if err != nil || e.Err != nil || e.Kind != kind || len(e.Fields) != 2 {
				t.Errorf("List of %ss gave %+v, %v", kind, e, err)
			}
			got = append(got, e.Name+"@"+e.Account)
		}
		if diff := cmp.Diff([]string{"a@", "a@y", "a-1@z", "b@"}, got); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
		for range st.List(t.Context()) {
			break // a list can be left
		}
	}
}

func envelopeRevisions(t *testing.T, s store.Store) {
	ctx, st := t.Context(), s.Tasks()
	first := keep(t, st, Envelope("a", ""))
	changed := first
	changed.Automations = []string{"other"}
	second := keep(t, st, changed)
	if second.Revision != 2 || second.Automations[0] != "other" {
		t.Errorf("the second Save gave %+v", second)
	}
	_, again := st.Save(ctx, changed)
	_, fresh := st.Save(ctx, Envelope("a", ""))
	none := Envelope("b", "")
	none.Revision = 3
	_, gone := st.Save(ctx, none)
	for what, got := range map[string]struct {
		err          error
		have, stored int
	}{
		"an old revision": {again, 1, 2}, "a new one that is there": {fresh, 0, 2}, "one that is gone": {gone, 3, 0},
		"deleting an old one": {st.Delete(ctx, "a", "", 1), 1, 2},
	} {
		var conflict *store.EnvelopeConflictError
		if !errors.Is(got.err, store.ErrConflict) || !errors.As(got.err, &conflict) || conflict.Have != got.have || conflict.Stored != got.stored {
			t.Errorf("%s: got %v, want a conflict of %d with %d", what, got.err, got.have, got.stored)
		}
	}
	if err := st.Delete(ctx, "a", "", 2); err != nil {
		t.Error(err)
	}
	keep(t, st, Envelope("a", ""))
	if err := st.Delete(ctx, "a", "", store.AnyRevision); err != nil {
		t.Error(err)
	}
	_, err := st.Get(ctx, "a", "")
	for what, err := range map[string]error{"Get": err, "Delete": st.Delete(ctx, "a", "", store.AnyRevision)} {
		var missing *store.EnvelopeNotFoundError
		if !errors.Is(err, store.ErrNotFound) || !errors.As(err, &missing) || missing.Name != "a" {
			t.Errorf("%s of what is gone: %v", what, err)
		}
	}
}

// openEnvelopes wants what is not sealed, or cannot be named, to be stored nowhere.
func openEnvelopes(t *testing.T, s store.Store) {
	with := func(change func(*store.Envelope)) store.Envelope {
		e := Envelope("a", "")
		change(&e)
		return e
	}
	for what, e := range map[string]store.Envelope{
		"plain text":      with(func(e *store.Envelope) { e.Sealed = []byte(`{"password": "hunter2"}`) }),
		"nothing":         with(func(e *store.Envelope) { e.Sealed = nil }),
		"text after":      with(func(e *store.Envelope) { e.Sealed = append([]byte(sealedText), " hunter2"...) }),
		"text before":     with(func(e *store.Envelope) { e.Sealed = append([]byte("hunter2\n"), sealedText...) }),
		"armored text":    with(func(e *store.Envelope) { e.Sealed = []byte(strings.Replace(sealedText, "YWdl", "aHVu", 1)) }),
		"half of it":      with(func(e *store.Envelope) { e.Sealed = e.Sealed[:len(sealedText)/2] }),
		"a path":          with(func(e *store.Envelope) { e.Name = "../a" }),
		"capitals":        with(func(e *store.Envelope) { e.Name = "A" }),
		"no name":         with(func(e *store.Envelope) { e.Name = "" }),
		"an odd account":  with(func(e *store.Envelope) { e.Account = "\xff" }),
		"a zero in there": with(func(e *store.Envelope) { e.Account = "\x00" }),
	} {
		var invalid *store.InvalidEnvelopeError
		if _, err := s.Vault().Save(t.Context(), e); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidEnvelopeError", what, err)
		}
	}
	for e, err := range s.Vault().List(t.Context()) {
		t.Errorf("it is stored: %v, %v", e, err)
	}
	for _, name := range []string{"", "..", "a/b", "\x00", "\xff"} {
		_, err := s.Tasks().Get(t.Context(), name, name)
		wantNotFound(t, "Get of "+name, err)
	}
}

// envelopeWriters has many change one envelope: none of them may win twice.
func envelopeWriters(t *testing.T, s store.Store) {
	st := s.Tasks()
	keep(t, st, Envelope("a", ""))
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range rounds {
				if err := raise(t.Context(), st); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	got, err := st.Get(t.Context(), "a", "")
	if err != nil || got.Revision != 1+writers*rounds || len(got.Automations) != 1+writers*rounds {
		t.Errorf("after %d changes it is %+v, %v", writers*rounds, got, err)
	}
}

func raise(ctx context.Context, st store.Envelopes) error {
	for {
		e, err := st.Get(ctx, "a", "")
		if err != nil {
			return err
		}
		e.Automations = append(e.Automations, "another")
		if _, err = st.Save(ctx, e); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// notedRuns wants every run of which something was sent, once.
func notedRuns(t *testing.T, s store.Store) {
	ctx, run := t.Context(), store.NewRunID()
	want := map[string]bool{run: true, run + ".1": true, run + ".1.12": true, "named": true}
	for name := range want {
		for step := range 2 {
			if err := s.Commits().Begin(ctx, name, step); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Runs().Save(ctx, sampleRun()); err != nil { // which has sent nothing
		t.Fatal(err)
	}
	got := map[string]bool{}
	for name, err := range s.Commits().RunsWithCommits(ctx) {
		if err != nil || got[name] {
			t.Errorf("Noted gave %q, %v", name, err)
		}
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Noted (-want +got):\n%s", diff)
	}
}

// envelopeCalls is every method of envelopes that takes a context.
func envelopeCalls(s store.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Tasks.Save": func(ctx context.Context) error {
			_, err := s.Tasks().Save(ctx, Envelope("a", ""))
			return err
		},
		"Vault.Get": func(ctx context.Context) error {
			_, err := s.Vault().Get(ctx, "a", "")
			return err
		},
		"Logins.Get": func(ctx context.Context) error {
			_, err := s.Logins().Get(ctx, "a", "")
			return err
		},
		"Vault.Delete": func(ctx context.Context) error { return s.Vault().Delete(ctx, "a", "", 1) },
		"Logins.List": func(ctx context.Context) error {
			for _, err := range s.Logins().List(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Commits.Noted": func(ctx context.Context) error {
			for _, err := range s.Commits().RunsWithCommits(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}
