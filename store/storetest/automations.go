package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

func emptyStore(t *testing.T, s store.Store) {
	ctx := t.Context()
	if all := list(t, s); len(all) != 0 {
		t.Errorf("List gave %v", all)
	}
	_, err := s.Automations().Get(ctx, "login", "")
	wantNotFound(t, "Get", err)
	wantNotFound(t, "Delete", s.Automations().Delete(ctx, "login", "", store.AnyRevision))
	if a, err := s.Automations().Match(ctx, "https://login.example/", ""); err == nil {
		t.Errorf("Match gave %v", a)
	}
	_, err = s.Runs().Get(ctx, store.NewRunID())
	wantNotFound(t, "Runs.Get", err)
	for r, err := range s.Runs().List(ctx) {
		t.Errorf("Runs.List gave %v, %v", r, err)
	}
}

func saveAndGet(t *testing.T, s store.Store) {
	a := Document(t, "login", "jobs@gmail.com")
	saved := save(t, s, a)
	if a.Revision != 0 {
		t.Errorf("Save changed the caller's document to revision %d", a.Revision)
	}
	want := at(a, 1)
	same(t, "Save gave", saved, want)
	same(t, "Get gave", get(t, s, "login", "jobs@gmail.com"), want)

	saved.Description = "Another one"
	saved.Steps = saved.Steps[:1]
	again := save(t, s, saved)
	same(t, "the second Save gave", again, at(saved, 2))
	same(t, "then Get gave", get(t, s, "login", "jobs@gmail.com"), again)
}

func refusesSecrets(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Description = "Signs in with 4111 1111 1111 1111"
	if _, err := s.Automations().Save(t.Context(), a); !errors.Is(err, automation.ErrLooksSecret) {
		t.Errorf("Save gave %v, want %v", err, automation.ErrLooksSecret)
	}
	_, err := s.Automations().Get(t.Context(), "login", "")
	wantNotFound(t, "Get", err)
	a.X = json.RawMessage(`{"public": "the number of a test card"}`)
	save(t, s, a)
}

func notFoundNames(t *testing.T, s store.Store) {
	for _, account := range []string{"b@example.org", "", "a@example.org"} {
		save(t, s, Document(t, "login", account))
	}
	save(t, s, Document(t, "logout", "c@example.org"))
	_, err := s.Automations().Get(t.Context(), "login", "c@example.org")
	wantNotFound(t, "Get", err)
	var missing *store.NotFoundError
	if !errors.As(err, &missing) {
		t.Fatalf("Get gave %T, want a NotFoundError", err)
	}
	want := &store.NotFoundError{
		Name: "login", Account: "c@example.org",
		Accounts: []string{"", "a@example.org", "b@example.org"},
	}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Errorf("the error (-want +got):\n%s", diff)
	}
	if !strings.Contains(err.Error(), "b@example.org") {
		t.Errorf("%q does not say that there is one for b@example.org", err)
	}
}

func revisions(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := Document(t, "login", "")
	_, err := s.Automations().Save(ctx, at(a, 3))
	wantConflict(t, "saving revision 3 of nothing", err, 3, 0)
	first := save(t, s, a)
	_, err = s.Automations().Save(ctx, a)
	wantConflict(t, "saving it as new again", err, 0, 1)
	second := save(t, s, first)
	_, err = s.Automations().Save(ctx, first)
	wantConflict(t, "saving an old revision", err, 1, 2)
	_, err = s.Automations().Save(ctx, at(a, 7))
	wantConflict(t, "saving a later revision", err, 7, 2)
	wantConflict(t, "deleting an old revision", s.Automations().Delete(ctx, "login", "", 1), 1, 2)
	same(t, "after the conflicts", get(t, s, "login", ""), second)

	other := save(t, s, Document(t, "login", "jobs@gmail.com"))
	if other.Revision != 1 {
		t.Errorf("another account begins at revision %d", other.Revision)
	}
}

