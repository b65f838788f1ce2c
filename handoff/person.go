package handoff

import (
	"context"
	"errors"

	"github.com/go-reprise/reprise/replayer"
)

// Person returns the replayer.Person of a desk: pages are handed over by it, and approvals are asked of
// approver, nil for no one. Ask completes a request, as with the account; nil adds nothing.
func (d *Desk) Person(approver replayer.Person, ask func(context.Context, replayer.Handoff, *Request)) replayer.Person {
	return person{d, approver, ask}
}

var errNoApprover = errors.New("handoff: there is no one to approve it")

type person struct {
	desk     *Desk
	approver replayer.Person
	ask      func(context.Context, replayer.Handoff, *Request)
}

func (p person) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	if p.approver == nil {
		return false, errNoApprover
	}
	return p.approver.Approve(ctx, a)
}

func (p person) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	r := Request{
		Page: h.Page, Reason: h.Reason, Blocker: h.Blocker, Tried: h.Tried, Instruction: h.Message, Until: h.Until,
		Run: h.Run, Step: h.Step,
	}
	if p.ask != nil {
		p.ask(ctx, h, &r)
	}
	result, err := p.desk.Request(ctx, r)
	if err != nil {
		return replayer.Returned{}, err
	}
	status := map[Status]replayer.ReturnStatus{Finished: replayer.Done, Cancelled: replayer.Aborted, TimedOut: replayer.TimedOut}[result.Status]
	return replayer.Returned{Status: status, Handoff: result.ID}, nil
}
