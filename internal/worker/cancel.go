package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/internal/runner"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/store"
)

// EndedError says that a run cannot be cancelled: it has ended, or nobody took it from
// the queue.
type EndedError struct{ Run store.Run }

func (e *EndedError) Error() string {
	if runner.Ended(e.Run.State) {
		return fmt.Sprintf("run %s has ended: it is %s", e.Run.ID, e.Run.State)
	}
	return fmt.Sprintf("run %s is not in the queue: end the process that performs it", e.Run.ID)
}

// lookEvery is how often it is looked whether a run has ended that was cancelled.
const lookEvery = 100 * time.Millisecond

// Cancel takes a run from the queue, or ends it where it is performed, and gives its
// record at the end. It has then sent nothing more than that record tells.
func (q *Queue) Cancel(ctx context.Context, id string) (store.Run, error) {
	run, err := q.store.Runs().Get(ctx, id)
	if err != nil {
		return run, err
	}
	open, all, err := q.jobs(ctx, id)
	if err != nil {
		return run, err
	}
	if runner.Ended(run.State) || all == 0 {
		return run, &EndedError{run}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := map[int64]bool{}
	for len(open) > 0 {
		for _, job := range open {
			if told[job] {
				continue
			}
			if _, err := q.client.JobCancel(ctx, job); err != nil {
				return run, fmt.Errorf("worker: run %s is not cancelled: %w", id, err)
			}
			told[job] = true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return run, context.Cause(ctx)
		}
		if open, _, err = q.jobs(ctx, id); err != nil {
			return run, err
		}
	}
	if run, err = q.store.Runs().Get(ctx, id); err != nil || runner.Ended(run.State) {
		return run, err
	}
	if err := runner.Abandon(ctx, q.store, run, runner.ErrCancelled); err != nil { // nobody had begun it, or it was given back
		return run, err
	}
	return q.store.Runs().Get(ctx, id)
}

const jobsSQL = `
SELECT id, finalized_at IS NULL FROM reprise.river_job
WHERE kind = $1 AND args @> jsonb_build_object('run', $2::text)`

// jobs gives those of a run that have not ended, and how many it has had.
func (q *Queue) jobs(ctx context.Context, run string) (open []int64, all int, err error) {
	err = q.store.InTx(ctx, "look for a run in the queue", func(ctx context.Context, tx pgx.Tx) error {
		open, all = nil, 0
		rows, err := tx.Query(ctx, jobsSQL, jobKind, run)
		if err != nil {
			return err
		}
		var (
			id     int64
			remain bool
		)
		_, err = pgx.ForEachRow(rows, []any{&id, &remain}, func() error {
			if all++; remain {
				open = append(open, id)
			}
			return nil
		})
		return err
	})
	return open, all, err
}
