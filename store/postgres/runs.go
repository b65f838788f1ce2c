package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type runs struct{ *Store }

// The owner is in the record, too: a column can be looked for whatever the record holds.
const saveRunSQL = `
INSERT INTO reprise.runs (id, record, owner) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record, owner = EXCLUDED.owner`

func (s runs) Save(ctx context.Context, r store.Run) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	data, err := store.EncodeRun(r)
	if err != nil {
		return err
	}
	return s.call(ctx, "save a run", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, saveRunSQL, r.ID, data, r.Owner)
		return err
	})
}

func (s runs) Get(ctx context.Context, id string) (r store.Run, err error) {
	err = s.call(ctx, "get a run", func(ctx context.Context, conn *pgxpool.Conn) error {
		missing := store.RunNotFound(id)
		if !storable(id) {
			return missing
		}
		var data []byte
		err := conn.QueryRow(ctx, "SELECT record FROM reprise.runs WHERE id = $1", id).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return missing
		}
		if err != nil {
			return err
		}
		r, err = s.decode(id, data)
		return err
	})
	return r, err
}

// decode reads a record. It may be of a newer version of this program.
func (s runs) decode(id string, data []byte) (store.Run, error) {
	r, err := driver.Rules.DecodeRun(data)
	if err == nil && r.ID != id {
		err = store.ErrMisplaced
	}
	if err != nil {
		return store.Run{}, &Error{Op: "read run " + id, Server: s.server, Err: err}
	}
	return r, nil
}

// afterAll sorts after every identifier.
const afterAll = "~"

// List fetches a page at a time, as far as the caller goes.
func (s runs) List(ctx context.Context) iter.Seq2[store.RunSummary, error] {
	return s.list(ctx, "")
}

func (s runs) ListOf(ctx context.Context, owner string) iter.Seq2[store.RunSummary, error] {
	return s.list(ctx, "AND $3 <> '' AND owner = $3 ", owner)
}

func (s runs) list(ctx context.Context, and string, args ...any) iter.Seq2[store.RunSummary, error] {
	return paged(ctx, store.RunSummary{Run: store.Run{ID: afterAll}}, func(ctx context.Context, last store.RunSummary) ([]store.RunSummary, error) {
		return s.page(ctx, and, append([]any{last.ID, pageSize}, args...))
	})
}

// page returns the runs before one, the newest first.
func (s runs) page(ctx context.Context, and string, args []any) (page []store.RunSummary, err error) {
	err = s.call(ctx, "list runs", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, "SELECT id, record FROM reprise.runs WHERE id < $1 "+and+"ORDER BY id DESC LIMIT $2", args...)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, s.summary)
		return err
	})
	return page, err
}

func (s runs) summary(row pgx.CollectableRow) (store.RunSummary, error) {
	var (
		id   string
		data []byte
	)
	if err := row.Scan(&id, &data); err != nil {
		return store.RunSummary{}, err
	}
	r, err := s.decode(id, data)
	if err != nil {
		r = store.Run{ID: id}
	}
	return store.RunSummary{Run: r, Err: err}, nil
}

type commits struct{ *Store }

