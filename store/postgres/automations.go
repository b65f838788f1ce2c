package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

type automations struct{ *Store }

// Get returns the newest revision.
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

// current returns the text of the newest revision, or the error that there is none.
func current(ctx context.Context, conn *pgxpool.Conn, name, account string) (data []byte, err error) {
	if !storable(name) || !storable(account) {
		return nil, notFound(ctx, conn, name, account)
	}
	err = conn.QueryRow(ctx, currentSQL, name, account).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound(ctx, conn, name, account)
	}
	return data, err
}

// storable reports whether Postgres takes this text; what it does not take is not stored.
func storable(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// notFound makes the error that names the accounts of a document that is not there.
func notFound(ctx context.Context, conn *pgxpool.Conn, name, account string) error {
	missing := &store.NotFoundError{Name: name, Account: account}
	if !storable(name) {
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

// page returns the summaries that follow one.
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
	sum.Description, sum.URLs, sum.Blocker, sum.Steps, sum.Revision = a.Description, a.Match.URLs, a.Match.Blocker, len(a.Steps), a.Revision
	return sum, nil
}

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
	data, saved, err := driver.Rules.EncodeAutomation(a, c.have+1)
	if err != nil {
		return nil, err
	}
	places, err := saved.Match.IndexKeys()
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

// raise takes the next revision for this writer; pgx.ErrNoRows where it is taken.
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

// latest returns the text and the number of the newest revision, 0 for none.
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

// Delete marks the automation as deleted; its revisions stay.
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
	if !storable(name) || !storable(account) {
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

// hashes returns the keys under which the places of an account are stored: hashes, because
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

// candidatesSQL returns the automations that are in one of the places.
const candidatesSQL = `
SELECT DISTINCT a.id, a.name, a.account, a.revision, a.urls FROM reprise.places p
JOIN reprise.automations a ON a.id = p.automation
WHERE p.place = ANY($1)`

const revisionSQL = `SELECT document FROM reprise.revisions WHERE automation = $1 AND revision = $2`

// candidate is an automation that may match.
type candidate struct {
	ID            int64
	Name, Account string
	Revision      int
	URLs          []string
}

// Match fetches the scopes that are where this address may find them, and has an
// automation.Index of these decide. What it decides on is then fetched at the revision
// that it was decided on.
func (s automations) Match(ctx context.Context, url, account string) (*automation.Automation, error) {
	return s.MatchBlocker(ctx, url, account, "")
}

// MatchBlocker is Match for a blocker, of which the places are others.
func (s automations) MatchBlocker(ctx context.Context, url, account string, blocker automation.Reason) (found *automation.Automation, err error) {
	err = s.call(ctx, "match", func(ctx context.Context, conn *pgxpool.Conn) error {
		l := lookup{store: s.Store, conn: conn, url: url, account: account, blocker: blocker}
		found, err = l.match(ctx)
		return err
	})
	return found, err
}

// lookup is one search for an address and an account.
type lookup struct {
	store        *Store
	conn         *pgxpool.Conn
	url, account string
	blocker      automation.Reason
	index        *automation.Index
	candidates   map[*automation.Automation]candidate // by their scopes in the index
	unread       []store.Summary
}

func (l *lookup) match(ctx context.Context) (*automation.Automation, error) {
	if err := l.fetch(ctx); err != nil {
		return nil, err
	}
	for sifted := false; ; {
		scope, err := l.index.MatchBlocker(l.url, l.account, l.blocker)
		var tie *automation.AmbiguousError
		switch {
		case err == nil:
			a, err := l.read(ctx, scope)
			if a != nil || err != nil {
				return a, err
			}
		case errors.As(err, &tie) && !sifted:
			// One of them may be unreadable, and so no rival.
			if err := l.sift(ctx); err != nil {
				return nil, err
			}
			sifted = true
		default:
			return nil, l.unreadOr(err)
		}
	}
}

// fetch makes the index.
func (l *lookup) fetch(ctx context.Context) error {
	l.index, l.candidates = automation.NewIndex(), map[*automation.Automation]candidate{}
	places, err := automation.BlockerPlaces(l.url, l.blocker)
	if err != nil {
		return nil // nothing matches it, and the index returns why
	}
	keys := hashes(places, "")
	if l.account != "" && storable(l.account) {
		keys = append(keys, hashes(places, l.account)...)
	}
	rows, err := l.conn.Query(ctx, candidatesSQL, keys)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[candidate])
	for _, c := range found {
		scope := &automation.Automation{Name: c.Name, Match: automation.Scope{URLs: c.URLs, Account: c.Account, Blocker: l.blocker}}
		if err := l.index.Add(scope); err != nil {
			l.pass(c, err)
			continue
		}
		l.candidates[scope] = c
	}
	return err
}

// read returns the document of a scope; nil where it cannot be read, and then it is no
// longer in the index.
func (l *lookup) read(ctx context.Context, scope *automation.Automation) (*automation.Automation, error) {
	c := l.candidates[scope]
	var data []byte
	err := l.conn.QueryRow(ctx, revisionSQL, c.ID, c.Revision).Scan(&data)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	a, err := l.store.parse(c.Name, c.Account, data)
	if err != nil {
		l.index.Remove(c.Name, c.Account)
		delete(l.candidates, scope)
		l.pass(c, err)
		return nil, nil
	}
	return a, nil
}

// sift reads every candidate, so that those that cannot be read take no part.
func (l *lookup) sift(ctx context.Context) error {
	for _, scope := range slices.Collect(maps.Keys(l.candidates)) {
		if _, err := l.read(ctx, scope); err != nil {
			return err
		}
	}
	return nil
}

func (l *lookup) pass(c candidate, err error) {
	l.unread = append(l.unread, store.Summary{Name: c.Name, Account: c.Account, Err: err})
}

// unreadOr adds to "nothing matches" that not every document could be seen.
func (l *lookup) unreadOr(err error) error {
	if !errors.Is(err, automation.ErrNoMatch) || len(l.unread) == 0 {
		return err
	}
	slices.SortFunc(l.unread, func(a, b store.Summary) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Account, b.Account))
	})
	return &store.DecodeError{Err: err, Unread: l.unread}
}
