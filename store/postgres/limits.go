package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type limits struct{ *Store }

// Limits returns the standing limits, and the ledger.
func (s *Store) Limits() store.Limits { return limits{s} }

const addLimitSQL = `
INSERT INTO reprise.limits (id, site, payee, currency, record) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record`

func (s limits) Add(ctx context.Context, l store.Limit) (store.Limit, error) {
	if s.closed.Load() {
		return l, store.ErrClosed
	}
	l, err := driver.Rules.NormalLimit(l)
	if err != nil {
		return l, err
	}
	l.ID = store.NewRunID()
	err = s.call(ctx, "add a limit", func(ctx context.Context, conn *pgxpool.Conn) error {
		if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&l.Created); err != nil {
			return err
		}
		l.Created = l.Created.UTC()
		data, err := driver.Rules.EncodeLimit(l)
		if err == nil {
			_, err = conn.Exec(ctx, addLimitSQL, l.ID, l.Site, l.Payee, l.Currency, string(data))
		}
		return err
	})
	return l, err
}

// Remove is told that there was none where an attempt before has removed it and its answer was lost.
func (s limits) Remove(ctx context.Context, id string) error {
	return s.call(ctx, "remove a limit", func(ctx context.Context, conn *pgxpool.Conn) error {
		missing := driver.Rules.NotFound("limit", id)
		if !driver.Rules.IsID(id) {
			return missing
		}
		tag, err := conn.Exec(ctx, "DELETE FROM reprise.limits WHERE id = $1", id)
		if err == nil && tag.RowsAffected() == 0 {
			err = missing
		}
		return err
	})
}

// List returns all: there are as many as a person sets.
func (s limits) List(ctx context.Context) iter.Seq2[store.LimitSummary, error] {
	return func(yield func(store.LimitSummary, error) bool) {
		var all []store.LimitSummary
		err := s.InTx(ctx, "list limits", func(ctx context.Context, tx pgx.Tx) (err error) {
			rows, err := tx.Query(ctx, "SELECT id, record FROM reprise.limits ORDER BY id")
			if err != nil {
				return err
			}
			if all, err = pgx.CollectRows(rows, s.summary); err != nil {
				return err
			}
			for i, one := range all {
				if one.Err != nil {
					continue
				}
				sum, now, err := spent(ctx, tx, one.Limit)
				if err != nil {
					return err
				}
				all[i].Left = driver.Rules.LeftOf(one.Limit, sum, now)
			}
			return nil
		})
		for _, one := range all {
			if err == nil && !yield(one, nil) {
				return
			}
		}
		if err != nil {
			yield(store.LimitSummary{}, err)
		}
	}
}

func (s limits) summary(row pgx.CollectableRow) (store.LimitSummary, error) {
	var id, record string
	if err := row.Scan(&id, &record); err != nil {
		return store.LimitSummary{}, err
	}
	l, err := driver.Rules.DecodeLimit([]byte(record))
	if err == nil && l.ID != id {
		err = store.ErrMisplaced
	}
	if err != nil {
		return store.LimitSummary{Limit: store.Limit{ID: id}, Err: &Error{Op: "read limit " + id, Server: s.server, Err: err}}, nil
	}
	return store.LimitSummary{Limit: l}, nil
}

const spentSQL = `
SELECT coalesce(sum(minor), 0)::bigint FROM reprise.payments
WHERE site = $1 AND payee = $2 AND currency = $3 AND begun >= $4 AND state IN ('reserved', 'paid')`

// spent returns what counts against a limit, and the time of the server.
func spent(ctx context.Context, tx pgx.Tx, l store.Limit) (sum int64, now time.Time, err error) {
	if err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return 0, now, err
	}
	err = tx.QueryRow(ctx, spentSQL, l.Site, l.Payee, l.Currency, l.Per.Start(now)).Scan(&sum)
	return sum, now, err
}

const (
	paymentColumns = "run, step, site, payee, currency, minor, begun, state, told"
	// A page follows the one that ends with an entry of the same time.
	paymentPageSQL = "SELECT " + paymentColumns + ` FROM reprise.payments
WHERE $1::timestamptz IS NULL OR (begun, run, step) < ($1, $2::text, $3::bigint)
ORDER BY begun DESC, run DESC, step DESC LIMIT $4`
)

func (s limits) Payments(ctx context.Context) iter.Seq2[store.LedgerEntry, error] {
	return paged(ctx, store.LedgerEntry{}, func(ctx context.Context, last store.LedgerEntry) (page []store.LedgerEntry, err error) {
		err = s.call(ctx, "list payments", func(ctx context.Context, conn *pgxpool.Conn) error {
			var before *time.Time
			if !last.Begun.IsZero() {
				before = &last.Begun
			}
			rows, err := conn.Query(ctx, paymentPageSQL, before, last.Run, last.Step, pageSize)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, ledgerEntry)
			return err
		})
		return page, err
	})
}

func (s limits) NoteTold(ctx context.Context, run string, step int, of store.LedgerState) error {
	return s.call(ctx, "note who was told", func(ctx context.Context, conn *pgxpool.Conn) error {
		tag, err := conn.Exec(ctx, "UPDATE reprise.payments SET told = $3 WHERE run = $1 AND step = $2", run, step, of)
		if err == nil && tag.RowsAffected() == 0 {
			err = driver.Rules.NotFound("payment", run)
		}
		return err
	})
}

