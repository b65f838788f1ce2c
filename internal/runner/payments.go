package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Payment is something that was paid without asking, within standing limits.
type Payment struct {
	store.Payment
	Run  string
	Step int          // index
	Left []store.Left // of each limit that it counts against
}

// journal makes the commits of a store the journal of a replayer, and its limits those of one. It is the one
// place where a run is held to them.
type journal struct {
	store.Commits
	st   store.Store
	paid func(context.Context, Payment) // told of each payment once its consequence was seen; nil for no one

	mu    sync.Mutex
	begun map[string]Payment // by run and step
}

func newJournal(st store.Store, paid func(context.Context, Payment)) *journal {
	return &journal{Commits: st.Commits(), st: st, paid: paid, begun: map[string]Payment{}}
}

func (j *journal) Begin(ctx context.Context, run string, step int) error {
	return asBegun(j.Commits.Begin(ctx, run, step))
}

func asBegun(err error) error {
	switch {
	case errors.Is(err, store.ErrAlreadySent):
		return errors.Join(replayer.ErrAlreadySent, err)
	case errors.Is(err, store.ErrNotWithinLimit):
		return errors.Join(replayer.ErrNotWithinLimit, err)
	}
	return err
}

// BeginPayment notes a payment that is within a limit. While it is not known whether an earlier run has paid the same payee a
// person is asked: anyone who tries again what went wrong would pay twice.
func (j *journal) BeginPayment(ctx context.Context, a replayer.Approval) error {
	p, err := paymentOf(a)
	if err != nil {
		return errors.Join(replayer.ErrNotWithinLimit, err)
	}
	for e, err := range j.st.Limits().Payments(ctx) {
		if err != nil {
			return err
		}
		if e.Err != nil || e.Run == a.Run || e.Site != p.Site || e.Payee != p.Payee || e.Amount.Currency != p.Amount.Currency {
			continue
		}
		unknown, err := PaymentUnknown(ctx, j.st, e)
		if err != nil {
			return err
		}
		if unknown {
			return errors.Join(replayer.ErrNotWithinLimit, fmt.Errorf("it is not known whether run %s has paid %v to %s", e.Run, e.Amount, e.Payee))
		}
	}
	left, err := j.Commits.BeginPayment(ctx, a.Run, a.Step, p)
	if err != nil {
		return asBegun(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.begun[key(a.Run, a.Step)] = Payment{p, a.Run, a.Step, left}
	return nil
}

// unknownAfter is how long after its beginning it is not known whether a payment was made of whose run nothing is known.
const unknownAfter = 2 * time.Minute

// PaymentUnknown reports whether it is not known whether a payment was made, and no run is about to find out.
func PaymentUnknown(ctx context.Context, st store.Store, e store.LedgerEntry) (bool, error) {
	if e.State != store.Reserved {
		return false, nil
	}
	outermost, _, _ := strings.Cut(e.Run, ".")
	r, err := st.Runs().Get(ctx, outermost)
	if errors.Is(err, store.ErrNotFound) {
		return time.Since(e.Begun) > unknownAfter, nil
	}
	return err == nil && (Ended(r.State) || Lost(r) || time.Since(e.Begun) > unknownAfter), err
}

func (j *journal) Resolve(ctx context.Context, run string, step int, done bool) error {
	if err := j.Commits.Resolve(ctx, run, step, done); err != nil {
		return err
	}
	j.mu.Lock()
	p, is := j.begun[key(run, step)]
	delete(j.begun, key(run, step))
	j.mu.Unlock()
	if is && done && j.paid != nil {
		j.paid(ctx, p)
	}
	return nil
}

func key(run string, step int) string { return fmt.Sprint(run, " ", step) }

// paymentOf returns what is paid, as a limit counts it. The control and the page must be of one origin: a
// frame of another site in the page is no part of the site that a limit is for.
func paymentOf(a replayer.Approval) (store.Payment, error) {
	page, is := weburl.OriginOf(a.URL)
	if !is || page != a.Origin {
		return store.Payment{}, fmt.Errorf("the control is of %s, and the page of %s", a.Origin, page)
	}
	amount, err := store.ParseMoney(a.Amount, a.Currency)
	return store.Payment{Site: page, Payee: a.Payee, Amount: amount}, err
}
