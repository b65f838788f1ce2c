package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
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
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
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
	waiting chan struct{}  // one for each run that waits for a person
	others  sync.WaitGroup // that take runs meanwhile

	mu   sync.Mutex
	jobs map[int64]time.Time // that were begun, and when they ended: zero until then
}

// Work takes runs from the queue and has them performed, until ctx is done; then it
// waits until those under way have ended, or were given back. It survives a restart of
// the database.
func (q *Queue) Work(ctx context.Context, o *Options) error {
	return newWorker(ctx, q, *o).take(ctx)
}

// take takes runs until ctx is done.
func (w *worker) take(ctx context.Context) error {
	defer w.others.Wait()
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
		Queue: q, options: o, log: o.Logger, stop: ctx.Done(), slots: make(chan struct{}, o.Parallel), waiting: make(chan struct{}, maxWaiting), jobs: map[int64]time.Time{},
		id: fmt.Sprintf("%.40s_%d_%s", host, os.Getpid(), strings.ToLower(rand.Text()[:8])),
	}
}

// yield has another worker of this process take runs, one at a time, in the place of a run that waits for a person,
// until goOn is called. What it plays by then is played to its end.
func (w *worker) yield() (goOn func()) {
	select {
	case w.waiting <- struct{}{}:
	default: // each that waits has a page
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := w.options
	o.Parallel = 1
	other := newWorker(ctx, w.Queue, o)
	other.waiting = w.waiting
	w.others.Go(func() {
		defer cancel()
		if err := other.take(ctx); err != nil {
			w.log.WarnContext(ctx, "no run is taken in the place of one that waits", "error", err)
		}
	})
	w.others.Go(func() {
		select {
		case <-w.stop:
			cancel()
		case <-ctx.Done():
		}
	})
	return sync.OnceFunc(func() {
		<-w.waiting
		w.others.Go(func() {
			select {
			case other.slots <- struct{}{}: // it plays none, and none that it takes now
			case <-ctx.Done():
			}
			cancel()
		})
	})
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

// told returns a context that ends as River's does, with our cause.
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

const (
	// DefaultLease is that of a run, and how long a worker is thought to be there that is not
	// heard of.
	DefaultLease = runner.DefaultLease

	// DefaultLongest is what a run may take: the longest that people wait for is far less.
	DefaultLongest = time.Hour

	// DefaultGrace is what runs are given to end in once the worker is told to stop. It is
	// less than what service managers wait before they kill (systemd: 90 s).
	DefaultGrace = 30 * time.Second

	// beats is how often in the time of a lease a worker says that it is there.
	beats = 5

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
	// starts, and maxTries how often that is tried, and how many workers may be lost with
	// one run.
	retryPause = 5 * time.Second
	maxTries   = 5

	// maxWaiting is how many runs that wait for people have others played in their place.
	maxWaiting = 16
)

// Options of a worker. Perform is required; all else may be left out.
type Options struct {
	// Perform performs a run and keeps its record, up to its end, in the store that the
	// turn has. It returns nil once that is stored; runner.ErrInterrupted for a run that is to be
	// begun again, and any other error for one that could not be begun. Its context ends
	// with runner.ErrStopping, runner.ErrCancelled, runner.ErrTooLong or postgres.ErrLeaseLost as the cause.
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
	// SaveLogins has every run that begins with a login save it again when it has ended
	// well, as Order.SaveLogin does for one. Default: those whose order says so.
	SaveLogins bool
	// SignIn has every run that begins with a login look first whether that is good, and sign in
	// again where it is not, as Order.SignIn does for one. Default: those whose order says so.
	SignIn bool
	// Logger is told what the worker does. Default: silent.
	Logger *slog.Logger
}

// Turn is a run that is to be performed.
type Turn struct {
	Order    Order
	Document *automation.Automation
	Run      store.Run   // its record so far
	Store    store.Store // fenced: see postgres.Store.Fenced
	// Yield has the worker play another run meanwhile, for one that waits for a person, until goOn is called.
	Yield func() (goOn func())
}

// turn has a run performed that has not ended, once it alone has its places.
func (w *worker) turn(ctx context.Context, j *river.Job[job]) error {
	run, err := w.store.Runs().Get(ctx, j.Args.Run)
	if errors.Is(err, store.ErrNotFound) {
		return river.JobCancel(err)
	}
	if err != nil || runner.Ended(run.State) {
		return err
	}
	j.Args.Order.SaveLogin = j.Args.Order.Login != "" && (j.Args.Order.SaveLogin || w.options.SaveLogins)
	j.Args.Order.SignIn = j.Args.Order.Login != "" && (j.Args.Order.SignIn || w.options.SignIn)
	doc, acts, err := w.look(ctx, j.Args.Order)
	if err != nil {
		return w.orFail(ctx, j, err)
	}
	return runner.Hold(ctx, w.store, run.ID, acts, w.options.Lease, func(ctx context.Context, st store.Store) error {
		t := &Turn{Order: j.Args.Order, Document: doc, Store: st, Yield: w.yield}
		err := w.perform(ctx, j, t)
		if errors.Is(err, runner.ErrInterrupted) {
			err = errors.Join(err, runner.Requeue(context.WithoutCancel(ctx), st, run.ID))
		}
		return err
	})
}

// look returns the document, and the places that it acts on.
func (w *worker) look(ctx context.Context, o Order) (*automation.Automation, []store.Place, error) {
	doc, err := w.store.Automations().Get(ctx, o.Automation, o.Document)
	if err != nil {
		return nil, nil, err
	}
	acts, err := runner.Places(ctx, w.store.Automations(), doc, o.Account)
	if err != nil || !o.SaveLogin && !o.SignIn {
		return doc, acts, err
	}
	of, err := runner.LoginPlaces(ctx, w.store, o.Login, cmp.Or(o.Account, doc.Match.Account))
	return doc, append(acts, of...), err
}

// perform has the run performed that has its lease now.
func (w *worker) perform(ctx context.Context, j *river.Job[job], t *Turn) (err error) {
	if t.Run, err = t.Store.Runs().Get(ctx, j.Args.Run); err != nil || runner.Ended(t.Run.State) { // it may have ended meanwhile
		return err
	}
	switch {
	case j.Args.Cancelled:
		return runner.Abandon(ctx, t.Store, t.Run, runner.ErrCancelled)
	case j.Args.Lost >= maxTries:
		return runner.Abandon(ctx, t.Store, t.Run, fmt.Errorf("%d workers were lost with it", j.Args.Lost))
	}
	err = w.options.Perform(ctx, t)
	if err == nil || errors.Is(err, runner.ErrInterrupted) || errors.Is(err, store.ErrLeaseLost) {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, store.ErrLeaseLost) || errors.Is(cause, runner.ErrStopping) {
		return fmt.Errorf("%w: %w", runner.ErrInterrupted, cause)
	}
	if j.Attempt < j.MaxAttempts {
		return err
	}
	return runner.Abandon(context.WithoutCancel(ctx), t.Store, t.Run, err)
}

// orFail keeps a run as failed whose document cannot be had, unless it may be had later.
func (w *worker) orFail(ctx context.Context, j *river.Job[job], err error) error {
	if !errors.Is(err, store.ErrNotFound) && j.Attempt < j.MaxAttempts {
		return err
	}
	run, missing := w.store.Runs().Get(ctx, j.Args.Run)
	if missing != nil {
		return missing
	}
	return runner.Abandon(ctx, w.store, run, err)
}

const aliveSQL = `
INSERT INTO reprise.workers (id, host, seen) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()`

// alive returns an error where this worker is there.
func (w *worker) alive(ctx context.Context) error {
	return w.store.InTx(ctx, "say that the worker is there", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, aliveSQL, w.id, w.options.Host)
		return err
	})
}

