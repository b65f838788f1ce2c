package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

type automations struct{ *Store }

// Get gives the newest revision.
func (s automations) Get(ctx context.Context, name, account string) (a *automation.Automation, err error) {
	err = s.call(ctx, "get", func(ctx context.Context, conn *pgxpool.Conn) error {
		data, err := current(ctx, conn, name, account)
		if err != nil {
			return err
		}
		a, err = s.parse(name, account, data)
		return err
	})
	return a, err
}

const currentSQL = `
SELECT r.document FROM reprise.automations a
JOIN reprise.revisions r ON r.automation = a.id AND r.revision = a.revision
WHERE a.name = $1 AND a.account = $2 AND a.deleted IS NULL`

// current gives the text of the newest revision, or the error that there is none.
func current(ctx context.Context, conn *pgxpool.Conn, name, account string) (data []byte, err error) {
	if !keepable(name) || !keepable(account) {
		return nil, notFound(ctx, conn, name, account)
	}
	err = conn.QueryRow(ctx, currentSQL, name, account).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound(ctx, conn, name, account)
	}
	return data, err
}

// keepable says that Postgres takes this text; what it does not take it has not kept.
func keepable(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// notFound makes the error that says what there is instead.
func notFound(ctx context.Context, conn *pgxpool.Conn, name, account string) error {
	missing := &store.NotFoundError{Name: name, Account: account}
	if !keepable(name) {
		return missing
	}
	rows, err := conn.Query(ctx, "SELECT account FROM reprise.automations WHERE name = $1 AND deleted IS NULL ORDER BY account", name)
	if err != nil {
		return err
	}
	if missing.Accounts, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return err
	}
	if len(missing.Accounts) == 0 {
		missing.Accounts = nil
	}
	return missing
}

// parse reads a document. It may be of a newer version of this program.
func (s *Store) parse(name, account string, data []byte) (*automation.Automation, error) {
	a, err := automation.Parse(data, automation.AnyTools())
	if err != nil {
		return nil, &Error{Op: fmt.Sprintf("read automation %q for account %q", name, account), Server: s.server, Err: err}
	}
	return a, nil
}

const pageSQL = `
SELECT a.name, a.account, r.document FROM reprise.automations a
JOIN reprise.revisions r ON r.automation = a.id AND r.revision = a.revision
WHERE a.deleted IS NULL AND (a.name, a.account) > ($1, $2)
ORDER BY a.name, a.account LIMIT $3`

// List fetches a page at a time and holds no connection while the caller looks at it.
func (s automations) List(ctx context.Context) iter.Seq2[store.Summary, error] {
	return paged(ctx, store.Summary{}, s.page)
}

// page gives the summaries that follow one.
func (s automations) page(ctx context.Context, last store.Summary) (page []store.Summary, err error) {
	err = s.call(ctx, "list", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, pageSQL, last.Name, last.Account, pageSize)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, s.summary)
		return err
	})
	return page, err
}

func (s automations) summary(row pgx.CollectableRow) (store.Summary, error) {
	var (
		sum  store.Summary
		data []byte
	)
	if err := row.Scan(&sum.Name, &sum.Account, &data); err != nil {
		return sum, err
	}
	a, err := s.parse(sum.Name, sum.Account, data)
	if err != nil {
		sum.Err = err
		return sum, nil
	}
	sum.Description, sum.URLs, sum.Steps, sum.Revision = a.Description, a.Match.URLs, len(a.Steps), a.Revision
	return sum, nil
}
