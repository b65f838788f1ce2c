package replayer

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

// What human input may add to a step's time: to move and press, and to type.
const (
	handTime = 10 * time.Second
	keyTime  = 600 * time.Millisecond
)

// humanTime is what a step may take longer by human input.
func (r *run) humanTime(step automation.Step) time.Duration {
	if r.hand == nil {
		return 0
	}
	typed := 0
	if v, err := r.value(step.Value); err == nil {
		if secret, is := v.(automation.Secret); is {
			typed = len(secret.Reveal())
		} else if text, err := text(v); err == nil {
			typed = len(text)
		}
	}
	return handTime + time.Duration(typed)*keyTime
}

// drawHand draws the traits of the human input from the seed.
func (r *run) drawHand() {
	if !r.options.Humanize {
		return
	}
	seed := r.options.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	r.result.Seed, r.hand = seed, input.NewHand(seed)
}

// unit is the box in which human input aims; a point of it is a part of an element's.
const unit = 100

// drawn are elements in which every point may mean something else: there it
// presses where it was recorded.
var drawn = map[string]bool{"canvas": true, "svg": true, "img": true, "video": true, "area": true, "map": true, "object": true, "embed": true}

// aimed is where in the element human input presses.
func (c *call) aimed(req request) request {
	if c.run.hand == nil || c.step.Fingerprint != nil && drawn[c.step.Fingerprint.Tag] {
		return req
	}
	at := c.run.hand.Aim(humanize.Rect{Width: unit, Height: unit})
	req.Offset = &point{at.X / unit, at.Y / unit}
	return req
}

// move has the mouse come to a point of an element, like a human or at once.
func (c *call) move(ctx context.Context, x, y float64, at found, modifiers []string) error {
	if c.run.hand == nil {
		return input.Move(ctx, c.page, x, y, modifiers)
	}
	return c.run.hand.MoveTo(ctx, c.page, input.Point{X: x, Y: y}, around(x, y, at), modifiers)
}

// turnWheel turns the wheel over a point of an element, like a human or at once.
func (c *call) turnWheel(ctx context.Context, over input.Point, at found, dx, dy float64) error {
	if c.run.hand == nil {
		return input.Wheel(ctx, c.page, over.X, over.Y, dx, dy)
	}
	if err := c.run.hand.MoveTo(ctx, c.page, over, around(over.X, over.Y, at), nil); err != nil {
		return err
	}
	return c.run.hand.Wheel(ctx, c.page, dx, dy)
}

// press has the mouse press at a point of an element, like a human or at once.
func (r *run) press(ctx context.Context, page *target.Page, x, y float64, at found, b input.Button) error {
	if r.hand == nil {
		return input.Press(ctx, page, x, y, b)
	}
	if err := r.hand.MoveTo(ctx, page, input.Point{X: x, Y: y}, around(x, y, at), b.Modifiers); err != nil {
		return err
	}
	return r.hand.Press(ctx, page, b)
}

// around is the box of an element about a point of it.
func around(x, y float64, at found) humanize.Rect {
	if at.Size == nil {
		return humanize.Rect{X: x - 1, Y: y - 1, Width: 2, Height: 2}
	}
	w, h := at.Size[0], at.Size[1]
	return humanize.Rect{X: x - w/2, Y: y - h/2, Width: w, Height: h}
}

// scrollNear brings a step's element into view by the wheel, as far as that goes: what it
// does not reach is scrolled to.
func (c *call) scrollNear(ctx context.Context) error {
	if c.run.hand == nil || len(c.step.Selector) == 0 {
		return nil
	}
	const most = 4 // turns
	for range most {
		at, err := c.ready(ctx, glance(c.step, "away"))
		if err != nil || at.X == 0 && at.Y == 0 {
			return nil // the tool that uses it reports what is wrong
		}
		if err := c.run.hand.Wheel(ctx, c.page, at.X, at.Y); err != nil {
			return err
		}
	}
	return nil
}

// typeByHand presses a field and types into it, key by key. Before each key of a secret
// the page is asked whether the field has the focus still, and is where it may be typed.
func (c *call) typeByHand(ctx context.Context, req request, text string, secret bool) (outcome, error) {
	if out, err := c.pressField(ctx, req); err != nil {
		return out, err
	}
	field := req
	field.Use, field.Offset, field.Again = "keys", nil, true
	if secret {
		field.Value = ""
	}
	at, err := c.ready(ctx, field)
	out := on(at, err)
	if err != nil || at.Done {
		return out, err
	}
	if at.Slides {
		return out, c.slide(ctx, at, text)
	}
	if text == "" {
		return out, c.clear(ctx, at)
	}
	if strings.ContainsAny(text, "\r\n") {
		if err := c.maySend(ctx, at); err != nil {
			return out, err
		}
	}
	w := input.Writing{Text: text, Exactly: secret || c.step.Keys}
	if secret {
		w.Before = func(ctx context.Context) error { return c.mayType(ctx, at, req.Origins) }
	}
	if err := c.run.hand.Type(ctx, c.page, w); err != nil {
		return out, err
	}
	if !secret {
		if err := at.tell(ctx, "keysPressed", text); err != nil {
			return out, err
		}
		return out, c.mendLines(ctx, req)
	}
	return out, at.tell(ctx, "typedSecret")
}

// mendLines puts a text of several lines into its text area at once, where the page has begun
// lines that were typed itself, as with an indent or the mark of a list.
func (c *call) mendLines(ctx context.Context, req request) error {
	if req.At != "" || !strings.Contains(strings.TrimRight(req.Value, "\n"), "\n") {
		return nil
	}
	req.Use, req.Offset, req.Optional, req.Again = "typed", nil, true, true
	at, err := c.ready(ctx, req)
	if err != nil || at.Done {
		return nil // a field that is no longer there has taken it
	}
	req.Use = "type"
	_, err = c.insert(ctx, req)
	return err
}

// pressField presses a field as a human does before typing; one that has the focus
// already is left alone.
func (c *call) pressField(ctx context.Context, req request) (outcome, error) {
	if at, err := c.ready(ctx, glance(c.step, "focused")); err == nil && at.Done {
		return on(at, err), nil
	}
	if req.At == "caret" { // a press would put it elsewhere
		return outcome{}, nil
	}
	click := c.aimed(requestFor(c.step, "click"))
	click.Optional = req.Optional
	return c.pressOn(ctx, click, input.Button{})
}

// mayType returns nil if a secret's next key may go where the focus is.
func (c *call) mayType(ctx context.Context, at found, origins []string) error {
	var may bool
	if err := at.frame.CallAt(ctx, at.mark, &may, "mayType", origins); err != nil {
		return err
	}
	if !may {
		return &Error{Code: NotActionable, Reason: "the focus left the field while a secret was typed: the rest of it was not typed"}
	}
	return nil
}
