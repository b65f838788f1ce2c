package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// candidatesSQL gives the automations that stand in one of the places.
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

// Match fetches the scopes that stand where this address may find them, and has an
// automation.Index of these decide. What it decides on is then fetched at the revision
// that it was decided on.
func (s automations) Match(ctx context.Context, url, account string) (found *automation.Automation, err error) {
	err = s.call(ctx, "match", func(ctx context.Context, conn *pgxpool.Conn) error {
		l := lookup{store: s.Store, conn: conn, url: url, account: account}
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
	index        *automation.Index
	candidates   map[*automation.Automation]candidate // by their scopes in the index
	unread       []store.Summary
}

func (l *lookup) match(ctx context.Context) (*automation.Automation, error) {
	if err := l.fetch(ctx); err != nil {
		return nil, err
	}
	for sifted := false; ; {
		scope, err := l.index.Match(l.url, l.account)
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
	places, err := automation.Places(l.url)
	if err != nil {
		return nil // nothing matches it, and the index says why
	}
	keys := hashes(places, "")
	if l.account != "" && keepable(l.account) {
		keys = append(keys, hashes(places, l.account)...)
	}
	rows, err := l.conn.Query(ctx, candidatesSQL, keys)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[candidate])
	for _, c := range found {
		scope := &automation.Automation{Name: c.Name, Match: automation.Scope{URLs: c.URLs, Account: c.Account}}
		if err := l.index.Add(scope); err != nil {
			l.pass(c, err)
			continue
		}
		l.candidates[scope] = c
	}
	return err
}

// read gives the document of a scope; nil where it cannot be read, and then it is no
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
	return &store.UnreadError{Err: err, Unread: l.unread}
}
