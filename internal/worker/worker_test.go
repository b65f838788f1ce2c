package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// quick is a lease for tests: long enough for a busy machine.
const quick = 2 * time.Second

// depot is a queue in a database of its own.
type depot struct {
	*worker.Queue
	store   *postgres.Store
	address string
}

func openDepot(t *testing.T) *depot {
	t.Helper()
	return openAt(t, postgrestest.Database(t))
}

func openAt(t *testing.T, address string) *depot {
	t.Helper()
	s, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	q, err := worker.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return &depot{Queue: q, store: s, address: address}
}

// keep keeps a document for an account, which pays at the shop.
func (d *depot) keep(t *testing.T, account string) *automation.Automation {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"order","match":{"urls":["shop.example/*"],"account":%q},
		"variables":{"type":"object","properties":{"item":{"type":"string"},"pin":{"type":"string","writeOnly":true}}},
		"steps":[{"tool":"navigate","url":"https://shop.example/"},{"tool":"click","selector":"#buy","effect":"commit"}]}`, account))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := d.store.Automations().Save(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func order(doc *automation.Automation) worker.Order {
	return worker.Order{Automation: doc.Name, Document: doc.Match.Account}
}

func (d *depot) put(t *testing.T, doc *automation.Automation, host string) string {
	t.Helper()
	run, err := d.Put(t.Context(), doc, order(doc), host)
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// work has a worker work until stop is called, or the test ends.
func (d *depot) work(t *testing.T, o worker.Options) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	if o.Lease == 0 {
		o.Lease = quick
	}
	done := make(chan error, 1)
	go func() { done <- d.Work(ctx, &o) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the worker: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// becomes waits until a run has a state.
func (d *depot) becomes(t *testing.T, run string, state store.RunState) store.Run {
	t.Helper()
	var now store.Run
	browsertest.Until(t, "run "+run+" is "+string(state), func() bool {
		var err error
		if now, err = d.store.Runs().Get(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if now.State != state && runner.Ended(now.State) {
			t.Fatalf("run %s is %s (%s: %s), want %s", run, now.State, now.Code, now.Reason, state)
		}
		return now.State == state
	})
	return now
}

// done keeps a run as done.
func done(ctx context.Context, turn *worker.Turn) error {
	turn.Run.State, turn.Run.Finished = store.Done, time.Now()
	return turn.Store.Runs().Save(context.WithoutCancel(ctx), turn.Run)
}

func TestARunIsPerformedOnceByOneOfSeveralWorkers(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	var mu sync.Mutex
	times, at, most := map[string]int{}, map[string]int{}, 0
	perform := func(ctx context.Context, turn *worker.Turn) error {
		mu.Lock()
		times[turn.Run.ID]++
		at[turn.Document.Match.Account]++
		most = max(most, at[turn.Document.Match.Account])
		mu.Unlock()
		err := turn.Store.Commits().Begin(ctx, turn.Run.ID, 1)
		mu.Lock()
		at[turn.Document.Match.Account]--
		mu.Unlock()
		return errors.Join(err, done(ctx, turn))
	}
	var all []string
	for _, account := range []string{"ada", "grace", "mary"} {
		doc := d.keep(t, account)
		for range 5 {
			all = append(all, d.put(t, doc, ""))
		}
	}
	d.work(t, worker.Options{Perform: perform, Parallel: 3})
	openAt(t, d.address).work(t, worker.Options{Perform: perform})
	for _, run := range all {
		d.becomes(t, run, store.Done)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, run := range all {
		if times[run] != 1 {
			t.Errorf("run %s was performed %d times", run, times[run])
		}
	}
	if most != 1 {
		t.Errorf("%d runs acted for one account at the same time", most)
	}
}

func TestARunForAHostGoesOnlyThere(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	var mu sync.Mutex
	by := map[string]string{}
	on := func(host string) worker.Options {
		return worker.Options{Host: host, Perform: func(ctx context.Context, turn *worker.Turn) error {
			mu.Lock()
			by[turn.Run.ID] = host
			mu.Unlock()
			return done(ctx, turn)
		}}
	}
	d.work(t, on("Tower.example"))
	there, any := d.put(t, doc, "desk.example"), d.put(t, doc, "")
	d.becomes(t, any, store.Done)
	if now, err := d.store.Runs().Get(t.Context(), there); err != nil || now.State != store.Queued {
		t.Errorf("the run for another host is %s, %v", now.State, err)
	}
	d.work(t, on("DESK.example"))
	d.becomes(t, there, store.Done)
	mu.Lock()
	defer mu.Unlock()
	if by[there] != "DESK.example" || by[any] != "Tower.example" {
		t.Errorf("they were performed by %v", by)
	}
}

// A job of a worker that no one hears of: as after kill -9, in the moment when it had
// taken the job and not yet the lease.
func TestARunOfALostWorkerIsBegunAgain(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	run, gone := d.put(t, doc, ""), d.put(t, doc, "")
	d.execute(t, "UPDATE reprise.river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{ghost}' WHERE args->>'run' = $1", run)
	d.execute(t, `UPDATE reprise.river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{ghost}', metadata = '{"cancel_attempted_at":"2026-01-01T00:00:00Z"}' WHERE args->>'run' = $1`, gone)
	d.work(t, worker.Options{Perform: done})
	d.becomes(t, run, store.Done)
	d.becomes(t, gone, store.Cancelled)
}

