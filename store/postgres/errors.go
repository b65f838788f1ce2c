package postgres

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Error says what could not be done with a database, and what a person can do about
// it. A call that changes something may have done so when its connection was lost.
type Error struct {
	Op     string // "open", "save", "match", …
	Server string // host and database; "" where the address gives none
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

// SchemaError says that a newer version of this program has changed the tables.
type SchemaError struct{ Database, Program int } // numbers of migrations

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the tables are of version %d, and this program knows them up to %d: use a newer version of the program, as whoever renewed them did", e.Database, e.Program)
}

// MigrationError says that a migration was changed after this database had it: what its
// tables are like, nobody knows.
type MigrationError struct {
	Number int
	Name   string // of the file
}

func (e *MigrationError) Error() string {
	return fmt.Sprintf("migration %d (%s) is another one than that which made these tables: use a released version of the program, or put the tables into another database with `reprise copy`", e.Number, e.Name)
}

// What to do about what Postgres says, by its code.
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

// explain gives the error that a caller gets: the cause that ended its context, what
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
	case errors.As(err, &known), errors.Is(err, automation.ErrNoMatch), errors.As(err, &tie), errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrSent):
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
