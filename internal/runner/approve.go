package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
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
	asked, err := p.Approvals.Ask(ctx, requestOf(a), cmp.Or(p.Timeout, DefaultApprovalTimeout))
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
		ended := &store.ApprovalEndedError{ID: asked.ID, State: answer.State, By: answer.By}
		if answer.State == store.ApprovalExpired {
			return false, expiredError{ended}
		}
		return false, ended
	}
	_, err = p.Approvals.Redeem(ctx, asked.ID, a.Run)
	return err == nil, err
}

// expiredError is silence, which is no consent.
type expiredError struct{ *store.ApprovalEndedError }

func (e expiredError) Unwrap() error        { return e.ApprovalEndedError }
func (e expiredError) Is(target error) bool { return target == replayer.ErrApprovalExpired }

// requestOf is what is stored of a request that this process waits for.
func requestOf(a replayer.Approval) store.ApprovalRequest {
	return store.ApprovalRequest{
		Run: a.Run, Step: a.Step, Tool: a.Tool, Intent: a.Intent, Label: a.Label, Origin: a.Origin, URL: a.URL,
		Payee: a.Payee, Amount: a.Amount, Currency: a.Currency,
		Method: a.Method, Request: a.Request, Type: a.Type, Size: a.Size, Process: ThisProcess(), Picture: a.Picture,
	}
}

// EndedRunError reports that the run which asked for an approval has ended: an answer changes nothing.
type EndedRunError struct{ Approval, Run string }

func (e *EndedRunError) Error() string {
	return fmt.Sprintf("the run that asked has ended (run %s): the answer to approval %s counts for nothing, and nothing was sent", e.Run, e.Approval)
}

// Answer answers an approval request in the name of someone who may. A request whose run has ended, or
// whose process died on this machine, is withdrawn, and the error is an *EndedRunError.
func Answer(ctx context.Context, st store.Store, id, by string, yes bool) (store.Approval, error) {
	if a, err := answerable(ctx, st, id); err != nil {
		return a, err
	}
	nonce, err := st.Approvals().IssueNonce(ctx, id, by)
	if err != nil {
		return store.Approval{}, err
	}
	return st.Approvals().Answer(ctx, id, nonce, yes)
}

// AnswerWith is [Answer] by the nonce that someone was given with the request.
func AnswerWith(ctx context.Context, st store.Store, id, nonce string, yes bool) (store.Approval, error) {
	if a, err := answerable(ctx, st, id); err != nil {
		return a, err
	}
	return st.Approvals().Answer(ctx, id, nonce, yes)
}

// answerable withdraws a request for which no one waits any more.
func answerable(ctx context.Context, st store.Store, id string) (store.Approval, error) {
	a, err := st.Approvals().Get(ctx, id)
	if err != nil || a.State != store.ApprovalPending {
		return a, err
	}
	ended, err := WithdrawLost(ctx, st, a)
	if ended {
		err = errors.Join(&EndedRunError{id, a.Run}, err)
	}
	return a, err
}

// WithdrawLost withdraws a request for which no one waits any more, and reports whether it is one, as far as it is known here.
func WithdrawLost(ctx context.Context, st store.Store, a store.Approval) (lost bool, err error) {
	if lost, err = askerEnded(ctx, st, a); lost {
		err = st.Approvals().Withdraw(ctx, a.ID)
	}
	return lost, err
}

// askerEnded reports whether no one waits for an answer any more, as far as it is known here.
func askerEnded(ctx context.Context, st store.Store, a store.Approval) (bool, error) {
	if Gone(a.Process) {
		return true, nil
	}
	outermost, _, _ := strings.Cut(a.Run, ".")
	r, err := st.Runs().Get(ctx, outermost)
	if errors.Is(err, store.ErrNotFound) { // an agent's lone calls have no record
		return false, nil
	}
	return err == nil && (Ended(r.State) || Lost(r)), err
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
