package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type handoffs struct{ *Store }

// Handoffs returns when a person had the browser.
func (s *Store) Handoffs() store.Handoffs { return handoffs{s} }

const (
	// One that is RUNNING when its deadline passes is read as TIMED_OUT.
	handoffColumns = ` id, record, started, deadline,
    CASE WHEN state = 'RUNNING' AND clock_timestamp() >= deadline THEN 'TIMED_OUT' ELSE state END,
    CASE WHEN state = 'RUNNING' AND clock_timestamp() >= deadline THEN deadline ELSE ended END, after`

	startSQL = `
INSERT INTO reprise.handoffs (id, record, started, deadline, state)
SELECT $1, $2, now, now + $3::interval, 'RUNNING' FROM (SELECT clock_timestamp() AS now) AS clock
ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record
RETURNING` + handoffColumns

	endSQL = `
UPDATE reprise.handoffs SET state = $2, ended = coalesce(ended, clock_timestamp()), after = $3, ending = $4
WHERE id = $1 AND (ending = $4 OR state = 'RUNNING' AND CASE $2::text
    WHEN 'TIMED_OUT' THEN clock_timestamp() >= deadline
    ELSE clock_timestamp() < deadline END)
RETURNING` + handoffColumns

	extendSQL = `
UPDATE reprise.handoffs SET deadline = greatest(deadline, least(clock_timestamp() + $2::interval, started + $3::interval))
WHERE id = $1 AND state = 'RUNNING' AND clock_timestamp() < deadline
RETURNING` + handoffColumns
)

func (s handoffs) Start(ctx context.Context, h store.Handoff, lasting time.Duration) (store.Handoff, error) {
	if s.closed.Load() {
		return store.Handoff{}, store.ErrClosed
	}
	if err := driver.Rules.CheckStart(h, lasting); err != nil {
		return store.Handoff{}, err
	}
	now := time.Now() // which the server replaces by its own
	h.ID, h.State, h.Started, h.Deadline, h.Ended, h.After = store.NewRunID(), store.HandoffRunning, now, now.Add(lasting), time.Time{}, nil
	record, err := driver.Rules.EncodeHandoff(h)
	if err != nil {
		return store.Handoff{}, err
	}
	return s.one(ctx, "start a handoff", h.ID, startSQL, string(record), lasting)
}

// End compares and sets in one statement.
func (s handoffs) End(ctx context.Context, id string, state store.HandoffState, after json.RawMessage) (store.Handoff, error) {
	if s.closed.Load() {
		return store.Handoff{}, store.ErrClosed
	}
	if err := driver.Rules.CheckEnd(id, state, after); err != nil {
		return store.Handoff{}, err
	}
	var text *string
	if len(after) > 0 {
		text = new(string(after))
	}
	h, err := s.one(ctx, "end a handoff", id, endSQL, string(state), text, rand.Text())
	if !errors.Is(err, errUnchanged) {
		return h, err
	}
	if h, err = s.Get(ctx, id); err != nil {
		return store.Handoff{}, err
	}
	now := h.Deadline // the server has refused by its own clock, for the one reason that is left
	if state == store.HandoffTimedOut {
		now = h.Started
	}
	return store.Handoff{}, driver.Rules.WhyNotEnd(h, state, now)
}

// Extend compares and sets in one statement.
func (s handoffs) Extend(ctx context.Context, id string, lasting time.Duration) (store.Handoff, error) {
	if s.closed.Load() {
		return store.Handoff{}, store.ErrClosed
	}
	if err := driver.Rules.CheckLasting(id, lasting); err != nil {
		return store.Handoff{}, err
	}
	h, err := s.one(ctx, "extend a handoff", id, extendSQL, lasting, store.MaxHandoff)
	if !errors.Is(err, errUnchanged) {
		return h, err
	}
	if h, err = s.Get(ctx, id); err != nil {
		return store.Handoff{}, err
	}
	return store.Handoff{}, driver.Rules.WhyNotEnd(h, store.HandoffRunning, h.Deadline)
}

func (s handoffs) Get(ctx context.Context, id string) (store.Handoff, error) {
	h, err := s.one(ctx, "get a handoff", id, "SELECT"+handoffColumns+" FROM reprise.handoffs WHERE id = $1")
	if errors.Is(err, errUnchanged) {
		err = driver.Rules.NotFound("handoff", id)
	}
	return h, err
}

const handoffPageSQL = "SELECT" + handoffColumns + " FROM reprise.handoffs WHERE id < $1 ORDER BY id DESC LIMIT $2"

const runningPageSQL = "SELECT" + handoffColumns + " FROM reprise.handoffs WHERE id < $1 AND state = 'RUNNING' AND clock_timestamp() < deadline ORDER BY id DESC LIMIT $2"

// List and Running fetch a page at a time, as far as the caller goes.
func (s handoffs) List(ctx context.Context) iter.Seq2[store.HandoffSummary, error] {
	return s.list(ctx, handoffPageSQL)
}

func (s handoffs) Running(ctx context.Context) iter.Seq2[store.HandoffSummary, error] {
	return s.list(ctx, runningPageSQL)
}

func (s handoffs) list(ctx context.Context, sql string) iter.Seq2[store.HandoffSummary, error] {
	first := store.HandoffSummary{Handoff: store.Handoff{ID: afterAll}}
	return paged(ctx, first, func(ctx context.Context, last store.HandoffSummary) (page []store.HandoffSummary, err error) {
		err = s.call(ctx, "list handoffs", func(ctx context.Context, conn *pgxpool.Conn) error {
			rows, err := conn.Query(ctx, sql, last.ID, pageSize)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, s.summary)
			return err
		})
		return page, err
	})
}

