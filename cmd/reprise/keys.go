package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/go-reprise/reprise/cmd/reprise/internal/tell"
	"github.com/go-reprise/reprise/recorder"
)

// keysHelp is what a person at a terminal is told before they record.
const keysHelp = "Do the flow in the browser. Here: p pauses, u takes the last step back, q or Ctrl-C ends."

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
	steps    *tell.Recording
	end      func() // ends the recording
	paused   bool
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
	case "q":
		s.end()
	}
	return nil
}

func (s *shaper) pause(ctx context.Context) error {
	if s.paused {
		if err := s.recorder.Resume(ctx); err != nil {
			return err
		}
		s.paused = false
		s.steps.Note("recording again")
		return nil
	}
	if err := s.recorder.Pause(ctx); err != nil {
		return err
	}
	s.paused = true
	s.steps.Note("paused: what you do now is left out; p goes on")
	return nil
}
