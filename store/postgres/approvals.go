package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type approvals struct{ *Store }

// Approvals returns what runs ask a person for.
func (s *Store) Approvals() store.Approvals { return approvals{s} }

// approvalPoll is how often Wait looks for an answer: one row by its key.
// A notification (LISTEN) would take a connection for as long as a person takes, of the few
// that a pool has, and be lost where the server is restarted.
const approvalPoll = 250 * time.Millisecond

// The state of an approval now, by the clock of the server.
const approvalColumns = `
id, question, asked, deadline,
CASE WHEN state = 'pending' AND deadline <= clock_timestamp() THEN 'expired' ELSE state END,
answered, coalesce(answered_by, ''), spent, ARRAY(SELECT value FROM jsonb_each_text(offers))`

// The question takes the place of what the same run asks already.
const askSQL = `
WITH before AS (
    UPDATE reprise.approvals SET state = 'withdrawn' WHERE run = $2 AND state = 'pending' AND id <> $1
)
INSERT INTO reprise.approvals AS asked (id, run, question, asked, deadline, picture)
SELECT $1, $2, $3, now, now + $4::interval, $5::bytea FROM (SELECT clock_timestamp() AS now) AS clock
ON CONFLICT (id) DO UPDATE SET question = EXCLUDED.question
RETURNING` + approvalColumns

// Ask stores the question under an ID that another attempt at the same call has, too.
func (s approvals) Ask(ctx context.Context, q store.ApprovalRequest, lasting time.Duration) (store.Approval, error) {
	if s.closed.Load() {
		return store.Approval{}, store.ErrClosed
	}
	if err := driver.Rules.CheckAsk(q, lasting); err != nil {
		return store.Approval{}, err
	}
	text, err := json.Marshal(q)
	if err != nil {
		return store.Approval{}, err
	}
	return s.one(ctx, "ask for an approval", store.NewRunID(), askSQL, q.Run, string(text), lasting, q.Picture)
}

const (
	offerSQL = `
UPDATE reprise.approvals SET offers = offers || jsonb_build_object($2::text, $3::text)
WHERE id = $1 AND state = 'pending' AND deadline > clock_timestamp()
AND (offers ? $2::text OR (SELECT count(*) FROM jsonb_object_keys(offers)) < $4)
RETURNING` + approvalColumns

	toldSQL = `
UPDATE reprise.approvals SET offers = offers || jsonb_build_object($2::text, $3::text)
WHERE id = $1 AND NOT $3::text IN (SELECT value FROM jsonb_each_text(offers)) AND (SELECT count(*) FROM jsonb_object_keys(offers)) < $4
RETURNING` + approvalColumns

	answerSQL = `
UPDATE reprise.approvals
SET state = $3, answered = coalesce(answered, clock_timestamp()), answered_by = offers->>$2::text, answer = $4
WHERE id = $1 AND offers ? $2::text AND (state = 'pending' AND deadline > clock_timestamp() OR answer = $4)
RETURNING` + approvalColumns

	spendSQL = `
UPDATE reprise.approvals SET spent = coalesce(spent, clock_timestamp()), spending = $3
WHERE id = $1 AND run = $2 AND state = 'approved'
AND (spent IS NULL AND answered > clock_timestamp() - $4::interval OR spending = $3)
RETURNING` + approvalColumns

	withdrawSQL = `
UPDATE reprise.approvals SET state = CASE state WHEN 'pending' THEN 'withdrawn' ELSE state END
WHERE id = $1 RETURNING` + approvalColumns
)

func (s approvals) IssueNonce(ctx context.Context, id, to string) (string, error) {
	if s.closed.Load() {
		return "", store.ErrClosed
	}
	if err := driver.Rules.CheckOffer(to); err != nil {
		return "", err
	}
	nonce := rand.Text()
	_, err := s.one(ctx, "offer an approval", id, offerSQL, driver.Rules.NonceHash(nonce), to, driver.MaxOffers)
	if err == nil {
		return nonce, nil
	}
	if !errors.Is(err, errUnchanged) {
		return "", err
	}
	a, err := s.Get(ctx, id)
	switch {
	case err != nil:
	case a.State == store.ApprovalPending:
		err = driver.Rules.TooManyOffers(a.Run)
	default:
		err = &store.ApprovalEndedError{ID: id, State: a.State, By: a.By}
	}
	return "", err
}

// NoteTold notes it as an offer of a nonce that no one has.
func (s approvals) NoteTold(ctx context.Context, id, what string) error {
	if err := driver.Rules.CheckOffer(what); err != nil {
		return err
	}
	_, err := s.one(ctx, "note what was told of an approval", id, toldSQL, driver.Rules.NonceHash(rand.Text()), what, driver.MaxOffers)
	if !errors.Is(err, errUnchanged) {
		return err
	}
	a, err := s.Get(ctx, id)
	if err == nil && !slices.Contains(a.Offered, what) {
		err = driver.Rules.TooManyOffers(a.Run)
	}
	return err
}

// Answer compares and sets in one statement.
func (s approvals) Answer(ctx context.Context, id, nonce string, yes bool) (store.Approval, error) {
	hash := driver.Rules.NonceHash(nonce)
	a, err := s.one(ctx, "answer an approval", id, answerSQL, hash, driver.Rules.AnsweredState(yes), rand.Text())
	if !errors.Is(err, errUnchanged) {
		return a, err
	}
	a, err = s.one(ctx, "answer an approval", id, "SELECT"+approvalColumns+" FROM reprise.approvals WHERE id = $1 AND offers ? $2::text", hash)
	switch {
	case err == nil:
		err = &store.ApprovalEndedError{ID: id, State: a.State, By: a.By}
	case errors.Is(err, errUnchanged):
		if _, err = s.Get(ctx, id); err == nil {
			err = &store.NonceError{ID: id}
		}
	}
	return store.Approval{}, err
}

