package sealed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
)

const things = 8

// fill puts some tasks, credentials and logins.
func (s *scene) fill(t testing.TB) {
	t.Helper()
	for i := range 2 {
		s.login(t, "shop", fmt.Sprint(i), "https://a.example")
	}
	for i := range things/2 - 1 {
		s.put(t, fmt.Sprintf("task-%d", i), taskData)
		try(t, s.SetCredential(t.Context(), Credential{Site: fmt.Sprintf("site-%d", i), Origins: []string{"https://a.example"}, Fields: map[string]string{"password": canary}}))
	}
}

// openable counts what a safe opens.
func openable(t testing.TB, s *SecretStore) (n int) {
	t.Helper()
	k := keysOf(t, s)
	for e, err := range s.all(t.Context()) {
		try(t, err)
		c, err := k.open(e.Envelope)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if last := c.Values[len(c.Values)-1]; !strings.Contains(string(last), canary) {
			t.Errorf("%s holds another secret", e.Name)
		}
		n++
	}
	return n
}

func TestRotationSealsEverythingForANewKey(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fill(t)
	old := keysOf(t, s.SecretStore)
	steps := 0
	r, err := s.Rotate(t.Context(), false, func(int) { steps++ })
	try(t, err)
	if !r.NewKey || r.Resealed != things || steps != things || r.Forgot || len(r.Failed) > 0 {
		t.Errorf("rotation says %+v, %d steps", r, steps)
	}
	if k := keysOf(t, s.SecretStore); len(k.own) != 2 || k.Public()[1] != old.Public()[0] {
		t.Error("the old key is not stored after the new one")
	}
	_, err = old.open(s.envelope(t, "task-0"))
	wantOpenError(t, "the old key", err, ErrWrongKey)
	r, err = s.Rotate(t.Context(), true, nil)
	try(t, err)
	if k := keysOf(t, s.SecretStore); !r.Forgot || len(k.own) != 1 {
		t.Errorf("forgetting says %+v, and leaves %d keys", r, len(k.own))
	}
	if n := openable(t, s.SecretStore); n != things {
		t.Errorf("%d of %d open after two rotations", n, things)
	}
}

// breaking lets so many saves pass, and then none.
type breaking struct {
	store.Store
	left *int
}

type breakingEnvelopes struct {
	store.Envelopes
	left *int
}

var errBroken = errors.New("the process ended here")

func (b breaking) Tasks() store.Envelopes { return breakingEnvelopes{b.Store.Tasks(), b.left} }
func (b breaking) Vault() store.Envelopes { return breakingEnvelopes{b.Store.Vault(), b.left} }
func (b breaking) Logins() store.Envelopes {
	return breakingEnvelopes{b.Store.Logins(), b.left}
}

func (b breakingEnvelopes) Save(ctx context.Context, e store.Envelope) (store.Envelope, error) {
	if *b.left--; *b.left < 0 {
		panic(errBroken)
	}
	return b.Envelopes.Save(ctx, e)
}

// breakOff rotates until the process ends after some saves.
func (s *scene) breakOff(t testing.TB, saves int) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil && r != any(errBroken) {
			panic(r)
		}
	}()
	_, err := New(breaking{s.st, &saves}, place(t, s.key)).Rotate(t.Context(), true, nil)
	t.Errorf("it was not broken off: %v", err)
}

func TestABrokenOffRotationLosesNothingAndGoesOn(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fill(t)
	for saves := range things {
		before := len(keysOf(t, s.SecretStore).own)
		s.breakOff(t, saves)
		if n := openable(t, s.SecretStore); n != things {
			t.Fatalf("broken off after %d saves, %d of %d open", saves, n, things)
		}
		if saves == 0 {
			s.breakOff(t, 0) // again and again: it makes one key, not many
		}
		r, err := s.Rotate(t.Context(), false, nil)
		try(t, err)
		if r.NewKey || r.Resealed != things-saves || r.Left != saves {
			t.Errorf("after %d saves it goes on with %+v", saves, r)
		}
		if after := len(keysOf(t, s.SecretStore).own); after != before+1 {
			t.Errorf("%d keys became %d", before, after)
		}
	}
	if n := openable(t, s.SecretStore); n != things {
		t.Errorf("%d of %d open in the end", n, things)
	}
}

