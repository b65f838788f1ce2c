package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// The files are applied in the order of their names, and a released one is never
// changed: another follows it.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock of whoever changes the tables: any number that
// others do not use; this one is "reprise" in ASCII.
const migrationLock = 0x72657072697365

// migrate applies the migrations that the database does not have yet. Of several
// programs that begin at once, one does it, and the others wait.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	migrations, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	have, err := applied(ctx, conn)
	if err != nil || have == len(migrations) {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		have, err := applied(ctx, tx)
		if err != nil {
			return err
		}
		if have > len(migrations) {
			return &SchemaError{Database: have, Program: len(migrations)}
		}
		return apply(ctx, tx, migrations, have)
	})
}

func apply(ctx context.Context, tx pgx.Tx, migrations []string, have int) error {
	if have == 0 {
		if err := begin(ctx, tx); err != nil {
			return err
		}
	}
	for i, name := range migrations[have:] {
		sql, err := migrationFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(sql)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO reprise.migrations (number) VALUES ($1)", have+i+1); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the schema, unless somebody who may has made it for this user, and the
// table of what was applied.
func begin(ctx context.Context, tx pgx.Tx) error {
	var exists bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'reprise')").Scan(&exists); err != nil {
		return err
	}
	if !exists {
		if _, err := tx.Exec(ctx, "CREATE SCHEMA reprise"); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "CREATE TABLE reprise.migrations (number integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())")
	return err
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// applied gives the number of the last migration that the database has. It reads the
// catalog: to_regclass would remember that there was no table, before the lock was
// waited for.
func applied(ctx context.Context, db querier) (int, error) {
	var exists bool
	if err := db.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'reprise' AND tablename = 'migrations')").Scan(&exists); err != nil || !exists {
		return 0, err
	}
	var last int
	err := db.QueryRow(ctx, "SELECT coalesce(max(number), 0) FROM reprise.migrations").Scan(&last)
	return last, err
}