// River may have taken a job for a worker whose database went away before it heard so.
func TestARunThatItsWorkerDoesNotKnowOfIsBegunAgain(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	d.work(t, worker.Options{Perform: done})
	d.becomes(t, d.put(t, doc, ""), store.Done)
	run := d.put(t, doc, "other.example") // not for this worker
	d.execute(t, `UPDATE reprise.river_job SET state = 'running', attempt = 1, attempted_at = now(), queue = 'default',
		attempted_by = ARRAY(SELECT id FROM reprise.workers) WHERE args->>'run' = $1`, run)
	d.becomes(t, run, store.Done)
}

func TestAWorkerThatLostItsLeaseStops(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	run := d.put(t, d.keep(t, ""), "")
	causes, attempts := make(chan error, 1), 0
	d.work(t, worker.Options{Perform: func(ctx context.Context, turn *worker.Turn) error {
		if attempts++; attempts > 1 {
			return done(ctx, turn)
		}
		d.execute(t, "UPDATE reprise.leases SET expires = clock_timestamp()")
		other, err := d.store.Leases().Take(ctx, "other", []postgres.Place{{Site: "shop.example"}}, time.Minute)
		if err != nil {
			return err
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		if err := turn.Store.Commits().Begin(context.WithoutCancel(ctx), turn.Run.ID, 1); !errors.Is(err, postgres.ErrLeaseLost) {
			t.Errorf("it may send all the same: %v", err)
		}
		kept := done(ctx, turn)
		if !errors.Is(kept, postgres.ErrLeaseLost) {
			t.Errorf("it may write its record all the same: %v", kept)
		}
		return errors.Join(kept, d.store.Leases().Release(context.WithoutCancel(ctx), other))
	}})
	if cause := <-causes; !errors.Is(cause, postgres.ErrLeaseLost) {
		t.Errorf("it ended because: %v", cause)
	}
	d.becomes(t, run, store.Done)
}

// The database is away for longer than a lease can be trusted, and no one takes it over.
func TestARunThatCouldNotRenewItsLeaseIsBegunAgain(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	d := openAt(t, server.Database(t))
	run := d.put(t, d.keep(t, ""), "")
	begun, causes := make(chan struct{}, 1), make(chan error, 1)
	attempts := 0
	d.work(t, worker.Options{Perform: func(ctx context.Context, turn *worker.Turn) error {
		if attempts++; attempts > 1 {
			return done(ctx, turn)
		}
		turn.Run.State = store.Running
		if err := turn.Store.Runs().Save(ctx, turn.Run); err != nil {
			return err
		}
		begun <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return runner.ErrInterrupted
	}})
	<-begun
	server.Stop(t)
	cause := <-causes
	server.Start(t)
	if !errors.Is(cause, postgres.ErrLeaseLost) {
		t.Errorf("it ended because: %v", cause)
	}
	d.becomes(t, run, store.Done)
}

func TestAWorkerThatIsStoppedGivesBackWhatItCannotEnd(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	run := d.put(t, d.keep(t, ""), "")
	begun, causes := make(chan struct{}), make(chan error, 1)
	stop := d.work(t, worker.Options{Grace: 10 * time.Millisecond, Perform: func(ctx context.Context, turn *worker.Turn) error {
		turn.Run.State, turn.Run.Steps = store.Running, []store.RunStep{{Tool: "navigate", Outcome: store.StepDone}}
		if err := turn.Store.Runs().Save(ctx, turn.Run); err != nil {
			return err
		}
		close(begun)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return runner.ErrInterrupted
	}})
	<-begun
	stop()
	if cause := <-causes; !errors.Is(cause, runner.ErrStopping) {
		t.Errorf("it ended because: %v", cause)
	}
	if now := d.becomes(t, run, store.Queued); len(now.Steps) != 0 {
		t.Errorf("what was given back has steps: %+v", now)
	}
	begins := time.Now()
	d.work(t, worker.Options{Perform: done, Lease: time.Hour}) // the lease was given back as well
	d.becomes(t, run, store.Done)
	t.Logf("it was begun again after %v", time.Since(begins))
}

func TestARunIsCancelled(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	begun := make(chan struct{}, 1)
	run := d.put(t, doc, "")
	d.work(t, worker.Options{Perform: func(ctx context.Context, turn *worker.Turn) error {
		begun <- struct{}{}
		<-ctx.Done()
		turn.Run.State, turn.Run.Reason = store.Cancelled, fmt.Sprint(context.Cause(ctx))
		return turn.Store.Runs().Save(context.WithoutCancel(ctx), turn.Run)
	}})
	<-begun
	waiting := d.put(t, doc, "")
	for _, id := range []string{waiting, run} {
		now, err := d.Cancel(t.Context(), id)
		if err != nil || now.State != store.Cancelled || now.Reason != runner.ErrCancelled.Error() {
			t.Errorf("it is %s (%s), %v", now.State, now.Reason, err)
		}
		var ended *worker.EndedError
		if _, err := d.Cancel(t.Context(), id); !errors.As(err, &ended) {
			t.Errorf("cancelling it again: %v", err)
		}
	}
	if _, err := d.Cancel(t.Context(), store.NewRunID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("cancelling what there is not: %v", err)
	}
}

func TestARunThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	run := d.put(t, d.keep(t, ""), "")
	d.work(t, worker.Options{Longest: 2 * time.Second, Perform: func(ctx context.Context, turn *worker.Turn) error {
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, runner.ErrTooLong) {
			t.Errorf("it ended because: %v", cause)
		}
		return done(ctx, turn)
	}})
	d.becomes(t, run, store.Done)
}

