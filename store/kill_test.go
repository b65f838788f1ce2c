package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

const (
	kills     = 50
	killsSoak = 500
	// Each child is killed after up to so many saves and, by chance, somewhere
	// within the next, which takes some milliseconds: one half of the children
	// at any point, the other just after the directory began to change.
	maxSavesBeforeKill = 2
	maxTimeBeforeKill  = 12 * time.Millisecond
	maxTimeOfChange    = 300 * time.Microsecond
	// Large enough that a write takes a while.
	paddingSize = 160 << 10
)

// padded returns a document whose note distinguishes a half-written one from a whole one:
// it is long, and ends with the revision that the document will have.
func padded(a *automation.Automation) {
	note := strings.Repeat("x", paddingSize) + strconv.Itoa(a.Revision+1)
	a.X, _ = json.Marshal(note) // a string can always be written
}

func saveUntilKilled(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	a, err := s.Automations().Get(ctx, "login", "")
	for err == nil {
		padded(a)
		if a, err = s.Automations().Save(ctx, a); err == nil {
			fmt.Println(a.Revision)
			err = saveSealed(ctx, s, a.Revision)
		}
	}
	return err
}

// saveSealed stores something sealed with the revision of the document in it, whose writer
// it is for.
func saveSealed(ctx context.Context, s store.Store, revision int) error {
	e, err := s.Tasks().Get(ctx, "login", "")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	have := e.Revision
	e = storetest.Envelope("login", "")
	e.Automations, e.Revision = []string{strconv.Itoa(revision)}, have
	_, err = s.Tasks().Save(ctx, e)
	return err
}

// wantSealed wants the envelope to be whole, of no revision that was not saved and of
// none before the one that was seen. It returns its revision.
func wantSealed(t *testing.T, s store.Store, seen, last int) int {
	t.Helper()
	e, err := s.Tasks().Get(t.Context(), "login", "")
	if errors.Is(err, store.ErrNotFound) && seen == 0 {
		return 0
	}
	try(t, err)
	got := number(t, e.Automations[0])
	if got < seen || got > last {
		t.Fatalf("revision %d is stored, and the envelope is of %d after one of %d", last, got, seen)
	}
	return got
}

func TestAKilledWriterLeavesTheOldOrTheNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := storetest.Document(t, "login", "")
	padded(a)
	last, sealed, n := save(t, open(t, dir), a).Revision, 0, kills
	if *soak {
		n = killsSoak
	}
	for range n {
		acknowledged := killedWhile(t, "save until killed", dir, "automations", last)
		for path := range tree(t, filepath.Join(dir, "automations")) {
			if path != "." && path != "login.json" && !strings.HasPrefix(path, ".login.json") {
				t.Fatalf("a strange file was left: %s", path)
			}
		}
		got := get(t, open(t, dir), "login", "")
		if got.Revision != acknowledged && got.Revision != acknowledged+1 {
			t.Fatalf("revision %d was saved, and revision %d is stored", acknowledged, got.Revision)
		}
		if want := strconv.Itoa(got.Revision) + `"`; !strings.HasSuffix(string(got.X), "x"+want) {
			t.Fatalf("revision %d ends in %s", got.Revision, got.X[len(got.X)-10:])
		}
		last = got.Revision
		sealed = wantSealed(t, open(t, dir), sealed, last)
	}
	s := open(t, dir)
	save(t, s, get(t, s, "login", ""))
	if left := tree(t, filepath.Join(dir, "automations")); len(left) != 2 {
		t.Errorf("temporary files are left after the next save: %v", left)
	}
	if last < n/2 || sealed == 0 {
		t.Errorf("only %d saves in %d children (sealed at %d): they were killed too early to prove anything", last, n, sealed)
	}
	t.Logf("%d saves, %d kills", last, n)
}

// killedWhile starts a child and kills it at a random moment. It returns the last
// number that the child printed, of what it writes into a folder.
func killedWhile(t *testing.T, what, dir, folder string, last int) int {
	t.Helper()
	cmd := child(t, what, dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	try(t, err)
	try(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range rand.IntN(maxSavesBeforeKill + 1) {
		if lines.Scan() {
			last = number(t, lines.Text())
		}
	}
	most := maxTimeBeforeKill
	if rand.IntN(2) == 0 {
		awaitChange(t, filepath.Join(dir, folder))
		most = maxTimeOfChange
	}
	// The moment is the point of the test: it waits for nothing.
	<-time.After(rand.N(most))
	try(t, cmd.Process.Kill())
	for lines.Scan() {
		last = number(t, lines.Text())
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v", err)
	}
	return last
}

// awaitChange looks until a file comes, goes or changes. Looking is all that
// is quick enough to see a write begin.
func awaitChange(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for before := look(dir); look(dir) == before; {
		if time.Now().After(deadline) {
			t.Fatal("the child does not save")
		}
	}
}

func look(dir string) string {
	var seen strings.Builder
	entries, _ := os.ReadDir(dir) // of a directory that is there
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Fprintln(&seen, e.Name(), info.Size(), info.ModTime())
		}
	}
	return seen.String()
}
