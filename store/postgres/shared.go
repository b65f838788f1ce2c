package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Schema is the one that the tables are in.
const Schema = "reprise"

// Pool gives the connections of the store, for what keeps tables of its own in the same
// schema, such as a queue. They are closed with the store.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// InTx calls do in a transaction, and again while the server is away: also where it was
// committed and the answer was lost. So do must have its effect once, however often it
// is called. op says what it does, for the error.
func (s *Store) InTx(ctx context.Context, op string, do func(context.Context, pgx.Tx) error) error {
	return s.call(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return do(ctx, tx) })
	})
}

// Exclusively calls do while nobody else changes the tables: under the lock of the
// migrations, which a connection of its own holds meanwhile.
func (s *Store) Exclusively(ctx context.Context, do func(context.Context) error) error {
	return s.call(ctx, "change the tables", func(ctx context.Context, conn *pgxpool.Conn) error {
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		defer func() { // with its connection, it would be held for as long as that is kept
			_, err := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
			if err != nil {
				_ = conn.Conn().Close(context.WithoutCancel(ctx)) // which ends the lock, too
			}
		}()
		return do(ctx)
	})
}
