package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/internal/runner"

	"github.com/riverqueue/river"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// turn has a run performed that has not ended, once it alone has its places.
func (w *worker) turn(ctx context.Context, j *river.Job[job]) error {
	run, err := w.store.Runs().Get(ctx, j.Args.Run)
	if errors.Is(err, store.ErrNotFound) {
		return river.JobCancel(err)
	}
	if err != nil || runner.Ended(run.State) {
		return err
	}
	doc, acts, err := w.look(ctx, j.Args.Order)
	if err != nil {
		return w.orFail(ctx, j, err)
	}
	lease, err := w.store.Leases().Take(ctx, run.ID, acts, w.options.Lease)
	if err != nil {
		return err
	}
	t := &Turn{Order: j.Args.Order, Document: doc, Store: w.store.Fenced(lease)}
	err = w.held(ctx, lease, func(ctx context.Context) error { return w.perform(ctx, j, t) })
	away := context.WithoutCancel(ctx)
	if errors.Is(err, runner.ErrInterrupted) {
		err = errors.Join(err, runner.Requeue(away, t.Store, t.Run.ID))
	}
	return errors.Join(err, w.store.Leases().Release(away, lease))
}

// look gives the document, and the places that it acts on.
func (w *worker) look(ctx context.Context, o Order) (*automation.Automation, []postgres.Place, error) {
	doc, err := w.store.Automations().Get(ctx, o.Automation, o.Document)
	if err != nil {
		return nil, nil, err
	}
	acts, err := places(ctx, w.store.Automations(), doc, o.Account)
	return doc, acts, err
}

// perform has the run performed that has its lease now.
func (w *worker) perform(ctx context.Context, j *river.Job[job], t *Turn) (err error) {
	if t.Run, err = t.Store.Runs().Get(ctx, j.Args.Run); err != nil || runner.Ended(t.Run.State) { // it may have ended meanwhile
		return err
	}
	switch {
	case j.Args.Cancelled:
		return runner.Abandon(ctx, t.Store, t.Run, runner.ErrCancelled)
	case j.Args.Lost >= mostTries:
		return runner.Abandon(ctx, t.Store, t.Run, fmt.Errorf("%d workers were lost with it", j.Args.Lost))
	}
	err = w.options.Perform(ctx, t)
	if err == nil || errors.Is(err, runner.ErrInterrupted) || errors.Is(err, postgres.ErrLeaseLost) {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, postgres.ErrLeaseLost) || errors.Is(cause, runner.ErrStopping) {
		return fmt.Errorf("%w: %w", runner.ErrInterrupted, cause)
	}
	if j.Attempt < j.MaxAttempts {
		return err
	}
	return runner.Abandon(context.WithoutCancel(ctx), t.Store, t.Run, err)
}

// orFail keeps a run as failed whose document cannot be had, unless it may be had later.
func (w *worker) orFail(ctx context.Context, j *river.Job[job], err error) error {
	if !errors.Is(err, store.ErrNotFound) && j.Attempt < j.MaxAttempts {
		return err
	}
	run, missing := w.store.Runs().Get(ctx, j.Args.Run)
	if missing != nil {
		return missing
	}
	return runner.Abandon(ctx, w.store, run, err)
}

// held calls do while a lease is renewed. Where that cannot be done in time, or another
// has it, the context of do ends before another may act, with postgres.ErrLeaseLost.
func (w *worker) held(ctx context.Context, lease *postgres.Lease, do func(context.Context) error) error {
	ctx, lose := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	renewing, still := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(stopped)
		if err := w.renew(renewing, lease); err != nil {
			lose(err)
		}
	}()
	defer lose(nil)
	defer func() { still(); <-stopped }()
	return do(ctx)
}

// renew renews a lease until ctx is done. The time that passes on this machine tells when
// to give up, no clock: it counts from before the question was sent.
func (w *worker) renew(ctx context.Context, lease *postgres.Lease) error {
	tick := time.NewTicker(w.options.Lease / beats)
	defer tick.Stop()
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		asked := time.Now()
		until, cancel := context.WithDeadline(ctx, good.Add(w.options.Lease*heldFor/3))
		err := w.store.Leases().Renew(until, lease, w.options.Lease)
		cancel()
		switch {
		case err == nil:
			good = asked
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, postgres.ErrLeaseLost):
			return err
		default:
			return fmt.Errorf("%w: it could not be renewed: %w", postgres.ErrLeaseLost, err)
		}
	}
}
