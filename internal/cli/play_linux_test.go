package cli

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/terminal/terminaltest"
)

// sitting is a user at the terminal of a reprise that plays an order.
type sitting struct {
	t      *testing.T
	person *os.File
	seen   strings.Builder
	chars  chan rune
	cmd    *exec.Cmd
	sent   *atomic.Int32
}

// sit has reprise play an order at a terminal of its own.
func sit(t *testing.T, flags ...string) *sitting {
	t.Helper()
	browsertest.Slot(t)
	s := &sitting{t: t, sent: &atomic.Int32{}, chars: make(chan rune, 1<<16)}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			s.sent.Add(1)
		}
		fmt.Fprint(w, `<title>Shop</title><form method="post" action="/sold"><button id="place">Place order</button></form>`)
	}))
	t.Cleanup(shop.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "order.json")
	host := strings.TrimPrefix(shop.URL, "http://")
	document := fmt.Sprintf(`{"format": 1, "name": "order", "match": {"urls": [%q]}, "steps": [
		{"tool": "navigate", "url": %q}, {"tool": "click", "selector": "#place", "intent": "order it"}, {"tool": "waitForNav", "url": %q}]}`, host, shop.URL+"/", host+"/sold")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	person, program := terminaltest.Open(t)
	s.person = person
	s.cmd = exec.CommandContext(t.Context(), "reprise", append([]string{"play", file, "--data", filepath.Join(dir, "data"), "--browser", b.Endpoint()}, flags...)...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = program, program, program
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = program.Close() // the last that is open is the child's: reading ends with it
	go s.read()
	return s
}

func (s *sitting) read() {
	defer close(s.chars)
	in := bufio.NewReader(s.person)
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		s.chars <- r
	}
}

// sees waits until the terminal has shown something, since it was asked last.
func (s *sitting) sees(want string) {
	s.t.Helper()
	over := time.After(patience)
	for !strings.Contains(s.seen.String(), want) {
		select {
		case r, more := <-s.chars:
			if !more {
				s.t.Fatalf("it ended without %q:\n%s", want, s.seen.String())
			}
			s.seen.WriteRune(r)
		case <-over:
			s.t.Fatalf("there is no %q in\n%s", want, s.seen.String())
		}
	}
}

func (s *sitting) types(keys string) {
	s.t.Helper()
	s.seen.Reset()
	if _, err := s.person.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for its end, and wants this exit code and so many orders.
func (s *sitting) ends(code int, orders int32) {
	s.t.Helper()
	for r := range s.chars {
		s.seen.WriteRune(r)
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	got := 0
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		s.t.Fatal(err)
	}
	if got != code || s.sent.Load() != orders {
		s.t.Errorf("it ended with %d and %d orders, want %d and %d:\n%s", got, s.sent.Load(), code, orders, s.seen.String())
	}
}

func TestAPersonIsAskedBeforeAnOrderIsSent(t *testing.T) {
	t.Parallel()
	s := sit(t)
	s.sees("Do it? [y/N] ")
	for _, want := range []string{"Step 2 is a commit step.", "order it", "“Place order”", "http://127.0.0.1:", "page "} {
		if !strings.Contains(s.seen.String(), want) {
			t.Errorf("the question does not say %q:\n%s", want, s.seen.String())
		}
	}
	if s.sent.Load() != 0 {
		t.Error("it was sent before anyone had answered")
	}
	s.types("y\n")
	s.sees("is done")
	s.ends(failure.ExitDone, 1)
}

func TestAnythingButYesIsANo(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"\n", "n\n", "yeah\n"} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			t.Parallel()
			s := sit(t)
			s.sees("Do it? [y/N] ")
			s.types(answer)
			s.sees("refused: the approver denied")
			s.ends(failure.ExitPerson, 0)
		})
	}
}

func TestStepsAreLetOneByOne(t *testing.T) {
	t.Parallel()
	s := sit(t, "--step", "--commit", "allow")
	s.sees("next is step 1 of 3: navigate")
	s.types(" ")
	s.sees("next is step 2 of 3: click #place")
	if s.sent.Load() != 0 {
		t.Error("the second step was not waited for")
	}
	s.types("x")
	s.sees("next is step 3 of 3")
	s.types(" ")
	s.ends(failure.ExitDone, 1)
}

func TestQEndsARunBeforeItsNextStep(t *testing.T) {
	t.Parallel()
	s := sit(t, "--step", "--commit", "allow")
	s.sees("next is step 1 of 3")
	s.types(" ")
	s.sees("next is step 2 of 3")
	s.types("q")
	s.sees("it was ended with q")
	s.ends(failure.ExitFailed, 0)
}
