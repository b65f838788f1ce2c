package fleet

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

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

const (
	// DefaultLease is how long a lease lasts that is not renewed, and a worker is thought
	// to be there that is not heard of. A run whose worker died is begun again after that
	// and a few seconds: well within a minute. Shorter, and a server that is restarted
	// would cost runs.
	DefaultLease = 15 * time.Second

	// DefaultLongest is what a run may take: the longest that people wait for is far less.
	DefaultLongest = time.Hour

	// DefaultGrace is what runs are given to end in once the worker is told to stop. It is
	// less than what service managers wait before they kill (systemd: 90 s).
	DefaultGrace = 30 * time.Second

	// beats is how often in the time of a lease it is renewed; heldFor is the part of that
	// time, in thirds, after which a run ends that could not renew it, so that it has
	// ended before another may begin.
	beats, heldFor = 5, 2

	// afterLongest is when River itself takes a job back that is still running: long
	// after all else. It needs a worker's word on the time, and so cannot be quick.
	afterLongest = 10 * time.Minute

	// turnPause is how long a run waits before it looks again whether its account is
	// free, and somewhat less than that again, by chance, so that those who wait for one
	// account do not come together. Each look costs two short statements.
	turnPause = 500 * time.Millisecond

	// fetchPause is between two looks into the queue that find something: River's own
	// 100 ms would be a tenth of a short run, and a worker plays few at once.
	fetchPause = 20 * time.Millisecond

	// retryPause is how long a run waits that could not be begun, as where no browser
	// starts, and mostTries how often that is tried, and how many workers may be lost with
	// one run.
	retryPause = 5 * time.Second
	mostTries  = 5
)

// Options of a worker. Perform is required; all else may be left out.
type Options struct {
	// Perform performs a run and keeps its record, up to its end, in the store that the
	// turn has. It returns nil once that is kept; ErrGiveBack for a run that is to be
	// begun again, and any other error for one that could not be begun. Its context ends
	// with ErrStopping, ErrCancelled, ErrTooLong or postgres.ErrLeaseLost as the cause.
	Perform func(ctx context.Context, t *Turn) error
	// Parallel is how many runs are performed at once. Default: 1.
	Parallel int
	// Host is the machine whose runs are taken besides those for any. Default: its name.
	Host string
	// Longest is what a run may take. Default: DefaultLongest.
	Longest time.Duration
	// Grace is what runs are given to end in when the worker is told to stop. Default:
	// DefaultGrace.
	Grace time.Duration
	// Lease is how long a run keeps its account to itself, and a worker its runs, without
	// a word. All workers of a database should have the same. Default: DefaultLease.
	Lease time.Duration
	// Logger is told what the worker does. Default: silent.
	Logger *slog.Logger
}

// Turn is a run that is to be performed.
type Turn struct {
	Order    Order
	Document *automation.Automation
	Run      store.Run   // its record so far
	Store    store.Store // fenced: see postgres.Store.Fenced
}

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
		return fmt.Errorf("fleet: the worker cannot be started: %w", err)
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
		return fmt.Errorf("fleet: the worker cannot be started: %w", err)
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
		held   *postgres.HeldError
		snooze *rivertype.JobSnoozeError
	)
	switch {
	case err == nil, errors.As(err, &snooze):
		return err
	case errors.As(err, &held), errors.Is(err, ErrGiveBack), errors.Is(err, postgres.ErrLeaseLost):
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
		return ErrCancelled
	case errors.Is(cause, context.DeadlineExceeded):
		return ErrTooLong
	}
	select {
	case <-w.stop:
		return ErrStopping
	default:
		return context.Cause(ctx)
	}
}
