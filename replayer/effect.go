package replayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// A page may show a control before it listens to it: after a socket, an answer, a script. A press, of
// the pointer or of a key, that led to something when it was recorded, and after which nothing at all followed, is done
// again, unless it may commit. What followed is attributed exactly where the page script can: it
// reports what the listeners of the press changed (dom/changes.ts), and what the page requested
// while they ran stands between its messages.

// Pauses before a press is done again. A press whose listeners changed nothing when it was recorded
// may have set a timer: it is given longer, and longest where one of them has prevented what the
// browser does with the press, which some do before they can do anything else.
var (
	pausesOfChange    = []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second}
	pausesOfOthers    = []time.Duration{time.Second, 2 * time.Second}
	pausesOfPrevented = []time.Duration{3 * time.Second}
)

// effect watches what follows the presses of a step.
type effect struct {
	expected  []string // what is to follow
	change    bool     // the listeners of the press change the page at once
	presses   int
	prevented bool              // a listener of the last has prevented what the browser does with it
	asks      bool              // a request followed when it was recorded
	anything  bool              // nothing else did: whatever follows will do
	sent      bool              // something that may change something, since the first press
	frame     *target.Frame     // where the last press was
	after     *target.Aftermath // it
	first     *target.Aftermath // the first press
	dialogs   int
	next      *automation.Step // what is used next, if that was not there right after a press
}

// follows returns the watch of what must follow a press, nil where the document does not tell of anything.
func (c *call) follows() *effect {
	if c.run.isSession || c.isPart || c.step.Count > 1 || c.step.Tool != "click" && c.step.Tool != "keypress" {
		return nil
	}
	w := &effect{}
	for _, e := range c.step.Expect {
		switch e.Kind {
		case "change":
			w.change = true
			w.expected = append(w.expected, "a change of the page")
		case "update": // it is waited for apart from the press
		case "request": // that may come late, or not at all
			w.asks = true
		default:
			w.expected = append(w.expected, "a "+e.Kind)
		}
	}
	if steps := c.run.automation.Steps; c.index+1 < len(steps) {
		if next := steps[c.index+1]; next.Tool == "waitForNav" && next.Page == c.step.Page {
			w.expected = append(w.expected, "a navigation")
		}
	}
	if f := c.step.Fingerprint; len(w.expected) == 0 && w.asks && c.step.Tool == "click" && f != nil && asking[f.Role] {
		w.anything, w.expected = true, []string{"a request"}
	}
	if len(w.expected) == 0 {
		return nil
	}
	return w
}

// asking are the roles of controls of which a press that was answered by a request is answered by something
// the next time, too. What else is pressed may be followed by a request that has nothing to do with it.
var asking = map[string]bool{"button": true, "link": true, "tab": true, "menuitem": true}

// triesOfAnything is how often a control is pressed that should ask for something: what it asks for may be there already.
const triesOfAnything = 3

// begin notes the moment before a press.
func (w *effect) begin(c *call, f *target.Frame) {
	w.presses++
	w.frame = f
	w.after = f.WatchAftermath(c.traffic())
	w.first = cmp.Or(w.first, w.after)
	c.page.Tree().Do(func() {
		c.run.tabs.presses = nil
		c.run.tabs.requested, w.dialogs = w.after.Requested, len(c.run.tabs.dialogs.seen)
	})
}

// took reports whether anything followed a press. Where nothing did and the press may be
// repeated, it returns after a pause in which nothing did either.
func (w *effect) took(ctx context.Context, c *call) (bool, error) {
	if c.run.frames.isInert(w.frame) { // its world reports nothing
		return true, nil
	}
	if took, err := w.atOnce(ctx, c); took || err != nil {
		return took, err
	}
	if w.change && w.presses == 1 {
		if next := c.usedNext(); next != nil && !c.shows(ctx, *next) {
			w.next = next
		}
	}
	pauses := pausesOfOthers
	if w.prevented {
		pauses = pausesOfPrevented
	}
	if w.change {
		pauses = pausesOfChange
	}
	for n := w.presses - 1; ; n++ {
		if took, err := w.late(ctx, c, min(pauses[min(n, len(pauses)-1)], c.deadline.Remaining())); took || err != nil {
			return took, err
		}
		if w.closesNothing(ctx, c) {
			return true, nil
		}
		if c.expired() || w.anything && (w.presses >= triesOfAnything || n > w.presses && !w.mayRepeat(c)) {
			return false, w.failure(c, nil)
		}
		if w.mayRepeat(c) {
			return false, nil
		}
	}
}

