package runner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

const (
	// DefaultApprovalTimeout is how long an approval is waited for: what someone needs who is
	// called, and less than most sites keep a session.
	DefaultApprovalTimeout = 10 * time.Minute

	// withdrawTimeout bounds the withdrawal of a request for which no one waits any more.
	withdrawTimeout = 5 * time.Second
)

// StoreApprover is a replayer.Person who answers through a store: in another process, on
// another machine. Its Approvals are required.
type StoreApprover struct {
	Approvals store.Approvals
	// Timeout is how long an answer is waited for. Default: DefaultApprovalTimeout.
	Timeout time.Duration
	// Waits is told what the run waits for, and with nil that it goes on. Default: no one.
	Waits func(context.Context, *store.Approval)
	// Others takes over pages. Default: no one.
	Others replayer.Person
}

var errNoOne = errors.New("there is no one to hand the page to: play it at a terminal, with --headed")

// Approve asks, and waits. It is approved if the store lets this run redeem the answer: a
// timeout, and every error, deny it.
func (p *StoreApprover) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	asked, err := p.Approvals.Ask(ctx, store.ApprovalRequest(a), cmp.Or(p.Timeout, DefaultApprovalTimeout))
	if err != nil {
		return false, err
	}
	answer, err := p.wait(ctx, asked)
	switch {
	case err != nil:
		return false, errors.Join(err, p.withdraw(ctx, asked.ID))
	case answer.State == store.ApprovalDenied:
		return false, nil
	case answer.State != store.ApprovalApproved:
		return false, &store.ApprovalEndedError{ID: asked.ID, State: answer.State, By: answer.By}
	}
	_, err = p.Approvals.Redeem(ctx, asked.ID, a.Run)
	return err == nil, err
}

func (p *StoreApprover) wait(ctx context.Context, asked store.Approval) (store.Approval, error) {
	if p.Waits != nil {
		p.Waits(ctx, &asked)
		defer p.Waits(ctx, nil)
	}
	return p.Approvals.Wait(ctx, asked.ID)
}

// withdraw withdraws the request, so that no one answers it in vain.
func (p *StoreApprover) withdraw(ctx context.Context, id string) error {
	ctx, cancel := load.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	return p.Approvals.Withdraw(ctx, id)
}

// TakeOver is left to Others.
func (p *StoreApprover) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	if p.Others == nil {
		return replayer.Returned{}, errNoOne
	}
	return p.Others.TakeOver(ctx, h)
}

// WithIntent returns a person who is told why a run was wanted, where its step has no intent of its own.
func WithIntent(person replayer.Person, intent string) replayer.Person {
	if person == nil || intent == "" {
		return person
	}
	return withIntent{person, intent}
}

type withIntent struct {
	replayer.Person
	intent string
}

func (w withIntent) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	if a.Intent == "" {
		a.Intent = w.intent
	}
	return w.Person.Approve(ctx, a)
}

func (w withIntent) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	if h.Message == "" {
		h.Message = w.intent
	}
	return w.Person.TakeOver(ctx, h)
}
