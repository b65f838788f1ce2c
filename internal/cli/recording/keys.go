package recording

import (
	"context"
	"errors"
	"strings"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/recorder"
)

// keysHelp is printed before the recording.
const keysHelp = "Do the flow in the browser. Here: p pauses, u takes the last step back, q or Ctrl-C ends, ? tells of more."

// allKeys is printed at ?.
const allKeys = `p  pause, and go on
u  take the last step back
c  add a check: press a text in the page that must be there
h  add a hover: press what the pointer is to rest on
Esc  give up a check or a hover
q  end the recording, as Ctrl-C does`

// shaper changes a recording by the keys that the user presses meanwhile.
type shaper struct {
	recorder *recorder.Recorder
	steps    *render.Recording
	end      func() // ends the recording
}

// listen follows the keys of a terminal until ctx ends.
func (s *shaper) listen(ctx context.Context, t *terminal.Terminal) {
	for {
		key, err := t.Key(ctx)
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
		s.recorder.CancelPick()
	case "?":
		for line := range strings.Lines(allKeys) {
			s.steps.Note(strings.TrimSuffix(line, "\n"))
		}
	case "q":
		s.end()
	}
	return nil
}

// point waits, next to the keys, for the user to pick an element in the page.
func (s *shaper) point(ctx context.Context, what recorder.Pointing, how string) {
	s.steps.Note(how)
	go func() { // ends with ctx
		_, err := s.recorder.PickElement(ctx, what)
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
