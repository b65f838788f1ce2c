package handoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

// Person returns the replayer.Person of a desk: pages are handed over by it, and approvals are asked of
// approver, nil for no one. Of a run that has a record the person is told what is played, and for whom. Ask
// changes a request; nil leaves it as it is.
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
		Run: h.Run, Step: h.Step, Redact: h.Redact,
	}
	id, _, _ := strings.Cut(h.Run, ".") // of the outermost run, which has the record
	if run, err := p.desk.options.Store.Runs().Get(ctx, id); err == nil {
		r.Automation, r.Account = run.Automation, cmp.Or(run.PlayedFor, run.Account)
		r.Doing = fmt.Sprintf("step %d of %s", h.Step+1, run.Automation)
		if h.Intent != "" {
			r.Doing += " (" + h.Intent + ")"
		}
	}
	if p.ask != nil {
		p.ask(ctx, h, &r)
	}
	var typed []automation.Secret // by the end of the request all have been told
	told := r.OnSecret
	r.OnSecret = func(secret automation.Secret) {
		typed = append(typed, secret)
		if told != nil {
			told(secret)
		}
	}
	result, err := p.desk.Request(ctx, r)
	if err != nil {
		return replayer.Returned{}, err
	}
	status := map[Status]replayer.ReturnStatus{Finished: replayer.Done, Cancelled: replayer.Aborted, TimedOut: replayer.TimedOut}[result.Status]
	return replayer.Returned{Status: status, Handoff: result.ID, Secrets: typed}, nil
}
