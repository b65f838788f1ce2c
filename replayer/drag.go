package replayer

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/selectors"
)

// drag drags the element of a step to another of the same frame.
func drag(ctx context.Context, c *call) (outcome, error) {
	req := requestFor(c.step, "drag")
	if c.dry {
		return c.inPlace(ctx, req)
	}
	aim, err := aimOf(c.step)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: "args: " + err.Error(), Err: err}
	}
	if _, err := c.ready(ctx, aim); err != nil { // it is there, and in view
		return outcome{}, err
	}
	for {
		at, err := c.ready(ctx, req)
		out := on(at, err)
		if err != nil {
			return out, err
		}
		if err := c.mayCommit(ctx, at.frame, at.Evidence); err != nil {
			return out, err
		}
		err = c.dragTo(ctx, req, at, aim)
		if err == nil || at.frame.Left(at.mark) {
			return out, nil
		}
		if !errors.Is(err, input.ErrNotGrabbed) {
			return out, err
		}
	}
}

func (c *call) dragTo(ctx context.Context, req request, at found, aim request) error {
	end, err := c.ready(ctx, aim)
	if err != nil {
		return err
	}
	d := input.Drag{Modifiers: c.step.Modifiers}
	if d.From.X, d.From.Y, err = c.inPage(ctx, at); err != nil {
		return err
	}
	if d.To.X, d.To.Y, err = c.inPage(ctx, end); err != nil {
		return err
	}
	d.Grabbed = func(ctx context.Context) (bool, error) { return c.run.arrived(ctx, at, req) }
	d.Native = func(ctx context.Context) (native bool, err error) {
		err = at.frame.CallAt(ctx, at.mark, &native, "dragBegan")
		return native, err
	}
	c.page.Tree().Do(func() { c.run.presses = nil })
	if c.run.hand != nil {
		return c.run.hand.Drag(ctx, c.page, d, around(d.To.X, d.To.Y, end))
	}
	return d.Do(ctx, c.page)
}

// aimOf asks for what a step drags to.
func aimOf(step automation.Step) (request, error) {
	var args struct {
		To     json.RawMessage    `json:"to"`
		Offset *automation.Offset `json:"offset"`
	}
	if err := json.Unmarshal(step.Args, &args); err != nil {
		return request{}, err
	}
	var parts []string
	if json.Unmarshal(args.To, &parts) != nil {
		parts = make([]string, 1)
		if err := json.Unmarshal(args.To, &parts[0]); err != nil {
			return request{}, err
		}
	}
	to, err := selectors.ParsePath(parts...)
	if err != nil {
		return request{}, err
	}
	return requestFor(automation.Step{Tool: step.Tool, Selector: to, Offset: args.Offset}, "aim"), nil
}
