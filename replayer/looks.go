package replayer

import (
	"context"

	"github.com/go-reprise/reprise/internal/input"
)

// hover has the mouse come over an element.
func hover(ctx context.Context, c *call) (outcome, error) {
	at, err := c.ready(ctx, requestFor(c.step, "hover"))
	out := on(at, err)
	if err != nil {
		return out, err
	}
	x, y, err := c.inPage(ctx, at)
	if err != nil {
		return out, err
	}
	return out, c.move(ctx, x, y, at, c.step.Modifiers)
}

// scroll brings an element into view, or turns the wheel over it, or over the middle
// of the page where the step names none.
func scroll(ctx context.Context, c *call) (outcome, error) {
	var by struct{ DX, DY float64 }
	if err := decodeArgs(c.step, &by); err != nil {
		return outcome{}, err
	}
	if len(c.step.Selector) == 0 {
		if err := c.run.scope.check(c.page.Main().Address()); err != nil {
			return outcome{}, err
		}
		var middle point
		if err := c.page.Main().Call(ctx, &middle, "middle"); err != nil {
			return outcome{}, err
		}
		return outcome{}, c.turnWheel(ctx, input.Point(middle), found{}, by.DX, by.DY)
	}
	at, err := c.ready(ctx, requestFor(c.step, "aim"))
	out := on(at, err)
	if err != nil || by.DX == 0 && by.DY == 0 {
		return out, err
	}
	x, y, err := c.inPage(ctx, at)
	if err != nil {
		return out, err
	}
	return out, c.turnWheel(ctx, input.Point{X: x, Y: y}, at, by.DX, by.DY)
}

// extract reads an element, or all that are named alike, for the caller of the run.
func extract(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		As, Attribute string
		All           bool
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "read")
	req.All, req.Attribute = args.All, args.Attribute
	at, err := c.ready(ctx, req)
	if err == nil {
		c.run.output(args.As, at.Said)
	}
	return on(at, err), err
}

// output keeps a value for the caller, without the run's secrets.
func (r *run) output(name string, value any) {
	if r.result.Outputs == nil {
		r.result.Outputs = map[string]any{}
	}
	r.result.Outputs[name] = r.scrub.value(value)
}

// screenshot takes a picture in which what is secret is covered.
func screenshot(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		As       string
		FullPage bool
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if err := c.run.scope.check(c.page.Main().Address()); err != nil {
		return outcome{}, err
	}
	out := outcome{}
	if len(c.step.Selector) > 0 {
		at, err := c.ready(ctx, requestFor(c.step, "see"))
		if out = on(at, err); err != nil {
			return out, err
		}
	}
	png, err := c.run.picture(ctx, c.page, args.FullPage)
	if err != nil {
		return out, err
	}
	c.run.result.Pictures = append(c.run.result.Pictures, Picture{Step: c.index, Name: args.As, PNG: png})
	return out, nil
}

// Picture is one of a page, with what is secret in it covered.
type Picture struct {
	Step int    `json:"step"` // index
	Name string `json:"name,omitempty"`
	PNG  []byte `json:"-"`
}
