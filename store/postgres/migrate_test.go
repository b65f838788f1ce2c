package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/storetest"
)

// countedTable is what stood in a database when migrations were counted.
const countedTable = "CREATE TABLE reprise.migrations (number integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())"

// migrateAsBefore makes the tables as a program did that counted, with so many migrations.
func migrateAsBefore(t *testing.T, address string, count int) {
	t.Helper()
	execute(t, address, "CREATE SCHEMA reprise")
	execute(t, address, countedTable)
	for i, m := range postgres.Migrations(t)[:count] {
		execute(t, address, m.SQL)
		execute(t, address, "INSERT INTO reprise.migrations (number) VALUES ($1)", i+1)
	}
}

// named returns what a database has recorded.
func named(t *testing.T, address string) []string {
	t.Helper()
	rows, err := connect(t, address).Query(t.Context(), "SELECT format('%s %s %s', number, name, hash) FROM reprise.migrations ORDER BY number")
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func lines(all []postgres.Migration) []string {
	var words []string
	for _, m := range all {
		words = append(words, fmt.Sprintf("%d %s %s", m.Number, m.Name, m.Hash))
	}
	return words
}

func TestADatabaseWhoseMigrationsWereCountedGoesOn(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 3, len(postgres.Counted)} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			t.Parallel()
			address := postgrestest.Database(t)
			migrateAsBefore(t, address, count)
			execute(t, address, "INSERT INTO reprise.commits (run, step) VALUES ('kept', 7)")
			var group sync.WaitGroup
			for range 3 { // which begin at once
				group.Go(func() {
					s, err := postgres.Open(t.Context(), address)
					if err != nil {
						t.Error(err)
						return
					}
					_ = s.Close()
				})
			}
			group.Wait()
			if diff := cmp.Diff(lines(postgres.Migrations(t)), named(t, address)); diff != "" {
				t.Errorf("the database has (-want +got):\n%s", diff)
			}
			s := open(t, address)
			if sent, err := s.Commits().Committed(t.Context(), "kept"); err != nil || len(sent) != 1 {
				t.Errorf("what it had is %v, %v", sent, err)
			}
			save(t, s, storetest.Document(t, "login", ""))
		})
	}
}

func TestACountedDatabaseOfANewerProgramIsRefused(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	migrateAsBefore(t, address, len(postgres.Counted))
	execute(t, address, "INSERT INTO reprise.migrations (number) VALUES ($1)", len(postgres.Counted)+1)
	_, err := postgres.Open(t.Context(), address)
	var newer *postgres.SchemaError
	if !errors.As(err, &newer) || newer.Database != len(postgres.Counted)+1 {
		t.Errorf("Open gives %v, want a SchemaError", err)
	}
}

// A change of a released file fails here, before a user sees it.
func TestTheFirstMigrationsAreAsTheyWere(t *testing.T) {
	t.Parallel()
	now := postgres.Migrations(t)[:len(postgres.Counted)]
	if diff := cmp.Diff(lines(postgres.Counted), lines(now)); diff != "" {
		t.Errorf("released migrations are changed (-then +now):\n%s", diff)
	}
}

func sql(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range names {
		table := strings.TrimSuffix(name, ".sql")
		files["migrations/"+name] = &fstest.MapFile{Data: []byte("CREATE TABLE reprise.t" + table + " ()")}
	}
	return files
}

func TestMigrationsAreAppliedByNumberAndOnce(t *testing.T) {
	t.Parallel()
	conn := connect(t, postgrestest.Database(t))
	for _, files := range []fstest.MapFS{
		sql("0010_a.sql", "0030_c.sql"),
		sql("0010_a.sql", "0030_c.sql", "0100_d.sql", "0020_b.sql"), // one comes late
		sql("0010_a.sql", "0030_c.sql", "0100_d.sql", "0020_b.sql"),
	} {
		all, err := postgres.MigrationsIn(files)
		if err != nil {
			t.Fatal(err)
		}
		if err := postgres.MigrateTo(t.Context(), conn, all); err != nil {
			t.Errorf("%v: %v", lines(all), err)
		}
	}
	rows, err := conn.Query(t.Context(), "SELECT number FROM reprise.migrations ORDER BY number")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if diff := cmp.Diff([]int{10, 20, 30, 100}, got); diff != "" || err != nil {
		t.Errorf("the database has %v (-want +got):\n%s", err, diff)
	}
}

func TestAChangedMigrationIsNoticed(t *testing.T) {
	t.Parallel()
	conn := connect(t, postgrestest.Database(t))
	files := sql("0010_a.sql", "0020_b.sql")
	all, err := postgres.MigrationsIn(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := postgres.MigrateTo(t.Context(), conn, all); err != nil {
		t.Fatal(err)
	}
	files["migrations/0010_a.sql"].Data = []byte("CREATE TABLE reprise.other ()")
	if all, err = postgres.MigrationsIn(files); err != nil {
		t.Fatal(err)
	}
	var changed *postgres.MigrationError
	if err := postgres.MigrateTo(t.Context(), conn, all); !errors.As(err, &changed) || changed.Number != 10 || changed.Name != "0010_a.sql" {
		t.Errorf("a changed migration gives %v, want a MigrationError of 10", err)
	}
}

func TestFilesThatAreNoMigrationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, files := range []fstest.MapFS{sql("tables.sql"), sql("0010_a.sql", "10_b.sql"), sql("0010-a.sql"), sql("99999999999999999999_a.sql")} {
		if all, err := postgres.MigrationsIn(files); err == nil {
			t.Errorf("%v are taken as %v", files, lines(all))
		}
	}
}
