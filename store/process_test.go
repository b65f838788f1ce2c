package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

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
	"send":              sendMany,
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
