package replayer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// call is a tool being played for a step.
type call struct {
	run   *run
	page  *target.Page
	index int // of the step
	step  automation.Step

	timeout  time.Duration // of the step
	deadline load.Deadline
	dry      bool     // find and check, but do not act; the run ends there
	filled   bool     // the holes of its selectors
	said     bool     // what is chosen is what was chosen when it was recorded, by its name or by the words of its row
	kin      *kin     // of another choice than was recorded
	turned   []string // the states that the press had given to what was pressed
	day      string   // of a calendar, that is chosen, as 2031-03-18
	isPart   bool     // of another step, whose time and number it has
	effect   automation.Effect
	approved *Approval                  // what the approver has approved
	sent     bool                       // what commits is on its way, or done
	acted    bool                       // a press or a key is on its way, or done
	handoffs int                        // how often a person was asked because something blocked it
	tried    map[automation.Reason]bool // what Options.Unblock was asked to deal with
	pressed  pressed
}

// pressed is what a call has pressed last, if it has, which may send something.
type pressed struct {
	is        bool
	in        *target.Frame
	sendsForm bool // by its markup
	verdict   commit.Verdict
}

// outcome is what a tool returns.
type outcome struct {
	element *reply // that was found; nil where none was needed
	skipped string
	idle    bool // all was as it was to be, and nothing was pressed
	stop    bool
	steps   []StepResult // of the automation that was played
}

// on is the outcome of a tool that found its element, unless err.
func on(at found, err error) outcome {
	if err != nil {
		return outcome{}
	}
	return outcome{element: &at.reply}
}

// busyGrace is how much longer than a step's time a page may take to report that the
// time is up: one that shares its machine with many others answers late, and its
// own report of what is missing is better than ours.
const busyGrace = 15 * time.Second

// do does one step: a step of a document, a call of a Session, or a part of either. What the
// user is asked for is waited for without a limit of time of ours; then the step begins again
// with a time of its own, because the page may have changed meanwhile.
func (c *call) do(ctx context.Context) (outcome, error) {
	t, err := c.run.tool(c.step)
	if err != nil {
		return outcome{}, err
	}
	if err := c.chosen(); err != nil {
		return outcome{}, err
	}
	if err := c.awaitScripts(ctx); err != nil {
		return outcome{}, err
	}
	timed, cancel := c.startClock(ctx)
	defer cancel()

	// Is it to be done, and is the page free for it?
	if why, err := c.unmet(timed, c.step.When); err != nil || why != "" {
		return outcome{skipped: why}, err
	}
	if err := c.watchPage(timed, t); err != nil {
		return outcome{}, err
	}
	if !c.isPart && c.run.hold.any(c.page) { // an earlier step set it off
		if err := c.release(ctx); err != nil {
			return outcome{}, err
		}
		return c.do(ctx)
	}

	if c.step.Effect == automation.Commit && !c.dry {
		if _, err := c.guarded(timed); err != nil { // by the time it is sent, all that the page asks for is known
			return outcome{}, err
		}
	}

	// A step that declares itself a commit needs its approval first; a press or a key asks for
	// it within act, with the evidence of the control that it is about to use.
	out, there := outcome{}, already{}
	if err = c.declared(timed, t); err == nil {
		there = c.run.tabs.already(c.page)
		out, err = c.act(timed, t)
		if c.isHeld(timed) { // what the act has the page send waits at the browser
			if failed := c.release(ctx); failed != nil {
				return outcome{element: out.element}, failed
			}
			if err != nil && !c.pressed.is {
				return c.do(ctx)
			}
			c.deadline = load.After(c.timeout)
		}
	}
	var approval needApproval
	var person needPerson
	switch {
	case errors.As(err, &approval):
		if err := c.ask(ctx, approval.Approval); err != nil {
			return outcome{}, err
		}
		return c.do(ctx) // what is there now is compared with what was approved
	case errors.As(err, &person):
		return out, c.takeOver(ctx, person.Handoff)
	case errors.Is(err, errDry) || err == nil && out.stop:
		out.stop, out.skipped = true, errDry.Error()
		return out, nil
	case c.step.Optional && !c.sent && (isAbsent(err) || c.step.Tool == "hover" && isUnsure(err)): // of a menu, what follows tells whether it is open
		return outcome{skipped: "optional, and not there"}, nil
	case err != nil:
		return c.unblock(ctx, out, there, err)
	case out.skipped != "":
		return out, nil
	}
	if out, err = c.verify(ctx, out, there); err != nil {
		return c.unblock(ctx, out, there, err)
	}
	return out, nil
}

