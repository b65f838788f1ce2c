package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type journal struct{ *Store }

// The row of a trace is its lock: who adds a call holds it until that is done. It is taken with
// the row, which a prune may remove.
const (
	beginTraceSQL = `INSERT INTO reprise.traces (session, calls, hash) VALUES ($1, 0, '') ON CONFLICT (session) DO UPDATE SET calls = traces.calls`
	lockTraceSQL  = `SELECT calls, hash FROM reprise.traces WHERE session = $1 FOR UPDATE`
	moveTraceSQL  = `UPDATE reprise.traces SET calls = $2, hash = $3 WHERE session = $1`
	addCallSQL    = `INSERT INTO reprise.calls (session, number, id, started, line, owner) VALUES ($1, $2, $3, $4, $5, $6)`
)

// Append returns the line that is there where the answer to an attempt was lost.
func (s journal) Append(ctx context.Context, c store.JournalCall) (added store.JournalCall, err error) {
	if s.closed.Load() {
		return c, store.ErrClosed
	}
	if err := c.Validate(); err != nil {
		return c, err
	}
	err = s.call(ctx, "write down a call", func(ctx context.Context, conn *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			added, err = add(ctx, tx, c)
			return err
		})
	})
	return added, err
}

func add(ctx context.Context, tx pgx.Tx, c store.JournalCall) (store.JournalCall, error) {
	if _, err := tx.Exec(ctx, beginTraceSQL, c.Session); err != nil {
		return c, err
	}
	var end driver.TraceEnd
	if err := tx.QueryRow(ctx, lockTraceSQL, c.Session).Scan(&end.Calls, &end.Hash); err != nil {
		return c, err
	}
	var there string
	err := tx.QueryRow(ctx, "SELECT line FROM reprise.calls WHERE session = $1 AND id = $2", c.Session, c.ID).Scan(&there)
	if err == nil {
		added, err := driver.Rules.DecodeCall([]byte(there))
		return added, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return c, err
	}
	line, added, end, err := driver.Rules.EncodeCall(c, end)
	if err != nil {
		return c, err
	}
	if _, err := tx.Exec(ctx, addCallSQL, c.Session, added.Number, c.ID, added.Started, string(line), added.Owner); err != nil {
		return c, err
	}
	_, err = tx.Exec(ctx, moveTraceSQL, c.Session, end.Calls, end.Hash)
	return added, err
}

func (s journal) Trace(ctx context.Context, session string) iter.Seq2[store.JournalCall, error] {
	return func(yield func(store.JournalCall, error) bool) {
		lines, _, err := s.lines(ctx, session)
		for i, line := range lines {
			c, err := driver.Rules.DecodeCall(line)
			if err != nil {
				err = &store.BrokenTraceError{Session: session, Line: i + 1, Reason: "it is not JSON"}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err != nil {
			yield(store.JournalCall{}, err)
		}
	}
}

// lines returns a trace and its recorded end, both of one moment.
func (s journal) lines(ctx context.Context, session string) (lines [][]byte, head driver.TraceEnd, err error) {
	err = s.call(ctx, "read a trace", func(ctx context.Context, conn *pgxpool.Conn) error {
		missing := fmt.Errorf("store: the trace of session %.60q: %w", session, store.ErrNotFound)
		if !storable(session) {
			return missing
		}
		options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
			err := tx.QueryRow(ctx, "SELECT calls, hash FROM reprise.traces WHERE session = $1", session).Scan(&head.Calls, &head.Hash)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			rows, failed := tx.Query(ctx, "SELECT convert_to(line, 'UTF8') FROM reprise.calls WHERE session = $1 ORDER BY number", session)
			if failed != nil {
				return failed
			}
			lines, failed = pgx.CollectRows(rows, pgx.RowTo[[]byte])
			if failed == nil && err != nil && len(lines) == 0 {
				failed = missing
			}
			return failed
		})
	})
	return lines, head, err
}

func (s journal) Verify(ctx context.Context, session string) (store.TraceCheck, error) {
	lines, head, err := s.lines(ctx, session)
	if err != nil {
		return store.TraceCheck{}, err
	}
	return driver.Rules.CheckTrace(session, lines, head, false)
}

func (s journal) Sessions(ctx context.Context) (names []string, err error) {
	err = s.call(ctx, "list traces", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, "SELECT session FROM reprise.traces ORDER BY session")
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, err
}

func (s journal) Recent(ctx context.Context, limit int) ([]store.JournalCall, error) {
	return s.recent(ctx, "", limit)
}

// RecentOf looks into the index calls_by_owner, whose expression this one is.
func (s journal) RecentOf(ctx context.Context, owner string, limit int) ([]store.JournalCall, error) {
	return s.recent(ctx, "WHERE $2 <> '' AND coalesce(nullif(owner, ''), session) = $2 ", limit, owner)
}

func (s journal) recent(ctx context.Context, where string, limit int, args ...any) (recent []store.JournalCall, err error) {
	err = s.call(ctx, "read the journal", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, "SELECT line FROM reprise.calls "+where+"ORDER BY started DESC, session, number DESC LIMIT $1", append([]any{max(0, limit)}, args...)...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		recent = nil
		for _, line := range lines {
			if c, err := driver.Rules.DecodeCall([]byte(line)); err == nil { // Verify reports the others
				recent = append(recent, c)
			}
		}
		return err
	})
	return recent, err
}
