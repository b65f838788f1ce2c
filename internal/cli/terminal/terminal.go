// Package terminal asks the user at a terminal: for a line, a secret, a single key, an approval
// of a run's step, or to take over its page.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
)

// Terminal is where the user reads and types.
type Terminal struct {
	In  *os.File
	Err io.Writer // for questions where the process has no terminal
	Out io.Writer // for questions; nil is the process's terminal, or Err
}

// Interactive reports whether a user can answer.
func (t *Terminal) Interactive() bool { return render.IsTerminal(t.In) }

// out opens where questions are written: the user's terminal, also where standard error is a file.
func (t *Terminal) out() (io.Writer, func()) {
	if t.Out != nil {
		return t.Out, func() {}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return t.Err, func() {}
	}
	return tty, func() { _ = tty.Close() } // nothing written to it is buffered
}

// Ask returns the line that the user types, "" at the end of the input.
func (t *Terminal) Ask(ctx context.Context, question string) (string, error) {
	out, done := t.out()
	defer done()
	fmt.Fprint(out, question)
	line, err := Interruptible(ctx, func() (string, error) {
		return bufio.NewReader(t.In).ReadString('\n')
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// Confirm reports whether the user answers yes.
func (t *Terminal) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := t.Ask(ctx, question)
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// Secret returns the line that the user types, which the terminal does not show.
func (t *Terminal) Secret(ctx context.Context, question string) (string, error) {
	out, done := t.out()
	defer done()
	in := int(t.In.Fd())
	state, err := term.GetState(in)
	if err != nil {
		return "", err
	}
	fmt.Fprint(out, question)
	defer fmt.Fprintln(out)
	text, err := Interruptible(ctx, func() (string, error) {
		data, err := term.ReadPassword(in)
		return string(data), err
	})
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), term.Restore(in, state)) // the read goes on with the echo off
	}
	return text, err
}

// ErrQuit ends a run at q.
var ErrQuit = errors.New("it was ended with q")

// AwaitStep waits for a key before a step of a run. q returns ErrQuit.
func (t *Terminal) AwaitStep(ctx context.Context, doc *automation.Automation, index int) error {
	out, done := t.out()
	defer done()
	restore, err := t.SingleKeys()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  next is step %d of %d: %s  %s", index+1, len(doc.Steps), render.Step(doc.Steps[index]), "[any key plays it, q ends] ")
	key, err := t.Key(ctx)
	fmt.Fprint(out, "\r\x1b[K")
	if key == "q" {
		err = ErrQuit
	}
	return errors.Join(err, restore())
}

// SingleKeys makes the terminal pass on each key when it is pressed, without showing it. Ctrl-C
// still interrupts. restore resets the terminal.
func (t *Terminal) SingleKeys() (restore func() error, err error) {
	in := int(t.In.Fd())
	before, err := unix.IoctlGetTermios(in, getTermios)
	if err != nil {
		return nil, err
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(in, setTermios, &now); err != nil {
		return nil, err
	}
	return func() error { return unix.IoctlSetTermios(in, setTermios, before) }, nil
}

// Key returns the next key that is pressed.
func (t *Terminal) Key(ctx context.Context) (string, error) {
	return Interruptible(ctx, func() (string, error) {
		var pressed [1]byte
		n, err := t.In.Read(pressed[:])
		return string(pressed[:n]), err
	})
}

// Interruptible reads until ctx ends. Nothing can end a read from a terminal: an abandoned one
// ends with the program.
func Interruptible(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := read()
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
