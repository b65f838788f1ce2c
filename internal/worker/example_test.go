package worker_test

import (
	"context"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// One program queues a run, and another performs what is queued, until it is told to stop.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := postgres.Open(ctx, "postgres://me@db.example/reprise")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	queue, err := worker.Open(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	doc, err := s.Automations().Get(ctx, "order", "")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := queue.Put(ctx, doc, worker.Order{Automation: "order", Task: "order-17"}, ""); err != nil {
		log.Fatal(err)
	}
	err = queue.Work(ctx, &worker.Options{Perform: func(ctx context.Context, t *worker.Turn) error {
		t.Run.State, t.Run.Finished = store.Done, time.Now() // once it is played
		return t.Store.Runs().Save(ctx, t.Run)
	}})
	if err != nil {
		log.Fatal(err)
	}
}