// Redeem compares and sets in one statement.
func (s approvals) Redeem(ctx context.Context, id, run string) (store.Approval, error) {
	a, err := s.one(ctx, "count on an approval", id, spendSQL, run, rand.Text(), store.SpendWithin)
	if !errors.Is(err, errUnchanged) {
		return a, err
	}
	if a, err = s.Get(ctx, id); err != nil {
		return store.Approval{}, err
	}
	// The server has refused by its own clock: of the reasons only that is left.
	late := a.Answered.Add(2 * store.SpendWithin)
	return store.Approval{}, driver.Rules.WhyNotApproved(a, run, late)
}

func (s approvals) Withdraw(ctx context.Context, id string) error {
	_, err := s.one(ctx, "withdraw an approval", id, withdrawSQL)
	return orMissing(id, err)
}

func (s approvals) Get(ctx context.Context, id string) (store.Approval, error) {
	a, err := s.one(ctx, "get an approval", id, "SELECT"+approvalColumns+" FROM reprise.approvals WHERE id = $1")
	return a, orMissing(id, err)
}

func (s approvals) Picture(ctx context.Context, id string) (picture []byte, err error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	err = s.call(ctx, "get the picture of an approval", func(ctx context.Context, conn *pgxpool.Conn) error {
		if !driver.Rules.IsID(id) {
			return driver.Rules.NotFound("approval", id)
		}
		err := conn.QueryRow(ctx, "SELECT picture FROM reprise.approvals WHERE id = $1", id).Scan(&picture)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && len(picture) == 0 {
			err = driver.Rules.NotFound("picture of approval", id)
		}
		return err
	})
	return picture, err
}

// Wait waits for a server that is away until the question has expired.
func (s approvals) Wait(ctx context.Context, id string) (store.Approval, error) {
	first, err := s.Get(ctx, id)
	if err != nil {
		return first, err
	}
	until := time.Now().Add(first.Deadline.Sub(first.Asked))
	return driver.Rules.PollApproval(ctx, approvalPoll, func(ctx context.Context) (store.Approval, error) {
		a, err := s.Get(ctx, id)
		if away(err) && time.Now().Before(until) {
			return first, nil
		}
		return a, err
	})
}

// away reports whether a call failed because the server is away.
func away(err error) bool {
	var e *Error
	return errors.As(err, &e) && lost(e.Err)
}

// errUnchanged is a statement that found no such row.
var errUnchanged = errors.New("no such row")

func orMissing(id string, err error) error {
	if errors.Is(err, errUnchanged) {
		return driver.Rules.NotFound("approval", id)
	}
	return err
}

// one makes a statement about an approval, and returns it; errUnchanged where there is none.
func (s approvals) one(ctx context.Context, op, id, sql string, args ...any) (a store.Approval, err error) {
	if s.closed.Load() {
		return a, store.ErrClosed
	}
	missing := !driver.Rules.IsID(id)
	none := false
	err = s.call(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		if none = missing; missing {
			return nil
		}
		rows, err := conn.Query(ctx, sql, append([]any{id}, args...)...)
		if err != nil {
			return err
		}
		found, err := pgx.CollectExactlyOneRow(rows, s.summary)
		if none = errors.Is(err, pgx.ErrNoRows); none {
			return nil
		}
		if err == nil {
			a, err = found.Approval, found.Err
		}
		return err
	})
	if err == nil && none {
		err = errUnchanged
	}
	return a, err
}

func (s approvals) summary(row pgx.CollectableRow) (store.ApprovalSummary, error) {
	var (
		a               store.Approval
		question        string
		answered, spent *time.Time
	)
	if err := row.Scan(&a.ID, &question, &a.Asked, &a.Deadline, &a.State, &answered, &a.By, &spent, &a.Offered); err != nil {
		return store.ApprovalSummary{}, err
	}
	err := json.Unmarshal([]byte(question), &a.ApprovalRequest)
	if err == nil {
		err = a.Validate()
	}
	if err != nil {
		err = &Error{Op: "read approval " + a.ID, Server: s.server, Err: err}
		return store.ApprovalSummary{Approval: store.Approval{ID: a.ID}, Err: err}, nil
	}
	if slices.Sort(a.Offered); len(a.Offered) == 0 {
		a.Offered = nil
	}
	a.Asked, a.Deadline, a.Answered, a.Spent = a.Asked.UTC(), a.Deadline.UTC(), orZero(answered), orZero(spent)
	return store.ApprovalSummary{Approval: a}, nil
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

const (
	pendingPageSQL = "SELECT" + approvalColumns + ` FROM reprise.approvals
WHERE state = 'pending' AND deadline > clock_timestamp() AND id > $1 ORDER BY id LIMIT $2`

	approvalPageSQL = "SELECT" + approvalColumns + " FROM reprise.approvals WHERE id < $1 ORDER BY id DESC LIMIT $2"
)

// Pending and List fetch a page at a time, as far as the caller goes.
func (s approvals) Pending(ctx context.Context) iter.Seq2[store.ApprovalSummary, error] {
	return s.list(ctx, "", pendingPageSQL)
}

// List returns all, the newest first.
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
