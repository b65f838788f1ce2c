package postgres_test

import (
	"context"
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

// fill puts n automations into a database, login-1 for login-1.example and so on, as
// Save does, but all at once. Without their documents it takes a fraction of the time.
func fill(t testing.TB, address string, n int, whole bool) {
	t.Helper()
	a := storetest.Document(t, "login", "", "login.example/*")
	a.Revision = 1
	document, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, conn := t.Context(), connect(t, address)
	name := func(i int) string { return fmt.Sprintf("login-%d", i+1) }
	copyIn(ctx, t, conn, "automations", []string{"name", "account", "revision", "urls"}, n, func(i int) []any {
		return []any{name(i), "", 1, []string{name(i) + ".example/*"}}
	})
	ids := map[string]int64{}
	rows, err := conn.Query(ctx, "SELECT name, id FROM reprise.automations")
	if err != nil {
		t.Fatal(err)
	}
	var (
		of string
		id int64
	)
	if _, err := pgx.ForEachRow(rows, []any{&of, &id}, func() error { ids[of] = id; return nil }); err != nil {
		t.Fatal(err)
	}
	copyIn(ctx, t, conn, "revisions", []string{"automation", "revision", "document"}, n, func(i int) []any {
		if !whole {
			return []any{ids[name(i)], 1, []byte("{}")}
		}
		return []any{ids[name(i)], 1, []byte(strings.NewReplacer(`"login"`, `"`+name(i)+`"`, `login.example/*`, name(i)+`.example/*`).Replace(string(document)))}
	})
	copyIn(ctx, t, conn, "places", []string{"place", "automation"}, n, func(i int) []any {
		return []any{postgres.Hashes([]string{name(i) + ".example/"}, "")[0], ids[name(i)]}
	})
	if _, err := conn.Exec(ctx, "ANALYZE reprise.automations, reprise.revisions, reprise.places"); err != nil {
		t.Fatal(err)
	}
}

func copyIn(ctx context.Context, t testing.TB, conn *pgx.Conn, table string, columns []string, n int, row func(int) []any) {
	t.Helper()
	source := pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"reprise", table}, columns, source); err != nil {
		t.Fatal(err)
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

// BenchmarkMatch: a lookup must take the same time at every size. The medians are of
// what one caller waits for.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{100, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			address := postgrestest.Database(b)
			s := open(b, address)
			fill(b, address, n, true)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				if _, err := s.Automations().Match(b.Context(), fmt.Sprintf("https://login-%d.example/x", 1+i*7919%n), "me"); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns/op")
		})
	}
}
