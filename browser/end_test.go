package browser_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// It runs alone, before the parallel tests go on: only so are all goroutines of
// the package its own.
func TestCloseLeavesNoProcessNoDirectoryAndNoGoroutine(t *testing.T) {
	b := launch(t, nil)
	p := open(t, b, "data:text/html,hello")
	eval[int](t, p, "1") // rod's goroutines too
	profile := b.Profile()
	if len(running(t, profile)) == 0 {
		t.Fatal("the test does not find the browser's processes")
	}
	closed := make(chan error, 5)
	for range cap(closed) {
		go func() { closed <- b.Close() }()
	}
	for range cap(closed) {
		if err := <-closed; err != nil {
			t.Error(err)
		}
	}
	gone(t, profile)
	if err := b.Err(); !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("Err() = %v, want ErrLost", err)
	}
	browsertest.Until(t, "rod's goroutines to see the end", func() bool { return len(goroutines("go-rod", "goob")) == 0 })
	if left := goroutines("reprise/browser.(*", "reprise/internal"); len(left) > 0 {
		t.Errorf("goroutines are left:\n%s", strings.Join(left, "\n\n"))
	}
}

// goroutines are those with one of the words in their stack, this one apart.
func goroutines(words ...string) []string {
	buf := make([]byte, 1<<20)
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	var found []string
	for _, stack := range all[1:] {
		for _, word := range words {
			if strings.Contains(stack, word) {
				found = append(found, stack)
				break
			}
		}
	}
	return found
}

func TestABrowserThatIsKilledIsLostAndCleanedUp(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	p := open(t, b, "")
	if b.Err() != nil {
		t.Errorf("Err() of a browser that is there: %v", b.Err())
	}
	profile := b.Profile()
	if err := syscall.Kill(b.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-b.Done():
	case <-within(t).Done():
		t.Fatal("Done is not closed")
	}
	if _, err := b.NewPage(t.Context(), ""); !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("NewPage: %v, want ErrLost", err)
	}
	if _, err := p.Rod().Eval("() => 1"); !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("rod's page: %v, want ErrLost", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Err(); !errors.Is(err, browser.ErrDisconnected) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Err() = %v, want ErrLost and how it ended", err)
	}
	gone(t, profile)
}

func TestABrowserThatIsStuckIsKilled(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	profile := b.Profile()
	if err := syscall.Kill(b.Pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	gone(t, profile)
}

func TestABrowserEndsWithTheProgramThatLaunchedIt(t *testing.T) {
	t.Parallel()
	temp, err := os.MkdirTemp("", "reprise-test-") // no other test sweeps here
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })

	program, _, killed := startVictim(t, temp)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	browsertest.Until(t, "the browser to end", func() bool { return len(running(t, killed.Profile)) == 0 })
	if _, err := os.Stat(killed.Profile); err != nil {
		t.Fatalf("a killed program cannot have removed the profile: %v", err)
	}

	program, input, next := startVictim(t, temp)
	gone(t, killed.Profile) // swept
	if err := errors.Join(input.Close(), program.Wait()); err != nil {
		t.Error(err)
	}
	gone(t, next.Profile)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// startVictim runs a program that launches a browser. It ends with its input.
func startVictim(t *testing.T, temp string) (*exec.Cmd, io.Closer, victim) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startVictimAs(t, self, temp, nil)
}

// startVictimAs does so for a user.
func startVictimAs(t *testing.T, self, temp string, user *syscall.SysProcAttr) (*exec.Cmd, io.Closer, victim) {
	t.Helper()
	cmd := exec.Command(self)
	cmd.Dir, cmd.SysProcAttr = temp, user
	cmd.Env = append(os.Environ(), asChild+"=1", "TMPDIR="+temp)
	if user != nil {
		cmd.Env = append(cmd.Env, "HOME="+temp)
	}
	cmd.Stderr = new(bytes.Buffer)
	input, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var v victim
	if err := json.NewDecoder(out).Decode(&v); err != nil {
		t.Fatalf("the program launched no browser: %v: %s", err, cmd.Stderr)
	}
	return cmd, input, v
}
