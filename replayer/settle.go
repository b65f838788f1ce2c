package replayer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/target"
)

// pending is a commit that was sent, and whose consequence has not been seen yet.
type pending struct {
	index   int
	page    *target.Page
	from    *target.Frame   // that it is sent from
	at      target.Mark     // of its document then
	inert   bool            // it may run no scripts
	seen    bool            // by what the document says must follow
	traffic *target.Traffic // otherwise by what the page asked its server for
	mark    int
}

// forgetPending ends the wait for what follows a commit.
func (r *run) forgetPending() {
	if p := r.pending; p != nil {
		r.unguard(p)
	}
	r.pending = nil
}

// confirm settles a commit after step i, as soon as all has been seen that follows.
func (r *run) confirm(ctx context.Context, i int) error {
	p := r.pending
	if p == nil {
		return nil
	}
	p.seen = p.seen || i > p.index && r.waited(i)
	if r.waitsAfter(i, p.page) {
		return nil // that belongs to it
	}
	if err := r.answeredOrHeld(ctx, i, p); err != nil {
		return err
	}
	if j := r.options.Journal; j != nil {
		if err := j.Settled(ctx, r.id, p.index, true); err != nil {
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("it was done, and that could not be written down: %v", err), Err: err}
		}
	}
	r.forgetPending()
	return nil
}

// answeredOrHeld is answered; what the page wants to send meanwhile, and may not alone, is
// asked for.
func (r *run) answeredOrHeld(ctx context.Context, i int, p *pending) error {
	for {
		waiting, stop := r.hold.untilHeld(ctx, p.page)
		err := r.answered(waiting, p)
		stop()
		held := r.hold.any(p.page)
		if !held {
			return err
		}
		c := r.newCall(i, r.automation.Steps[i])
		c.page = p.page
		if err := c.release(ctx); err != nil {
			return err
		}
	}
}

// waitsAfter reports whether the step after i waits for where that one leads.
func (r *run) waitsAfter(i int, page *target.Page) bool {
	if i+1 >= len(r.automation.Steps) {
		return false
	}
	next := r.automation.Steps[i+1]
	return next.Tool == "waitForNav" && r.pages[next.Page] == page
}

// waited reports whether step i has waited for where the page went, and was not passed over.
func (r *run) waited(i int) bool {
	if len(r.result.Steps) == 0 {
		return false
	}
	last := r.result.Steps[len(r.result.Steps)-1]
	return last.Index == i && last.Tool == "waitForNav" && last.Skipped == ""
}

// answered holds a commit to what the server has answered: that nothing which the page
// has sent since was refused or broke off. Where nothing in the document says what must
// follow, all that the page asks for is waited for first, and what it asks then.
func (r *run) answered(ctx context.Context, p *pending) error {
	if !p.seen {
		if err := r.rested(ctx, p); err != nil {
			return err
		}
	}
	for _, e := range p.traffic.Requests(p.mark) {
		if changes(e) && (e.Failed != "" || e.Status >= 400) {
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("the server did not take it: %s %s gave %s", e.Method, shown(e.URL), outcomeOf(e))}
		}
	}
	return nil
}

// rested waits until the page has asked its server for nothing more.
func (r *run) rested(ctx context.Context, p *pending) error {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	for {
		had := p.traffic.Mark()
		if err := p.from.Settled(ctx); err != nil {
			return err
		}
		if err := p.traffic.WaitOver(ctx, p.mark, tells); err != nil {
			return err
		}
		if p.traffic.More(had, leadsOn) {
			continue
		}
		rests, err := p.breathe(ctx, had)
		if err != nil {
			return err
		}
		if rests && !p.traffic.Reading(p.mark, tells) {
			return nil
		}
	}
}

// breathe gives the page the time to do what it does with the answers that it has. It
// reports false as soon as the page has asked for more than it had.
func (p *pending) breathe(ctx context.Context, had int) (rests bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	asksMore := make(chan struct{})
	go func() {
		defer close(asksMore)
		if p.traffic.WaitMore(ctx, had, leadsOn) == nil {
			cancel(errAsksMore)
		}
	}()
	err = p.breath(ctx)
	cut := errors.Is(context.Cause(ctx), errAsksMore)
	cancel(nil)
	<-asksMore
	if cut || target.IsLeft(err) || err == nil && p.traffic.More(had, leadsOn) {
		return false, nil
	}
	return err == nil, err
}

// breath is one of the page's main document, and of the frame that the commit was sent
// from where that has a process of its own. What a frame was answered with asks for more
// while it loads, or in the tasks behind that: it draws nothing that it then goes by.
func (p *pending) breath(ctx context.Context) error {
	main, from := p.page.Main(), p.from
	breathe := func(f *target.Frame) error { return f.Call(ctx, nil, "breathe") }
	if from == main {
		return breathe(main)
	}
	within := breathe
	if from.Left(p.at) && !from.Gone() {
		if err := from.Loaded(ctx, longestAnswer); err != nil {
			return err
		}
		within = func(f *target.Frame) error { return f.Tasks(ctx) }
	}
	if !from.Apart() {
		return within(main)
	}
	if p.inert {
		return breathe(main)
	}
	var apart error
	var both sync.WaitGroup
	both.Go(func() { apart = within(from) })
	err := breathe(main)
	both.Wait()
	if err == nil && !from.Gone() {
		err = apart
	}
	return err
}

// longestAnswer bounds the wait for all that the document is made of with which a frame
// was answered.
const longestAnswer = 100 * time.Millisecond

var errAsksMore = errors.New("the page asks for more")

// tells says which requests a page may be waiting for with what it does next.
func tells(e target.Exchange) bool {
	return e.Type == "Document" || e.Type == "XHR" || e.Type == "Fetch"
}

// leadsOn says which requests may have the page ask for something else.
func leadsOn(e target.Exchange) bool { return tells(e) || e.Type == "Script" }

// changes says which requests may do something: not what only reads, and not what
// pages tell of themselves in passing.
func changes(e target.Exchange) bool {
	return e.Method != "GET" && e.Method != "HEAD" && e.Method != "OPTIONS" && e.Type != "Ping" && e.Type != "CSPViolationReport"
}

func outcomeOf(e target.Exchange) string {
	if e.Failed != "" {
		return e.Failed
	}
	return fmt.Sprint(e.Status)
}

// uncertain turns what ended a run between a commit and its consequence into that.
func (r *run) uncertain(e *Error) *Error {
	if r.pending == nil {
		return e
	}
	if e.Code != Uncertain {
		e.Reason = fmt.Sprintf("what step %d commits to was sent, and what follows was not seen (%s: %s)", r.pending.index+1, e.Code, e.Reason)
		e.Code = Uncertain
	}
	r.forgetPending()
	return e
}
