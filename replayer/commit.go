package replayer

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/internal/target"
)

// sending notes, before anything is sent, that this step is. What was noted before,
// by this run or by another worker, is never sent again.
func (c *call) sending(ctx context.Context, from *target.Frame) error {
	r := c.run
	if r.sent[c.index] {
		return &Error{Code: Uncertain, Reason: "it was sent before in this run, and is not sent again"}
	}
	p := &pending{index: c.index, page: c.page, from: from, at: from.Mark(), inert: r.isInert(from), seen: len(c.step.Expect) > 0}
	g, err := c.guarded(ctx)
	if err != nil {
		return err
	}
	p.traffic, p.mark = g.traffic, g.traffic.Mark()
	if j := r.options.Journal; j != nil {
		if err := j.Sending(ctx, r.id, c.index); err != nil {
			r.unguard(p)
			return notSent(err)
		}
	}
	r.sent[c.index], r.pending, c.sent = true, p, true
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
