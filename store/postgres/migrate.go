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
	"maps"
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

// migrationLock is the advisory lock for changes of the tables: any number that
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

// applied is what a database has recorded of its migrations.
type applied struct {
	none    bool           // nothing: there are no tables yet
	counted bool           // it counts them: see countedBefore
	hashes  map[int]string // by number; "" where none was recorded
}

// countedBefore are the migrations of the time when they were counted: a database then has
// the numbers 1 to 4 for them, and neither names nor hashes. These are theirs.
var countedBefore = []migration{
	{Number: 1, Name: "0001_tables.sql", Hash: "ddd75bbcc5946b55f69a9cb260f5f2cb76fc1eca34ec3d38791535739b079426"},
	{Number: 10, Name: "0010_envelopes.sql", Hash: "24fde882e49c774db29474e0fc1de3d714562723073d21c8f7421a46e18e824b"},
	{Number: 20, Name: "0020_journal.sql", Hash: "5eea8634339890a8f1eb7cb9fe314c01e720d25fd3c24d48f6e464d57145d169"},
	{Number: 30, Name: "0030_leases.sql", Hash: "3581aedec89abbc7056838c8a0e9cc49a1d2f77a33de60e3b80745e6f70011af"},
}

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

const columnsSQL = `
SELECT a.attname::text FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'reprise' AND c.relname = 'migrations' AND a.attnum > 0 AND NOT a.attisdropped`

// appliedTo reads what a database has. It reads the catalog: to_regclass would remember
// that there was no table, before the lock was waited for.
func appliedTo(ctx context.Context, db querier) (*applied, error) {
	rows, err := db.Query(ctx, columnsSQL)
	if err != nil {
		return nil, err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	have := &applied{none: len(columns) == 0, hashes: map[int]string{}}
	sql := "SELECT number, coalesce(hash, '') FROM reprise.migrations"
	switch {
	case have.none:
		return have, nil
	case !slices.Contains(columns, "hash"):
		have.counted, sql = true, "SELECT number, '' FROM reprise.migrations"
	}
	if rows, err = db.Query(ctx, sql); err != nil {
		return nil, err
	}
	var (
		number int
		hash   string
	)
	_, err = pgx.ForEachRow(rows, []any{&number, &hash}, func() error {
		have.hashes[number] = hash
		return nil
	})
	if err == nil && have.counted {
		err = have.number()
	}
	return have, err
}

// number replaces the counted numbers by those of today.
func (a *applied) number() error {
	now := map[int]string{}
	for count := range a.hashes {
		if count < 1 || count > len(countedBefore) {
			return &SchemaError{Database: count, Program: len(countedBefore)}
		}
		m := countedBefore[count-1]
		now[m.Number] = m.Hash
	}
	a.hashes = now
	return nil
}

// missing returns the migrations that the database does not have, by number. What it has
// must be known, and unchanged.
func (a *applied) missing(all []migration) ([]migration, error) {
	known := map[int]migration{}
	for _, m := range all {
		known[m.Number] = m
	}
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(a.hashes))) {
		m, is := known[number]
		if !is {
			return nil, &SchemaError{Database: number, Program: all[len(all)-1].Number}
		}
		if hash := a.hashes[number]; hash != "" && hash != m.Hash {
			return nil, &MigrationError{Number: number, Name: m.Name}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(m migration) bool {
		_, done := a.hashes[m.Number]
		return done
	}), nil
}

const (
	createMigrationsSQL = `
CREATE TABLE reprise.migrations (
    number  integer PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now(),
    name    text,
    hash    text
)`

	numberSQL = `
UPDATE reprise.migrations m SET number = now.number, name = now.name, hash = now.hash
FROM unnest($1::int[], $2::text[], $3::text[]) WITH ORDINALITY AS now(number, name, hash, count)
WHERE m.number = now.count`
)

// renew makes the table of what was applied, or changes it to the form of today. The schema may
// be there: an administrator has then made it for this user.
func (a *applied) renew(ctx context.Context, tx pgx.Tx) error {
	switch {
	case a.none:
		if err := makeSchema(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, createMigrationsSQL)
		return err
	case !a.counted:
		return nil
	}
	if _, err := tx.Exec(ctx, "ALTER TABLE reprise.migrations ADD COLUMN name text, ADD COLUMN hash text"); err != nil {
		return err
	}
	var (
		numbers       []int
		names, hashes []string
	)
	for _, m := range countedBefore {
		numbers, names, hashes = append(numbers, m.Number), append(names, m.Name), append(hashes, m.Hash)
	}
	_, err := tx.Exec(ctx, numberSQL, numbers, names, hashes)
	return err
}

func makeSchema(ctx context.Context, tx pgx.Tx) error {
	var exists bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'reprise')").Scan(&exists); err != nil || exists {
		return err
	}
	_, err := tx.Exec(ctx, "CREATE SCHEMA reprise")
	return err
}
