package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/storetest"
)

// What fills a database with automations, login-1 for login-1.example/* and so on, as
// Save does, but all at once. The documents are for anyone who reads them: without them
// it takes a fraction of the time.
const (
	fillAutomations = `INSERT INTO reprise.automations (name, account, revision, urls)
		SELECT 'login-' || n, '', 1, ARRAY['login-' || n || '.example/*'] FROM generate_series(1, $1::int) n`
	fillPlaces = `INSERT INTO reprise.places (place, automation)
		SELECT substr(sha256('\x00'::bytea || convert_to(name || '.example/', 'UTF8')), 1, 16), id FROM reprise.automations`
	fillRevisions = `INSERT INTO reprise.revisions (automation, revision, document)
		SELECT id, 1, CASE WHEN $2 THEN replace(replace($1, '"login"', '"' || name || '"'), 'login.example', name || '.example') ELSE '{}' END::json
		FROM reprise.automations`
)

func fill(t testing.TB, address string, n int, whole bool) {
	t.Helper()
	a := storetest.Document(t, "login", "")
	a.Revision = 1
	document, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, address)
	for _, do := range []struct {
		sql  string
		args []any
	}{
		{"SET session_replication_role = replica", nil}, // foreign keys are not looked after, row by row
		{fillAutomations, []any{n}},
		{fillPlaces, nil},
		{fillRevisions, []any{string(document), whole}},
		{"VACUUM ANALYZE reprise.automations, reprise.revisions, reprise.places", nil},
	} {
		if _, err := conn.Exec(t.Context(), do.sql, do.args...); err != nil {
			t.Fatal(err)
		}
	}
}

// However many there are, no table is read through: neither with the keys before the
// planner's eyes nor with the plan that it keeps for any.
func TestALookupUsesTheIndexes(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	fill(t, address, 100_000, false)
	save(t, s, storetest.Document(t, "mine", "", "*.login-7.example/*"))
	a, err := s.Automations().Match(t.Context(), "https://www.login-7.example/cart", "me")
	if err != nil || a.Name != "mine" {
		t.Fatalf("Match gives %v, %v", a, err)
	}
	places, err := automation.Places("https://www.login-7.example/cart")
	if err != nil {
		t.Fatal(err)
	}
	keys := slices.Concat(postgres.Hashes(places, ""), postgres.Hashes(places, "me"))
	conn := connect(t, address)
	var literal []string
	for _, key := range keys {
		literal = append(literal, fmt.Sprintf(`"\\\\x%x"`, key))
	}
	for sql, args := range map[string]string{
		postgres.CandidatesSQL: "'{" + strings.Join(literal, ",") + "}'",
		postgres.RevisionSQL:   "7, 1",
		postgres.CurrentSQL:    "'login-7', ''",
		postgres.PageSQL:       "'login-7', '', 100",
	} {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			plan := explain(t, conn, mode, sql, args)
			if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "Index") {
				t.Errorf("%s reads a whole table for%s\n%s", mode, sql, plan)
			}
		}
	}
}

func explain(t *testing.T, conn *pgx.Conn, mode, sql, args string) string {
	t.Helper()
	for _, first := range []string{"DEALLOCATE ALL", "SET plan_cache_mode = " + mode, "PREPARE asked AS " + sql} {
		if _, err := conn.Exec(t.Context(), first, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE asked("+args+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// asked is how many automations are looked for, again and again: what they need is in
// memory, so that the disk is not measured.
const asked = 100

// BenchmarkMatch: a lookup must take the same time at every size. The medians are of
// what one caller waits for, one lookup in the small store after one in the large, so
// that the machine is the same for both.
func BenchmarkMatch(b *testing.B) {
	sizes := []int{asked, 1_000_000}
	stores, took := map[int]*postgres.Store{}, map[int][]time.Duration{}
	for _, n := range sizes {
		address := postgrestest.Database(b)
		stores[n] = open(b, address)
		fill(b, address, n-asked, false)
		for i := range asked {
			save(b, stores[n], storetest.Document(b, fmt.Sprintf("asked-%d", i), ""))
			lookUp(b, stores[n], i)
		}
		execute(b, address, "CHECKPOINT")
	}
	for i := 0; b.Loop(); i++ {
		for _, n := range sizes {
			took[n] = append(took[n], lookUp(b, stores[n], i))
		}
	}
	for _, n := range sizes {
		slices.Sort(took[n])
		median := took[n][len(took[n])/2]
		b.ReportMetric(float64(median.Microseconds()), fmt.Sprintf("median-µs/%d", n))
	}
}

func lookUp(b *testing.B, s *postgres.Store, i int) time.Duration {
	b.Helper()
	address := fmt.Sprintf("https://asked-%d.example/x", i%asked)
	begun := time.Now()
	if _, err := s.Automations().Match(b.Context(), address, "me"); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}
