package replayer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
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
	deadline time.Time
	dry      bool // find and check, but do not act; the run ends there
	effect   automation.Effect
	approved *Approval // what a person has said yes to
	sent     bool      // what commits is on its way, or done

	pressed   bool          // something was pressed, which may send something
	pressedIn *target.Frame // in this frame
	sendsForm bool          // by its markup
}

// outcome is what a tool has to tell.
type outcome struct {
	element *reply // that was found; nil where none was needed
	skipped string
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

// busyGrace is how much longer than a step's time a page may take to say that the
// time is up: one that shares its machine with many others answers late, and its
// own word on what is missing is worth more than ours.
const busyGrace = 15 * time.Second

// do plays a step. What a person has to say is waited for without a limit of time of
// ours; then it is looked at again, in a time of its own.
func (c *call) do(ctx context.Context) (outcome, error) {
	t, err := c.run.tool(c.step)
	if err != nil {
		return outcome{}, err
	}
	for {
		out, err := c.attempt(ctx, t)
		again := false
		for waits := (heldUp{}); errors.As(err, &waits) && !again; {
			if err := c.release(ctx); err != nil {
				return outcome{element: out.element}, err
			}
			if again = waits.finish == nil; !again {
				c.deadline = time.Now().Add(c.timeout)
				out, err = waits.finish(ctx)
			}
		}
		if again {
			continue
		}
		var approval needApproval
		var person needPerson
		switch {
		case errors.As(err, &approval):
			err = c.ask(ctx, approval.Approval)
		case errors.As(err, &person):
			return out, c.takeOver(ctx, person.Handoff)
		case errors.Is(err, errDry):
			return outcome{element: out.element, stop: true, skipped: errDry.Error()}, nil
		default:
			return out, err
		}
		if err != nil {
			return outcome{}, err
		}
	}
}

// attempt decides whether a step is to be played, and plays it in its time.
func (c *call) attempt(ctx context.Context, t tool) (outcome, error) {
	r, step := c.run, c.step
	c.deadline = time.Now().Add(c.timeout)
	if !playsOthers(step.Tool) { // its steps have times of their own, and a person may be asked
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.deadline.Add(busyGrace))
		defer cancel()
	}
	if _, err := r.pageOf(ctx, step.Page); err != nil && step.Tool != "tab" {
		return outcome{}, err
	}
	c.dry = r.options.DryRun && step.Effect == automation.Commit
	if why, err := c.unmet(ctx, step.When); err != nil || why != "" {
		return outcome{skipped: why}, err
	}
	if step.Tool != "waitForNav" && step.Tool != "waitFor" {
		r.marks[c.page] = c.page.Main().Mark()
		if traffic := r.traffic[c.page]; traffic != nil {
			r.heard[c.page] = traffic.Mark()
		}
	}
	if !onlyWaits(step.Tool) {
		if err := r.hold.on(ctx, c.page); err != nil {
			return outcome{}, err
		}
	}
	if _, late := r.hold.first(c.page); late != nil {
		return outcome{}, heldUp{}
	}
	if err := c.declared(ctx, t); err != nil {
		return outcome{}, err
	}
	there := r.already(c.page)
	if err := c.look(ctx); err != nil {
		return outcome{}, err
	}
	c.depict(ctx, false)
	doing, stop := ctx, func() {}
	if onlyWaits(step.Tool) {
		doing, stop = r.hold.untilHeld(ctx, c.page)
	}
	out, err := t.do(doing, c)
	stop()
	finish := func(ctx context.Context) (outcome, error) { return c.finish(ctx, out, err, there) }
	if err != nil && !c.pressed {
		finish = nil
	}
	if held := c.waitsToSend(ctx, finish); held != nil {
		return out, held
	}
	return c.finish(ctx, out, err, there)
}

// onlyWaits reports whether a tool does nothing to the page: it may be ended at any time.
func onlyWaits(tool string) bool {
	return tool == "waitFor" || tool == "waitForNav" || tool == "assert" || tool == "extract"
}

// finish is what is left of a step after its tool: what must follow.
func (c *call) finish(ctx context.Context, out outcome, err error, there already) (outcome, error) {
	step := c.step
	if step.Optional && isAbsent(err) && !c.sent {
		return outcome{skipped: "optional, and not there"}, nil
	}
	if err == nil && out.stop {
		out.skipped = errDry.Error()
	}
	if err != nil || out.skipped != "" {
		return out, err
	}
	waiting, stop := c.run.hold.untilHeld(ctx, c.page)
	err = c.expect(waiting, there, step.Expect)
	stop()
	if err != nil {
		if held := c.waitsToSend(ctx, func(ctx context.Context) (outcome, error) { return c.finish(ctx, out, nil, there) }); held != nil {
			return out, held
		}
		return out, err
	}
	c.depict(ctx, true)
	return out, nil
}

