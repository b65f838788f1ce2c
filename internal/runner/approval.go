// Package runner has runs ask for approvals through a store: whoever has that store may
// answer, in another process and on another machine.
package runner

import (
	"context"
	"errors"
	"time"

	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

const (
	// DefaultWithin is how long an answer is waited for: what somebody needs who is called,
	// and less than most sites keep a session.
	DefaultWithin = 10 * time.Minute

	// withdrawWithin bounds what is said to the store once nobody waits any more.
	withdrawWithin = 5 * time.Second
)

// Person is who answers through a store: replayer.Person. Its Approvals are required.
type Person struct {
	Approvals store.Approvals
	// Within is how long an answer is waited for. Default: DefaultWithin.
	Within time.Duration
	// Waits is told what the run waits for, and with nil that it goes on. Default: nobody.
	Waits func(context.Context, *store.Approval)
	// Others are those whom a page is handed to. Default: nobody.
	Others replayer.Person
}

var errNobody = errors.New("there is nobody to hand the page to: play it at a terminal, with --headed")

// Approve asks, and waits. Only a yes that the store lets this run count on is one: no
// answer in time, and every error, is a no.
func (p *Person) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	within := p.Within
	if within == 0 {
		within = DefaultWithin
	}
	asked, err := p.Approvals.Ask(ctx, store.Question(a), within)
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
	_, err = p.Approvals.Spend(ctx, asked.ID, a.Run)
	return err == nil, err
}

func (p *Person) wait(ctx context.Context, asked store.Approval) (store.Approval, error) {
	if p.Waits != nil {
		p.Waits(ctx, &asked)
		defer p.Waits(ctx, nil)
	}
	return p.Approvals.Wait(ctx, asked.ID)
}

// withdraw says that nobody waits any more, so that nobody answers.
func (p *Person) withdraw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawWithin)
	defer cancel()
	return p.Approvals.Withdraw(ctx, id)
}

// TakeOver is not done through a store.
func (p *Person) TakeOver(ctx context.Context, h replayer.Handoff) error {
	if p.Others == nil {
		return errNobody
	}
	return p.Others.TakeOver(ctx, h)
}
