package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

func TestARunActsOnTheSitesOfItsScopeAndOfWhatItPlays(t *testing.T) {
	t.Parallel()
	kept, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	document := func(name, urls, steps string) *automation.Automation {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":%q,"match":{"urls":[%s]},"steps":[%s]}`, name, urls, steps))
		if err == nil {
			doc, err = kept.Automations().Save(context.Background(), doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	document("inner", `"login.bank.co.uk"`, `{"tool":"run","args":{"name":"outer"}}`)
	outer := document("outer", `"accounts.shop.example/*","*.shop.example","shop.example","127.0.0.1:8080","localhost:3000","ada.github.io"`,
		`{"tool":"run","args":{"name":"inner"}},{"tool":"run","args":{"name":"missing"}}`)
	found, err := places(t.Context(), kept.Automations(), outer, "ada")
	var got []string
	for _, p := range found {
		got = append(got, p.Site+" "+p.Account)
	}
	slices.Sort(got)
	want := []string{"127.0.0.1 ada", "ada.github.io ada", "bank.co.uk ada", "localhost ada", "shop.example ada"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("it acts on %q, %v, want %q", got, err, want)
	}
}

func TestEachHostHasAQueueThatRiverTakes(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), "postgres://nowhere.invalid/") // which nobody asks for a connection
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	queues := map[string]string{}
	for _, host := range []string{"desk", "desk.", "DESK.example", "d\u00e9sk", "-", strings.Repeat("long.", 60), strings.Repeat("-", 300)} {
		queue := queueOf(host)
		if other, taken := queues[queue]; taken {
			t.Errorf("%q and %q have the same queue %s", host, other, queue)
		}
		queues[queue] = host
		_, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
			Queues: map[string]river.QueueConfig{queue: {MaxWorkers: 1}}, Workers: river.NewWorkers(),
		})
		if err != nil {
			t.Errorf("the queue %q of %q: %v", queue, host, err)
		}
	}
	if queueOf("Desk") != queueOf("desk") || queueOf("") != river.QueueDefault {
		t.Error("hosts are told apart by their capitals, or all have no queue")
	}
}
