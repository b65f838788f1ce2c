package postgres

import (
	"context"
	"io/fs"
	"testing"

	"github.com/jackc/pgx/v5"
)

// What the tests ask the planner about.
const (
	CandidatesSQL = candidatesSQL
	RevisionSQL   = revisionSQL
	CurrentSQL    = currentSQL
	PageSQL       = pageSQL
)

// Hashes lets the tests fill the table of places as Save does.
var Hashes = hashes

// Migration is one change of the tables.
type Migration = migration

// Counted are those that were counted, before they had numbers of their own.
var Counted = countedBefore

// Migrations returns those of this program, by number.
func Migrations(t testing.TB) []Migration {
	t.Helper()
	all, err := migrations()
	if err != nil || len(all) == 0 {
		t.Fatalf("the migrations are %v: %v", all, err)
	}
	return all
}

// MigrationsIn returns those of some files.
func MigrationsIn(files fs.FS) ([]Migration, error) { return migrationsIn(files) }

// MigrateTo brings a database to these migrations.
func MigrateTo(ctx context.Context, conn *pgx.Conn, all []Migration) error {
	return migrateTo(ctx, conn, all)
}
