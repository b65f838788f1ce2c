package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/recorder"
)

// keysHelp is what a person at a terminal is told before they record.
const keysHelp = "Do the flow in the browser. Here: p pauses, u takes the last step back, q or Ctrl-C ends, ? tells of more."

// allKeys is what ? tells.
const allKeys = `p  pause, and go on
u  take the last step back
c  add a check: press a text in the page that must be there
h  add a hover: press what the pointer is to rest on
Esc  give up a check or a hover
q  end the recording, as Ctrl-C does`

// singleKeys has a terminal give each key as it is pressed, without showing it.
// Ctrl-C stays what it is. restore puts the terminal back.
func singleKeys(in *os.File) (restore func() error, err error) {
	before, err := unix.IoctlGetTermios(int(in.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(in.Fd()), setTermios, &now); err != nil {
		return nil, err
	}
	return func() error { return unix.IoctlSetTermios(int(in.Fd()), setTermios, before) }, nil
}

// shaper is what a person at the terminal does to a recording while it is made.
type shaper struct {
	recorder *recorder.Recorder
	steps    *render.Recording
	end      func() // ends the recording
}

// listen follows the keys of a terminal until ctx ends. Nothing ends the read of the
// next key: it ends with the program.
func (s *shaper) listen(ctx context.Context, in *os.File) {
	for {
		key, err := interruptible(ctx, func() (string, error) {
			var pressed [1]byte
			_, err := in.Read(pressed[:])
			return string(pressed[:]), err
		})
		if err != nil {
			return
		}
		if err := s.press(ctx, key); err != nil && !errors.Is(err, recorder.ErrStopped) && ctx.Err() == nil {
			s.steps.Note(err.Error())
		}
	}
}

func (s *shaper) press(ctx context.Context, key string) error {
	switch key {
	case "p":
		return s.pause(ctx)
	case "u":
		undone, err := s.recorder.Undo(ctx)
		if err == nil && !undone {
			s.steps.Note("there is no step to take back")
		}
		return err
	case "c":
		s.point(ctx, recorder.Check, "press a text in the page that must be there; Esc gives it up")
	case "h":
		s.point(ctx, recorder.Hover, "press in the page what the pointer is to rest on; Esc gives it up")
	case "\x1b":
		s.recorder.StopPointing()
	case "?":
		for line := range strings.Lines(allKeys) {
			s.steps.Note(strings.TrimSuffix(line, "\n"))
		}
	case "q":
		s.end()
	}
	return nil
}

// point waits beside for the person to point at something in the page.
func (s *shaper) point(ctx context.Context, what recorder.Pointing, how string) {
	s.steps.Note(how)
	go func() { // ends with ctx
		_, err := s.recorder.Point(ctx, what)
		if err != nil && !errors.Is(err, recorder.ErrStopped) && ctx.Err() == nil {
			s.steps.Note(err.Error())
		}
	}()
}

func (s *shaper) pause(ctx context.Context) error {
	if now, _ := s.recorder.State(); now.Paused {
		if err := s.recorder.Resume(ctx); err != nil {
			return err
		}
		s.steps.Note("recording again")
		return nil
	}
	if err := s.recorder.Pause(ctx); err != nil {
		return err
	}
	s.steps.Note("paused: what you do now is left out; p goes on")
	return nil
}
