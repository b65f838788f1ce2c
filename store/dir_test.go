package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
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

// file gives the path of a document's file.
func file(dir, name string) string { return filepath.Join(dir, "automations", name) }

// text is the document as it would stand in a file that a person wrote.
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

// tree gives every path below dir with its permissions.
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

func TestAFileWrittenByHandIsAnAutomation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mine := storetest.Document(t, "login", "")
	write(t, file(dir, "login.json"), text(t, mine))
	got := get(t, s, "login", "")
	if got.Revision != 1 || list(t, s)["login@"].Revision != 1 {
		t.Errorf("the revision is %d, want 1", got.Revision)
	}
	if _, err := s.Automations().Save(t.Context(), mine); !errors.Is(err, store.ErrConflict) {
		t.Errorf("saving a new one over it: %v", err)
	}
	if saved := save(t, s, got); saved.Revision != 2 {
		t.Errorf("saving it gave revision %d", saved.Revision)
	}
}

func TestWhatCannotBeReadIsReportedAndHindersNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	save(t, s, storetest.Document(t, "login", ""))
	outside := filepath.Join(t.TempDir(), "outside.json")
	write(t, outside, text(t, storetest.Document(t, "linked", "")))
	bad := map[string]struct {
		make func(path string)
		want error
	}{
		"half.json":   {func(p string) { write(t, p, []byte(`{"format": 1, "name": "ha`)) }, nil},
		"later.json":  {func(p string) { write(t, p, []byte(`{"format": 99}`)) }, automation.ErrFormat},
		"empty.json":  {func(p string) { write(t, p, nil) }, nil},
		"other.json":  {func(p string) { write(t, p, text(t, storetest.Document(t, "mine", ""))) }, store.ErrMisplaced},
		"mine@a.json": {func(p string) { write(t, p, text(t, storetest.Document(t, "mine", "b"))) }, store.ErrMisplaced},
		"mine@%41.json": {
			func(p string) { write(t, p, text(t, storetest.Document(t, "mine", "a"))) }, store.ErrMisplaced,
		},
		"Big.json":     {func(p string) { write(t, p, text(t, storetest.Document(t, "big", ""))) }, store.ErrMisplaced},
		"linked.json":  {func(p string) { try(t, os.Symlink(outside, p)) }, syscall.ELOOP},
		"folder.json":  {func(p string) { try(t, os.Mkdir(p, 0o700)) }, store.ErrNotRegular},
		"pipe.json":    {func(p string) { try(t, syscall.Mkfifo(p, 0o600)) }, store.ErrNotRegular},
		"huge.json":    {func(p string) { write(t, p, nil); try(t, os.Truncate(p, 50<<20)) }, store.ErrTooLarge},
		"unknown.json": {func(p string) { write(t, p, []byte(`{"format":1,"name":"unknown","nme":"x"}`)) }, nil},
	}
	for name, b := range bad {
		b.make(file(dir, name))
	}
	write(t, file(dir, "README.md"), []byte("not an automation"))
	write(t, file(dir, ".hidden.json"), []byte("nor this"))

	listed := map[string]store.Summary{}
	for one, err := range s.Automations().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var where *store.PathError
		switch {
		case one.Err == nil:
			listed[one.Name] = one
		case errors.As(one.Err, &where):
			listed[filepath.Base(where.Path)] = one
		default:
			t.Errorf("%v does not say which file it is", one.Err)
		}
	}
	if len(listed) != len(bad)+1 || listed["login"].Steps != 3 {
		t.Errorf("List gives %d, want %d and the good one: %v", len(listed), len(bad), listed)
	}
	for name, b := range bad {
		err := listed[name].Err
		if err == nil || b.want != nil && !errors.Is(err, b.want) {
			t.Errorf("%s: got %v, want %v", name, err, b.want)
		}
	}
	if got, want := listed["mine@a.json"], "a"; got.Name != "mine" || got.Account != want {
		t.Errorf("mine@a.json is listed as %q, %q", got.Name, got.Account)
	}
	if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err != nil {
		t.Errorf("Match of the good one: %v", err)
	}
	_, err := s.Automations().Match(t.Context(), "https://half.example/", "")
	var unread *store.UnreadError
	if !errors.As(err, &unread) || len(unread.Unread) != len(bad) {
		t.Errorf("Match of a bad one: %v, want an UnreadError of %d", err, len(bad))
	}
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatCannotBeReadIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := file(dir, "login.json")
	write(t, path, []byte("a day's work, and a slip"))
	var where *store.PathError
	if _, err := s.Automations().Get(t.Context(), "login", ""); !errors.As(err, &where) || where.Path != path {
		t.Errorf("Get: %v, want a PathError of %s", err, path)
	}
	for _, revision := range []int{0, 1} {
		a := storetest.Document(t, "login", "")
		a.Revision = revision
		if _, err := s.Automations().Save(t.Context(), a); !errors.As(err, &where) {
			t.Errorf("Save at %d: %v, want a PathError", revision, err)
		}
		if err := s.Automations().Delete(t.Context(), "login", "", revision); !errors.As(err, &where) {
			t.Errorf("Delete of %d: %v, want a PathError", revision, err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "a slip") {
		t.Errorf("the file now holds %q, %v", data, err)
	}
	if err := s.Automations().Delete(t.Context(), "login", "", store.AnyRevision); err != nil {
		t.Errorf("Delete of any revision: %v", err)
	}
	save(t, s, storetest.Document(t, "login", ""))
}

func TestASymbolicLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	write(t, outside, []byte("precious"))
	s := open(t, dir)
	run := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Done}
	record := filepath.Join(dir, "runs", run.ID, "run.json")
	for _, target := range []string{outside, filepath.Join(t.TempDir(), "not-there")} {
		path := file(dir, "login.json")
		for _, link := range []string{path, record} {
			try(t, os.MkdirAll(filepath.Dir(link), 0o700))
			try(t, os.Symlink(target, link))
		}
		_, err := s.Automations().Save(t.Context(), storetest.Document(t, "login", ""))
		var where *store.PathError
		if !errors.Is(err, syscall.ELOOP) || !errors.As(err, &where) || where.Path != path || where.Advice == "" {
			t.Errorf("Save: %v, want a PathError of %s that advises", err, path)
		}
		if _, err := s.Runs().Get(t.Context(), run.ID); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("Runs.Get: %v, want that it is a link", err)
		}
		// The record of a run is written by one, so what stands there is replaced.
		try(t, s.Runs().Save(t.Context(), run))
		if data, err := os.ReadFile(outside); err != nil || string(data) != "precious" {
			t.Errorf("the file behind the link holds %q, %v", data, err)
		}
		if _, err := os.Lstat(target); target != outside && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file was made behind the link: %v", err)
		}
		if got, err := os.Readlink(path); err != nil || got != target {
			t.Errorf("the automation's link is now %q, %v", got, err)
		}
		try(t, os.Remove(path))
		try(t, os.Remove(record))
	}
}

func TestChangesByOthersAreSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	a := save(t, other, storetest.Document(t, "login", ""))
	if got := list(t, s)["login@"].Revision; got != 1 {
		t.Errorf("List gives revision %d, want 1", got)
	}
	a.Match.URLs = []string{"moved.example/*"}
	save(t, other, a)
	if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err == nil {
		t.Error("Match finds it where it was")
	}
	if _, err := s.Automations().Match(t.Context(), "https://moved.example/", ""); err != nil {
		t.Errorf("Match does not find it where it is: %v", err)
	}
	try(t, os.Remove(file(dir, "login.json")))
	if _, err := s.Automations().Match(t.Context(), "https://moved.example/", ""); err == nil {
		t.Error("Match finds what was removed")
	}
}

// An editor that writes in place within the same tick of the file system's
// clock leaves size and time as they were.
func TestAnEditInTheSameInstantIsSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := file(dir, "login.json")
	a := storetest.Document(t, "login", "")
	now := time.Now()
	for _, words := range []string{"one", "two"} {
		a.Description = words
		write(t, path, text(t, a))
		try(t, os.Chtimes(path, now, now))
		if got := list(t, s)["login@"].Description; got != words {
			t.Errorf("List says %q, want %q", got, words)
		}
	}
}

func TestUnchangedFilesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := file(dir, "login.json")
	a := storetest.Document(t, "login", "")
	lastYear := time.Now().AddDate(-1, 0, 0)
	for _, words := range []string{"one", "two"} {
		a.Description = words
		write(t, path, text(t, a))
		try(t, os.Chtimes(path, lastYear, lastYear))
		if got := list(t, s)["login@"].Description; got != "one" {
			t.Errorf("List says %q, so the file was read again", got)
		}
	}
}

func TestLeftOverTemporaryFilesAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, file(dir, ".login.json1234567890"), []byte(`{"format`))
	write(t, filepath.Join(dir, "runs", ".run.json42"), []byte(`{`))
	write(t, file(dir, ".gitignore"), nil)
	write(t, file(dir, ".login.json.swp"), nil)
	s := open(t, dir)
	save(t, s, storetest.Document(t, "login", ""))
	var got []string
	for path, mode := range tree(t, dir) {
		if !strings.HasPrefix(mode, "d") {
			got = append(got, path)
		}
	}
	slices.Sort(got)
	want := []string{".lock", "automations/.gitignore", "automations/.login.json.swp", "automations/login.json"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the directory (-want +got):\n%s", diff)
	}
}

func TestAWriterWaitsForTheLockAsLongAsItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	before := save(t, s, storetest.Document(t, "login", ""))
	lock := flock.New(filepath.Join(dir, ".lock"))
	if held, err := lock.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	cause := errors.New("no more time")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, cause)
	defer cancel()
	if _, err := s.Automations().Save(ctx, before); !errors.Is(err, cause) {
		t.Errorf("Save while another process writes: %v, want %v", err, cause)
	}
	if got := get(t, s, "login", ""); got.Revision != 1 {
		t.Errorf("it was saved as revision %d without the lock", got.Revision)
	}
	saved := make(chan error)
	go func() {
		_, err := s.Automations().Save(t.Context(), before)
		saved <- err
	}()
	try(t, lock.Unlock())
	try(t, <-saved)
}

func TestABrokenRunIsListedWithItsReason(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	good := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Done}
	try(t, s.Runs().Save(t.Context(), good))
	want := map[string]bool{good.ID: true}
	for _, data := range []string{
		"{", `{"format": 2}`, `{}`, `{"format":1,"id":"` + good.ID + `"}`, `{"format":1,"steps":[{"duration":"long"}]}`,
	} {
		id := store.NewRunID()
		want[id] = false
		write(t, filepath.Join(dir, "runs", id, "run.json"), []byte(data))
		if _, err := s.Runs().Get(t.Context(), id); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get of %s: %v", data, err)
		}
	}
	try(t, os.Mkdir(filepath.Join(dir, "runs", store.NewRunID()), 0o700))
	write(t, filepath.Join(dir, "runs", "notes.txt"), nil)
	got := map[string]bool{}
	for r, err := range s.Runs().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[r.ID] = r.Err == nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}