// one makes a statement about a handoff, and returns it; errUnchanged where there is none.
func (s handoffs) one(ctx context.Context, op, id, sql string, args ...any) (h store.Handoff, err error) {
	none := !driver.Rules.IsID(id)
	err = s.call(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		if none {
			return nil
		}
		h, err = s.query(ctx, conn, sql, append([]any{id}, args...)...)
		return err
	})
	if err == nil && none || errors.Is(err, pgx.ErrNoRows) {
		err = errUnchanged
	}
	return h, err
}

func (s handoffs) query(ctx context.Context, db querier, sql string, args ...any) (store.Handoff, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return store.Handoff{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, s.summary)
	if err == nil {
		err = found.Err
	}
	return found.Handoff, err
}

func (s handoffs) summary(row pgx.CollectableRow) (store.HandoffSummary, error) {
	var (
		id, record, state string
		started, deadline time.Time
		ended             *time.Time
		after             *string
	)
	if err := row.Scan(&id, &record, &started, &deadline, &state, &ended, &after); err != nil {
		return store.HandoffSummary{}, err
	}
	h, err := driver.Rules.DecodeHandoff([]byte(record))
	if err == nil && h.ID != id {
		err = store.ErrMisplaced
	}
	if err != nil {
		err = &Error{Op: "read handoff " + id, Server: s.server, Err: err}
		return store.HandoffSummary{Handoff: store.Handoff{ID: id}, Err: err}, nil
	}
	h.State, h.Started, h.Deadline, h.Ended = store.HandoffState(state), started.UTC(), deadline.UTC(), orZero(ended)
	if after != nil {
		h.After = json.RawMessage(*after)
	}
	return store.HandoffSummary{Handoff: h}, nil
}

const (
	// The row of the handoff is its lock: who adds an event, or ends it, holds that.
	lockHandoffSQL = "SELECT" + handoffColumns + " FROM reprise.handoffs WHERE id = $1 FOR UPDATE"
	knownEventSQL  = "SELECT line FROM reprise.handoff_events WHERE handoff = $1 AND id = $2"
	eventNowSQL    = "SELECT coalesce(max(number), 0), clock_timestamp() FROM reprise.handoff_events WHERE handoff = $1"
	addEventSQL    = "INSERT INTO reprise.handoff_events (handoff, number, id, line) VALUES ($1, $2, $3, $4)"
	eventPageSQL   = "SELECT line FROM reprise.handoff_events WHERE handoff = $1 AND number > $2 ORDER BY number LIMIT $3"
)

// Note returns the event that is there where the answer to an attempt was lost.
func (s handoffs) Note(ctx context.Context, id string, e store.HandoffEvent) (noted store.HandoffEvent, err error) {
	if s.closed.Load() {
		return e, store.ErrClosed
	}
	if err := driver.Rules.CheckNote(id, e); err != nil {
		return e, err
	}
	if !driver.Rules.IsID(id) {
		if err := ctx.Err(); err != nil {
			return e, context.Cause(ctx)
		}
		return e, driver.Rules.NotFound("handoff", id)
	}
	err = s.InTx(ctx, "note an event", func(ctx context.Context, tx pgx.Tx) error {
		noted, err = s.note(ctx, tx, id, e)
		return err
	})
	return noted, err
}

func (s handoffs) note(ctx context.Context, tx pgx.Tx, id string, e store.HandoffEvent) (store.HandoffEvent, error) {
	h, err := s.query(ctx, tx, lockHandoffSQL, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, driver.Rules.NotFound("handoff", id)
	}
	if err != nil {
		return e, err
	}
	var line string
	err = tx.QueryRow(ctx, knownEventSQL, id, e.ID).Scan(&line)
	if err == nil {
		return driver.Rules.DecodeEvent([]byte(line))
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return e, err
	}
	if err := tx.QueryRow(ctx, eventNowSQL, id).Scan(&e.Number, &e.At); err != nil {
		return e, err
	}
	if err := driver.Rules.WhyNoEvent(h, e.Kind, e.Number); err != nil {
		return e, err
	}
	e.Number++
	data, err := driver.Rules.EncodeEvent(e)
	if err != nil {
		return e, err
	}
	if _, err := tx.Exec(ctx, addEventSQL, id, e.Number, e.ID, string(data)); err != nil {
		return e, err
	}
	return driver.Rules.DecodeEvent(data)
}

// Events fetches a page at a time, as far as the caller goes.
func (s handoffs) Events(ctx context.Context, id string) iter.Seq2[store.HandoffEvent, error] {
	return func(yield func(store.HandoffEvent, error) bool) {
		if _, err := s.Get(ctx, id); err != nil {
			yield(store.HandoffEvent{}, err)
			return
		}
		paged(ctx, store.HandoffEvent{}, func(ctx context.Context, last store.HandoffEvent) ([]store.HandoffEvent, error) {
			return s.eventsAfter(ctx, id, last.Number)
		})(yield)
	}
}

func (s handoffs) eventsAfter(ctx context.Context, id string, last int) (page []store.HandoffEvent, err error) {
	err = s.call(ctx, "read the events of a handoff", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, eventPageSQL, id, last, pageSize)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.HandoffEvent, error) {
			var line string
			if err := row.Scan(&line); err != nil {
				return store.HandoffEvent{}, err
			}
			return driver.Rules.DecodeEvent([]byte(line))
		})
		return err
	})
	return page, err
}
