package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// questions is where a person is asked: their terminal, also where standard error
// is a file.
func (a *app) questions() (io.Writer, func()) {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return a.stderr, func() {}
	}
	return tty, func() { a.warn(tty.Close()) }
}

// readSecret asks a person on a terminal, without showing what they type.
func readSecret(ctx context.Context, in *os.File, out io.Writer, question string) (string, error) {
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(out, question)
	defer fmt.Fprintln(out)
	text, err := interruptible(ctx, func() (string, error) {
		data, err := term.ReadPassword(int(in.Fd()))
		return string(data), err
	})
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), term.Restore(int(in.Fd()), state)) // it still waits with the echo off
	}
	return text, err
}

// readAnswer asks a person on a terminal.
func readAnswer(ctx context.Context, in *os.File, out io.Writer, question string) (string, error) {
	fmt.Fprint(out, question)
	line, err := interruptible(ctx, func() (string, error) {
		return bufio.NewReader(in).ReadString('\n')
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// interruptible reads until ctx ends. Nothing ends a read from a terminal: the one
// that nobody waits for any more ends with the program.
func interruptible(ctx context.Context, read func() (string, error)) (string, error) {
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
