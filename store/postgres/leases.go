package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

// Leases decide which run may act on a site with an account: one at a time. The clock is
// the server's; those of the machines do not matter.
//
// A lease ends when it is released, or when it was not renewed in time and another run
// wants it. Each taking has a token that is greater than all before (a fencing token):
// with it Fenced refuses what a run writes that has lost its lease and does not know.
type Leases struct{ *Store }

// Leases returns the leases in the database.
func (s *Store) Leases() Leases { return Leases{s} }

// Place is a store.Place.
type Place = store.Place

// Lease is what a run has taken: one place or several, all of them or none.
type Lease struct {
	Run    string
	Places []Place // sorted
	Tokens []int64 // of each place
}

// ErrLeaseLost is the error of a run whose lease another one has, or that has given it back.
var ErrLeaseLost = store.ErrLeaseLost

// LeaseLostError has whose lease it was. It is ErrLeaseLost.
type LeaseLostError struct {
	Run    string
	Places []Place
}

func (e *LeaseLostError) Error() string {
	return fmt.Sprintf("run %s no longer has the lease of %v: another run has taken it, or it was given back; what it does now is not stored, and nothing may be sent", e.Run, e.Places)
}

// Is makes it ErrLeaseLost.
func (e *LeaseLostError) Is(target error) bool { return target == ErrLeaseLost }

// A place that is taken again gets its token while its row is locked: so no token is
// followed by a smaller one.
const takeSQL = `
INSERT INTO reprise.leases AS held (site, account, token, run, taker, expires)
SELECT site, account, nextval('reprise.fences'), $3, $4, clock_timestamp() + $5
FROM unnest($1::text[], $2::text[]) AS wanted(site, account)
ON CONFLICT (site, account) DO UPDATE
SET token = nextval('reprise.fences'), run = EXCLUDED.run, taker = EXCLUDED.taker, expires = clock_timestamp() + $5
WHERE held.expires <= clock_timestamp() OR held.taker = EXCLUDED.taker
RETURNING site, account, token`

// Take takes the lease of some places for a run, for as long as is said. A *store.HeldError
// says that another run, or another attempt at this one, has one of them.
func (l Leases) Take(ctx context.Context, run string, places []Place, lasting time.Duration) (*Lease, error) {
	wanted := sorted(places)
	if len(wanted) == 0 {
		return nil, fmt.Errorf("store: run %s wants a lease of no place", run)
	}
	taker := rand.Text()
	var lease *Lease
	err := l.InTx(ctx, "take a lease", func(ctx context.Context, tx pgx.Tx) error {
		lease = &Lease{Run: run}
		sites, accounts := apart(wanted)
		rows, err := tx.Query(ctx, takeSQL, sites, accounts, run, taker, lasting)
		if err != nil {
			return err
		}
		var (
			p     Place
			token int64
		)
		_, err = pgx.ForEachRow(rows, []any{&p.Site, &p.Account, &token}, func() error {
			lease.Places, lease.Tokens = append(lease.Places, p), append(lease.Tokens, token)
			return nil
		})
		if err == nil && len(lease.Places) < len(wanted) {
			err = holder(ctx, tx, wanted, lease.Places)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// holder returns the error with the run that has the first place that was not free.
func holder(ctx context.Context, tx pgx.Tx, wanted, given []Place) error {
	i := slices.IndexFunc(wanted, func(p Place) bool { return !slices.Contains(given, p) })
	held := &store.HeldError{Place: wanted[i]}
	err := tx.QueryRow(ctx, "SELECT run FROM reprise.leases WHERE site = $1 AND account = $2", held.Site, held.Account).Scan(&held.Run)
	if err != nil {
		return err
	}
	return held
}

// Of the places of a lease, those whose token is still the newest.
const mineSQL = `
reprise.leases l JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS mine(site, account, token)
ON l.site = mine.site AND l.account = mine.account AND l.token = mine.token`

const renewSQL = `
UPDATE reprise.leases SET expires = clock_timestamp() + $4
FROM (SELECT l.site, l.account FROM ` + mineSQL + ` ORDER BY l.site, l.account FOR UPDATE OF l) AS still
WHERE leases.site = still.site AND leases.account = still.account`

// Renew has a lease last for some time from now on: also an expired one, if no one has
// taken it since. Otherwise it returns a *LeaseLostError.
func (l Leases) Renew(ctx context.Context, lease *Lease, lasting time.Duration) error {
	return l.call(ctx, "renew a lease", func(ctx context.Context, conn *pgxpool.Conn) error {
		tag, err := conn.Exec(ctx, renewSQL, append(lease.args(), lasting)...)
		if err == nil && int(tag.RowsAffected()) < len(lease.Places) {
			err = lease.lost()
		}
		return err
	})
}

// A new token, which no run has: a released lease is good for nothing.
const releaseSQL = `
UPDATE reprise.leases SET token = nextval('reprise.fences'), expires = '-infinity'
FROM (SELECT l.site, l.account FROM ` + mineSQL + ` ORDER BY l.site, l.account FOR UPDATE OF l) AS still
WHERE leases.site = still.site AND leases.account = still.account`

// Release ends a lease. One that is lost stays as it is.
func (l Leases) Release(ctx context.Context, lease *Lease) error {
	return l.call(ctx, "release a lease", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, releaseSQL, lease.args()...)
		return err
	})
}

// args are those of mineSQL.
func (l *Lease) args() []any {
	sites, accounts := apart(l.Places)
	return []any{sites, accounts, l.Tokens}
}

func (l *Lease) lost() error { return &LeaseLostError{Run: l.Run, Places: l.Places} }

// sorted are the places in the order in which all take them, so that no two wait for
// one another, each once.
func sorted(places []Place) []Place {
	all := slices.SortedFunc(slices.Values(places), func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Account, b.Account))
	})
	return slices.Compact(all)
}

