package postgres

import (
	"io/fs"
	"testing"
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

// Migrations gives how many there are.
func Migrations(t testing.TB) int {
	t.Helper()
	all, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(all) == 0 {
		t.Fatalf("the migrations are %v: %v", all, err)
	}
	return len(all)
}
