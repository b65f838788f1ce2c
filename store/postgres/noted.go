package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Noted fetches a page at a time, as far as the caller goes.
func (s commits) Noted(ctx context.Context) iter.Seq2[string, error] {
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
