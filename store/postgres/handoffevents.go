package postgres

import (
	"context"
	"errors"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

const (
	// The row of the handoff is its lock: who adds an event, or ends it, holds that.
	lockHandoffSQL = "SELECT" + handoffColumns + " FROM reprise.handoffs WHERE id = $1 FOR UPDATE"
	knownEventSQL  = "SELECT line FROM reprise.handoff_events WHERE handoff = $1 AND id = $2"
	eventNowSQL    = "SELECT coalesce(max(number), 0), clock_timestamp() FROM reprise.handoff_events WHERE handoff = $1"
	addEventSQL    = "INSERT INTO reprise.handoff_events (handoff, number, id, line) VALUES ($1, $2, $3, $4)"
	eventPageSQL   = "SELECT line FROM reprise.handoff_events WHERE handoff = $1 AND number > $2 ORDER BY number LIMIT $3"
)

// Note gives the event that is there where the answer to an attempt was lost.
func (s handoffs) Note(ctx context.Context, id string, e store.HandoffEvent) (kept store.HandoffEvent, err error) {
	if s.closed.Load() {
		return e, store.ErrClosed
	}
	if err := store.CheckNote(id, e); err != nil {
		return e, err
	}
	if !store.IsID(id) {
		if err := ctx.Err(); err != nil {
			return e, context.Cause(ctx)
		}
		return e, store.HandoffNotFound(id)
	}
	err = s.InTx(ctx, "note an event", func(ctx context.Context, tx pgx.Tx) error {
		kept, err = s.note(ctx, tx, id, e)
		return err
	})
	return kept, err
}

func (s handoffs) note(ctx context.Context, tx pgx.Tx, id string, e store.HandoffEvent) (store.HandoffEvent, error) {
	h, err := s.query(ctx, tx, lockHandoffSQL, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, store.HandoffNotFound(id)
	}
	if err != nil {
		return e, err
	}
	var line string
	err = tx.QueryRow(ctx, knownEventSQL, id, e.ID).Scan(&line)
	if err == nil {
		return store.DecodeEvent([]byte(line))
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return e, err
	}
	if err := tx.QueryRow(ctx, eventNowSQL, id).Scan(&e.Number, &e.At); err != nil {
		return e, err
	}
	if err := store.WhyNoEvent(h, e.Number); err != nil {
		return e, err
	}
	e.Number++
	data, err := store.EncodeEvent(e)
	if err != nil {
		return e, err
	}
	if _, err := tx.Exec(ctx, addEventSQL, id, e.Number, e.ID, string(data)); err != nil {
		return e, err
	}
	return store.DecodeEvent(data)
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
			return store.DecodeEvent([]byte(line))
		})
		return err
	})
	return page, err
}
