package replayer

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// waitForNav waits until the tab has gone where it went when this was recorded,
// counted from before the step that made it go.
func waitForNav(ctx context.Context, c *call) (outcome, error) {
	match := func(string) bool { return true }
	if c.step.URL != "" {
		glob, err := automation.ParseGlob(c.step.URL)
		if err != nil {
			return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
		match = glob.Reaches
	}
	if err := c.guessesAddress(); err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithDeadline(ctx, c.deadline)
	defer cancel()
	main := c.page.Main()
	reached, err := main.WaitURL(ctx, c.run.marks[c.page], match)
	if guess := c.guessesAddress(); guess != nil {
		return outcome{}, guess
	}
	c.run.marks[c.page] = reached
	if errors.Is(err, context.DeadlineExceeded) {
		return outcome{}, &Error{Code: Timeout, Reason: fmt.Sprintf("the page did not go to %s; it is at %s", c.step.URL, shown(main.URL())), Err: err}
	}
	return outcome{}, err
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
