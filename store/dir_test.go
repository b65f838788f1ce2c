package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()) })
}

func open(t testing.TB, dir string) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func save(t testing.TB, s store.Store, a *automation.Automation) *automation.Automation {
	t.Helper()
	saved, err := s.Automations().Save(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func get(t testing.TB, s store.Store, name, account string) *automation.Automation {
	t.Helper()
	a, err := s.Automations().Get(t.Context(), name, account)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func list(t testing.TB, s store.Store) map[string]store.Summary {
	t.Helper()
	all := map[string]store.Summary{}
	for one, err := range s.Automations().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all[one.Name+"@"+one.Account] = one
	}
	return all
}

// file returns the path of a document's file.
func file(dir, name string) string { return filepath.Join(dir, "automations", name) }

// text is the document as it would be in a file that a user wrote.
func text(t testing.TB, a *automation.Automation) []byte {
	t.Helper()
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree returns every path below dir with its permissions.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		all[rel] = info.Mode().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFilesAreReadableByTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir)
	a := save(t, s, storetest.Document(t, "login", "Jobs@gmail.com"))
	save(t, s, a)
	save(t, s, storetest.Document(t, "login", ""))
	id := store.NewRunID()
	if err := s.Runs().Save(t.Context(), store.Run{ID: id, Automation: "login", State: store.Done}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		".":                      "drwx------",
		".lock":                  "-rw-------",
		"automations":            "drwx------",
		"automations/login.json": "-rw-------",
		"automations/login@%4Aobs@gmail.com.json": "-rw-------",
		"runs":                     "drwx------",
		"runs/" + id:               "drwx------",
		"runs/" + id + "/run.json": "-rw-------",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("the directory (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(file(dir, "login@%4Aobs@gmail.com.json"))
	if err != nil {
		t.Fatal(err)
	}
	a.Revision = 2
	if diff := cmp.Diff(string(text(t, a)), string(data)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(string(data), "}\n") || !strings.Contains(string(data), "<quickly> & safely") {
		t.Errorf("the file is not for people:\n%s", data)
	}
}

func TestReadingMakesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	if all := list(t, s); len(all) != 0 {
		t.Errorf("List gives %v", all)
	}
	if _, err := s.Automations().Get(t.Context(), "login", ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err == nil {
		t.Error("Match found something")
	}
	for _, err := range s.Runs().List(t.Context()) {
		t.Errorf("Runs.List: %v", err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made the directory: %v", err)
	}
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
