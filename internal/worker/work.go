package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/go-reprise/reprise/store/postgres"
)

// worker takes runs from the queue.
type worker struct {
	*Queue
	river.WorkerDefaults[job]
	options Options
	id      string // of this process, as River and the table of workers know it
	log     *slog.Logger
	slots   chan struct{} // one for each run that is performed
	stop    <-chan struct{}

	mu   sync.Mutex
	jobs map[int64]time.Time // that were begun, and when they ended: zero until then
}

// Work takes runs from the queue and has them performed, until ctx is done; then it
// waits until those under way have ended, or were given back. It survives a restart of
// the database.
func (q *Queue) Work(ctx context.Context, o *Options) error {
	w := newWorker(ctx, q, *o)
	client, err := w.takes()
	if err != nil {
		return fmt.Errorf("worker: the worker cannot be started: %w", err)
	}
	if err := w.alive(ctx); err != nil { // before it takes anything
		return err
	}
	beating, still := context.WithCancel(context.WithoutCancel(ctx))
	var beat sync.WaitGroup
	defer beat.Wait()
	defer still()
	beat.Go(func() { w.beat(beating) })
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("worker: the worker cannot be started: %w", err)
	}
	w.log.InfoContext(ctx, "taking runs", "worker", w.id, "host", w.options.Host, "parallel", w.options.Parallel)
	<-ctx.Done()
	w.log.InfoContext(ctx, "waiting for the runs under way", "worker", w.id)
	err = client.Stop(context.WithoutCancel(ctx)) // it has its own time: Grace
	still()
	beat.Wait()
	return errors.Join(err, w.leave(context.WithoutCancel(ctx)))
}

func newWorker(ctx context.Context, q *Queue, o Options) *worker {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	o.Host, o.Parallel = cmp.Or(o.Host, host), max(o.Parallel, 1)
	o.Longest, o.Grace, o.Lease = cmp.Or(o.Longest, DefaultLongest), cmp.Or(o.Grace, DefaultGrace), cmp.Or(o.Lease, DefaultLease)
	if o.Logger == nil {
		o.Logger = silent()
	}
	return &worker{
		Queue: q, options: o, log: o.Logger, stop: ctx.Done(), slots: make(chan struct{}, o.Parallel), jobs: map[int64]time.Time{},
		id: fmt.Sprintf("%.40s_%d_%s", host, os.Getpid(), strings.ToLower(rand.Text()[:8])),
	}
}

// takes is the client of the queue that takes runs for this worker.
func (w *worker) takes() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, w); err != nil {
		return nil, err
	}
	each := river.QueueConfig{MaxWorkers: w.options.Parallel}
	return river.NewClient(riverpgxv5.New(w.store.Pool()), &river.Config{
		ID: w.id, Schema: postgres.Schema, Workers: workers, Logger: w.log,
		Queues:               map[string]river.QueueConfig{river.QueueDefault: each, queueOf(w.options.Host): each},
		FetchCooldown:        fetchPause,
		JobTimeout:           w.options.Longest,
		RescueStuckJobsAfter: w.options.Longest + afterLongest,
		SoftStopTimeout:      w.options.Grace,
	})
}

// Timeout is finite for each run: one without is never taken back.
func (w *worker) Timeout(*river.Job[job]) time.Duration { return w.options.Longest }

// NextRetry is the same for all: what could not be begun soon can, or never.
func (w *worker) NextRetry(*river.Job[job]) time.Time { return time.Now().Add(retryPause) }

// Work performs a run that River has taken for this worker.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	w.note(j.ID, time.Time{})
	defer func() { w.note(j.ID, time.Now()) }()
	select {
	case w.slots <- struct{}{}:
	default: // there are two queues, and one of them has all
		return river.JobSnooze(turnPause)
	}
	defer func() { <-w.slots }()
	ctx, end := w.told(ctx)
	defer end()
	err := w.turn(ctx, j)
	var (
		held   *store.HeldError
		snooze *rivertype.JobSnoozeError
	)
	switch {
	case err == nil, errors.As(err, &snooze):
		return err
	case errors.As(err, &held), errors.Is(err, runner.ErrInterrupted), errors.Is(err, postgres.ErrLeaseLost):
		w.log.DebugContext(ctx, "the run waits", "run", j.Args.Run, "for", err)
		return river.JobSnooze(soon())
	}
	w.log.WarnContext(ctx, "the run could not be begun", "run", j.Args.Run, "error", err)
	return err
}

// soon is somewhere between turnPause and half of it again.
func soon() time.Duration {
	var b [1]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return turnPause + turnPause/2*time.Duration(b[0])/256
}

// told gives a context that ends as River's does, with our cause.
func (w *worker) told(river context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(context.WithoutCancel(river))
	undo := context.AfterFunc(river, func() { end(w.why(river)) })
	return ctx, func() { undo(); end(nil) }
}

func (w *worker) why(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, river.ErrJobCancelledRemotely):
		return runner.ErrCancelled
	case errors.Is(cause, context.DeadlineExceeded):
		return runner.ErrTooLong
	}
	select {
	case <-w.stop:
		return runner.ErrStopping
	default:
		return context.Cause(ctx)
	}
}
