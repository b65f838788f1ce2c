package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/go-reprise/reprise/internal/cli/render"
)

// terminal opens a pseudo-terminal: what a person types into person, a program
// reads from program.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// until waits until the terminal shows what is typed, or does not.
func until(t *testing.T, f *os.File, echo bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); echoes(t, f) != echo; <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("the terminal's echo is still %v", !echo)
		}
	}
}

type asked struct {
	text string
	err  error
}

func TestASecretIsNotShownWhileItIsTyped(t *testing.T) {
	t.Parallel()
	person, program := terminal(t)
	answers := make(chan asked, 1)
	go func() {
		text, err := readSecret(t.Context(), program, io.Discard, "password: ")
		answers <- asked{text, err}
	}()
	until(t, program, false)
	if _, err := person.WriteString("hunter2\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.text != "hunter2" || got.err != nil {
		t.Errorf("it read %q, %v", got.text, got.err)
	}
	if !echoes(t, program) {
		t.Error("the terminal does not echo any more")
	}
}

func TestCtrlCWhileASecretIsAskedForGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	person, program := terminal(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	answers := make(chan asked, 1)
	go func() {
		text, err := readSecret(ctx, program, io.Discard, "password: ")
		answers <- asked{text, err}
	}()
	until(t, program, false)
	stop := errors.New("interrupted")
	cancel(stop)
	if got := <-answers; !errors.Is(got.err, stop) {
		t.Errorf("it gave %q, %v, want what the context ended with", got.text, got.err)
	}
	if !echoes(t, program) {
		t.Error("the terminal does not echo any more")
	}
	endReading(t, person, program)
}

// endReading answers the read that nobody waits for any more, and sees it end:
// the last that it does is to have the terminal echo.
func endReading(t *testing.T, person, program *os.File) {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	state.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(program.Fd()), unix.TCSETS, state); err != nil {
		t.Fatal(err)
	}
	if _, err := person.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	until(t, program, true)
}

func TestOnlyATerminalIsColouredAndOnlyIfItsPersonWantsThat(t *testing.T) {
	_, program := terminal(t)
	t.Setenv("TERM", "xterm")
	for noColour, want := range map[string]string{"": "\x1b[1mwords\x1b[0m", "1": "words"} {
		t.Setenv("NO_COLOR", noColour)
		if got := render.StyleOf(program).Bold("words"); got != want {
			t.Errorf("with NO_COLOR=%q bold is %q, want %q", noColour, got, want)
		}
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if got := render.StyleOf(program).Bold("words"); got != "words" {
		t.Errorf("on a dumb terminal bold is %q", got)
	}
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	t.Setenv("TERM", "xterm")
	if got := render.StyleOf(file).Bold("words"); got != "words" {
		t.Errorf("in a file bold is %q", got)
	}
}
