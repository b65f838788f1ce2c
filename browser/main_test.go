package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// patience is how long a test waits for what must happen; the machine may be
// busy.
const patience = 30 * time.Second

// asChild makes the test program a victim: it launches a browser, tells of it,
// and waits to be killed, or for the end of its input.
const asChild = "REPRISE_TEST_VICTIM"

type victim struct {
	Pid     int
	Profile string
}

func TestMain(m *testing.M) {
	runtime, err := os.MkdirTemp("", "r-") // a socket's name is short
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch os.Getenv(asChild) {
	case "":
		_ = os.Setenv("XDG_RUNTIME_DIR", runtime)
		code := m.Run()
		_ = os.RemoveAll(runtime)
		os.Exit(code)
	case "keep":
		keepAsChild()
		return
	}
	_ = os.Remove(runtime)
	b, err := browser.Launch(context.Background(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if _, err := b.NewPage(context.Background(), "data:text/html,hello"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(victim{b.Pid(), b.Profile()}); err != nil {
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = b.Close()
}

// launch starts a browser that is closed when the test ends.
func launch(t *testing.T, o *browser.Options) *browser.Browser {
	t.Helper()
	browsertest.Slot(t)
	b, err := browser.Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return b
}

func open(t *testing.T, b *browser.Browser, url string) *browser.Page {
	t.Helper()
	p, err := b.NewPage(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eval runs an expression in the page's own world.
func eval[T any](t *testing.T, p *browser.Page, expression string) T {
	t.Helper()
	got, err := p.Rod().Context(within(t)).Eval("() => (" + expression + ")")
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	var v T
	if err := got.Value.Unmarshal(&v); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx := browsertest.Context(t)
	return ctx
}

// running are the processes with a word in their command.
func running(t *testing.T, word string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-axo", "pid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	return found
}

// gone checks that nothing is left of a browser.
func gone(t *testing.T, profile string) {
	t.Helper()
	if left := running(t, profile); len(left) > 0 {
		t.Errorf("processes are left:\n%s", strings.Join(left, ""))
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the profile is left: %v", err)
	}
}

// script writes a program that stands for a browser. It answers --version.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chrome")
	text := "#!/bin/sh\ncase \"$*\" in *--version*) echo Chromium 156.0.0.0; exit;; esac\n" + body + "\n"
	writeProgram(t, path, text)
	return path
}

// writeProgram writes what is about to be run. No process is forked by another
// test meanwhile: it would hold the file open for writing for a moment, and Linux
// runs no such file (ETXTBSY, https://go.dev/issue/22315).
func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
