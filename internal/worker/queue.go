// Package worker has runs performed by whichever machine is free: they wait in the
// database that keeps the documents, and workers take them from there.
//
// The queue is River's. A job in it only says that a run is to be looked at; what became
// of the run stands in its record. Whoever takes a job leases the sites and the account
// that the run acts on (postgres.Leases), and performs it with a store that refuses what
// it writes once the lease is lost. So a run may be begun again after a crash, by a worker
// that cannot know whether the other one is still at it, and sends nothing twice.
package worker

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// Queue holds the runs that wait for a worker. It is safe for concurrent use, and needs
// no closing: its connections are the store's.
type Queue struct {
	store  *postgres.Store
	client *river.Client[pgx.Tx] // which only puts in
}

// Open makes or renews the tables of the queue, and gives it.
func Open(ctx context.Context, s *postgres.Store) (*Queue, error) {
	if err := migrate(ctx, s); err != nil {
		return nil, err
	}
	client, err := river.NewClient(riverpgxv5.New(s.Pool()), &river.Config{Schema: postgres.Schema, Logger: silent()})
	if err != nil {
		return nil, fmt.Errorf("worker: the queue cannot be used: %w", err)
	}
	return &Queue{store: s, client: client}, nil
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// migrate brings River's own tables to what this program needs. Whoever may not change
// them needs not to, where somebody else has done it.
func migrate(ctx context.Context, s *postgres.Store) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(s.Pool()), &rivermigrate.Config{Schema: postgres.Schema, Logger: silent()})
	if err != nil {
		return fmt.Errorf("worker: the tables of the queue: %w", err)
	}
	if now, err := migrator.Validate(ctx, nil); err == nil && now.OK {
		return nil
	}
	return s.Exclusively(ctx, func(ctx context.Context) error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil) // what is there already is left out
		return err
	})
}

// Put queues a run of a document, which the store must have, and gives its record. host
// is the one machine that is to perform it, "" for any. A value that is a secret, or looks
// like one, is refused with a *SecretError: it would be in the database for all to read.
func (q *Queue) Put(ctx context.Context, doc *automation.Automation, o Order, host string) (store.Run, error) {
	if err := o.check(doc); err != nil {
		return store.Run{}, err
	}
	run := store.Run{ID: store.NewRunID(), Automation: doc.Name, Account: doc.Match.Account, Revision: doc.Revision, State: store.Queued}
	data, err := store.EncodeRun(run)
	if err != nil {
		return store.Run{}, err
	}
	err = q.store.InTx(ctx, "queue a run", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "INSERT INTO reprise.runs (id, record) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", run.ID, data)
		if err != nil || tag.RowsAffected() == 0 { // it was done, and the answer was lost
			return err
		}
		return q.put(ctx, tx, job{Run: run.ID, Order: o}, queueOf(host), inTurn)
	})
	if err != nil {
		return store.Run{}, err
	}
	return run, nil
}

// River's priorities, of which 1 is the highest: a run that was begun before does not wait
// for all that came after it.
const begunBefore, inTurn = 1, 2

func (q *Queue) put(ctx context.Context, tx pgx.Tx, j job, queue string, priority int) error {
	_, err := q.client.InsertTx(ctx, tx, j, &river.InsertOpts{Queue: queue, Priority: priority, MaxAttempts: mostTries})
	return err
}
