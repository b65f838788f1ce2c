package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestOpenWithoutAnAddressIsTheDataDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("REPRISE_DATA", "")
	byDefault := filepath.Join(home, ".local", "share", "reprise")
	if runtime.GOOS == "darwin" {
		byDefault = filepath.Join(home, "Library", "Application Support", "reprise")
	}
	wantDefault(t, byDefault)

	t.Setenv("XDG_DATA_HOME", "relative/is/ignored")
	wantDefault(t, byDefault)
	if runtime.GOOS != "darwin" {
		t.Setenv("XDG_DATA_HOME", filepath.Join(home, "xdg"))
		wantDefault(t, filepath.Join(home, "xdg", "reprise"))
	}
	t.Setenv("REPRISE_DATA", filepath.Join(home, "mine"))
	wantDefault(t, filepath.Join(home, "mine"))
}

func wantDefault(t *testing.T, dir string) {
	t.Helper()
	if got, err := store.DefaultDir(); err != nil || got != dir {
		t.Errorf("DefaultDir() = %q, %v, want %q", got, err, dir)
	}
	try(t, os.RemoveAll(dir))
	save(t, open(t, ""), storetest.Document(t, "login", ""))
	if _, err := os.Stat(file(dir, "login.json")); err != nil {
		t.Errorf("it was saved elsewhere: %v", err)
	}
}

func TestWithoutAHomeTheErrorNamesTheVariable(t *testing.T) {
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_DATA_HOME", "")
		t.Setenv("REPRISE_DATA", "")
		if _, err := store.Open(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "REPRISE_DATA") {
			t.Errorf("HOME=%q: %v", home, err)
		}
	}
}

func TestARelativeDirectoryStaysWhereItWas(t *testing.T) {
	there := t.TempDir()
	t.Chdir(there)
	s := open(t, "data")
	t.Chdir(t.TempDir())
	save(t, s, storetest.Document(t, "login", ""))
	if _, err := os.Stat(file(filepath.Join(there, "data"), "login.json")); err != nil {
		t.Error(err)
	}
}

var schemes atomic.Int64

// newScheme returns one that no test has registered, also when tests are run
// again in the same process.
func newScheme() string { return fmt.Sprintf("test-%d", schemes.Add(1)) }

func TestADriverIsOpenedByItsScheme(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var got string
	scheme := newScheme()
	store.Register(scheme, func(ctx context.Context, url string) (store.Store, error) {
		got = url
		return store.Open(ctx, dir)
	})
	save(t, open(t, scheme+"://host/x?y=z"), storetest.Document(t, "login", ""))
	if got != scheme+"://host/x?y=z" {
		t.Errorf("the driver was given %q", got)
	}
}

func TestAnUnknownSchemeNamesThePackageToImport(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{
		"postgres":   `import _ "github.com/go-reprise/reprise/store/postgres"`,
		"postgresql": `import _ "github.com/go-reprise/reprise/store/postgres"`,
		"mysql":      "mysql:// is not a store",
	} {
		_, err := store.Open(t.Context(), scheme+"://me:secret@host/db")
		var unknown *store.SchemeError
		if !errors.As(err, &unknown) || unknown.Scheme != scheme {
			t.Fatalf("%s: got %v, want a SchemeError", scheme, err)
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

func TestRegisteringTwiceIsAMistakeOfTheProgram(t *testing.T) {
	t.Parallel()
	opener := func(context.Context, string) (store.Store, error) { return nil, nil }
	scheme := newScheme()
	store.Register(scheme, opener)
	for what, register := range map[string]func(){
		"twice":   func() { store.Register(scheme, opener) },
		"nothing": func() { store.Register(newScheme(), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			register()
		}()
	}
}

func TestOpeningAFileSaysThatItIsNoDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data")
	write(t, path, []byte("a file"))
	for _, url := range []string{path, filepath.Join(path, "below")} {
		_, err := store.Open(t.Context(), url)
		var where *store.PathError
		if !errors.As(err, &where) || where.Path != url || !strings.Contains(where.Advice, "REPRISE_DATA") {
			t.Errorf("Open(%s): %v, want a PathError that advises", url, err)
		}
	}
}

func TestConflictsAndAbsencesSayWhatToDo(t *testing.T) {
	t.Parallel()
	var got []string
	for _, err := range []error{
		&store.ConflictError{Name: "login", Stored: 3},
		&store.ConflictError{Name: "login", Account: "me", Have: 3},
		&store.ConflictError{Name: "login", Account: "me", Have: 3, Stored: 4},
		&store.NotFoundError{Name: "login"},
		&store.NotFoundError{Name: "login", Account: "me", Accounts: []string{"", "you"}},
	} {
		got = append(got, err.Error())
	}
	want := []string{
		`store: automation "login" for any account is already stored, at revision 3: get it and change that, or choose another name`,
		`store: automation "login" for account "me" is no longer stored, and you have revision 3: save it with revision 0 to store it again`,
		`store: automation "login" for account "me" is stored at revision 4, and you have revision 3: get it again and apply your change to that`,
		`store: there is no automation "login" for any account; nothing is stored under this name`,
		`store: there is no automation "login" for account "me"; it is stored for any account, for account "you"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the messages (-want +got):\n%s", diff)
	}
}
