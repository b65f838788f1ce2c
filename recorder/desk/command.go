package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
)

// command is what the person has pressed at the desk.
type command struct {
	Do   string `json:"do"`
	ID   int    `json:"id"`
	To   int    `json:"to"`
	Text string `json:"text"` // an intent, a name, an effect
	From string `json:"from"` // a name
	On   bool   `json:"on"`
}

// obey does it, and says what stood in the way.
func (d *Desk) obey(ctx context.Context, c command) error {
	r := d.recorder
	switch c.Do {
	case "pause":
		return r.Pause(ctx)
	case "resume":
		return r.Resume(ctx)
	case "undo":
		return d.undo(ctx)
	case "stop":
		d.stop()
		return nil
	case "rename":
		return r.Rename(ctx, c.Text)
	case "point":
		d.point(recorder.Pointing(c.Text))
		return nil
	case "rest":
		r.StopPointing()
		return nil
	}
	return d.shape(ctx, c)
}

// shape changes a step.
func (d *Desk) shape(ctx context.Context, c command) error {
	r := d.recorder
	switch c.Do {
	case "remove":
		return r.Remove(ctx, c.ID)
	case "move":
		return r.Move(ctx, c.ID, c.To)
	case "intent":
		return r.SetIntent(ctx, c.ID, c.Text)
	case "effect":
		return r.SetEffect(ctx, c.ID, automation.Effect(c.Text))
	case "optional":
		return r.SetOptional(ctx, c.ID, c.On)
	case "variable":
		return r.MarkVariable(ctx, c.ID, c.Text)
	case "renameVariable":
		return r.RenameVariable(ctx, c.From, c.Text)
	case "secret":
		return r.MarkSecret(ctx, c.ID)
	}
	return fmt.Errorf("the desk cannot do %q", c.Do)
}

func (d *Desk) undo(ctx context.Context) error {
	undone, err := d.recorder.Undo(ctx)
	if err == nil && !undone {
		return errors.New("there is no step to take back")
	}
	return err
}

// point waits beside for the person to point, and says what they pointed at in vain.
func (d *Desk) point(what recorder.Pointing) {
	d.start(func(ctx context.Context) {
		_, err := d.recorder.Point(ctx, what)
		if err != nil && !errors.Is(err, recorder.ErrNotPointed) && !errors.Is(err, recorder.ErrStopped) && ctx.Err() == nil {
			d.say(err.Error())
		}
	})
}
