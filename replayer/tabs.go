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
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/target"
)

// tabs are the pages of a run by the names that they have in the document, and what they report.
type tabs struct {
	browserPage *browser.Page // the first, as the caller has it
	first       *target.Page
	named       map[string]*target.Page      // "" is the first
	marks       map[*target.Page]target.Mark // from where on waitForNav counts
	used        map[*target.Page]target.Mark // its document of which something was used
	replies     replies
	unwatch     func()

	// Guarded by the tree.
	presses   []press
	requested func() int // counts the requests of the page that is pressed
	dialogs   dialogs

	downloads downloads
}

func newTabs(on *browser.Page, page *target.Page, scope *scope) *tabs {
	t := &tabs{
		browserPage: on, first: page, named: map[string]*target.Page{"": page},
		marks:   map[*target.Page]target.Mark{page: page.Main().Mark()},
		used:    map[*target.Page]target.Mark{},
		replies: replies{traffic: map[*target.Page]*target.Traffic{}, heard: map[*target.Page]int{}, sent: map[*target.Page]int{}, used: map[*target.Page]int{}},
		dialogs: dialogs{scope: scope},
	}
	t.unwatch = page.Watch(t)
	page.SetDialogs(t.dialogs.answer)
	return t
}

// close leaves the tabs open. Their dialogs are answered by policy from then on.
func (t *tabs) close(policy target.DialogPolicy) {
	for _, traffic := range t.replies.traffic {
		traffic.Stop()
	}
	for _, page := range t.named {
		page.SetDialogs(policy)
	}
	t.unwatch()
	if stop := t.downloads.stop; stop != nil {
		stop()
	}
}

// open returns the tab of a name, which is open still.
func (t *tabs) open(name string) (*target.Page, error) {
	page := t.named[name]
	if page == nil {
		return nil, &Error{Code: NotFound, Reason: fmt.Sprintf("no step has opened the tab %q", name)}
	}
	if err := page.Err(); err != nil {
		return nil, err
	}
	return page, nil
}

// adopt takes a tab into the run.
func (t *tabs) adopt(ctx context.Context, name string, page *target.Page) (err error) {
	t.named[name] = page
	t.marks[page] = target.Mark{}
	if t.replies.watched {
		var traffic *target.Traffic
		if traffic, err = page.WatchTraffic(ctx); err == nil {
			t.replies.traffic[page] = traffic
		}
	}
	return err
}

// Message takes what the page script reports of a press. It and the following methods make
// tabs a target.Watcher.
func (t *tabs) Message(f *target.Frame, _ string, payload json.RawMessage) {
	p := press{frame: f}
	if json.Unmarshal(payload, &p) == nil && slices.Contains(ofPresses, p.Type) {
		if t.requested != nil {
			p.requested = t.requested()
		}
		t.presses = append(t.presses, p)
	}
}

// Navigated is not needed: waits look at the frames themselves.
func (t *tabs) Navigated(*target.Frame, target.Navigation) {}

// Opened is not needed: popups are looked up where they are expected.
func (t *tabs) Opened(*target.Page) {}

// Dialog notes what a page has asked.
func (t *tabs) Dialog(p *target.Page, d target.Dialog) {
	t.dialogs.seen = append(t.dialogs.seen, shownDialog{page: p, Dialog: d})
}

// Answered notes how the last dialog of a page was answered.
func (t *tabs) Answered(p *target.Page, _ target.Dialog, a target.Answer) {
	for i := len(t.dialogs.seen) - 1; i >= 0; i-- {
		if t.dialogs.seen[i].page == p {
			t.dialogs.seen[i].answer = &a
			return
		}
	}
}

