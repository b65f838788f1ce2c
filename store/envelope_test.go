package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
	"github.com/go-reprise/reprise/store/storetest"
)

// Whatever becomes of a file, the error names it, and nothing writes over it
// unasked.
func TestAnEnvelopeThatCannotBeReadIsToldAndKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	keepSealed(t, s)
	path := filepath.Join(dir, "tasks", "login.age")
	whole, err := os.ReadFile(path)
	try(t, err)
	for what, data := range map[string][]byte{
		"nothing": nil, "half": whole[:len(whole)/2], "its label alone": whole[:len(whole)-200], "garbage": []byte("hello"),
		"more after it": append(append([]byte{}, whole...), "more"...), "a newer format": []byte(`{"format": 99}` + "\n"),
	} {
		try(t, os.WriteFile(path, data, 0o600))
		_, get := s.Tasks().Get(t.Context(), "login", "")
		_, saved := s.Tasks().Save(t.Context(), storetest.Envelope("login", ""))
		for _, err := range []error{get, saved} {
			var where *store.PathError
			if !errors.As(err, &where) || where.Path != path || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: got %v, want a PathError of %s", what, err, path)
			}
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(data) {
			t.Errorf("%s: it was written over", what)
		}
		listed := 0
		for e, err := range s.Tasks().List(t.Context()) {
			if listed++; err != nil || e.Err == nil || e.Name != "login" {
				t.Errorf("%s: listed as %+v, %v", what, e, err)
			}
		}
		if listed != 1 {
			t.Errorf("%s: %d are listed", what, listed)
		}
	}
	try(t, s.Tasks().Delete(t.Context(), "login", "", store.AnyRevision))
}

// A file that was renamed is not taken for another's.
func TestAnEnvelopeIsTheOneThatItsFileIsFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	keepSealed(t, s)
	data, err := os.ReadFile(filepath.Join(dir, "tasks", "login.age"))
	try(t, err)
	for _, file := range []string{"tasks/other.age", "vault/login.age", "tasks/login@ada.age"} {
		write(t, filepath.Join(dir, file), data)
	}
	for what, err := range map[string]error{
		"another name": second(s.Tasks().Get(t.Context(), "other", "")), "another kind": second(s.Vault().Get(t.Context(), "login", "")),
		"another account": second(s.Tasks().Get(t.Context(), "login", "ada")),
	} {
		if !errors.Is(err, store.ErrMisplaced) {
			t.Errorf("%s: got %v, want ErrMisplaced", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzDecodeEnvelope(f *testing.F) {
	e := storetest.Envelope("login", "ada")
	e.Kind, e.Revision = store.TaskEnvelope, 3
	text, err := driver.Rules.EncodeEnvelope(e)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := driver.Rules.DecodeEnvelope(data)
		if err != nil {
			return
		}
		text, err := driver.Rules.EncodeEnvelope(e)
		if err != nil {
			t.Fatalf("what is read cannot be written: %v", err)
		}
		again, err := driver.Rules.DecodeEnvelope(text)
		if diff := cmp.Diff(e, again); err != nil || diff != "" {
			t.Errorf("read again it is another: %v\n%s", err, diff)
		}
	})
}