func ledgerEntry(row pgx.CollectableRow) (e store.LedgerEntry, err error) {
	err = row.Scan(&e.Run, &e.Step, &e.Site, &e.Payee, &e.Amount.Currency, &e.Amount.Minor, &e.Begun, &e.State, &e.Told)
	e.Begun = e.Begun.UTC()
	return e, err
}

const (
	// All who pay the same payee wait for one another here, in the same order.
	lockLimitsSQL = "SELECT id, record FROM reprise.limits WHERE site = $1 AND payee = $2 AND currency = $3 ORDER BY id FOR UPDATE"

	reserveSQL = `
INSERT INTO reprise.payments AS entry (run, step, site, payee, currency, minor, begun, state)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved')
ON CONFLICT (run, step) DO UPDATE SET site = EXCLUDED.site, payee = EXCLUDED.payee, currency = EXCLUDED.currency,
    minor = EXCLUDED.minor, begun = EXCLUDED.begun, state = EXCLUDED.state, told = ''
WHERE entry.state = 'released'`

	noteOwnSQL = "SELECT coalesce(caller = $3, false) FROM reprise.commits WHERE run = $1 AND step = $2"
)

// BeginPayment reserves and notes in one transaction.
func (s commits) BeginPayment(ctx context.Context, run string, step int, p store.Payment) ([]store.Left, error) {
	return s.beginPayment(ctx, run, step, p, func(context.Context, pgx.Tx) error { return nil })
}

// BeginPayment reserves and notes if the lease is not lost.
func (c fencedCommits) BeginPayment(ctx context.Context, run string, step int, p store.Payment) ([]store.Left, error) {
	return c.beginPayment(ctx, run, step, p, func(ctx context.Context, tx pgx.Tx) error {
		var stands bool
		err := tx.QueryRow(ctx, fenceSQL+" SELECT stands FROM fence", c.lease.args()...).Scan(&stands)
		if err == nil && !stands {
			err = c.lease.lost()
		}
		return err
	})
}

func (s commits) beginPayment(ctx context.Context, run string, step int, p store.Payment, may func(context.Context, pgx.Tx) error) (left []store.Left, err error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	if err := driver.Rules.CheckCommit(run, step); err != nil {
		return nil, err
	}
	if p, err = driver.Rules.NormalPayment(p); err != nil {
		return nil, err
	}
	caller := []byte(rand.Text())
	var refused error // which ends the transaction, and is no fault of it
	err = s.InTx(ctx, "note what is paid", func(ctx context.Context, tx pgx.Tx) error {
		left, refused = nil, nil
		if _, err := tx.Exec(ctx, durableSQL); err != nil {
			return err
		}
		if err := may(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, lockLimitsSQL, p.Site, p.Payee, p.Amount.Currency)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, limits(s).summary)
		if err != nil {
			return err
		}
		var standing []store.Limit
		for _, one := range all {
			if one.Err != nil { // it may be a limit for the payment
				return one.Err
			}
			standing = append(standing, one.Limit)
		}
		var own bool
		switch err := tx.QueryRow(ctx, noteOwnSQL, run, step, caller).Scan(&own); {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case !own:
			return store.ErrAlreadySent
		}
		var now time.Time
		if err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
			return err
		}
		left, refused = driver.Rules.Permit(standing, p, now, func(l store.Limit) (int64, error) {
			sum, _, err := spent(ctx, tx, l)
			if own { // an attempt whose answer was lost has reserved it
				sum -= p.Amount.Minor
			}
			return sum, err
		})
		if own {
			refused = nil
		}
		if own || errors.Is(refused, store.ErrNotWithinLimit) {
			return nil
		}
		if refused != nil {
			return refused
		}
		tag, err := tx.Exec(ctx, reserveSQL, run, step, p.Site, p.Payee, p.Amount.Currency, p.Amount.Minor, now)
		if err == nil && tag.RowsAffected() == 1 {
			tag, err = tx.Exec(ctx, sendingSQL, run, step, caller)
		}
		if err == nil && tag.RowsAffected() == 0 {
			err = store.ErrAlreadySent
		}
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return left, nil
}

// prunePayment looks at an entry again, and returns what removes it.
func (s *Store) prunePayment(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) ([]string, error) {
	i := strings.LastIndexByte(p.ID, '.')
	if i < 0 {
		return nil, nil
	}
	step, err := strconv.Atoi(p.ID[i+1:])
	if err != nil {
		return nil, nil
	}
	var now time.Time
	if err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT "+paymentColumns+" FROM reprise.payments WHERE run = $1 AND step = $2 FOR UPDATE", p.ID[:i], step)
	if err != nil {
		return nil, err
	}
	e, err := pgx.CollectExactlyOneRow(rows, ledgerEntry)
	if err != nil || !driver.Rules.PaymentEnded(e, now, o.Before) {
		return nil, err
	}
	p.Size = int64(len(fmt.Sprint(e.Run, e.Step, e.Site, e.Payee, e.Amount, e.State)))
	return []string{dropPaymentSQL}, nil
}

const dropPaymentSQL = "DELETE FROM reprise.payments WHERE run || '.' || step = $1"
