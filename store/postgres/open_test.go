package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestStoreOpenTakesBothSchemes(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	for _, a := range []string{address, strings.Replace(address, "postgres://", "postgresql://", 1)} {
		s, err := store.Open(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Automations().Get(t.Context(), "login", ""); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestProgramsThatBeginAtOnceMakeTheTablesOnce(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			s, err := postgres.Open(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	rows, err := connect(t, address).Query(t.Context(), "SELECT number FROM reprise.migrations ORDER BY number")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	var want []int // each once
	for _, m := range postgres.Migrations(t) {
		want = append(want, m.Number)
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("the migrations are %v (-want +got):\n%s", err, diff)
	}
}

func TestNewerTablesAreRefused(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	open(t, address)
	execute(t, address, "INSERT INTO reprise.migrations (number) VALUES (9999)")
	_, err := postgres.Open(t.Context(), address)
	var newer *postgres.SchemaError
	all := postgres.Migrations(t)
	if last := all[len(all)-1].Number; !errors.As(err, &newer) || newer.Database != 9999 || newer.Program != last {
		t.Errorf("Open gives %v, want a SchemaError of 9999 with %d", err, last)
	}
}

func TestWhatIsWrongWithAnAddressIsSaidWithoutItsPassword(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	good, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	missing := *good
	missing.Path = "/not_there"
	role := "stranger_" + strings.TrimPrefix(good.Path, "/")
	execute(t, address, "CREATE ROLE "+role+" LOGIN PASSWORD 'canary'")
	conn := connect(t, address)
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	stranger := *good
	query := stranger.Query()
	query.Set("user", role)
	query.Set("password", "canary")
	stranger.User, stranger.RawQuery = nil, query.Encode()
	for address, want := range map[string]string{
		"postgres://me:canary@127.0.0.1:1/db?sslmode=disable": "no server answers",
		"postgres://me:canary@/db?host=/not/there":            "no server answers",
		missing.String():  "createdb",
		stranger.String(): "grant it CREATE",
		"postgres://me:canary@host/db?sslmode=sometimes":                "sslmode",
		"postgres://me:canary@ho st/db":                                 "open",
		"postgres://me:canary@host:port/db":                             "open",
		"postgres://host/db?password=canary&sslmode=disable&port=99999": "open",
	} {
		_, err := postgres.Open(t.Context(), address)
		var said *postgres.Error
		if !errors.As(err, &said) {
			t.Errorf("%s: got %v, want an Error", address, err)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %q and no password", address, err, want)
		}
	}
}

func TestEveryRevisionIsKept(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	for range 2 { // the second one has the name of the first, which was deleted
		a := storetest.Document(t, "login", "")
		for _, words := range []string{"one", "two", "three"} {
			a.Description = words
			a = save(t, s, a)
		}
		if err := s.Automations().Delete(t.Context(), "login", "", 3); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := connect(t, address).Query(t.Context(), "SELECT document->>'description' FROM reprise.revisions ORDER BY automation, revision")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if diff := cmp.Diff([]string{"one", "two", "three", "one", "two", "three"}, got); diff != "" || err != nil {
		t.Errorf("the revisions are %v (-want +got):\n%s", err, diff)
	}
}

// What a newer program wrote hinders nothing.
func TestWhatCannotBeReadIsReportedAndHindersNothing(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	ctx := t.Context()
	for _, name := range []string{"later", "rival", "wide"} {
		save(t, s, storetest.Document(t, name, "", "shop.example/*"))
	}
	execute(t, address, `UPDATE reprise.revisions SET document = '{"format": 99}'
		WHERE automation IN (SELECT id FROM reprise.automations WHERE name IN ('later', 'wide'))`)
	execute(t, address, `UPDATE reprise.automations SET urls = '{"{new}.example"}' WHERE name = 'wide'`)

	if _, err := s.Automations().Get(ctx, "later", ""); !errors.Is(err, automation.ErrFormat) || !strings.Contains(err.Error(), "later") {
		t.Errorf("Get: %v, want ErrFormat of a named document", err)
	}
	unread := map[string]bool{}
	for one, err := range s.Automations().List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		unread[one.Name] = one.Err != nil
	}
	if diff := cmp.Diff(map[string]bool{"later": true, "rival": false, "wide": true}, unread); diff != "" {
		t.Errorf("unreadable in the list (-want +got):\n%s", diff)
	}
	if a, err := s.Automations().Match(ctx, "https://shop.example/", ""); err != nil || a.Name != "rival" {
		t.Errorf("Match gives %v, %v, want the one that can be read", a, err)
	}
	if err := s.Automations().Delete(ctx, "rival", "", 1); err != nil {
		t.Fatal(err)
	}
	_, err := s.Automations().Match(ctx, "https://shop.example/", "")
	var missed *store.DecodeError
	if !errors.As(err, &missed) || !errors.Is(err, automation.ErrNoMatch) || len(missed.Unread) != 2 || missed.Unread[0].Name != "later" {
		t.Errorf("Match gives %v, want an DecodeError of two", err)
	}
	id := store.NewRunID()
	execute(t, address, `INSERT INTO reprise.runs VALUES ($1, '{"format": 99}')`, id)
	for r, err := range s.Runs().List(ctx) {
		if r.ID != id || r.Err == nil || err != nil {
			t.Errorf("Runs.List gives %+v, %v", r, err)
		}
	}
	if err := s.Automations().Delete(ctx, "later", "", store.AnyRevision); err != nil {
		t.Errorf("Delete: %v", err)
	}
}

// More than a list fetches at once.
func TestALongListIsWhole(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	fill(t, address, 250, true)
	id := store.NewRunID()
	execute(t, address, `INSERT INTO reprise.runs SELECT id, json_build_object('format', 1, 'id', id, 'automation', 'a', 'state', 'done')
		FROM (SELECT left($1, 20) || to_char(n, 'FM000000') AS id FROM generate_series(1, 250) n) ids`, id)
	seen, last := 0, ""
	for one, err := range s.Automations().List(t.Context()) {
		if err != nil || one.Err != nil || one.Name <= last {
			t.Fatalf("after %q comes %+v, %v", last, one, err)
		}
		seen, last = seen+1, one.Name
	}
	recorded := 0
	for r, err := range s.Runs().List(t.Context()) {
		if err != nil || r.Err != nil {
			t.Fatal(r, err)
		}
		recorded++
	}
	if seen != 250 || recorded != 250 {
		t.Errorf("List gives %d automations and %d runs, want 250 of each", seen, recorded)
	}
}