const (
	// durableSQL has a commit wait for the disk also where the server is set so that it
	// need not: a note that is lost is a payment that is made twice.
	durableSQL = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`

	// A note is changed only into itself, by the caller who wrote it and lost the answer.
	// So one of all callers learns that it is theirs.
	sendingSQL = `
INSERT INTO reprise.commits AS noted (run, step, caller) VALUES ($1, $2, $3)
ON CONFLICT (run, step) DO UPDATE SET caller = EXCLUDED.caller
WHERE noted.caller = EXCLUDED.caller AND NOT noted.done`

	// What is in the ledger changes with the note.
	doneSQL = `
WITH noted AS (
    INSERT INTO reprise.commits (run, step, done) VALUES ($1, $2, true)
    ON CONFLICT (run, step) DO UPDATE SET done = true
    RETURNING 1
)
UPDATE reprise.payments SET state = 'paid' WHERE run = $1 AND step = $2 AND EXISTS (SELECT FROM noted)`

	takeBackSQL = `
WITH gone AS (
    DELETE FROM reprise.commits WHERE run = $1 AND step = $2 AND NOT done RETURNING 1
), released AS (
    UPDATE reprise.payments SET state = 'released' WHERE run = $1 AND step = $2 AND EXISTS (SELECT FROM gone)
)
SELECT EXISTS (SELECT FROM gone)`
)

func (s commits) Begin(ctx context.Context, run string, step int) error {
	caller := rand.Text()
	return s.note(ctx, run, step, func(ctx context.Context, conn *pgxpool.Conn) error {
		tag, err := durably(ctx, conn, sendingSQL, run, step, []byte(caller))
		if err == nil && tag.RowsAffected() == 0 {
			err = store.ErrAlreadySent
		}
		return err
	})
}

func (s commits) Resolve(ctx context.Context, run string, step int, done bool) error {
	return s.note(ctx, run, step, func(ctx context.Context, conn *pgxpool.Conn) error {
		if done {
			_, err := durably(ctx, conn, doneSQL, run, step)
			return err
		}
		return takeBack(ctx, conn, run, step)
	})
}

func (s commits) Committed(ctx context.Context, run string) (map[int]bool, error) {
	sent := map[int]bool{}
	err := s.note(ctx, run, 0, func(ctx context.Context, conn *pgxpool.Conn) error {
		clear(sent)
		rows, err := conn.Query(ctx, "SELECT step, done FROM reprise.commits WHERE run = $1", run)
		if err != nil {
			return err
		}
		var (
			step int
			done bool
		)
		_, err = pgx.ForEachRow(rows, []any{&step, &done}, func() error {
			sent[step] = done
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return sent, nil
}

// unresolvedSQL finds the notes of a run, and those of runs within it, whose names are
// between RUN. and RUN/ in the order of bytes.
const unresolvedSQL = `
SELECT EXISTS (SELECT FROM reprise.commits WHERE NOT done AND (run = $1 OR run > $1 || '.' AND run < $1 || '/'))`

func (s commits) Unresolved(ctx context.Context, run string) (unresolved bool, err error) {
	err = s.note(ctx, run, 0, func(ctx context.Context, conn *pgxpool.Conn) error {
		return conn.QueryRow(ctx, unresolvedSQL, run).Scan(&unresolved)
	})
	return unresolved, err
}

// note makes a call about a step that can be noted.
func (s commits) note(ctx context.Context, run string, step int, do func(context.Context, *pgxpool.Conn) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	if err := driver.Rules.CheckCommit(run, step); err != nil {
		return err
	}
	return s.call(ctx, "note what is sent", do)
}

// durably changes a note in one round trip, which is one transaction.
func durably(ctx context.Context, conn *pgxpool.Conn, sql string, args ...any) (pgconn.CommandTag, error) {
	var batch pgx.Batch
	batch.Queue(durableSQL)
	batch.Queue(sql, args...)
	results := conn.SendBatch(ctx, &batch)
	_, err := results.Exec()
	if err != nil {
		return pgconn.CommandTag{}, errors.Join(err, results.Close())
	}
	tag, err := results.Exec()
	return tag, errors.Join(err, results.Close()) // the transaction ends with Close
}

// takeBack removes a note that is not resolved as done.
func takeBack(ctx context.Context, conn *pgxpool.Conn, run string, step int) error {
	var gone, stands bool
	if err := conn.QueryRow(ctx, takeBackSQL, run, step).Scan(&gone); err != nil || gone {
		return err
	}
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM reprise.commits WHERE run = $1 AND step = $2)", run, step).Scan(&stands)
	if err == nil && stands {
		err = store.ErrAlreadySent
	}
	return err
}

// RunsWithCommits fetches a page at a time, as far as the caller goes.
func (s commits) RunsWithCommits(ctx context.Context) iter.Seq2[string, error] {
	return paged(ctx, "", s.notedAfter)
}

func (s commits) notedAfter(ctx context.Context, last string) (page []string, err error) {
	err = s.call(ctx, "list what was sent", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, "SELECT DISTINCT run FROM reprise.commits WHERE run > $1 ORDER BY run LIMIT $2", last, pageSize)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return page, err
}
