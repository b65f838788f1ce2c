package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const aliveSQL = `
INSERT INTO reprise.workers (id, host, seen) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()`

// alive says that this worker is there.
func (w *worker) alive(ctx context.Context) error {
	return w.store.InTx(ctx, "say that the worker is there", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, aliveSQL, w.id, w.options.Host)
		return err
	})
}

// leave says that it is not any more: it has no runs.
func (w *worker) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.options.Lease)
	defer cancel()
	return w.store.InTx(ctx, "say that the worker has gone", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM reprise.workers WHERE id = $1", w.id)
		return err
	})
}

// beat says again and again that this worker is there, and takes the runs of those back
// that are not. Where the database was away nobody was heard of: so it does that only
// after it was heard itself for as long as the others have to be heard of.
func (w *worker) beat(ctx context.Context) {
	tick := time.NewTicker(w.options.Lease / beats)
	defer tick.Stop()
	heard, steady := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := w.alive(ctx)
		if err == nil && time.Since(steady) > w.options.Lease {
			err = w.rescue(ctx)
		}
		now := time.Now()
		if err != nil || now.Sub(heard) > w.options.Lease/2 {
			steady = now
		}
		if heard = now; err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "the worker is not heard", "error", err)
		}
	}
}

// A job is taken from a worker that was not heard of, or that does not know of it: where
// the database went away, River may have taken it for this worker, or given it back, and
// the answer was lost. It is ended, so that what is said of it yet is of no matter, and
// another is put in its place.
const rescueSQL = `
WITH lost AS (
    SELECT j.id FROM reprise.river_job j
    LEFT JOIN reprise.workers w ON w.id = j.attempted_by[array_upper(j.attempted_by, 1)]
    WHERE j.state = 'running' AND j.kind = $2 AND (
        w.seen IS NULL OR w.seen <= clock_timestamp() - $1::interval
        OR w.id = $3 AND j.attempted_at <= now() - $1::interval AND j.id <> ALL($4::bigint[])
    )
    FOR UPDATE OF j SKIP LOCKED
)
UPDATE reprise.river_job j SET state = 'cancelled', finalized_at = now()
FROM lost WHERE j.id = lost.id AND j.state = 'running'
RETURNING j.queue, j.args, j.metadata ? 'cancel_attempted_at'`

// forgetSQL forgets workers that have gone without a word.
const forgetSQL = `DELETE FROM reprise.workers WHERE seen < clock_timestamp() - interval '1 day'`

// orphan is a job whose worker is lost.
type orphan struct {
	Queue     string
	Args      []byte
	Cancelled bool
}

// rescue puts the runs of lost workers into the queue again.
func (w *worker) rescue(ctx context.Context) error {
	mine := w.known()
	return w.store.InTx(ctx, "take back the runs of lost workers", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, rescueSQL, w.options.Lease, jobKind, w.id, mine)
		if err != nil {
			return err
		}
		orphans, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
		if err != nil {
			return err
		}
		for _, o := range orphans {
			err = errors.Join(err, w.again(ctx, tx, o))
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, forgetSQL)
		return err
	})
}

// note says that a job was begun, or has ended.
func (w *worker) note(id int64, ended time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[id] = ended
}

// known are the jobs that this worker is at, and those that have ended so lately that
// River may not have said so yet.
func (w *worker) known() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []int64{}
	for id, ended := range w.jobs {
		if !ended.IsZero() && time.Since(ended) > w.options.Lease {
			delete(w.jobs, id)
			continue
		}
		all = append(all, id)
	}
	return all
}

func (w *worker) again(ctx context.Context, tx pgx.Tx, o orphan) error {
	var j job
	if err := json.Unmarshal(o.Args, &j); err != nil {
		return fmt.Errorf("a run in the queue cannot be read: %w", err)
	}
	j.Lost++
	j.Cancelled = j.Cancelled || o.Cancelled
	w.log.WarnContext(ctx, "a run was lost with its worker, and is begun again", "run", j.Run, "times", j.Lost)
	return w.put(ctx, tx, j, o.Queue, begunBefore)
}
