package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

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