// tab opens a tab of the step's name, has it shown, or closes it.
func tab(ctx context.Context, c *call) (outcome, error) {
	c.run.noteAddressInput(c.step.URL)
	var args struct{ Action string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	name := c.step.Page
	switch {
	case args.Action == "close":
		return outcome{}, c.run.tabs.closeTab(ctx, name)
	case args.Action == "open" || c.run.tabs.named[name] == nil:
		return outcome{}, c.run.tabs.openTab(ctx, name, c.step.URL)
	}
	_, err := c.page.Send("Page.bringToFront", nil).Wait(ctx)
	if err == nil && c.step.URL != "" {
		err = c.page.Navigate(ctx, c.step.URL)
	}
	return outcome{}, err
}

func (t *tabs) openTab(ctx context.Context, name, url string) error {
	if t.named[name] != nil {
		return &Error{Code: Refused, Reason: fmt.Sprintf("there is a tab %q already", name)}
	}
	opened, err := t.first.Tree().Open(ctx, "", &target.OpenOptions{ContextID: t.first.ContextID()})
	if err != nil {
		return err
	}
	if err := t.adopt(ctx, name, opened); err != nil {
		return err
	}
	remove := opened.Watch(t)
	opened.SetDialogs(t.dialogs.answer)
	unwatch := t.unwatch
	t.unwatch = func() { remove(); unwatch() }
	if url == "" {
		return nil
	}
	if err := automation.CheckURL(url); err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	return opened.Navigate(ctx, url)
}

func (t *tabs) closeTab(ctx context.Context, name string) error {
	if name == "" {
		return &Error{Code: Refused, Reason: "the first tab is the caller's to close"}
	}
	page := t.named[name]
	if page == nil {
		return &Error{Code: NotFound, Reason: fmt.Sprintf("no step has opened the tab %q", name)}
	}
	if err := page.Close(ctx); err != nil && !errors.Is(err, target.ErrClosed) {
		return err
	}
	delete(t.named, name)
	return nil
}

// dialogs are what pages have asked in dialogs, and what they are to be answered.
type dialogs struct {
	scope *scope
	seen  []shownDialog
	armed []answer // for the next ones, in order
}

type shownDialog struct {
	page *target.Page
	target.Dialog
	answer *target.Answer // nil while it is open
}

// answer is what a dialog step answers the next dialog with.
type answer struct {
	page   *target.Page
	accept bool
	text   any // string or automation.Secret; nil leaves a prompt as it is
}

// dialog sets how the next dialog of a page is answered: the page waits for that
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
	if _, secret := v.(automation.Secret); secret && c.run.isSession {
		return outcome{}, &Error{Code: Refused, Reason: "a dialog is no field for a secret"}
	}
	if _, secret := v.(automation.Secret); secret || v == nil {
		next.text = v
	} else if next.text, err = text(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	if given, is := next.text.(string); is {
		c.run.noteInput(given)
	}
	c.page.Tree().Do(func() { c.run.tabs.dialogs.armed = append(c.run.tabs.dialogs.armed, next) })
	return outcome{}, nil
}

// answer is the run's target.DialogPolicy. What has one answer needs no step. A
// document that is out of scope gets no answer that was meant for another, and a
// secret goes only where it may be typed.
func (q *dialogs) answer(d target.Dialog) (accept bool, typed string, handled bool) {
	armed := q.armed
	if d.Type == "alert" || len(armed) == 0 || q.scope.check(d.URL) != nil {
		return target.DefaultDialogs(d)
	}
	next := armed[0]
	q.armed = armed[1:]
	switch v := next.text.(type) {
	case string:
		return next.accept, v, true
	case automation.Secret:
		if !q.scope.mayHave(v, d.URL) {
			return false, "", true
		}
		return next.accept, v.Reveal(), true
	}
	return next.accept, d.Default, true
}

// expectDialog waits for a dialog of a page, after the first n of all; it returns how
// many there were with it.
func (c *call) expectDialog(ctx context.Context, n int, e automation.Expectation) (int, error) {
	var asked []string
	err := c.page.Tree().Wait(ctx, func() (bool, error) {
		asked = nil
		for i, d := range c.run.tabs.dialogs.seen[n:] {
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