// leave returns an error where it is not any more: it has no runs.
func (w *worker) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.options.Lease)
	defer cancel()
	return w.store.InTx(ctx, "say that the worker has gone", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM reprise.workers WHERE id = $1", w.id)
		return err
	})
}

// beat records again and again that this worker is there, and takes the runs of those back
// that are not. Where the database was away no one was heard of: so it does that only
// after it was heard itself for as long as the others have to be heard of.
func (w *worker) beat(ctx context.Context) {
	tick := time.NewTicker(w.options.Lease / beats)
	defer tick.Stop()
	heard, steady := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := w.alive(ctx)
		if err == nil && time.Since(steady) > w.options.Lease {
			err = w.rescue(ctx)
		}
		now := time.Now()
		if err != nil || now.Sub(heard) > w.options.Lease/2 {
			steady = now
		}
		if heard = now; err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "the worker is not heard", "error", err)
		}
	}
}

// A job is taken from a worker that was not heard of, or that does not know of it: where
// the database went away, River may have taken it for this worker, or given it back, and
// the answer was lost. It is ended, so that what is said of it yet is of no matter, and
// another is put in its place.
const rescueSQL = `
WITH lost AS (
    SELECT j.id FROM reprise.river_job j
    LEFT JOIN reprise.workers w ON w.id = j.attempted_by[array_upper(j.attempted_by, 1)]
    WHERE j.state = 'running' AND j.kind = $2 AND (
        w.seen IS NULL OR w.seen <= clock_timestamp() - $1::interval
        OR w.id = $3 AND j.attempted_at <= now() - $1::interval AND j.id <> ALL($4::bigint[])
    )
    FOR UPDATE OF j SKIP LOCKED
)
UPDATE reprise.river_job j SET state = 'cancelled', finalized_at = now()
FROM lost WHERE j.id = lost.id AND j.state = 'running'
RETURNING j.queue, j.args, j.metadata ? 'cancel_attempted_at'`

// forgetSQL forgets workers that have died.
const forgetSQL = `DELETE FROM reprise.workers WHERE seen < clock_timestamp() - interval '1 day'`

// orphan is a job whose worker is lost.
type orphan struct {
	Queue     string
	Args      []byte
	Cancelled bool
}

// rescue puts the runs of lost workers into the queue again.
func (w *worker) rescue(ctx context.Context) error {
	mine := w.known()
	return w.store.InTx(ctx, "take back the runs of lost workers", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, rescueSQL, w.options.Lease, jobKind, w.id, mine)
		if err != nil {
			return err
		}
		orphans, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
		if err != nil {
			return err
		}
		for _, o := range orphans {
			err = errors.Join(err, w.again(ctx, tx, o))
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, forgetSQL)
		return err
	})
}

// note records that a job was begun, or has ended.
func (w *worker) note(id int64, ended time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[id] = ended
}

// known are the jobs that this worker is at, and those that have ended so lately that
// River may not have said so yet.
func (w *worker) known() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []int64{}
	for id, ended := range w.jobs {
		if !ended.IsZero() && time.Since(ended) > w.options.Lease {
			delete(w.jobs, id)
			continue
		}
		all = append(all, id)
	}
	return all
}

func (w *worker) again(ctx context.Context, tx pgx.Tx, o orphan) error {
	var j job
	if err := json.Unmarshal(o.Args, &j); err != nil {
		return fmt.Errorf("a run in the queue cannot be read: %w", err)
	}
	j.Lost++
	j.Cancelled = j.Cancelled || o.Cancelled
	w.log.WarnContext(ctx, "a run was lost with its worker, and is begun again", "run", j.Run, "times", j.Lost)
	return w.put(ctx, tx, j, o.Queue, begunBefore)
}
