package replayer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// The second line of defence: what a press sends is held at the browser until it is
// judged, whatever the control looked like. A request that may change something, that was
// not recorded for the step and does not show that it is harmless, waits unsent for an
// approval; once approved it is sent as it is, and nothing is pressed again.

const (
	// lateFor is how long after a press a page may send what the press set off: by a timer,
	// when typing rests, after an answer.
	lateFor = 5 * time.Second
	// maxSeek bounds the wait for what a press sends at once to reach the browser.
	maxSeek = time.Second
)

// hold holds the requests of a run's pages. Automations that a step plays share that of
// the outermost run.
type hold struct {
	pages   map[*target.Page]*target.Holding
	traffic map[*target.Holding]*target.Traffic // begun with it: a session whose navigation is held begins nothing more

	// Guarded by the tree.
	press    commit.Press
	passing  bool            // the press was approved, with all that it sends
	pressed  time.Time       // zero before the first press
	step     int             // that pressed
	label    string          // of what was pressed
	usual    map[string]bool // requests that the page made before any press
	hasPress bool            // there was a press
	idle     bool            // a person drives the page
}

func newHold() *hold {
	return &hold{pages: map[*target.Page]*target.Holding{}, traffic: map[*target.Holding]*target.Traffic{}, usual: map[string]bool{}}
}

// on holds the requests of a page from its return on.
func (h *hold) on(ctx context.Context, page *target.Page) error {
	if h == nil || h.pages[page] != nil && h.traffic[h.pages[page]].Mark() < maxTraffic {
		return nil
	}
	if held := h.pages[page]; held != nil { // what is remembered of its requests has a bound
		had := h.traffic[held]
		defer had.Stop()
		return h.watch(ctx, page, held)
	}
	for _, known := range h.pages {
		if page.Holding() == known { // it was opened by one that is held
			h.pages[page] = known
			return nil
		}
	}
	// What a document is loaded with while this begins goes on past it.
	if err := page.Loaded(ctx); err != nil {
		return err
	}
	held, err := page.Hold(ctx, h.passes)
	if err != nil {
		return err
	}
	if err := h.watch(ctx, page, held); err != nil {
		held.Stop()
		return err
	}
	h.pages[page] = held
	return nil
}

func (h *hold) watch(ctx context.Context, page *target.Page, held *target.Holding) error {
	traffic, err := page.WatchTraffic(ctx)
	if err == nil {
		h.traffic[held] = traffic
	}
	return err
}

// trafficOf is what the page asks for, nil where nothing is held there.
func (h *hold) trafficOf(page *target.Page) *target.Traffic {
	if h == nil || page.Holding() == nil {
		return nil
	}
	return h.traffic[page.Holding()]
}

// begin notes what is about to be pressed.
func (h *hold) begin(c *call, p commit.Press, label string) {
	if h == nil {
		return
	}
	c.pressed.is = true
	c.page.Tree().Do(func() {
		h.press, h.passing, h.pressed, h.step, h.label, h.hasPress = p, c.sent, time.Now(), c.index, label, true
	})
}

// beginOther is begin for a step that is no press, and may have the page send something as well: by what is typed or
// chosen, by where the mouse comes. It does not end the suspicion of a press shortly before, but what was approved for
// that passes no longer. A document was recorded by a person, or read by one: until something is pressed or chosen in
// it, its pages save what is typed as they did then, by a DELETE too.
func (h *hold) beginOther(c *call) {
	if h == nil {
		return
	}
	c.page.Tree().Do(func() {
		if !c.run.isSession && !h.hasPress && c.step.Tool != "select" {
			return
		}
		if h.passing && h.step != c.index || time.Since(h.pressed) > lateFor {
			h.press, h.passing, h.pressed, h.step, h.label = commit.Press{Verdict: commit.Harmless}, c.sent, time.Now(), c.index, ""
		}
	})
}

// passes reports whether a request goes on without an approval. The tree is locked.
func (h *hold) passes(r *target.Request) bool {
	key := r.Method + " " + shown(r.URL)
	if h.idle || h.passing {
		return true
	}
	if h.pressed.IsZero() {
		h.usual[key] = true
		return true
	}
	press := h.press
	own := origin(r.URL) == r.Origin()
	press.Recorded = press.Recorded && own
	switch commit.Request(commit.Sent{Method: r.Method, URL: r.URL, Kind: r.Kind, Type: r.ContentType, Body: r.Body, Own: own}, press) {
	case commit.Harmless:
		h.usual[key] = h.usual[key] || !h.hasPress
		return true
	case commit.Unknown:
		return h.usual[key] && r.Method != "DELETE"
	}
	return false
}

// first is the request that waits longest, nil where none does.
func (h *hold) first(page *target.Page) (*target.Holding, *target.Request) {
	if h == nil || h.pages[page] == nil {
		return nil, nil
	}
	held := h.pages[page]
	if all := held.Held(); len(all) > 0 {
		return held, all[0]
	}
	return held, nil
}

func (h *hold) any(page *target.Page) bool {
	_, r := h.first(page)
	return r != nil
}

// rest waits until what a press sends at once has reached the browser.
func (h *hold) rest(ctx context.Context, c *call) {
	held := h.pages[c.page]
	if held == nil {
		return
	}
	ctx, cancel := load.WithTimeout(ctx, maxSeek)
	defer cancel()
	f := c.page.Main()
	if c.pressed.in != nil && !c.pressed.in.Gone() {
		f = c.pressed.in
	}
	// What a listener sends is reported before the answer to this. A form is sent in a task
	// after that, which costs the time until the page is drawn.
	if c.pressed.sendsForm {
		_ = f.Tasks(ctx) // a document that was left reports nothing more
	} else {
		_ = f.Call(ctx, nil, "viewport")
	}
	_ = held.Sought(ctx, h.traffic[held])
}

