package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// A file is named NUMBER_WORDS.sql. They are applied in the order of their numbers, which
// may have gaps, each once; one that comes later with a number in a gap is applied, too. A
// released one is never changed: another follows it.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock of whoever changes the tables: any number that
// others do not use; this one is "reprise" in ASCII.
const migrationLock = 0x72657072697365

// migration is one change of the tables.
type migration struct {
	Number    int
	Name, SQL string
	Hash      string // of SQL, by which one is known that was changed
}

var migrationName = regexp.MustCompile(`^([0-9]+)_[a-z0-9_]+\.sql$`)

// migrations are those of this program, by number.
func migrations() ([]migration, error) { return migrationsIn(migrationFiles) }

func migrationsIn(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, name := range names {
		sql, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		parts := migrationName.FindStringSubmatch(path.Base(name))
		if parts == nil {
			return nil, fmt.Errorf("%s is not named as a migration is", name)
		}
		number, err := strconv.Atoi(parts[1])
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(sql)
		all = append(all, migration{number, path.Base(name), string(sql), hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(all, func(a, b migration) int { return cmp.Compare(a.Number, b.Number) })
	for i := range all[:max(0, len(all)-1)] {
		if all[i].Number == all[i+1].Number {
			return nil, fmt.Errorf("%s and %s have one number", all[i].Name, all[i+1].Name)
		}
	}
	return all, nil
}

// migrate applies the migrations that the database does not have yet. Of several
// programs that begin at once, one does it, and the others wait.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	all, err := migrations()
	if err != nil {
		return err
	}
	return migrateTo(ctx, conn, all)
}

func migrateTo(ctx context.Context, conn *pgx.Conn, all []migration) error {
	// Without the lock only one answer counts: that all are there.
	have, err := appliedTo(ctx, conn)
	if err == nil && !have.counted {
		if missing, err := have.missing(all); err == nil && len(missing) == 0 {
			return nil
		}
	}
	var newer *SchemaError
	if err != nil && !errors.As(err, &newer) { // which may be what another is just changing
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		have, err := appliedTo(ctx, tx)
		if err != nil {
			return err
		}
		if err := have.renew(ctx, tx); err != nil {
			return err
		}
		missing, err := have.missing(all)
		if err != nil {
			return err
		}
		return apply(ctx, tx, missing)
	})
}

func apply(ctx context.Context, tx pgx.Tx, missing []migration) error {
	for _, m := range missing {
		if _, err := tx.Exec(ctx, m.SQL); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO reprise.migrations (number, name, hash) VALUES ($1, $2, $3)", m.Number, m.Name, m.Hash); err != nil {
			return err
		}
	}
	return nil
}
