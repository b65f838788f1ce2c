package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

const (
	pendingPageSQL = "SELECT" + approvalColumns + ` FROM reprise.approvals
WHERE state = 'pending' AND deadline > clock_timestamp() AND id > $1 ORDER BY id LIMIT $2`

	approvalPageSQL = "SELECT" + approvalColumns + " FROM reprise.approvals WHERE id < $1 ORDER BY id DESC LIMIT $2"
)

// Pending and List fetch a page at a time, as far as the caller goes.
func (s approvals) Pending(ctx context.Context) iter.Seq2[store.ApprovalSummary, error] {
	return s.list(ctx, "", pendingPageSQL)
}

// List gives all, the newest first.
func (s approvals) List(ctx context.Context) iter.Seq2[store.ApprovalSummary, error] {
	return s.list(ctx, afterAll, approvalPageSQL)
}

func (s approvals) list(ctx context.Context, before, sql string) iter.Seq2[store.ApprovalSummary, error] {
	first := store.ApprovalSummary{Approval: store.Approval{ID: before}}
	return paged(ctx, first, func(ctx context.Context, last store.ApprovalSummary) (page []store.ApprovalSummary, err error) {
		err = s.call(ctx, "list approvals", func(ctx context.Context, conn *pgxpool.Conn) error {
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