// untilHeld ends what is done with its context as soon as a request waits: what is waited
// for may be its answer.
func (h *hold) untilHeld(ctx context.Context, page *target.Page) (_ context.Context, stop func()) {
	if h == nil || h.pages[page] == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		if h.pages[page].WaitHeld(ctx) == nil {
			cancel(errHeld)
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-watching
	}
}

var errHeld = errors.New("a request waits to be approved")

// pause lets the user drive the page, whose own presses are not ours to judge.
func (h *hold) pause(page *target.Page, on bool) {
	if h != nil {
		page.Tree().Do(func() { h.idle = on })
	}
}

// suspects reports whether a page may still send what a press has set off, and has not
// been approved.
func (h *hold) suspects(page *target.Page) (is bool) {
	page.Tree().Do(func() {
		is = !h.passing && !h.pressed.IsZero() && h.press.Verdict == commit.Unknown && time.Since(h.pressed) < lateFor
	})
	return is
}

// stop ends it. What a page sends late still fails for a while.
func (h *hold) stop() {
	if h == nil {
		return
	}
	for _, traffic := range h.traffic {
		traffic.Stop()
	}
	clear(h.traffic)
	for page, held := range h.pages {
		var left time.Duration
		page.Tree().Do(func() {
			if !h.passing && !h.pressed.IsZero() {
				left = lateFor - time.Since(h.pressed)
			}
		})
		if left > 0 {
			held.Linger(left)
		} else {
			held.Stop()
		}
	}
	clear(h.pages)
}

// isHeld reports whether a request of the page waits to be approved, once what the step
// pressed has been sent.
func (c *call) isHeld(ctx context.Context) bool {
	h := c.run.hold
	if c.pressed.is && h != nil {
		h.rest(ctx, c)
	}
	return h.any(c.page)
}

// release asks for each request that waits, and sends it.
func (c *call) release(ctx context.Context) error {
	for {
		held, r := c.run.hold.first(c.page)
		if r == nil {
			return nil
		}
		if err := c.releaseOne(ctx, held, r); err != nil {
			for _, r := range held.Held() {
				err = errors.Join(err, held.Fail(context.WithoutCancel(ctx), r))
			}
			return err
		}
	}
}

func (c *call) releaseOne(ctx context.Context, held *target.Holding, r *target.Request) error {
	a := c.run.hold.approval(c, r)
	if c.run.options.DryRun {
		return errDry
	}
	err := c.permitted(a)
	var approval needApproval
	if err != nil && !errors.As(err, &approval) {
		return err
	}
	if err := c.run.isWho(ctx, false); err != nil {
		return err
	}
	// It is noted before the approval is asked for: a browser whose connection ends meanwhile, as that
	// of a process which is killed, lets go what it holds.
	sender := *c
	sender.index, sender.page, sender.sent = a.Step, r.Page(), false
	if !c.run.commits.sent[a.Step] {
		if err := sender.sending(ctx, sender.page.Main(), sender.beginCommit); err != nil {
			return err
		}
	}
	if err != nil {
		err = c.ask(ctx, a)
		c.approved = nil
	}
	if err != nil {
		if failed := held.Fail(context.WithoutCancel(ctx), r); failed == nil {
			err = errors.Join(err, sender.unsent(ctx))
		}
		return err
	}
	c.sent = c.sent || sender.sent && a.Step == c.index
	if p := c.run.commits.pending; p != nil {
		p.mark = min(p.mark, p.traffic.MarkOf(r))
	}
	if err := held.Continue(ctx, r); err != nil {
		if sender.sent {
			c.sent = c.sent && a.Step != c.index
			err = errors.Join(err, sender.unsent(ctx))
		}
		return &Error{Code: Refused, Reason: fmt.Sprintf("it was approved, and could not be sent: %v", err), Err: err}
	}
	return nil
}

// approval returns the approval request for a request.
func (h *hold) approval(c *call, r *target.Request) Approval {
	a := Approval{Run: c.run.result.Run, Tool: c.step.Tool, Method: r.Method, Type: r.ContentType, Size: r.Size}
	c.page.Tree().Do(func() { a.Step, a.Label = h.step, h.label })
	a.Request = c.run.secrets.redact(shown(r.URL))
	a.URL = c.run.secrets.redact(shown(r.Page().URL()))
	a.Origin = origin(r.URL)
	if u, err := url.Parse(r.Page().Main().Address()); err == nil && u.Host != "" {
		a.Origin = origin(u.String())
	}
	if steps := c.run.automation.Steps; a.Step < len(steps) {
		a.Tool, a.Intent = steps[a.Step].Tool, steps[a.Step].Intent
	}
	return a
}

// sendLate asks, at the end of a run, for what its pages want to send by then.
func (r *run) sendLate(ctx context.Context, last int) error {
	if r.hold == nil || last < r.from {
		return nil
	}
	for page := range r.hold.pages {
		c := r.newCall(last, r.automation.Steps[last])
		c.page, c.pressed.sendsForm = page, true
		if r.hold.suspects(page) {
			r.hold.rest(ctx, c)
		}
		if !r.hold.any(page) {
			continue
		}
		err := c.release(ctx)
		if err == nil {
			err = r.confirm(ctx, last)
		}
		if err != nil {
			return r.ended(ctx, stepError(ctx, err, last, c.step), last)
		}
	}
	return nil
}
