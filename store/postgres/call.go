package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// call makes a call to the database, and makes it again while the server is away. What
// do does must have its effect once, however often it is called: an answer that was
// lost does not show whether the server had done it.
func (s *Store) call(ctx context.Context, op string, do func(context.Context, *pgxpool.Conn) error) error {
	err := s.attempt(ctx, do)
	pause := firstPause
	for begun := time.Now(); ctx.Err() == nil && lost(err) && time.Since(begun) < patience; pause = min(2*pause, lastPause) {
		s.pool.Reset() // the other connections are gone as well
		select {
		case <-time.After(pause):
			err = s.attempt(ctx, do)
		case <-ctx.Done():
		}
	}
	return s.explain(ctx, op, err)
}

// attempt makes a call once.
func (s *Store) attempt(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil && s.closed.Load() {
		return store.ErrClosed
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	return do(ctx, conn)
}

// The codes of Postgres for a call that may succeed later.
var passing = map[string]bool{
	"57P01": true, // admin_shutdown
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now: it starts, or it stops
	"57P05": true, // idle_session_timeout
	"40001": true, // serialization_failure: everything was undone
	"40P01": true, // deadlock_detected: the same
}

// lost reports whether a call failed because its connection, or the server, is gone.
func lost(err error) bool {
	var (
		said *pgconn.PgError
		wire *net.OpError
	)
	switch {
	case err == nil:
		return false
	case errors.As(err, &said):
		return passing[said.Code]
	}
	return errors.As(err, &wire) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// paged lists what page returns after the last one that was listed, a page of pageSize at a
// time, as far as the caller goes, and holds no connection while the caller looks at it.
func paged[T any](ctx context.Context, last T, page func(ctx context.Context, last T) ([]T, error)) iter.Seq2[T, error] {
	return pagedBy(ctx, pageSize, last, page)
}

// pagedBy is paged with pages of another size.
func pagedBy[T any](ctx context.Context, size int, last T, page func(ctx context.Context, last T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := last; ; {
			found, err := page(ctx, last)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, last = range found {
				if !yield(last, nil) {
					return
				}
			}
			if len(found) < size {
				return
			}
		}
	}
}

// Error is what could not be done with a database, and what to do about it. A call that changes something may have done so when its connection was lost.
type Error struct {
	Op     string // "open", "save", "match", …
	Server string // host and database; "" where the address has none
	Err    error  // a *pgconn.PgError where Postgres refused
	Advice string // "" when there is nothing to add
}

func (e *Error) Error() string {
	msg := "store: " + e.Op
	if e.Server != "" {
		msg += " in Postgres at " + e.Server
	}
	msg += ": " + e.Err.Error()
	if e.Advice == "" {
		return msg
	}
	return msg + ": " + e.Advice
}

func (e *Error) Unwrap() error { return e.Err }

// SchemaError is the error where a newer version of this program has changed the tables.
type SchemaError struct{ Database, Program int } // numbers of migrations

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the tables are of version %d, and this program knows them up to %d: use a newer version of the program, the one that renewed them", e.Database, e.Program)
}

// MigrationError is the error where a migration was changed after this database had it:
// what its tables are like is not known.
type MigrationError struct {
	Number int
	Name   string // of the file
}

func (e *MigrationError) Error() string {
	return fmt.Sprintf("migration %d (%s) is another one than that which made these tables: use a released version of the program, or put the tables into another database with `reprise copy`", e.Number, e.Name)
}

// What to do about an error of Postgres, by its code.
var advice = map[string]string{
	"28000": "it refuses this user: look at the address, and at the server's pg_hba.conf",
	"28P01": "it refuses this password: look at the address, $PGPASSWORD and ~/.pgpass",
	"3D000": "make the database with createdb, or name another one",
	"3F000": "the tables are gone: open the store again",
	"42P01": "the tables are gone: open the store again",
	"42501": "this user may not: grant it CREATE on the database, or what is missing in the schema \"reprise\"",
	"25006": "this server only reads, as a replica does: name the one that writes",
	"53100": "the server's disk is full: free some space there and try again",
	"53300": "all connections are taken: set pool_max_conns in the address lower, or max_connections of the server higher",
}

// explain returns the error that a caller gets: the cause that ended its context, what
// the interface promises, or an *Error.
func (s *Store) explain(ctx context.Context, op string, err error) error {
	var (
		known *Error
		tie   *automation.AmbiguousError
		held  *store.HeldError
		stage *store.HandoffStateError
	)
	switch {
	case err == nil, errors.Is(err, store.ErrClosed):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrLeaseLost), errors.As(err, &held), errors.As(err, &stage):
		return err
	case errors.As(err, &known), errors.Is(err, automation.ErrNoMatch), errors.As(err, &tie), errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrAlreadySent), errors.Is(err, store.ErrNotWithinLimit):
		return err
	}
	e := &Error{Op: op, Server: s.server, Err: err}
	var said *pgconn.PgError
	switch {
	case errors.As(err, &said):
		e.Advice = advice[said.Code]
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		e.Advice = "no server answers there: start it, or name another one"
	}
	return e
}
