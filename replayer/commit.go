package replayer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-reprise/reprise/internal/target"
)

// sending notes, before anything is sent, that this step is. What was noted before,
// by this run or by another worker, is never sent again.
func (c *call) sending(ctx context.Context, from *target.Frame) error {
	r := c.run
	if r.sent[c.index] {
		return &Error{Code: Uncertain, Reason: "it was sent before in this run, and is not sent again"}
	}
	p := &pending{index: c.index, page: c.page, from: from, seen: len(c.step.Expect) > 0}
	if err := c.watch(ctx, p); err != nil {
		p.stop()
		return err
	}
	if j := r.options.Journal; j != nil {
		if err := j.Sending(ctx, r.id, c.index); err != nil {
			p.stop()
			return notSent(err)
		}
	}
	r.sent[c.index], r.pending, c.sent = true, p, true
	return nil
}

// watch has the requests of what is about to be sent watched, and kept from being repeated.
func (c *call) watch(ctx context.Context, p *pending) (err error) {
	var repeated error
	var both sync.WaitGroup
	both.Go(func() { p.fresh, repeated = c.page.FreshConnections(ctx) })
	p.traffic, err = c.page.WatchTraffic(ctx)
	both.Wait()
	if err != nil {
		return err
	}
	if repeated != nil { // as in a browser that does not show its internals
		c.run.log.WarnContext(ctx, "the browser may repeat a request whose connection breaks", "step", c.index, "error", repeated)
	}
	p.mark = p.traffic.Mark()
	return nil
}

func notSent(err error) *Error {
	if errors.Is(err, ErrSent) {
		return &Error{Code: Uncertain, Reason: "it was sent before, by another attempt at this run, and is not sent again", Err: err}
	}
	return &Error{Code: Refused, Reason: fmt.Sprintf("what commits is only sent once that is written down, and it could not be: %v", err), Err: err}
}

// unsent takes it back: the press did not reach the page.
func (c *call) unsent(ctx context.Context) error {
	if !c.sent {
		return nil
	}
	c.sent = false
	c.run.forgetPending()
	delete(c.run.sent, c.index)
	if j := c.run.options.Journal; j != nil {
		return j.Settled(context.WithoutCancel(ctx), c.run.id, c.index, false)
	}
	return nil
}
