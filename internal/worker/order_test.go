package worker

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

func TestEachHostHasAQueueThatRiverTakes(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), "postgres://nowhere.invalid/") // which no one asks for a connection
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
