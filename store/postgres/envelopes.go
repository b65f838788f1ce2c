package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

// envelopes stores the same text that a directory has in files.
type envelopes struct {
	*Store
	kind store.EnvelopeKind
}

// Tasks returns the values of tasks.
func (s *Store) Tasks() store.Envelopes { return envelopes{s, store.TaskEnvelope} }

// Vault returns what people sign in with.
func (s *Store) Vault() store.Envelopes { return envelopes{s, store.CredentialEnvelope} }

// Logins returns the states of browsers in which people are signed in. They are in the
// table of the others: what is stored of them is the same.
func (s *Store) Logins() store.Envelopes { return envelopes{s, store.LoginEnvelope} }

const (
	createEnvelopeSQL = `
INSERT INTO reprise.envelopes (kind, name, account, revision, record) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING`

	raiseEnvelopeSQL = `
UPDATE reprise.envelopes SET revision = $4, record = $5
WHERE kind = $1 AND name = $2 AND account = $3 AND revision = $4 - 1`
)

// Save compares the revision and raises it in one statement.
func (s envelopes) Save(ctx context.Context, e store.Envelope) (store.Envelope, error) {
	if s.closed.Load() {
		return store.Envelope{}, store.ErrClosed
	}
	have, sql := e.Revision, raiseEnvelopeSQL
	if have == 0 {
		sql = createEnvelopeSQL
	}
	e.Kind, e.Revision = s.kind, have+1
	data, err := driver.Rules.EncodeEnvelope(e)
	if err != nil {
		return store.Envelope{}, err
	}
	again := false
	err = s.call(ctx, "save the "+string(s.kind), func(ctx context.Context, conn *pgxpool.Conn) error {
		tag, err := conn.Exec(ctx, sql, s.kind, e.Name, e.Account, e.Revision, string(data))
		if err != nil || tag.RowsAffected() > 0 {
			again = true
			return err
		}
		stored, revision, err := s.record(ctx, conn, e.Name, e.Account)
		if err != nil || again && bytes.Equal(stored, data) {
			return err // it is there, and the answer was lost
		}
		return &store.EnvelopeConflictError{Kind: s.kind, Name: e.Name, Account: e.Account, Have: have, Stored: revision}
	})
	if err != nil {
		return store.Envelope{}, err
	}
	return driver.Rules.DecodeEnvelope(data)
}

// record returns the text and the revision that are stored, 0 for none.
func (s envelopes) record(ctx context.Context, conn *pgxpool.Conn, name, account string) (data []byte, revision int, err error) {
	const sql = "SELECT record, revision FROM reprise.envelopes WHERE kind = $1 AND name = $2 AND account = $3"
	var text string
	err = conn.QueryRow(ctx, sql, s.kind, name, account).Scan(&text, &revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, nil
	}
	return []byte(text), revision, err
}

func (s envelopes) Get(ctx context.Context, name, account string) (e store.Envelope, err error) {
	err = s.call(ctx, "get the "+string(s.kind), func(ctx context.Context, conn *pgxpool.Conn) error {
		missing := &store.EnvelopeNotFoundError{Kind: s.kind, Name: name, Account: account}
		if !storable(name) || !storable(account) {
			return missing
		}
		data, revision, err := s.record(ctx, conn, name, account)
		if err != nil {
			return err
		}
		if revision == 0 {
			return missing
		}
		e, err = s.decode(name, account, data)
		return err
	})
	return e, err
}

// decode reads an envelope. It may be of a newer version of this program.
func (s envelopes) decode(name, account string, data []byte) (store.Envelope, error) {
	e, err := driver.Rules.DecodeEnvelope(data)
	if err == nil && (e.Kind != s.kind || e.Name != name || e.Account != account) {
		err = store.ErrMisplaced
	}
	if err != nil {
		return store.Envelope{}, &Error{Op: fmt.Sprintf("read the %s %q", s.kind, name), Server: s.server, Err: err}
	}
	return e, nil
}

// envelopePageSize is small: an envelope may have 24 MiB.
const envelopePageSize = 8

const envelopePageSQL = `
SELECT name, account, record FROM reprise.envelopes
WHERE kind = $1 AND (name, account) > ($2, $3)
ORDER BY name, account LIMIT $4`

// List fetches a page at a time, as far as the caller goes.
func (s envelopes) List(ctx context.Context) iter.Seq2[store.EnvelopeSummary, error] {
	return pagedBy(ctx, envelopePageSize, store.EnvelopeSummary{}, s.page)
}

func (s envelopes) page(ctx context.Context, last store.EnvelopeSummary) (page []store.EnvelopeSummary, err error) {
	err = s.call(ctx, "list", func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, envelopePageSQL, s.kind, last.Name, last.Account, envelopePageSize)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, s.summary)
		return err
	})
	return page, err
}

func (s envelopes) summary(row pgx.CollectableRow) (store.EnvelopeSummary, error) {
	var name, account, text string
	if err := row.Scan(&name, &account, &text); err != nil {
		return store.EnvelopeSummary{}, err
	}
	e, err := s.decode(name, account, []byte(text))
	if err != nil {
		e = store.Envelope{Kind: s.kind, Name: name, Account: account}
	}
	return store.EnvelopeSummary{Envelope: e, Err: err}, nil
}

// Delete removes the envelope for good.
func (s envelopes) Delete(ctx context.Context, name, account string, revision int) error {
	const sql = "DELETE FROM reprise.envelopes WHERE kind = $1 AND name = $2 AND account = $3 AND ($4 = -1 OR revision = $4)"
	again := false
	return s.call(ctx, "delete the "+string(s.kind), func(ctx context.Context, conn *pgxpool.Conn) error {
		missing := &store.EnvelopeNotFoundError{Kind: s.kind, Name: name, Account: account}
		if !storable(name) || !storable(account) {
			return missing
		}
		tag, err := conn.Exec(ctx, sql, s.kind, name, account, revision)
		if err != nil || tag.RowsAffected() > 0 {
			again = true
			return err
		}
		_, stored, err := s.record(ctx, conn, name, account)
		switch {
		case err != nil:
			return err
		case stored > 0:
			return &store.EnvelopeConflictError{Kind: s.kind, Name: name, Account: account, Have: revision, Stored: stored}
		case again:
			return nil // the answer was lost, and it is gone
		}
		return missing
	})
}