func TestOthersKeepTheirAccess(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	other := New(s.st, place(t, t.TempDir()+"/key"))
	_, err := other.NewKeys(t.Context())
	try(t, err)
	s.fill(t)
	first := keysOf(t, other).Public()[0]
	r, err := s.AddRecipient(t.Context(), first, nil)
	try(t, err)
	if n := openable(t, other); n != things || r.Resealed != things {
		t.Errorf("someone who was added opens %d of %d (%+v)", n, things, r)
	}
	// The other does not know of the first, and rotates: both go on opening everything.
	_, err = other.Rotate(t.Context(), false, nil)
	try(t, err)
	if n, m := openable(t, s.SecretStore), openable(t, other); n != things || m != things {
		t.Errorf("after the other's rotation %d and %d of %d open", n, m, things)
	}
	public := keysOf(t, other).Public()[0]
	_, err = s.RemoveRecipient(t.Context(), public, nil)
	var who *RecipientError
	if !errors.As(err, &who) {
		t.Errorf("removing a key that was never added: %v", err)
	}
	_, err = s.AddRecipient(t.Context(), public, nil)
	try(t, err)
	for _, gone := range []string{public, first} {
		_, err = s.RemoveRecipient(t.Context(), gone, nil)
		try(t, err)
	}
	_, err = keysOf(t, other).open(s.envelope(t, "task-0"))
	wantOpenError(t, "who was removed", err, ErrWrongKey)
	if n := openable(t, s.SecretStore); n != things {
		t.Errorf("after the removal %d of %d open", n, things)
	}
	for _, bad := range []string{"", "age1nonsense", keysOf(t, s.SecretStore).Public()[0]} {
		if _, err := s.AddRecipient(t.Context(), bad, nil); !errors.As(err, &who) {
			t.Errorf("adding %q: %v", bad, err)
		}
	}
}

func TestWhatCannotBeOpenedStaysAsItIs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put(t, "mine", taskData)
	other := New(s.st, place(t, t.TempDir()+"/key"))
	_, err := other.NewKeys(t.Context())
	try(t, err)
	values, err := ParseTask([]byte(taskData), nil)
	try(t, err)
	try(t, other.PutTask(t.Context(), Task{ID: "theirs", Values: values}))
	before := s.envelope(t, "theirs")
	r, err := s.Rotate(t.Context(), true, nil)
	try(t, err)
	if len(r.Failed) != 1 || r.Failed[0].Name != "theirs" || !errors.Is(r.Failed[0].Err, ErrWrongKey) || r.Forgot {
		t.Errorf("rotation says %+v", r)
	}
	if after := s.envelope(t, "theirs"); string(after.Sealed) != string(before.Sealed) {
		t.Error("what it cannot open was changed")
	}
}

// during calls something once, in the middle of a save.
type during struct {
	store.Store
	once *sync.Once
	do   func()
}

type duringEnvelopes struct {
	store.Envelopes
	during
}

func (d during) Tasks() store.Envelopes { return duringEnvelopes{d.Store.Tasks(), d} }

func (d duringEnvelopes) Save(ctx context.Context, e store.Envelope) (store.Envelope, error) {
	d.once.Do(d.do)
	return d.Envelopes.Save(ctx, e)
}

// Anyone who has sealed something for a key and not kept it yet loses nothing when the key is
// forgotten meanwhile.
func TestNothingIsSealedForAForgottenKey(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fill(t)
	values, err := ParseTask([]byte(taskData), nil)
	try(t, err)
	rotated := make(chan error, 1)
	slow := New(during{s.st, new(sync.Once), func() {
		go func() {
			_, err := s.Rotate(t.Context(), true, nil)
			rotated <- err
		}()
		select {
		case err := <-rotated: // it has not waited for the save
			rotated <- err
		case <-time.After(300 * time.Millisecond): // many times what it takes: it waits
		}
	}}, place(t, s.key))
	try(t, slow.PutTask(t.Context(), Task{ID: "late", Values: values}))
	try(t, <-rotated)
	if n := openable(t, s.SecretStore); n != things+1 {
		t.Errorf("%d of %d open", n, things+1)
	}
}

// What comes from elsewhere after everything was looked at, sealed for an old key, is
// sealed again before that is forgotten.
func TestWhatComesLateIsSealedBeforeTheKeyIsForgotten(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fill(t)
	old := s.envelope(t, "task-0")
	r, err := s.Rotate(t.Context(), true, func(done int) {
		if done == things {
			old.Revision = s.envelope(t, "task-0").Revision
			_, err := s.st.Tasks().Save(t.Context(), old)
			try(t, err)
		}
	})
	try(t, err)
	if n := openable(t, s.SecretStore); n != things || !r.Forgot {
		t.Errorf("%d of %d open, %+v", n, things, r)
	}
}
