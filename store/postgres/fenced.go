package postgres

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

// Fenced gives the store as a run sees it that has a lease: what it notes to be sent, and
// the record of its run, are written by statements that look in the same moment whether
// its tokens are the newest. Otherwise nothing is written, and the error is a
// *LeaseLostError. Everything else is the store's.
func (s *Store) Fenced(lease *Lease) store.Store { return fenced{s, lease} }

type fenced struct {
	*Store
	lease *Lease
}

func (f fenced) Commits() store.Commits { return fencedCommits{commits{f.Store}, f.lease} }

func (f fenced) Runs() store.Runs { return fencedRuns{runs{f.Store}, f.lease} }

// fenceSQL counts the places of a lease that are still its own, and keeps them so until
// the transaction ends: whoever takes one waits for that, and sees what was written.
const fenceSQL = `
WITH held AS MATERIALIZED (
    SELECT l.token FROM ` + mineSQL + ` ORDER BY l.site, l.account FOR SHARE OF l
), fence AS MATERIALIZED (
    SELECT count(*) = cardinality($3::bigint[]) AS stands FROM held
)`

type fencedCommits struct {
	commits
	lease *Lease
}

const fencedSendingSQL = fenceSQL + `, noted AS (
    INSERT INTO reprise.commits AS noted (run, step, caller)
    SELECT $4::text, $5::bigint, $6::bytea FROM fence WHERE fence.stands
    ON CONFLICT (run, step) DO UPDATE SET caller = EXCLUDED.caller
    WHERE noted.caller = EXCLUDED.caller AND NOT noted.done
    RETURNING 1
)
SELECT stands, EXISTS (SELECT FROM noted) FROM fence`

// Sending notes a step if the lease stands.
func (c fencedCommits) Sending(ctx context.Context, run string, step int) error {
	caller := rand.Text()
	return c.note(ctx, run, step, func(ctx context.Context, conn *pgxpool.Conn) error {
		var stands, noted bool
		err := durablyRow(ctx, conn, fencedSendingSQL, append(c.lease.args(), run, step, []byte(caller)), &stands, &noted)
		switch {
		case err != nil:
			return err
		case !stands:
			return c.lease.lost()
		case !noted:
			return store.ErrSent
		}
		return nil
	})
}

// durablyRow is durably for a statement that answers with a row.
func durablyRow(ctx context.Context, conn *pgxpool.Conn, sql string, args []any, into ...any) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, durableSQL); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sql, args...).Scan(into...)
	})
}

type fencedRuns struct {
	runs
	lease *Lease
}

const fencedRunSQL = fenceSQL + `, saved AS (
    INSERT INTO reprise.runs (id, record, owner) SELECT $4::text, $5::json, $6::text FROM fence WHERE fence.stands
    ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record, owner = EXCLUDED.owner
)
SELECT stands FROM fence`

// Save writes the record if the lease stands.
func (r fencedRuns) Save(ctx context.Context, run store.Run) error {
	if r.closed.Load() {
		return store.ErrClosed
	}
	data, err := store.EncodeRun(run)
	if err != nil {
		return err
	}
	return r.call(ctx, "save a run", func(ctx context.Context, conn *pgxpool.Conn) error {
		var stands bool
		err := conn.QueryRow(ctx, fencedRunSQL, append(r.lease.args(), run.ID, data, run.Owner)...).Scan(&stands)
		if err == nil && !stands {
			err = r.lease.lost()
		}
		return err
	})
}