func deleting(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := save(t, s, Document(t, "login", ""))
	mine := save(t, s, Document(t, "login", "me"))
	if err := s.Automations().Delete(ctx, "login", "", a.Revision); err != nil {
		t.Fatal(err)
	}
	_, err := s.Automations().Get(ctx, "login", "")
	wantNotFound(t, "Get", err)
	wantNotFound(t, "a second Delete", s.Automations().Delete(ctx, "login", "", a.Revision))
	same(t, "the other account's", get(t, s, "login", "me"), mine)
	_, err = s.Automations().Save(ctx, a)
	wantConflict(t, "saving what was deleted", err, 1, 0)
	if err := s.Automations().Delete(ctx, "login", "me", store.AnyRevision); err != nil {
		t.Errorf("Delete of any revision: %v", err)
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("List still gives %v", all)
	}
}

func invalidDocument(t *testing.T, s store.Store) {
	good := save(t, s, Document(t, "login", ""))
	for what, spoil := range map[string]func(*automation.Automation){
		"a path for a name":      func(a *automation.Automation) { a.Name = "../login" },
		"no name":                func(a *automation.Automation) { a.Name = "" },
		"an unknown tool":        func(a *automation.Automation) { a.Steps[0].Tool = "guess" },
		"no steps":               func(a *automation.Automation) { a.Steps = nil },
		"variables of a list":    func(a *automation.Automation) { a.Variables = json.RawMessage(`[]`) },
		"broken JSON in a note":  func(a *automation.Automation) { a.X = json.RawMessage(`{`) },
		"an impossible revision": func(a *automation.Automation) { a.Revision = -5 },
		"a broken account":       func(a *automation.Automation) { a.Match.Account = "a\xff" },
	} {
		bad := Document(t, "login", "")
		bad.Revision = good.Revision
		spoil(bad)
		if _, err := s.Automations().Save(t.Context(), bad); err == nil {
			t.Errorf("%s: saved", what)
		}
	}
	if _, err := s.Automations().Save(t.Context(), nil); err == nil {
		t.Error("nil: saved")
	}
	same(t, "after the refusals", get(t, s, "login", ""), good)
	if all := list(t, s); len(all) != 1 {
		t.Errorf("List gives %v", all)
	}
}

func privateCopies(t *testing.T, s store.Store) {
	spoil := func(a *automation.Automation) {
		a.Description = "spoiled"
		a.Match.URLs[0] = "spoiled.example/*"
		a.Steps[0].URL = "https://spoiled.example/"
		a.Steps[1].Value.Name = "spoiled"
		copy(a.Variables, "         ")
		a.X[2] = '!'
	}
	given := Document(t, "login", "")
	want := at(Document(t, "login", ""), 1)
	saved := save(t, s, given)
	spoil(given)
	same(t, "after the given one was changed", get(t, s, "login", ""), want)
	spoil(saved)
	spoil(get(t, s, "login", ""))
	for _, one := range list(t, s) {
		one.URLs[0] = "spoiled.example/*"
	}
	for range 2 {
		found, err := s.Automations().Match(t.Context(), "https://login.example/x", "")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "after the returned ones were changed, Match gave", found, want)
		spoil(found)
	}
	if got := list(t, s)[0].URLs; !slices.Equal(got, want.Match.URLs) {
		t.Errorf("List gives %v", got)
	}
}

