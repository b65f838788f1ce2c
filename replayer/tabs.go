package replayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// tab opens a tab of the step's name, has it shown, or closes it.
func tab(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Action string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	name := c.step.Page
	switch {
	case args.Action == "close":
		return outcome{}, c.run.closeTab(ctx, name)
	case args.Action == "open" || c.run.pages[name] == nil:
		return outcome{}, c.run.openTab(ctx, name, c.step.URL)
	}
	_, err := c.page.Send("Page.bringToFront", nil).Wait(ctx)
	if err == nil && c.step.URL != "" {
		err = c.page.Navigate(ctx, c.step.URL)
	}
	return outcome{}, err
}

func (r *run) openTab(ctx context.Context, name, url string) error {
	if r.pages[name] != nil {
		return &Error{Code: Refused, Reason: fmt.Sprintf("there is a tab %q already", name)}
	}
	opened, err := r.page.Tree().Open(ctx, "", &target.OpenOptions{ContextID: r.page.ContextID()})
	if err != nil {
		return err
	}
	if err := r.adopt(ctx, name, opened); err != nil {
		return err
	}
	remove := opened.Watch(r)
	opened.SetDialogs(r.answer)
	unwatch := r.unwatch
	r.unwatch = func() { remove(); unwatch() }
	if url == "" {
		return nil
	}
	if err := automation.CheckURL(url); err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	return opened.Navigate(ctx, url)
}

func (r *run) closeTab(ctx context.Context, name string) error {
	page := r.pages[name]
	if name == "" {
		return &Error{Code: Refused, Reason: "the first tab is the caller's to close"}
	}
	if err := page.Close(ctx); err != nil && !errors.Is(err, target.ErrClosed) {
		return err
	}
	delete(r.pages, name)
	return nil
}

// adopt takes a tab into the run.
func (r *run) adopt(ctx context.Context, name string, page *target.Page) (err error) {
	r.pages[name] = page
	r.marks[page] = target.Mark{}
	if r.watchesTraffic {
		var traffic *target.Traffic
		if traffic, err = page.WatchTraffic(ctx); err == nil {
			r.traffic[page] = traffic
		}
	}
	return err
}

// deepest is how deep automations may play one another.
const deepest = 8

// runOther plays another automation in this tab, with values from this one.
func runOther(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		Name, Account string
		Values        map[string]*automation.Value
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.run.options.Automations == nil {
		return outcome{}, &Error{Code: Refused, Reason: "it plays another automation, and the run was given none (Automations)"}
	}
	if c.run.depth >= deepest {
		return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("automations play one another more than %d deep", deepest)}
	}
	account := cmp.Or(args.Account, c.run.options.Account)
	other, err := c.run.options.Automations.Get(ctx, args.Name, account)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("the automation %q: %v", args.Name, err), Err: err}
	}
	values := Map{}
	for name, v := range args.Values {
		if values[name], err = c.run.value(v); err != nil {
			return outcome{}, err
		}
	}
	inner := c.run.options
	inner.Account, inner.Values, inner.Resume = account, First(values, c.run.options.Values), c.run.takeInner(c.index)
	inner.From, inner.Until, inner.Run = 0, 0, fmt.Sprintf("%s.%d", c.run.id, c.index)
	inner.OnStart, inner.OnStep, inner.OnPicture = nil, nil, nil
	nested := newRun(c.run.browserPage, c.page, other, inner)
	nested.depth, nested.inside, nested.hand, nested.hold = c.run.depth+1, c.run, c.run.hand, c.run.hold
	defer nested.close()
	err = nested.play(ctx)
	c.run.took(nested)
	if nested.stopped {
		return outcome{stop: true, steps: nested.result.Steps}, err
	}
	var e *Error
	if errors.As(err, &e) {
		c.run.innerToken = e.Resume
		in := *e
		in.Steps = nested.result.Steps
		if len(e.Steps) > 0 { // of one within that
			in.Steps = append(in.Steps, StepResult{Index: e.Step, Tool: e.Tool, Intent: e.Intent, Steps: e.Steps})
		}
		in.Reason = fmt.Sprintf("in %s, step %d %s: %s", other.Name, e.Step+1, e.Tool, e.Reason)
		return outcome{}, &in
	}
	return outcome{steps: nested.result.Steps}, err
}

// takeInner gives the token of what a step plays, if the run is resumed at that step.
func (r *run) takeInner(step int) string {
	if step != r.from {
		return ""
	}
	resume := r.innerResume
	r.innerResume = ""
	return resume
}

// took takes over what a nested run gave.
func (r *run) took(nested *run) {
	r.unknown = append(append(r.unknown, nested.unknown...), secretsIn(nested.values)...)
	r.know(r.values)
	for name, value := range nested.result.Outputs {
		r.output(name, value)
	}
	r.result.Pictures = append(r.result.Pictures, nested.result.Pictures...)
}
