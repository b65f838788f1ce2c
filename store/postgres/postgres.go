// Package postgres stores automations and the records of their runs in a Postgres
// database, for several machines at once. A program imports it for its effect on
// store.Open, which then takes postgres:// and postgresql:// addresses:
//
//	import _ "github.com/go-reprise/reprise/store/postgres"
//
// The address is libpq's, and takes the settings of pgxpool too (pool_max_conns and its
// kind); what it leaves out comes from the PG* variables and ~/.pgpass. The tables are
// in a schema of their own, "reprise", and are made by the first program that opens the
// store. Postgres 13 or later will do; the encoding of the database must be UTF8.
//
// Every revision of a document stays, also of one that was deleted, in
// reprise.revisions. A server that is restarted is waited for (see patience); a call
// whose answer was lost meanwhile is made again such that it has its effect once.
package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
)

const (
	// patience is how long a call goes on trying while the server is away: several
	// times what Postgres takes to start again after a crash. A context may end it
	// before.
	patience = 30 * time.Second

	// The pauses between these attempts double, from what a local server needs for a
	// restart when it is idle, to what no one notices.
	firstPause = 20 * time.Millisecond
	lastPause  = 500 * time.Millisecond

	// connectTimeout is for an address that sets none: a host that swallows packets
	// would be waited for until the context ends.
	connectTimeout = 10 * time.Second

	// pageSize is how many documents or records a list fetches at once.
	pageSize = 100
)

func init() {
	for _, scheme := range []string{"postgres", "postgresql"} {
		store.Register(scheme, func(ctx context.Context, url string) (store.Store, error) { return Open(ctx, url) })
	}
}

// Store is a store in a Postgres database. It is safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	server string // for messages: without user and password
	closed atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Open connects to a database, and makes or renews the tables if they are older than
// this program. It does not wait for a server that is not there: the address may be
// wrong. Its errors are *Error and *SchemaError, and hold no password.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, &Error{Op: "open", Err: err} // which leaves out the password
	}
	connection := config.ConnConfig
	if connection.ConnectTimeout == 0 {
		connection.ConnectTimeout = connectTimeout
	}
	if connection.RuntimeParams["application_name"] == "" {
		connection.RuntimeParams["application_name"] = "reprise"
	}
	s := &Store{server: fmt.Sprintf("%s/%s", connection.Host, connection.Database)}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, s.explain(ctx, "open", err)
	}
	if err := s.attempt(ctx, prepare); err != nil {
		s.pool.Close()
		return nil, s.explain(ctx, "open", err)
	}
	return s, nil
}

// prepare brings the database to what this program needs.
func prepare(ctx context.Context, conn *pgxpool.Conn) error {
	var encoding string
	if err := conn.QueryRow(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the encoding of the database is %s, and must be UTF8: make another one with createdb --encoding=UTF8 --template=template0", encoding)
	}
	return migrate(ctx, conn.Conn())
}

// Automations returns the documents.
func (s *Store) Automations() store.Automations { return automations{s} }

// Runs returns the records of runs.
func (s *Store) Runs() store.Runs { return runs{s} }

// Commits returns the journal of what runs have sent.
func (s *Store) Commits() store.Commits { return commits{s} }

// Journal returns the traces of what agents have called.
func (s *Store) Journal() store.Journal { return journal{s} }

// Close waits for the calls that are under way and closes the connections.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}

// Schema is the one that the tables are in.
const Schema = "reprise"

// Pool returns the connections of the store, for a package with tables of its own in the same
// schema, such as a queue. They are closed with the store.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// InTx calls do in a transaction, and again while the server is away: also where it was
// committed and the answer was lost. So do must have its effect once, however often it
// is called. op is what it does, for the error.
func (s *Store) InTx(ctx context.Context, op string, do func(context.Context, pgx.Tx) error) error {
	return s.call(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return do(ctx, tx) })
	})
}

// Exclusively calls do while no one else changes the tables: under the lock of the
// migrations, which a connection of its own holds meanwhile.
func (s *Store) Exclusively(ctx context.Context, do func(context.Context) error) error {
	return s.call(ctx, "change the tables", func(ctx context.Context, conn *pgxpool.Conn) error {
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		defer func() { // with its connection, it would be held for as long as that is open
			_, err := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
			if err != nil {
				_ = conn.Conn().Close(context.WithoutCancel(ctx)) // which ends the lock, too
			}
		}()
		return do(ctx)
	})
}
