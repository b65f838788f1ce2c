package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/internal/runner"

	"github.com/riverqueue/river"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
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
	return runner.Hold(ctx, w.store, run.ID, acts, w.options.Lease, func(ctx context.Context, st store.Store) error {
		t := &Turn{Order: j.Args.Order, Document: doc, Store: st}
		err := w.perform(ctx, j, t)
		if errors.Is(err, runner.ErrInterrupted) {
			err = errors.Join(err, runner.Requeue(context.WithoutCancel(ctx), st, run.ID))
		}
		return err
	})
}

// look gives the document, and the places that it acts on.
func (w *worker) look(ctx context.Context, o Order) (*automation.Automation, []store.Place, error) {
	doc, err := w.store.Automations().Get(ctx, o.Automation, o.Document)
	if err != nil {
		return nil, nil, err
	}
	acts, err := runner.Places(ctx, w.store.Automations(), doc, o.Account)
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
	if err == nil || errors.Is(err, runner.ErrInterrupted) || errors.Is(err, store.ErrLeaseLost) {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, store.ErrLeaseLost) || errors.Is(cause, runner.ErrStopping) {
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
