package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// change is what a save writes.
type change struct {
	name, account string
	have          int // the revision that must be the stored one
	urls          []string
	places        [][]byte
	data          []byte
}

// Save checks and encodes before it asks the database, where one statement compares the
// revision and raises it.
func (s automations) Save(ctx context.Context, a *automation.Automation) (*automation.Automation, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	c := change{}
	if a != nil {
		c.have = a.Revision
	}
	data, saved, err := store.Encode(a, c.have+1)
	if err != nil {
		return nil, err
	}
	places, err := saved.Match.Places()
	if err != nil {
		return nil, err
	}
	c.name, c.account, c.urls, c.data = saved.Name, saved.Match.Account, saved.Match.URLs, data
	c.places = hashes(places, c.account)
	again := false
	err = s.call(ctx, "save", func(ctx context.Context, conn *pgxpool.Conn) error {
		err := c.save(ctx, conn, again)
		again = true
		return err
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// save writes in one transaction. When it is called again, a conflict with the very
// same text is the writer's own work, of which the answer was lost.
func (c change) save(ctx context.Context, conn *pgxpool.Conn, again bool) error {
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		id, err := c.raise(ctx, tx)
		if err != nil {
			return err
		}
		return c.write(ctx, tx, id)
	})
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	data, stored, err := latest(ctx, conn, c.name, c.account)
	if err != nil || again && bytes.Equal(data, c.data) {
		return err
	}
	return &store.ConflictError{Name: c.name, Account: c.account, Have: c.have, Stored: stored}
}

const (
	createSQL = `
INSERT INTO reprise.automations (name, account, revision, urls) VALUES ($1, $2, 1, $3)
ON CONFLICT (name, account) WHERE deleted IS NULL DO NOTHING RETURNING id`

	raiseSQL = `
UPDATE reprise.automations SET revision = revision + 1, urls = $3
WHERE name = $1 AND account = $2 AND revision = $4 AND deleted IS NULL RETURNING id`
)

// raise takes the next revision for this writer; pgx.ErrNoRows says that it is taken.
func (c change) raise(ctx context.Context, tx pgx.Tx) (id int64, err error) {
	if c.have == 0 {
		err = tx.QueryRow(ctx, createSQL, c.name, c.account, c.urls).Scan(&id)
	} else {
		err = tx.QueryRow(ctx, raiseSQL, c.name, c.account, c.urls, c.have).Scan(&id)
	}
	return id, err
}

func (c change) write(ctx context.Context, tx pgx.Tx, id int64) error {
	var batch pgx.Batch
	batch.Queue("INSERT INTO reprise.revisions (automation, revision, document) VALUES ($1, $2, $3)", id, c.have+1, c.data)
	batch.Queue("DELETE FROM reprise.places WHERE automation = $1", id)
	batch.Queue("INSERT INTO reprise.places (automation, place) SELECT $1, unnest($2::bytea[])", id, c.places)
	return tx.SendBatch(ctx, &batch).Close()
}

// latest gives the text and the number of the newest revision, 0 for none.
func latest(ctx context.Context, conn *pgxpool.Conn, name, account string) (data []byte, revision int, err error) {
	const sql = `
SELECT r.document, r.revision FROM reprise.automations a
JOIN reprise.revisions r ON r.automation = a.id AND r.revision = a.revision
WHERE a.name = $1 AND a.account = $2 AND a.deleted IS NULL`
	err = conn.QueryRow(ctx, sql, name, account).Scan(&data, &revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, nil
	}
	return data, revision, err
}

const deleteSQL = `
WITH gone AS (
    UPDATE reprise.automations SET deleted = now()
    WHERE name = $1 AND account = $2 AND deleted IS NULL AND ($3 = -1 OR revision = $3)
    RETURNING id
), nowhere AS (
    DELETE FROM reprise.places USING gone WHERE automation = gone.id
)
SELECT count(*) FROM gone`

// Delete takes the automation out of sight; its revisions are kept.
func (s automations) Delete(ctx context.Context, name, account string, revision int) error {
	again := false
	return s.call(ctx, "delete", func(ctx context.Context, conn *pgxpool.Conn) error {
		err := remove(ctx, conn, name, account, revision)
		if again && errors.Is(err, store.ErrNotFound) {
			return nil // the answer was lost, and it is gone
		}
		again = true
		return err
	})
}

func remove(ctx context.Context, conn *pgxpool.Conn, name, account string, revision int) error {
	if !keepable(name) || !keepable(account) {
		return notFound(ctx, conn, name, account)
	}
	var gone int
	if err := conn.QueryRow(ctx, deleteSQL, name, account, revision).Scan(&gone); err != nil || gone > 0 {
		return err
	}
	_, stored, err := latest(ctx, conn, name, account)
	if err != nil {
		return err
	}
	if stored == 0 {
		return notFound(ctx, conn, name, account)
	}
	return &store.ConflictError{Name: name, Account: account, Have: revision, Stored: stored}
}

// hashes gives the keys under which the places of an account are kept: hashes, because
// an index takes no text of some kilobytes. That two fall together costs only a look.
func hashes(places []string, account string) [][]byte {
	all := make([][]byte, len(places))
	for i, place := range places {
		sum := sha256.Sum256([]byte(account + "\x00" + place))
		all[i] = sum[:hashSize]
	}
	slices.SortFunc(all, bytes.Compare)
	return slices.CompactFunc(all, bytes.Equal)
}

// hashSize is enough of a hash that none are equal by chance.
const hashSize = 16