func TestARunThatNoWorkerCanBeginFailsInTheEnd(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	run := d.put(t, d.keep(t, ""), "")
	d.execute(t, "UPDATE reprise.river_job SET attempt = max_attempts - 1")
	d.work(t, worker.Options{Perform: func(context.Context, *worker.Turn) error { return errors.New("no browser starts") }})
	if now := d.becomes(t, run, store.Failed); now.Reason != "no browser starts" {
		t.Errorf("it failed because: %s", now.Reason)
	}
}

func TestNumbersAreQueuedAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	o := order(doc)
	o.Values = worker.Values{"item": json.Number("12345678901234567890")}
	run, err := d.Put(t.Context(), doc, o, "")
	if err != nil {
		t.Fatal(err)
	}
	d.work(t, worker.Options{Perform: func(ctx context.Context, turn *worker.Turn) error {
		if got := fmt.Sprint(turn.Order.Values["item"]); got != "12345678901234567890" {
			t.Errorf("the value is %s", got)
		}
		return done(ctx, turn)
	}})
	d.becomes(t, run.ID, store.Done)
}

func TestWhatCannotBeBegunFails(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	missing, unsettled := d.put(t, doc, ""), d.put(t, doc, "other.example")
	if err := d.store.Commits().Begin(t.Context(), unsettled, 1); err != nil {
		t.Fatal(err)
	}
	if err := d.store.Automations().Delete(t.Context(), doc.Name, "", doc.Revision); err != nil {
		t.Fatal(err)
	}
	d.work(t, worker.Options{Perform: done, Host: "other.example"})
	if run := d.becomes(t, missing, store.Failed); run.Code != "not_found" || run.Reason == "" {
		t.Errorf("it failed with %s: %s", run.Code, run.Reason)
	}
	d.becomes(t, unsettled, store.Uncertain) // it has sent something
}

func TestNoSecretIsQueued(t *testing.T) {
	t.Parallel()
	d := openDepot(t)
	doc := d.keep(t, "")
	sealed, err := automation.NewSecret("sesame")
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string]map[string]any{
		"declared": {"pin": "0000"}, "typed": {"item": sealed}, "looks": {"item": "4111 1111 1111 1111"}, "inside": {"item": []any{"4111111111111111"}},
	} {
		o := order(doc)
		o.Values = values
		var secret *worker.SecretError
		if _, err := d.Put(t.Context(), doc, o, ""); !errors.As(err, &secret) {
			t.Errorf("%s: it is queued: %v", name, err)
		}
	}
	for r := range d.store.Runs().List(t.Context()) {
		t.Errorf("there is a run %s", r.ID)
	}
}

func (d *depot) execute(t *testing.T, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.address)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Error(err)
	}
}
