package postgres

import (
	"context"
	"errors"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
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
		if !keepable(id) {
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
	r, err := store.DecodeRun(data)
	if err == nil && r.ID != id {
		err = store.ErrMisplaced
	}
	if err != nil {
		return store.Run{}, &Error{Op: "read run " + id, Server: s.server, Err: err}
	}
	return r, nil
}

// afterAll sorts behind every identifier.
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

// page gives the runs before one, the newest first.
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