// startClock starts the step's time, and bounds ctx by it. A part has the time of its step. The
// steps that a tool plays have times of their own, and the user may be asked within them.
func (c *call) startClock(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.isPart {
		return ctx, func() {}
	}
	c.deadline = load.After(c.timeout)
	if playsOthers(c.step.Tool) {
		return ctx, func() {}
	}
	return load.WithDeadline(ctx, c.deadline.Add(busyGrace))
}

// watchPage notes from where on a wait may count what the step leads to, and has the browser
// hold what the page sends. For a part its step has done so.
func (c *call) watchPage(ctx context.Context, t tool) error {
	if c.isPart {
		return nil
	}
	r := c.run
	if c.step.Tool != "waitForNav" && c.step.Tool != "waitFor" {
		r.tabs.marks[c.page] = c.page.Main().Mark()
		r.tabs.replies.mark(c.page)
	}
	if t.onlyWaits {
		return nil
	}
	if t.moves {
		r.hold.beginOther(c)
	}
	return r.hold.on(ctx, c.page)
}

// act uses the step's tool. One that only waits ends as soon as a request is held: what it
// waits for may be the answer to that.
func (c *call) act(ctx context.Context, t tool) (outcome, error) {
	if c.isPart {
		return t.do(ctx, c)
	}
	if !t.onlyWaits && (len(c.step.Selector) > 0 || t.presses) {
		if err := c.awaitIdle(ctx); err != nil {
			return outcome{}, err
		}
		c.run.tabs.replies.mark(c.page) // what the page asked for until now is not of this step
		if err := c.noteSaving(ctx); err != nil {
			return outcome{}, err
		}
	}
	if err := c.scrollNear(ctx); err != nil {
		return outcome{}, err
	}
	c.takeStepPicture(ctx, false)
	if t.onlyWaits {
		waiting, stop := c.run.hold.untilHeld(ctx, c.page)
		defer stop()
		ctx = waiting
	}
	return t.do(ctx, c)
}

// verify waits for what must follow the step.
func (c *call) verify(ctx context.Context, out outcome, there already) (outcome, error) {
	expected := c.step.Expect
	if out.idle { // nothing follows
		expected = nil
		if !c.isPart {
			c.run.idleBefore = c.index + 1
		}
	}
	for {
		waiting, stop := c.run.hold.untilHeld(ctx, c.page)
		err := c.expect(waiting, there, expected)
		stop()
		if err == nil {
			break
		}
		if !c.isHeld(ctx) {
			return out, err
		}
		if err := c.release(ctx); err != nil {
			return outcome{element: out.element}, err
		}
		c.deadline = load.After(c.timeout)
	}
	if !c.isPart {
		c.takeStepPicture(ctx, true)
	}
	return out, nil
}

// playsOthers reports whether a tool plays steps of its own.
func playsOthers(tool string) bool { return tool == "run" || strings.Contains(tool, ".") }

// expired reports whether the step's time is up.
func (c *call) expired() bool { return c.deadline.Remaining() == 0 }

// isAbsent reports whether an optional step may be passed over: its element is
// not there.
func isAbsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == NotFound
}

// isUnsure reports whether an element was not found because it has changed, or is one of several, or cannot be used.
func isUnsure(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == Changed || e.Code == Ambiguous || e.Code == NotActionable)
}

// part does a step as a part of this one, with all fields of a step. What it
// commits is committed by this one, once.
func (c *call) part(ctx context.Context, step automation.Step) error {
	inner := *c
	inner.step, inner.isPart, inner.filled, inner.kin, inner.turned = step, true, false, nil, turnedBy(step)
	var err error
	if inner.page, err = c.run.tabs.open(step.Page); err != nil {
		return err
	}
	if step.Timeout > 0 || playsOthers(c.step.Tool) {
		inner.timeout = c.run.timeoutOf(step)
		inner.deadline = load.After(inner.timeout)
	}
	out, err := inner.do(ctx)
	c.acted = c.acted || inner.acted
	c.sent, c.effect, c.pressed.is = inner.sent, stronger(c.effect, inner.effect), c.pressed.is || inner.pressed.is
	if err == nil && out.stop {
		return errDry
	}
	return err
}

