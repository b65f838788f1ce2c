//go:build unix

package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// A child is this test binary, told by its environment to do one thing with a
// data directory, whose path is its argument.
const childEnv = "REPRISE_STORE_TEST_CHILD"

var children = map[string]func(dir string) error{
	"save until killed": saveUntilKilled,
	"save":              saveMany,
	"write little":      writeLittle,
}

func TestMain(m *testing.M) {
	if do, ok := children[os.Getenv(childEnv)]; ok {
		if err := do(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, dir)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	return cmd
}

const (
	kills = 50
	// Each child is killed after up to so many saves and, by chance, somewhere
	// within the next, which takes some milliseconds: one half of the children
	// at any point, the other just after the directory began to change.
	mostSavesBeforeKill = 2
	mostTimeBeforeKill  = 12 * time.Millisecond
	mostTimeOfChange    = 300 * time.Microsecond
	// Large enough that a write takes a while.
	paddingSize = 160 << 10
)

// padded gives a document whose note tells a half-written one from a whole one:
// it is long, and says the revision that the document will have at its end.
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
		}
	}
	return err
}

func TestAKilledWriterLeavesTheOldOrTheNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := storetest.Document(t, "login", "")
	padded(a)
	last := save(t, open(t, dir), a).Revision
	for range kills {
		acknowledged := killed(t, dir, last)
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
	}
	s := open(t, dir)
	save(t, s, get(t, s, "login", ""))
	if left := tree(t, filepath.Join(dir, "automations")); len(left) != 2 {
		t.Errorf("temporary files are left after the next save: %v", left)
	}
	if last < kills/2 {
		t.Errorf("only %d saves in %d children: they were killed too early to prove anything", last, kills)
	}
}

// killed starts a child and kills it at a random moment. It gives the last
// revision that the child said it had saved.
func killed(t *testing.T, dir string, last int) int {
	t.Helper()
	cmd := child(t, "save until killed", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	try(t, err)
	try(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range rand.IntN(mostSavesBeforeKill + 1) {
		if lines.Scan() {
			last = number(t, lines.Text())
		}
	}
	most := mostTimeBeforeKill
	if rand.IntN(2) == 0 {
		awaitChange(t, dir)
		most = mostTimeOfChange
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
	entries, _ := os.ReadDir(filepath.Join(dir, "automations")) // of a directory that is there
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Fprintln(&seen, e.Name(), info.Size(), info.ModTime())
		}
	}
	return seen.String()
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	try(t, err)
	return n
}

// savesEach takes each of two processes about a second where a disk needs some
// milliseconds to sync.
const savesEach = 150

func saveMany(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil { // the other one is ready, too
		return err
	}
	for saved := 0; saved < savesEach; {
		a, err := s.Automations().Get(ctx, "login", "")
		if err != nil {
			return err
		}
		a, err = s.Automations().Save(ctx, a)
		if errors.Is(err, store.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Println(a.Revision)
		saved++
	}
	return s.Close()
}

func TestTwoProcessesLoseNoRevision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, open(t, dir), storetest.Document(t, "login", ""))
	var (
		outs []*bufio.Scanner
		cmds []*exec.Cmd
		goes []io.Closer
	)
	for range 2 {
		cmd := child(t, "save", dir)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		try(t, err)
		out, err := cmd.StdoutPipe()
		try(t, err)
		try(t, cmd.Start())
		cmds, outs, goes = append(cmds, cmd), append(outs, bufio.NewScanner(out)), append(goes, in)
	}
	for _, out := range outs {
		if !out.Scan() || out.Text() != "ready" {
			t.Fatalf("a child is not ready: %q, %v", out.Text(), out.Err())
		}
	}
	for _, start := range goes {
		try(t, start.Close())
	}
	all := []int{1}
	for i, out := range outs {
		var own []int
		for out.Scan() {
			own = append(own, number(t, out.Text()))
		}
		if !slices.IsSorted(own) {
			t.Errorf("the revisions of one process do not rise: %v", own)
		}
		all = append(all, own...)
		if err := cmds[i].Wait(); err != nil {
			t.Errorf("a child: %v", err)
		}
	}
	slices.Sort(all)
	for i, revision := range all {
		if revision != i+1 {
			t.Fatalf("revision %d was lost or given twice: %v", i+1, all)
		}
	}
	if got := get(t, open(t, dir), "login", "").Revision; got != 1+2*savesEach {
		t.Errorf("revision %d is stored, want %d", got, 1+2*savesEach)
	}
}

// writeLittle limits the size of what it may write, which breaks a write in
// its middle as a full disk does, and needs no privilege.
func writeLittle(dir string) error {
	const most = 64 << 10
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	return refusedSave(dir, syscall.EFBIG)
}

// refusedSave wants a save of a padded document to fail for this reason, with
// an error that says where and what to do.
func refusedSave(dir string, want error) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	a, err := s.Automations().Get(ctx, "login", "")
	if err != nil {
		return err
	}
	padded(a)
	_, err = s.Automations().Save(ctx, a)
	var where *store.PathError
	if !errors.Is(err, want) || !errors.As(err, &where) || !strings.HasPrefix(where.Path, dir) || where.Advice == "" {
		return fmt.Errorf("save gave %v, want a PathError in %s that is %v and advises", err, dir, want)
	}
	fmt.Println(err)
	return nil
}

func TestABrokenOffWriteChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := save(t, open(t, dir), storetest.Document(t, "login", ""))
	files := tree(t, dir)
	out, err := child(t, "write little", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wantUnchanged(t, dir, before, files)
}

func wantUnchanged(t testing.TB, dir string, before *automation.Automation, files map[string]string) {
	t.Helper()
	if got := text(t, get(t, open(t, dir), "login", "")); string(got) != string(text(t, before)) {
		t.Errorf("what was stored is now\n%s", got)
	}
	for path := range tree(t, dir) {
		if files[path] == "" {
			t.Errorf("%s is left", path)
		}
	}
}
