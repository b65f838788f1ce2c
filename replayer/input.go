package replayer

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

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
	for {
		at, err := c.ready(ctx, req)
		out := on(at, err)
		if err != nil || at.Done {
			return out, err
		}
		x, y, err := c.inPage(ctx, at)
		if err != nil {
			return out, err
		}
		if err := c.mayPasteBy(button.Name, at.frame); err != nil {
			return out, err
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
		c.page.Tree().Do(func() { c.run.presses = nil })
		if err := c.run.press(ctx, c.page, x, y, at, button); err != nil && !at.frame.Left(at.mark) {
			return out, err
		}
		reached, err := c.run.arrived(ctx, at, req)
		if err != nil || reached && !c.slipped(ctx, at.frame) {
			return out, err
		}
		if err := c.unsent(ctx); err != nil {
			return out, err
		}
	}
}

// verdictTimeout is how long after the browser has handled a press the page
// script may take to say what it hit. It is long for a page that is busy; most
// verdicts are there before the question.
const verdictTimeout = 10 * time.Second

var errUnheard = &Error{Code: NotActionable, Reason: "the press did not reach the element: something of another frame took it"}

// arrived waits for the page script's word on a press. A document that was left
// was left because of it.
func (r *run) arrived(ctx context.Context, at found, req request) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, verdictTimeout, errUnheard)
	defer cancel()
	var verdict *press
	left, err := at.frame.WaitOr(ctx, at.mark, func() bool {
		verdict = r.verdict(at.frame, req.Checked != nil)
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

// slipped reports whether what commits was moved away from under the pointer before the
// button came up, and the page has asked for nothing since: nobody has clicked it then.
// What does not commit is left at that, as the page has heard that the button went down.
func (c *call) slipped(ctx context.Context, f *target.Frame) bool {
	p := c.run.pending
	return c.sent && p != nil && c.released(ctx, f) == "slip" && !p.traffic.More(p.mark, isAsked)
}

// released is what the page script says of the button's coming up, "" where it says
// nothing. That comes by another way than the browser's word that all is handled, and
// sometimes after it: a task of the page's comes behind both.
func (c *call) released(ctx context.Context, f *target.Frame) (how string) {
	heard := func() string {
		c.page.Tree().Do(func() {
			for _, p := range c.run.presses {
				if p.frame == f && (p.Type == "release" || p.Type == "slip") {
					how = p.Type
				}
			}
		})
		return how
	}
	if heard() != "" || c.run.pending.inert {
		return how
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	_ = f.Tasks(ctx) // a document that was left says nothing more
	return heard()
}

// releaseTimeout bounds the wait for a page that is busy, or stopped by a dialog.
const releaseTimeout = time.Second

// isAsked says which requests a page may have made because of a press: all but what the
// browser gets by itself, as an icon.
func isAsked(e target.Exchange) bool { return e.Type != "Other" || e.Method != "GET" }

// verdict is the last word on a press in a frame, nil while there is none: that
// it missed, or else that it hit, or what it made of a control's state.
func (r *run) verdict(f *target.Frame, ofState bool) *press {
	for i, p := range r.presses {
		if missed := p.Type == "press" && !p.OK; missed { // in the frame, or around it
			return &r.presses[i]
		}
		if p.frame == f && p.Type != "release" && (p.Type == "state" || !p.OK || !ofState) {
			return &r.presses[i]
		}
	}
	return nil
}

// insert puts a text into a field. A rich editor is only made ready by the page
// script, and gets the text as input.
func (c *call) insert(ctx context.Context, req request) (outcome, error) {
	if c.dry {
		return c.inPlace(ctx, req)
	}
	at, err := c.ready(ctx, req)
	out := on(at, err)
	switch {
	case err != nil || at.Done:
		return out, err
	case req.Value == "":
		return out, c.clear(ctx, at)
	}
	_, err = c.page.Send("Input.insertText", map[string]string{"text": req.Value}).Wait(ctx)
	return out, err
}

// clear removes what a field holds; it is selected.
func (c *call) clear(ctx context.Context, at found) error {
	if at.Empty {
		return nil
	}
	return input.PressKey(ctx, c.page, "Backspace", nil)
}

// typeKeys types a text key by key, as the page listens to them.
func (c *call) typeKeys(ctx context.Context, req request) (outcome, error) {
	text := req.Value
	req.Use, req.Value = "keys", ""
	if c.dry {
		return c.inPlace(ctx, req)
	}
	at, err := c.ready(ctx, req)
	out := on(at, err)
	if err != nil {
		return out, err
	}
	if text == "" {
		return out, c.clear(ctx, at)
	}
	for _, char := range text {
		if keyOf(char) == "Enter" {
			if err := c.maySend(ctx, at); err != nil {
				return out, err
			}
		}
		if err := input.PressKey(ctx, c.page, keyOf(char), nil); err != nil {
			return out, err
		}
	}
	return out, nil
}

// maySend is mayCommit for Enter within a text, which sends a form in a field of one line.
func (c *call) maySend(ctx context.Context, at found) error {
	evidence, _, err := c.usedByKey(ctx, "Enter")
	if err != nil {
		return err
	}
	return c.mayCommit(ctx, at.frame, evidence)
}

// keyOf is the key that writes a character.
func keyOf(char rune) string {
	switch char {
	case '\n', '\r':
		return "Enter"
	case '\t':
		return "Tab"
	}
	return string(char)
}