func apart(places []Place) (sites, accounts []string) {
	for _, p := range places {
		sites, accounts = append(sites, p.Site), append(accounts, p.Account)
	}
	return sites, accounts
}

// Fenced returns the store as a run sees it that has a lease: what it notes to be sent, and
// the record of its run, are written by statements that look in the same moment whether
// its tokens are the newest. Otherwise nothing is written, and the error is a
// *LeaseLostError. Everything else is the store's.
func (s *Store) Fenced(lease *Lease) store.Store { return fenced{s, lease} }

type fenced struct {
	*Store
	lease *Lease
}

func (f fenced) Commits() store.Commits { return fencedCommits{commits{f.Store}, f.lease} }

func (f fenced) Runs() store.Runs { return fencedRuns{runs{f.Store}, f.lease} }

// fenceSQL counts the places of a lease that are still its own, and locks them until the
// transaction ends: a run that takes one waits for that, and sees what was written.
const fenceSQL = `
WITH held AS MATERIALIZED (
    SELECT l.token FROM ` + mineSQL + ` ORDER BY l.site, l.account FOR SHARE OF l
), fence AS MATERIALIZED (
    SELECT count(*) = cardinality($3::bigint[]) AS stands FROM held
)`

type fencedCommits struct {
	commits
	lease *Lease
}

const fencedSendingSQL = fenceSQL + `, noted AS (
    INSERT INTO reprise.commits AS noted (run, step, caller)
    SELECT $4::text, $5::bigint, $6::bytea FROM fence WHERE fence.stands
    ON CONFLICT (run, step) DO UPDATE SET caller = EXCLUDED.caller
    WHERE noted.caller = EXCLUDED.caller AND NOT noted.done
    RETURNING 1
)
SELECT stands, EXISTS (SELECT FROM noted) FROM fence`

// Begin notes a step if the lease is not lost.
func (c fencedCommits) Begin(ctx context.Context, run string, step int) error {
	caller := rand.Text()
	return c.note(ctx, run, step, func(ctx context.Context, conn *pgxpool.Conn) error {
		var stands, noted bool
		err := durablyRow(ctx, conn, fencedSendingSQL, append(c.lease.args(), run, step, []byte(caller)), &stands, &noted)
		switch {
		case err != nil:
			return err
		case !stands:
			return c.lease.lost()
		case !noted:
			return store.ErrAlreadySent
		}
		return nil
	})
}

// durablyRow is durably for a statement that answers with a row.
func durablyRow(ctx context.Context, conn *pgxpool.Conn, sql string, args []any, into ...any) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, durableSQL); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sql, args...).Scan(into...)
	})
}

type fencedRuns struct {
	runs
	lease *Lease
}

const fencedRunSQL = fenceSQL + `, saved AS (
    INSERT INTO reprise.runs (id, record, owner) SELECT $4::text, $5::json, $6::text FROM fence WHERE fence.stands
    ON CONFLICT (id) DO UPDATE SET record = EXCLUDED.record, owner = EXCLUDED.owner
)
SELECT stands FROM fence`

// Save writes the record if the lease is not lost.
func (r fencedRuns) Save(ctx context.Context, run store.Run) error {
	if r.closed.Load() {
		return store.ErrClosed
	}
	data, err := store.EncodeRun(run)
	if err != nil {
		return err
	}
	return r.call(ctx, "save a run", func(ctx context.Context, conn *pgxpool.Conn) error {
		var stands bool
		err := conn.QueryRow(ctx, fencedRunSQL, append(r.lease.args(), run.ID, data, run.Owner)...).Scan(&stands)
		if err == nil && !stands {
			err = r.lease.lost()
		}
		return err
	})
}