// turnedBy are the states that the press of a step had given to what was pressed.
func turnedBy(step automation.Step) []string {
	if step.Fingerprint == nil {
		return nil
	}
	return step.Fingerprint.Turned
}

// unmet returns why a step's condition does not hold, "" when it does.
func (c *call) unmet(ctx context.Context, when *automation.Condition) (string, error) {
	if _, err := c.run.tabs.open(c.step.Page); err != nil && c.step.Tool != "tab" {
		return "", err
	}
	if when == nil {
		return "", nil
	}
	if when.Variable != "" && isEmpty(c.run.secrets.values[when.Variable]) {
		return fmt.Sprintf("the variable %q has no value", when.Variable), nil
	}
	if when.URL != "" {
		glob, err := automation.ParseGlob(when.URL)
		if err != nil {
			return "", &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
		if !glob.MatchPath(c.page.URL()) {
			return fmt.Sprintf("the page is not at %s", when.URL), nil
		}
	}
	if len(when.Selector) == 0 {
		return "", nil
	}
	err := c.see(ctx, automation.Step{Tool: "waitFor", Selector: when.Selector, Optional: true})
	if isAbsent(err) {
		return fmt.Sprintf("%s is not there", when.Selector), nil
	}
	return "", err
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case automation.Secret:
		return v.Reveal() == ""
	}
	return false
}

// expect waits for the other consequences of a step.
func (c *call) expect(ctx context.Context, already already, expectations []automation.Expectation) error {
	ctx, cancel := load.WithDeadline(ctx, c.deadline)
	defer cancel()
	for _, e := range expectations {
		var err error
		switch e.Kind {
		case "change": // the press has seen to it
		case "update": // it may have nothing to show with other values
			if err = c.page.Main().Call(ctx, nil, "updated", c.step.Tool == "click" || c.step.Tool == "check"); target.IsLeft(err) {
				err = nil
			}
		case "popup":
			err = c.expectPopup(ctx, already.popups, e)
			already.popups++
		case "dialog":
			already.dialogs, err = c.expectDialog(ctx, already.dialogs, e)
		case "download":
			err = c.expectDownload(ctx, already.downloads, e)
			already.downloads++
		case "response":
			err = c.expectResponse(ctx, e, c.run.tabs.replies.heard[c.page])
		case "request":
			err = c.awaitRequest(ctx, e)
		default:
			err = c.see(ctx, expected(e))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// already is how much of what a step may lead to was there before it.
type already struct{ popups, dialogs, downloads int }

func (t *tabs) already(page *target.Page) already {
	b := already{popups: len(page.Popups()), downloads: len(page.Downloads())}
	page.Tree().Do(func() { b.dialogs = len(t.dialogs.seen) })
	return b
}

// expected is a step that looks for what should be there.
func expected(e automation.Expectation) automation.Step {
	step := automation.Step{Tool: "waitFor", Selector: e.Selector}
	if e.Kind == "text" {
		step.Selector = selectors.Path{{Kind: selectors.Text, Body: e.Text}}
	}
	return step
}

// see waits until at least one element of a step can be seen.
func (c *call) see(ctx context.Context, step automation.Step) error {
	looking := *c
	looking.step = step
	_, err := looking.ready(ctx, requestFor(step, "see"))
	return err
}

func (c *call) expectPopup(ctx context.Context, n int, e automation.Expectation) error {
	opened, err := c.page.WaitPopup(ctx, n)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Reason: "no new tab was opened", Err: err}
	}
	if err != nil {
		return err
	}
	return c.run.tabs.adopt(ctx, e.Page, opened)
}

// expectDownload waits for a download to begin. That it is complete is waited for when the
// steps are done.
func (c *call) expectDownload(ctx context.Context, n int, e automation.Expectation) error {
	d, err := c.page.WaitDownload(ctx, n)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Reason: "no download was begun", Err: err}
	}
	c.run.tabs.expectedDownload(d.ID)
	if err != nil || e.URL == "" {
		return err
	}
	glob, err := automation.ParseGlob(e.URL)
	if err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if !glob.MatchPath(d.URL) {
		return &Error{Code: Changed, Reason: fmt.Sprintf("what was downloaded came from %s, not from %s", shown(d.URL), e.URL)}
	}
	return nil
}
