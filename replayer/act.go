package replayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

func navigate(ctx context.Context, c *call) (outcome, error) {
	address := c.step.URL
	if c.step.Value != nil {
		v, err := c.run.value(c.step.Value)
		if err != nil {
			return outcome{}, err
		}
		if address, err = text(v); err != nil {
			return outcome{}, &Error{Code: InvalidValue, Reason: err.Error()}
		}
	}
	if err := automation.CheckURL(address); err != nil {
		return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	c.run.noteAddressInput(address)
	return outcome{}, c.page.Navigate(ctx, address)
}

func clickOn(ctx context.Context, c *call) (outcome, error) {
	if name := c.step.TurnsTo(); name != "" && !c.isPart && !c.dry {
		return c.turnTo(ctx, name)
	}
	if err := c.turnToChosen(ctx); err != nil {
		return outcome{}, err
	}
	return c.press(ctx, requestFor(c.step, "click"))
}

func check(ctx context.Context, c *call) (outcome, error) {
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	want, isBool := v.(bool)
	if c.step.Value == nil {
		want, isBool = true, true
	}
	if !isBool {
		return outcome{}, &Error{Code: InvalidValue, Reason: fmt.Sprintf("check takes true or false, not a value of type %T", v)}
	}
	req := requestFor(c.step, "check")
	req.Checked = &want
	return c.press(ctx, req)
}

// hover has the mouse come over an element.
func hover(ctx context.Context, c *call) (outcome, error) {
	if next := c.usedNext(); c.step.Optional && next != nil && c.shows(ctx, *next) {
		return outcome{skipped: "optional, and what follows is there"}, nil
	}
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
		if err := c.run.inScope(c.page.Main().Address()); err != nil {
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

// press finds an element, sends a press to its point, and makes sure that the
// press reached it. One that the page moved away from under the pointer was
// swallowed by the page script and is tried again.
func (c *call) press(ctx context.Context, req request) (outcome, error) {
	return c.pressOn(ctx, c.aimed(req), input.Button{Name: c.step.Button, Count: c.step.Count, Modifiers: c.step.Modifiers, Hold: c.step.Hold})
}

func (c *call) pressOn(ctx context.Context, req request, button input.Button) (outcome, error) {
	if c.dry {
		return c.inPlace(ctx, req)
	}
	if c.filled || c.step.MayHaveHoles() || c.followsDrop() {
		if err := c.awaitDrawn(ctx); err != nil {
			return outcome{}, err
		}
	}
	follows := c.follows()
	hold := c.holdOf(button)
	for {
		at, err := c.readyToPress(ctx, req)
		out := on(at, err)
		if err != nil && follows != nil && follows.presses > 0 && c.expired() {
			return out, follows.failure(c, err)
		}
		if out.idle = at.Done; err != nil || out.idle {
			return out, err
		}
		x, y, err := c.inPage(ctx, at)
		if err != nil {
			return out, err
		}
		if err := c.mayPasteBy(button.Name, at.frame); err != nil {
			return out, err
		}
		if c.readsPayment() || c.isItem(at.Evidence) {
			if err := c.comeOver(ctx, x, y, at, button.Modifiers); err != nil {
				return out, err
			}
		}
		if err := c.mayCommit(ctx, at.frame, at.Evidence); err != nil {
			return out, err
		}
		if at.frame.Left(at.mark) { // what is there now was not looked at
			if err := c.unsent(ctx); err != nil {
				return out, err
			}
			continue
		}
		if follows == nil || follows.presses == 0 {
			c.run.tabs.replies.mark(c.page)
		}
		if follows != nil {
			follows.begin(c, at.frame)
		} else {
			c.page.Tree().Do(func() { c.run.tabs.presses = nil })
		}
		button.Hold = hold()
		if err := c.run.press(ctx, c.page, x, y, at, button); err != nil && !at.frame.Left(at.mark) {
			return out, err
		}
		reached, err := c.run.tabs.arrived(ctx, at, req)
		if err != nil {
			return out, err
		}
		if reached && !c.slipped(ctx, at.frame) && !c.movedAway(ctx, at.frame, follows) {
			if follows == nil {
				return out, nil
			}
			took, err := follows.took(ctx, c)
			if took && follows.change && follows.mayRepeat(c) {
				c.run.opener = c.index + 1
			}
			if took || err != nil {
				return out, err
			}
			continue
		}
		if err := c.unsent(ctx); err != nil {
			return out, err
		}
	}
}

// leavesField is how long the button is down at least where it takes the focus out of a field that was typed into: a page
// that deals with the text in another thread, or in a timer, has not done so when the press is over. People hold it for longer.
const leavesField = 30 * time.Millisecond

// holdOf returns how long the button is held from now on. A box that is set has nothing to do with the text: the press
// after it waits for what is left of that time.
func (c *call) holdOf(button input.Button) func() time.Duration {
	leaves := c.run.typedIn == c.page
	c.run.typedIn = nil
	return func() time.Duration {
		switch {
		case leaves && c.step.Tool == "check":
			c.run.leftField = time.Now()
			return button.Hold
		case leaves:
			return max(button.Hold, leavesField)
		}
		return max(button.Hold, leavesField-time.Since(c.run.leftField))
	}
}

// comeOver has the mouse come over what is to be pressed, and lets the page deal with that before it is: it may show
// another payment from then on, or mark the item of a list that the press will take. What it sends because of that is not
// approved yet, and is judged as that of a hover. Another press brings the mouse along, in one burst.
func (c *call) comeOver(ctx context.Context, x, y float64, at found, modifiers []string) error {
	c.run.hold.begin(c, commit.Press{Verdict: commit.Harmless}, c.run.secrets.redact(at.Evidence.Label))
	if err := c.move(ctx, x, y, at, modifiers); err != nil || c.run.hand != nil {
		return err
	}
	ctx, cancel := load.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	_ = at.frame.Tasks(ctx) // a document that was left has no list any more
	return nil
}

// isItem reports whether what is to be pressed is none of the controls that hear of a press alone: an
// option of a list that the page draws, an item of its menu.
func (c *call) isItem(e commit.Evidence) bool {
	return c.run.hand == nil && c.step.Tool == "click" && !e.Opens && !e.Toggle && !controls[e.Role]
}

var controls = map[string]bool{"button": true, "link": true, "tab": true, "textbox": true, "searchbox": true, "combobox": true, "spinbutton": true, "slider": true}

// verdictTimeout is how long after the browser has handled a press the page
// script may take to report what it hit. It is long for a page that is busy; most
// verdicts are there before the question.
const verdictTimeout = 10 * time.Second

var errUnheard = &Error{Code: NotActionable, Reason: "click was intercepted by another frame"}

// arrived waits for the page script's word on a press. A document that was left
// was left because of it.
func (t *tabs) arrived(ctx context.Context, at found, req request) (bool, error) {
	ctx, cancel := load.WithTimeoutCause(ctx, verdictTimeout, errUnheard)
	defer cancel()
	var verdict *press
	left, err := at.frame.WaitOr(ctx, at.mark, func() bool {
		verdict = t.verdict(at.frame, req.Checked != nil)
		return verdict != nil
	})
	switch {
	case err != nil || verdict == nil && left:
		return left, err
	case verdict.Type == "press":
		return verdict.OK, nil
	case verdict.Checked != *req.Checked:
		return false, &Error{Code: NotActionable, Reason: "the control was pressed and did not change"}
	}
	return true, nil
}

// ofPresses are what the page script reports of a press: what it hit, what it made of a
// control's state, whether the button came up where it went down or the element had slipped, been scrolled
// away or been drawn again; that its listeners changed the page, when those of its click began and ended, and that it is over.
var ofPresses = append([]string{"press", "state", "effect", "click", "clicked", "over"}, ofReleases...)

// ofReleases are those of how the button came up.
var ofReleases = []string{"release", "slip", "scroll", "redrawn"}

// press is what the page script reports of a press.
type press struct {
	frame   *target.Frame
	Type    string `json:"type"`
	OK      bool   `json:"ok"`
	On      string `json:"on"`
	Checked bool   `json:"checked"`

	requested int // requests of the page until then
}

// verdict is the last word on a press in a frame, nil while there is none: that
// it missed, or else that it hit, or what it made of a control's state.
func (t *tabs) verdict(f *target.Frame, ofState bool) *press {
	for i, p := range t.presses {
		if missed := p.Type == "press" && !p.OK; missed { // in the frame, or around it
			return &t.presses[i]
		}
		if p.frame == f && (p.Type == "press" || p.Type == "state" || p.Type == "slip") && (p.Type == "state" || !p.OK || !ofState) {
			return &t.presses[i]
		}
	}
	return nil
}

// slipped reports whether what commits was moved away from under the pointer before the
// button came up, and the page has asked for nothing since: it was not clicked then.
// What does not commit is left at that, as the page has heard that the button went down.
func (c *call) slipped(ctx context.Context, f *target.Frame) bool {
	p := c.run.commits.pending
	return c.sent && p != nil && c.released(ctx, f) == "slip" && !p.traffic.More(p.mark, isAsked)
}

// movedAway reports whether the page has scrolled what was pressed away from under the pointer before the button came
// up, as where the press closes a list first, or has drawn it again: it was not clicked, and may be pressed again.
func (c *call) movedAway(ctx context.Context, f *target.Frame, follows *effect) bool {
	return follows != nil && follows.mayRepeat(c) && slices.Contains([]string{"scroll", "redrawn"}, c.released(ctx, f))
}

// released returns how the button came up by what the page script reports, "" where it reports
// nothing. The report takes another way than the browser's reply to the input event, and may come
// after that: a task of the page runs after both.
func (c *call) released(ctx context.Context, f *target.Frame) (how string) {
	heard := func() string {
		c.page.Tree().Do(func() {
			for _, p := range c.run.tabs.presses {
				if p.frame == f && slices.Contains(ofReleases, p.Type) {
					how = p.Type
				}
			}
		})
		return how
	}
	if heard() != "" || c.run.frames.isInert(f) { // its world reports nothing
		return how
	}
	ctx, cancel := load.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	_ = f.Tasks(ctx) // a document that was left reports nothing more
	return heard()
}

// releaseTimeout bounds the wait for a page that is busy, or stopped by a dialog.
const releaseTimeout = time.Second

// isAsked reports whether a request is one that a page may have made because of a press: all but what the
// browser fetches on its own, as an icon.
func isAsked(e target.Exchange) bool { return e.Type != "Other" || e.Method != "GET" }

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
		if c.readsPayment() {
			x, y, err := c.inPage(ctx, at)
			if err == nil {
				err = c.comeOver(ctx, x, y, at, c.step.Modifiers)
			}
			if err != nil {
				return out, err
			}
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
	d.Grabbed = func(ctx context.Context) (bool, error) { return c.run.tabs.arrived(ctx, at, req) }
	d.Native = func(ctx context.Context) (native bool, err error) {
		err = at.frame.CallAt(ctx, at.mark, &native, "dragBegan")
		return native, err
	}
	d.May = func(texts []string) error { return c.run.secrets.mayDrop(c.page.Tree(), texts) }
	c.page.Tree().Do(func() { c.run.tabs.presses = nil })
	if c.run.hand != nil {
		return c.run.hand.Drag(ctx, c.page, d, around(d.To.X, d.To.Y, end))
	}
	return d.Do(ctx, c.page)
}

// aimOf asks for what a step drags to.
func aimOf(step automation.Step) (request, error) {
	var args struct{ Offset *automation.Offset }
	if err := decodeArgs(step, &args); err != nil {
		return request{}, err
	}
	return requestFor(automation.Step{Tool: step.Tool, Selector: step.DragTo(), Offset: args.Offset}, "aim"), nil
}