// atOnce waits for what the page script reports of a press: that its listeners changed something, or that it
// is over and they did not.
func (w *effect) atOnce(ctx context.Context, c *call) (took bool, err error) {
	ctx, cancel := load.WithTimeout(ctx, verdictTimeout)
	defer cancel()
	t := c.run.tabs
	err = w.after.Wait(ctx, func(followed target.Followed) bool {
		over, answered := false, false
		first, from, to := w.after.Requested()-len(followed.Requests), 0, 0 // the requests of its click
		for _, p := range t.presses {
			switch {
			case p.frame != w.frame:
			case p.Type == "effect":
				answered = true
			case p.Type == "press":
				over, answered, w.prevented, from, to = false, false, false, 0, 0 // what came before is of the press of an earlier step
			case p.Type == "click":
				from, to = max(0, p.requested-first), len(followed.Requests)
			case p.Type == "clicked":
				to = max(from, p.requested-first)
			case p.Type == "over":
				over, to = true, max(from, min(to, p.requested-first))
				w.prevented = p.OK
			}
		}
		took = answered || followed.Left || followed.Moved || len(t.dialogs.seen) > w.dialogs ||
			slices.ContainsFunc(followed.Requests[min(from, to):to], isAwaited)
		return took || over
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return true, nil // a page that is too busy to tell is not pressed again
	}
	return took, err
}

// late waits for what may have followed a press later. Where its listeners should have changed the page at
// once, requests and addresses of a page that still loads are not taken for it.
func (w *effect) late(ctx context.Context, c *call, d time.Duration) (took bool, err error) {
	waiting, cancel := load.WithTimeout(ctx, d)
	defer cancel()
	t := c.run.tabs
	err = w.after.Wait(waiting, func(followed target.Followed) bool {
		w.sent = w.sent || slices.ContainsFunc(followed.Requests, w.mayBeOfIt)
		took = followed.Left || len(t.dialogs.seen) > w.dialogs || !w.change && (followed.Moved || slices.ContainsFunc(followed.Requests, isAwaited))
		return took
	})
	if waiting.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	if took || err != nil || c.run.hold.any(c.page) {
		return took || err == nil, err
	}
	if w.anything {
		drew := true // a document that has gone has
		if err := w.frame.Call(ctx, &drew, "drewSince"); err != nil && !target.IsLeft(err) {
			return false, err
		}
		return drew, nil
	}
	if w.next != nil && c.shows(ctx, *w.next) { // the page has put off what it does with the press
		return true, nil
	}
	if next := c.usedNext(); w.next == nil && w.change && next != nil && !c.reaches(ctx, c.step) && c.reaches(ctx, *next) { // and it did so before that was asked
		return true, nil
	}
	for _, e := range c.step.Expect {
		if e.Kind != "element" && e.Kind != "text" {
			continue
		}
		looking := expected(e)
		looking.Optional = true
		if c.see(ctx, looking) == nil {
			return true, nil
		}
	}
	return false, nil
}

// triesToClose is after how many presses there is nothing that Escape closes.
const triesToClose = 4

// closesNothing reports whether Escape was to close something that has not opened, as suggestions of
// which there are none for another value: what is used next is there.
func (w *effect) closesNothing(ctx context.Context, c *call) bool {
	if c.step.Key != "Escape" || w.presses < triesToClose {
		return false
	}
	next := c.usedNext()
	return next != nil && c.shows(ctx, *next)
}

// mayBeOfIt reports whether a request changes something and may come of the press: not where none did when it was
// recorded, and the page has sent the like before, as one does that saves again and again.
func (w *effect) mayBeOfIt(e target.Exchange) bool {
	return changes(e) && (w.asks || !w.first.Repeats(e))
}

// usedNext is a look for the element that the next step uses, nil where there is none, or a value names it.
func (c *call) usedNext() *automation.Step {
	steps := c.run.automation.Steps
	if c.index+1 >= len(steps) {
		return nil
	}
	next := steps[c.index+1]
	if next.Page != c.step.Page || len(next.Selector) == 0 || next.MayHaveHoles() {
		return nil
	}
	return &automation.Step{
		Tool: "waitFor", Page: next.Page, Frame: next.Frame, FrameAlternatives: next.FrameAlternatives, Selector: next.Selector,
		Alternatives: next.Alternatives, Fingerprint: next.Fingerprint, Optional: true,
	}
}

// showTimeout bounds the look for what is used next, in a page that never comes to rest.
const showTimeout = time.Second

// shows reports whether the page shows the element of a look.
func (c *call) shows(ctx context.Context, look automation.Step) bool {
	bounded, cancel := load.WithTimeout(ctx, showTimeout)
	defer cancel()
	return c.see(bounded, look) == nil
}

// reaches reports whether the element of a step, which can be told from all others, can be reached
// with the mouse: not where a dialog lies over it.
func (c *call) reaches(ctx context.Context, step automation.Step) bool {
	bounded, cancel := load.WithTimeout(ctx, showTimeout)
	defer cancel()
	looking := *c
	looking.step = step
	_, err := looking.ready(bounded, glance(step, "hover"))
	return err == nil
}

// mayRepeat reports whether a press that had no effect may be done again. Of a control that is not known to
// be harmless a recorder must have seen that it does not commit, and that its listeners change the page at
// once: they have not run then. And nothing may have been sent meanwhile that changes something.
func (w *effect) mayRepeat(c *call) bool {
	if c.sent || c.effect == automation.Commit {
		return false
	}
	isKnown := c.wasRecorded() || c.kin != nil && c.step.Effect == automation.Write // another choice of the recorded list
	return c.pressed.verdict == commit.Harmless || c.pressed.verdict == commit.Unknown && (w.change || w.anything) && isKnown && !w.sent
}

// failure is why a step ends whose press had no effect, and could not be done again.
func (w *effect) failure(c *call, not error) error {
	var why *Error
	often := fmt.Sprintf("it was pressed %d times", w.presses)
	if w.presses == 1 {
		often = "it was pressed once"
	}
	switch {
	case !w.mayRepeat(c):
		often += ", and is not pressed again because it may commit"
	case errors.As(not, &why):
		often += fmt.Sprintf(", and could not be pressed again: %s: %s", why.Code, why.Reason)
	}
	return &Error{Code: Timeout, Reason: fmt.Sprintf("the press had no effect: %s was expected to follow; %s", strings.Join(w.expected, " and "), often)}
}