// playsOthers reports whether a tool plays steps of its own.
func playsOthers(tool string) bool { return tool == "run" || strings.Contains(tool, ".") }

// expired reports whether the step's time is up.
func (c *call) expired() bool { return !time.Now().Before(c.deadline) }

// isAbsent reports whether an optional step may be passed over: its element is
// not there.
func isAbsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == Gone
}

// part plays a step as a part of this one, with all that a step may say. What it
// commits is committed by this one, once.
func (c *call) part(ctx context.Context, step automation.Step) error {
	t, err := c.run.tool(step)
	if err != nil {
		return err
	}
	inner := *c
	inner.step = step
	if inner.page, err = c.run.pageOf(ctx, step.Page); err != nil {
		return err
	}
	if inner.deadline = c.deadline; step.Timeout > 0 || playsOthers(c.step.Tool) {
		inner.deadline = time.Now().Add(c.run.timeoutOf(step))
	}
	err = inner.asPart(ctx, t)
	c.sent, c.effect, c.pressed = inner.sent, stronger(c.effect, inner.effect), c.pressed || inner.pressed
	return err
}

func (c *call) asPart(ctx context.Context, t tool) error {
	for {
		if why, err := c.unmet(ctx, c.step.When); err != nil || why != "" {
			return err
		}
		err := c.declared(ctx, t)
		there := c.run.already(c.page)
		out := outcome{}
		if err == nil {
			out, err = t.do(ctx, c)
		}
		if c.waitsToSend(ctx, nil) != nil {
			if err := c.release(ctx); err != nil {
				return err
			}
		}
		var approval needApproval
		var person needPerson
		switch {
		case errors.As(err, &approval):
			if err := c.ask(ctx, approval.Approval); err != nil {
				return err
			}
			continue
		case errors.As(err, &person):
			return c.takeOver(ctx, person.Handoff)
		case c.step.Optional && isAbsent(err) && !c.sent:
			return nil
		case err == nil && out.stop:
			return errDry
		case err != nil:
			return err
		}
		return c.expect(ctx, there, c.step.Expect)
	}
}

// unmet says why a step's condition does not hold, "" when it does.
func (c *call) unmet(ctx context.Context, when *automation.Condition) (string, error) {
	if when == nil {
		return "", nil
	}
	if when.Variable != "" && isEmpty(c.run.values[when.Variable]) {
		return fmt.Sprintf("the variable %q has no value", when.Variable), nil
	}
	if when.URL != "" {
		glob, err := automation.ParseGlob(when.URL)
		if err != nil {
			return "", &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
		if !glob.Reaches(c.page.URL()) {
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
	ctx, cancel := context.WithDeadline(ctx, c.deadline)
	defer cancel()
	for _, e := range expectations {
		var err error
		switch e.Kind {
		case "popup":
			err = c.expectPopup(ctx, already.popups, e)
			already.popups++
		case "dialog":
			already.dialogs, err = c.expectDialog(ctx, already.dialogs, e)
		case "download":
			err = c.expectDownload(ctx, already.downloads, e)
			already.downloads++
		case "response":
			err = c.expectResponse(ctx, e, c.run.heard[c.page])
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

func (r *run) already(page *target.Page) already {
	b := already{popups: len(page.Popups()), downloads: len(page.Downloads())}
	page.Tree().Do(func() { b.dialogs = len(r.dialogs.seen) })
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
	return c.run.adopt(ctx, e.Page, opened)
}

// expectDownload waits for a download to begin. Where it goes is for whoever set up
// the browser.
func (c *call) expectDownload(ctx context.Context, n int, e automation.Expectation) error {
	d, err := c.page.WaitDownload(ctx, n)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Reason: "no download was begun", Err: err}
	}
	if err != nil || e.URL == "" {
		return err
	}
	glob, err := automation.ParseGlob(e.URL)
	if err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if !glob.Reaches(d.URL) {
		return &Error{Code: Changed, Reason: fmt.Sprintf("what was downloaded came from %s, not from %s", shown(d.URL), e.URL)}
	}
	return nil
}
