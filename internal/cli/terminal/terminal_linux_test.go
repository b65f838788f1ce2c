package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal/terminaltest"
	"github.com/go-reprise/reprise/replayer"
)

type asked struct {
	text string
	err  error
}

func TestASecretIsNotShownWhileItIsTyped(t *testing.T) {
	t.Parallel()
	person, program := terminaltest.Open(t)
	answers := make(chan asked, 1)
	go func() {
		text, err := (&Terminal{In: program, Out: io.Discard}).Secret(t.Context(), "password: ")
		answers <- asked{text, err}
	}()
	terminaltest.AwaitEcho(t, program, false)
	if _, err := person.WriteString("hunter2\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.text != "hunter2" || got.err != nil {
		t.Errorf("it read %q, %v", got.text, got.err)
	}
	if !terminaltest.Echoes(t, program) {
		t.Error("the terminal does not echo any more")
	}
}

func TestCtrlCWhileASecretIsAskedForGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	person, program := terminaltest.Open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	answers := make(chan asked, 1)
	go func() {
		text, err := (&Terminal{In: program, Out: io.Discard}).Secret(ctx, "password: ")
		answers <- asked{text, err}
	}()
	terminaltest.AwaitEcho(t, program, false)
	stop := errors.New("interrupted")
	cancel(stop)
	if got := <-answers; !errors.Is(got.err, stop) {
		t.Errorf("it gave %q, %v, want what the context ended with", got.text, got.err)
	}
	if !terminaltest.Echoes(t, program) {
		t.Error("the terminal does not echo any more")
	}
	endReading(t, person, program)
}

// endReading answers the read that no one waits for any more, and sees it end:
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
	terminaltest.AwaitEcho(t, program, true)
}

func TestOnlyATerminalIsColouredAndOnlyIfItsPersonWantsThat(t *testing.T) {
	_, program := terminaltest.Open(t)
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

// asker is a person at a terminal, with what they are shown.
func asker(t *testing.T, window bool) (p *Person, typed *os.File, shown *strings.Builder) {
	t.Helper()
	typed, program := terminaltest.Open(t)
	shown = &strings.Builder{}
	return &Person{
		Terminal: &Terminal{In: program, Out: shown}, Progress: unbroken{}, HasWindow: func(context.Context) bool { return window },
	}, typed, shown
}

type unbroken struct{}

func (unbroken) Break() {}

func TestTheQuestionNamesWhatIsPaidAndToWhom(t *testing.T) {
	t.Parallel()
	p, typed, shown := asker(t, false)
	if _, err := typed.WriteString("y\n"); err != nil {
		t.Fatal(err)
	}
	yes, err := p.Approve(t.Context(), replayer.Approval{Tool: "approve", Step: 4, Payee: "Meadow\x1b[2J", Amount: "12.50", Currency: "EUR", Origin: "https://shop.example", URL: "https://shop.example/pay"})
	if !yes || err != nil {
		t.Errorf("the answer is %v, %v", yes, err)
	}
	for _, want := range []string{"Step 5 asks for your approval.", "Meadow", "12.50 EUR", "https://shop.example/pay"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("the question does not say %q:\n%s", want, shown)
		}
	}
	if strings.ContainsRune(shown.String(), '\x1b') {
		t.Errorf("what the page says moves the cursor: %q", shown)
	}
}

func TestAQuestionWithoutAnAnswerIsDenied(t *testing.T) {
	t.Parallel()
	p, typed, _ := asker(t, true)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if yes, err := p.Approve(ctx, replayer.Approval{}); yes || !errors.Is(err, gone) {
		t.Errorf("the answer is %v, %v", yes, err)
	}
	_, _ = typed.WriteString("\n") // ends the abandoned read
}

func TestAPageIsHandedOverWhereItCanBeSeen(t *testing.T) {
	t.Parallel()
	p, typed, shown := asker(t, true)
	for answer, done := range map[string]bool{"\n": true, "n\n": false} {
		if _, err := typed.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		returned, err := p.TakeOver(t.Context(), replayer.Handoff{Step: 2, Message: "Solve it"})
		if err != nil || (returned.Status == replayer.Aborted) == done {
			t.Errorf("after %q it is %q, %v", answer, returned.Status, err)
		}
	}
	if !strings.Contains(shown.String(), "Step 3 is yours, in the browser's window: Solve it") {
		t.Errorf("it says\n%s", shown)
	}
	unseen, _, _ := asker(t, false)
	if _, err := unseen.TakeOver(t.Context(), replayer.Handoff{}); !errors.Is(err, ErrNoWindow) {
		t.Errorf("without a window it is %v", err)
	}
}
