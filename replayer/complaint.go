package replayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// A server that refuses what a form sends mostly answers with the form again, and says why in it. Nothing in a recording tells
// that page from the one after a form that was taken, and a run would end well. So the page is asked, before and after the last
// press that changes something, what it says that went wrong; what is new counts where the control that was pressed stands there
// still.

// saving is the last press that changes something, and what the page said before it.
type saving struct {
	call   *call
	before []string
}

// lastSaving is the index of the step that changes something last, if that is a press, or -1.
func lastSaving(steps []automation.Step) int {
	for i, step := range slices.Backward(steps) {
		if step.Effect == automation.Read || step.Effect == "" {
			continue
		}
		if step.Tool == "click" || step.Tool == "keypress" {
			return i
		}
		break
	}
	return -1
}

// noteSaving notes what the page says went wrong before its last press.
func (c *call) noteSaving(ctx context.Context) error {
	if c.isPart || c.run.isSession || c.index != lastSaving(c.run.automation.Steps) {
		return nil
	}
	said, err := c.complaints(ctx)
	c.run.saving = &saving{c, said}
	return err
}

// complaints lists what the step's page says that went wrong, nothing while it is left.
func (c *call) complaints(ctx context.Context) (said []string, err error) {
	ctx, cancel := load.WithTimeout(ctx, blockerTimeout)
	defer cancel()
	err = c.page.Main().Call(ctx, &said, "complaints")
	if target.IsLeft(err) || errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return said, err
}

// refused returns an error where the page has answered the last press with what went wrong.
func (r *run) refused(ctx context.Context) *Error {
	if r.saving == nil || r.saving.call.page.IsClosed() {
		return nil
	}
	c := r.saving.call
	c.deadline = load.After(blockerTimeout)
	said, err := c.newComplaints(ctx, r.saving.before)
	if ctx.Err() != nil {
		return stepError(ctx, context.Cause(ctx), c.index, c.step)
	}
	if err != nil { // all is done, and a page that has gone meanwhile says nothing
		return nil
	}
	if len(said) == 0 || c.see(ctx, automation.Step{Tool: "waitFor", Selector: c.step.Selector, Frame: c.step.Frame, Optional: true}) != nil {
		return nil
	}
	reason := r.secrets.redact(fmt.Sprintf("the page has not taken what was entered: it says %q", strings.Join(said, "; ")))
	return stepError(ctx, &Error{Code: Changed, Reason: reason}, c.index, c.step)
}

// newComplaints lists what the page says now, and did not before.
func (c *call) newComplaints(ctx context.Context, before []string) ([]string, error) {
	if err := c.awaitIdle(ctx); err != nil { // it says so once it has been answered
		return nil, err
	}
	said, err := c.complaints(ctx)
	return slices.DeleteFunc(said, func(one string) bool { return slices.Contains(before, one) }), err
}
