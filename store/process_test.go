package store_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// A child is this test binary, started by its environment to do one thing with a
// data directory, whose path is its argument.
const childEnv = "REPRISE_STORE_TEST_CHILD"

var children = map[string]func(dir string) error{
	"save until killed":    saveUntilKilled,
	"save":                 saveMany,
	"write little":         writeLittle,
	"send":                 sendMany,
	"answer":               answerMany,
	"hand over":            handOverUntilKilled,
	"journal until killed": journalUntilKilled,
	"prune until killed":   pruneUntilKilled,
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

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "kill 800 writers, and have two processes save for 30 seconds")

const (
	// How long two processes save the same document, each as fast as it can.
	savingTime     = 3 * time.Second
	savingTimeSoak = 30 * time.Second
	// fewestSaves of each process, however busy the machine is: fewer prove nothing.
	fewestSaves = 3
)

// saveMany saves until its input ends, beginning with a line of it.
func saveMany(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil { // the other one is ready, too
		return err
	}
	var ended atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, in)
		ended.Store(true)
	}()
	for !ended.Load() {
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
	}
	return s.Close()
}

// saver is a process that saves.
type saver struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
	own   []int // the revisions that it printed as saved
}

func startSaver(t *testing.T, dir string) *saver {
	t.Helper()
	s := &saver{cmd: child(t, "save", dir)}
	s.cmd.Stderr = os.Stderr
	var err error
	s.in, err = s.cmd.StdinPipe()
	try(t, err)
	out, err := s.cmd.StdoutPipe()
	try(t, err)
	s.lines = bufio.NewScanner(out)
	try(t, s.cmd.Start())
	if !s.lines.Scan() || s.lines.Text() != "ready" {
		t.Fatalf("a child is not ready: %q, %v", s.lines.Text(), s.lines.Err())
	}
	return s
}

// listen hears what it has saved, until it ends.
func (s *saver) listen() {
	for s.lines.Scan() {
		n, err := strconv.Atoi(s.lines.Text())
		if err == nil {
			s.own = append(s.own, n)
		}
	}
}

func TestTwoProcessesLoseNoRevision(t *testing.T) {
	t.Parallel()
	lasting := savingTime
	if *soak {
		lasting = savingTimeSoak
	}
	dir := t.TempDir()
	save(t, open(t, dir), storetest.Document(t, "login", ""))
	savers := []*saver{startSaver(t, dir), startSaver(t, dir)}
	var listening sync.WaitGroup
	for _, s := range savers {
		listening.Go(s.listen)
		_, err := fmt.Fprintln(s.in, "go")
		try(t, err)
	}
	// How long they save is what is asked for: it waits for nothing.
	<-time.After(lasting)
	for _, s := range savers {
		try(t, s.in.Close())
	}
	listening.Wait()
	all := []int{1}
	for _, s := range savers {
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("a child: %v", err)
		}
		if !slices.IsSorted(s.own) || len(s.own) < fewestSaves {
			t.Errorf("one process saved %d times in %v, rising: %v", len(s.own), lasting, slices.IsSorted(s.own))
		}
		all = append(all, s.own...)
	}
	slices.Sort(all)
	for i, revision := range all {
		if revision != i+1 {
			t.Fatalf("revision %d was lost or given twice", i+1)
		}
	}
	if got := get(t, open(t, dir), "login", "").Revision; got != len(all) {
		t.Errorf("revision %d is stored, want %d", got, len(all))
	}
	t.Logf("%d revisions in %v", len(all), lasting)
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
// an error with the place and what to do.
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
