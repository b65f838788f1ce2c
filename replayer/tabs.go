package replayer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// pageOf gives the tab of a name.
func (r *run) pageOf(name string) (*target.Page, error) {
	page := r.pages[name]
	if page == nil {
		return nil, &Error{Code: Gone, Reason: fmt.Sprintf("no step has opened the tab %q", name)}
	}
	if err := page.Err(); err != nil {
		return nil, err
	}
	return page, nil
}

// Message, Navigated, Opened, Dialog and Answered make a run a target.Watcher.

// Message takes what the page script says of a press.
func (r *run) Message(f *target.Frame, _ string, payload json.RawMessage) {
	p := press{frame: f}
	if json.Unmarshal(payload, &p) == nil && slices.Contains(ofPresses, p.Type) {
		r.presses = append(r.presses, p)
	}
}

// Navigated is not needed: waits look at the frames themselves.
func (r *run) Navigated(*target.Frame, target.Navigation) {}

// Opened is not needed: popups are looked up where they are expected.
func (r *run) Opened(*target.Page) {}

// Dialog notes what a page has asked.
func (r *run) Dialog(p *target.Page, d target.Dialog) {
	r.dialogs.seen = append(r.dialogs.seen, shownDialog{p, d})
}

// Answered is not needed: the run answers itself.
func (r *run) Answered(*target.Page, target.Dialog, target.Answer) {}

// dialogs are what pages have asked in dialogs, and what they are to be answered.
type dialogs struct {
	seen  []shownDialog
	armed []answer // for the next ones, in order
}

type shownDialog struct {
	page *target.Page
	target.Dialog
}

// answer is what a dialog step says of the next dialog.
type answer struct {
	page   *target.Page
	accept bool
	text   any // string or automation.Secret; nil leaves a prompt as it is
}

// dialog says how the next dialog of a page is answered: the page waits for that
// within the step that makes it ask, which comes after this one.
func dialog(_ context.Context, c *call) (outcome, error) {
	next := answer{page: c.page, accept: true}
	if len(c.step.Args) > 0 {
		said := struct{ Accept *bool }{&next.accept}
		if err := json.NewDecoder(bytes.NewReader(c.step.Args)).Decode(&said); err != nil {
			return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("args.accept: %v", err), Err: err}
		}
	}
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	if _, secret := v.(automation.Secret); secret && c.run.lone {
		return outcome{}, &Error{Code: Refused, Reason: "a dialog is no field for a secret"}
	}
	if _, secret := v.(automation.Secret); secret || v == nil {
		next.text = v
	} else if next.text, err = text(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	c.page.Tree().Do(func() { c.run.dialogs.armed = append(c.run.dialogs.armed, next) })
	return outcome{}, nil
}

// answer is the run's target.DialogPolicy. What has one answer needs no step. A
// document that is out of scope gets no answer that was meant for another, and a
// secret goes only where it may be typed.
func (r *run) answer(d target.Dialog) (accept bool, typed string, handled bool) {
	armed := r.dialogs.armed
	if d.Type == "alert" || len(armed) == 0 || r.scope.check(d.URL) != nil {
		return target.DefaultDialogs(d)
	}
	next := armed[0]
	r.dialogs.armed = armed[1:]
	switch v := next.text.(type) {
	case string:
		return next.accept, v, true
	case automation.Secret:
		if v.Bound() && !v.Allows(origin(d.URL)) {
			return false, "", true
		}
		return next.accept, v.Reveal(), true
	}
	return next.accept, d.Default, true
}

// expectDialog waits for a dialog of a page, after the first n of all; it gives how
// many there were with it.
func (c *call) expectDialog(ctx context.Context, n int, e automation.Expectation) (int, error) {
	var asked []string
	err := c.page.Tree().Wait(ctx, func() (bool, error) {
		asked = nil
		for i, d := range c.run.dialogs.seen[n:] {
			if d.page == c.page && (e.Method == "" || e.Method == d.Type) && strings.Contains(d.Message, e.Text) {
				n += i + 1
				return true, nil
			}
			asked = append(asked, d.Type)
		}
		return false, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return n, &Error{Code: Timeout, Reason: fmt.Sprintf("no %s dialog was shown that fits, only %q", e.Method, asked), Err: err}
	}
	return n, err
}