func listing(t *testing.T, s store.Store) {
	for _, a := range [][2]string{{"b", ""}, {"a", "z"}, {"a-b", ""}, {"a", ""}, {"a", "B"}} {
		save(t, s, Document(t, a[0], a[1]))
	}
	twice := get(t, s, "b", "")
	save(t, s, twice)
	var got []string
	for _, one := range list(t, s) {
		got = append(got, fmt.Sprintf("%s %s %d %d %v %v", one.Name, one.Account, one.Revision, one.Steps, one.URLs, one.Err))
		if one.Description != twice.Description {
			t.Errorf("the description is %q", one.Description)
		}
	}
	want := []string{
		"a  1 3 [a.example/*] <nil>",
		"a B 1 3 [a.example/*] <nil>",
		"a z 1 3 [a.example/*] <nil>",
		"a-b  1 3 [a-b.example/*] <nil>",
		"b  2 3 [b.example/*] <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func leavingAList(t *testing.T, s store.Store) {
	for i := range 3 {
		save(t, s, Document(t, fmt.Sprintf("a%d", i), ""))
	}
	for one := range s.Automations().List(t.Context()) {
		// The store can be used while its list is being read.
		if err := s.Automations().Delete(t.Context(), one.Name, "", one.Revision); err != nil {
			t.Fatal(err)
		}
		break
	}
	if all := list(t, s); len(all) != 2 || all[0].Name != "a1" {
		t.Errorf("List gives %v", all)
	}
}

// The accounts that are easily taken for one another, or for something else
// than a label.
var odd = []string{
	"", ".", "..", "...", "/", "../../etc/passwd", "a/b", "a%2Fb", "a%252Fb", "%", "%00", "50% off",
	"a", "A", "Jobs@gmail.com", "jobs@gmail.com", "jobs@GMAIL.com", "a@b@c", "@", "@@", "login@x", "a.json", ".json",
	"müller@bücher.example", "mu\u0308ller@bücher.example", "MÜLLER@bücher.example", "例え", "🙂", "ﬀ", "ff",
	"con", "nul", "a:b", `a\b`, "a*b?", `"quoted"`, "~", "-rf", "a+b", "a b", "#a", "$HOME", "a;b", "a|b", "a&b", "<a>",
}

func oddAccounts(t *testing.T, s store.Store) {
	want := map[string]string{}
	for i, account := range odd {
		a := Document(t, "login", account, fmt.Sprintf("n%d.example/*", i))
		save(t, s, a)
		want[account] = a.Match.URLs[0]
	}
	got := map[string]string{}
	for _, one := range list(t, s) {
		if one.Err != nil || one.Name != "login" {
			t.Errorf("List gives %+v", one)
			continue
		}
		got[one.Account] = one.URLs[0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	for i, account := range odd {
		if a := get(t, s, "login", account); a.Match.Account != account || a.Match.URLs[0] != want[account] {
			t.Errorf("Get of account %q gives that of %q", account, a.Match.Account)
		}
		a, err := s.Automations().Match(t.Context(), fmt.Sprintf("https://n%d.example/", i), account)
		if err != nil || a.Match.Account != account {
			t.Errorf("Match for account %q: %v, %v", account, a, err)
		}
	}
	for _, account := range odd {
		if err := s.Automations().Delete(t.Context(), "login", account, 1); err != nil {
			t.Errorf("Delete of account %q: %v", account, err)
		}
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("after deleting all, List gives %v", all)
	}
}

func oddNames(t *testing.T, s store.Store) {
	save(t, s, Document(t, "login", "me"))
	for _, name := range []string{"", ".", "..", "/", "../login", "login@me", "login.json", "Login", "login\x00", "%6Cogin", strings.Repeat("a", 5000)} {
		for _, account := range []string{"", "me", "..", strings.Repeat("é", 5000), "\xff"} {
			_, err := s.Automations().Get(t.Context(), name, account)
			wantNotFound(t, fmt.Sprintf("Get(%.20q, %.20q)", name, account), err)
			err = s.Automations().Delete(t.Context(), name, account, store.AnyRevision)
			wantNotFound(t, fmt.Sprintf("Delete(%.20q, %.20q)", name, account), err)
		}
	}
	longest := "a" + strings.Repeat("-9", 25)
	save(t, s, Document(t, longest, "me", "long.example/*"))
	if a := get(t, s, longest, "me"); a.Name != longest {
		t.Errorf("Get gives %q", a.Name)
	}
}

// longAccount lets a store have a limit, but not a silent one.
func longAccount(t *testing.T, s store.Store) {
	address := strings.Repeat("x", 100) + "@example.org"
	save(t, s, Document(t, "login", address))
	for _, account := range []string{strings.Repeat("y", 200), strings.Repeat("ü", 120), strings.Repeat("例", 200)} {
		_, err := s.Automations().Save(t.Context(), Document(t, "login", account))
		var refused *store.AccountError
		switch {
		case errors.As(err, &refused):
			_, err := s.Automations().Get(t.Context(), "login", account)
			wantNotFound(t, "Get of a refused one", err)
		case err != nil:
			t.Errorf("Save of an account of %d bytes: %v, want an AccountError", len(account), err)
		default:
			if a := get(t, s, "login", account); a.Match.Account != account {
				t.Errorf("an account of %d bytes came back as one of %d", len(account), len(a.Match.Account))
			}
		}
	}
	if a := get(t, s, "login", address); a.Match.Account != address {
		t.Errorf("Get gives %q", a.Match.Account)
	}
}

func ownTools(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Steps = append(a.Steps, automation.Step{Tool: "acme.solve", Args: json.RawMessage(`{"kind":"puzzle"}`)})
	save(t, s, a)
	same(t, "Get gave", get(t, s, "login", ""), at(a, 1))
}

const (
	writers = 8
	rounds  = 5 // of each writer
)

// lostUpdates has each writer add lines to one description; in the end every
// line is there, and every save has raised the revision by one.
func lostUpdates(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Description = "lines"
	save(t, s, a)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				if err := addLine(t.Context(), s, fmt.Sprintf(" %d.%d.", w, r)); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	group.Wait()
	got := get(t, s, "login", "")
	if want := 1 + writers*rounds; got.Revision != want {
		t.Errorf("the revision is %d, want %d", got.Revision, want)
	}
	for w := range writers {
		for r := range rounds {
			if line := fmt.Sprintf(" %d.%d.", w, r); !strings.Contains(got.Description, line) {
				t.Errorf("the update%s is lost", line)
			}
		}
	}
}

func addLine(ctx context.Context, s store.Store, line string) error {
	for {
		a, err := s.Automations().Get(ctx, "login", "")
		if err != nil {
			return err
		}
		before := a.Revision
		a.Description += line
		saved, err := s.Automations().Save(ctx, a)
		if errors.Is(err, store.ErrConflict) {
			continue // another writer was first
		}
		if err == nil && saved.Revision != before+1 {
			return fmt.Errorf("revision %d was saved as %d", before, saved.Revision)
		}
		return err
	}
}

func creators(t *testing.T, s store.Store) {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		won   []*automation.Automation
	)
	for w := range writers {
		group.Go(func() {
			a := Document(t, "login", "")
			a.Description = fmt.Sprintf("by %d", w)
			saved, err := s.Automations().Save(t.Context(), a)
			if errors.Is(err, store.ErrConflict) {
				return
			}
			if err != nil {
				t.Errorf("writer %d: %v", w, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			won = append(won, saved)
		})
	}
	group.Wait()
	if len(won) != 1 {
		t.Fatalf("%d writers made the same new automation", len(won))
	}
	same(t, "Get gave", get(t, s, "login", ""), won[0])
}

// readersAndWriters reads while it is written; what is read must hold together.
func readersAndWriters(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Description = "1"
	saved := save(t, s, a)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for saved.Revision < writers*rounds {
			saved.Description = fmt.Sprint(saved.Revision + 1)
			var err error
			if saved, err = s.Automations().Save(t.Context(), saved); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-done }()
	for last, more := 0, true; more; {
		select {
		case <-done:
			more = false // and one more look
		default:
		}
		got := get(t, s, "login", "")
		if got.Description != fmt.Sprint(got.Revision) || got.Revision < last {
			t.Fatalf("after revision %d came revision %d, which says %q", last, got.Revision, got.Description)
		}
		last = got.Revision
		found, err := s.Automations().Match(t.Context(), "https://login.example/", "")
		if err != nil || found.Revision < last {
			t.Fatalf("Match after revision %d: %v, %v", last, found, err)
		}
	}
}

// matchesWhatItGives moves an automation to and fro between two sites while it
// is looked up; what is given is never for the other site.
func matchesWhatItGives(t *testing.T, s store.Store) {
	const here, there = "here.example/*", "there.example/*"
	saved := save(t, s, Document(t, "login", "", here))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2 * writers * rounds {
			saved.Match.URLs = []string{[]string{there, here}[i%2]}
			var err error
			if saved, err = s.Automations().Save(t.Context(), saved); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-done }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		a, err := s.Automations().Match(t.Context(), "https://here.example/", "")
		switch {
		case err == nil && a.Match.URLs[0] != here:
			t.Fatalf("Match gave one that is for %v", a.Match.URLs)
		case err != nil && !errors.Is(err, automation.ErrNoMatch):
			t.Fatal(err)
		}
	}
}
