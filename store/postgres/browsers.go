package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type browsers struct{ *Store }

// Browsers returns what outlives its process.
func (s *Store) Browsers() store.Browsers { return browsers{s} }

const saveBrowserSQL = `
INSERT INTO reprise.browsers (id, record) VALUES ($1, $2)
ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record`

func (s browsers) Save(ctx context.Context, b store.Browser) error {
	return s.write(ctx, "save a browser", func() ([]byte, error) { return driver.Rules.EncodeBrowser(b) }, saveBrowserSQL, b.ID)
}

func (s browsers) Delete(ctx context.Context, id string) error {
	if !storable(id) {
		id = "" // which none has
	}
	return s.write(ctx, "delete a browser", nil, "DELETE FROM reprise.browsers WHERE id = $1", id)
}

// write runs a statement, with what encode returns as its second argument.
func (s browsers) write(ctx context.Context, what string, encode func() ([]byte, error), sql, id string) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	args := []any{id}
	if encode != nil {
		data, err := encode()
		if err != nil {
			return err
		}
		args = append(args, string(data))
	}
	return s.call(ctx, what, func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, sql, args...)
		return err
	})
}

func (s browsers) List(ctx context.Context) iter.Seq2[store.BrowserSummary, error] {
	last := store.BrowserSummary{Browser: store.Browser{ID: afterAll}}
	return paged(ctx, last, func(ctx context.Context, last store.BrowserSummary) (page []store.BrowserSummary, err error) {
		err = s.call(ctx, "list browsers", func(ctx context.Context, conn *pgxpool.Conn) error {
			rows, err := conn.Query(ctx, "SELECT id, record FROM reprise.browsers WHERE id < $1 ORDER BY id DESC LIMIT $2", last.ID, pageSize)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, s.summary)
			return err
		})
		return page, err
	})
}

func (s browsers) summary(row pgx.CollectableRow) (store.BrowserSummary, error) {
	var id, data string
	if err := row.Scan(&id, &data); err != nil {
		return store.BrowserSummary{}, err
	}
	b, err := driver.Rules.DecodeBrowser([]byte(data))
	if err == nil && b.ID != id {
		err = store.ErrMisplaced
	}
	if err != nil {
		return store.BrowserSummary{Browser: store.Browser{ID: id}, Err: &Error{Op: "read browser " + id, Server: s.server, Err: err}}, nil
	}
	return store.BrowserSummary{Browser: b}, nil
}
