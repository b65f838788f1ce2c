package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "queue 500 runs for three workers, and kill 300 servers of agents, and not only a sample")

const (
	fleetRuns, fleetSample = 500, 50
	fleetWorkers           = 3
	fleetAccounts          = 12

	// fleetLease is short, so that the sample need not wait long for a lost worker, and long
	// enough for a machine that is busy with other tests. The long form has the default.
	fleetLease    = 5 * time.Second
	fleetLeaseEnv = "REPRISE_TEST_FLEET_LEASE"

	// fleetPatience is for the whole of it.
	fleetPatience = 30 * time.Minute

	// fleetDoubt is how many runs may end as uncertain: that of the worker that is killed,
	// and those that the restart of the database cuts off, at worst one of each worker.
	fleetDoubt = 1 + fleetWorkers

	testCard = "4111111111111111"
)

func account(n int) demosite.Account {
	email := fmt.Sprintf("visitor-%d@example.com", n)
	return demosite.Account{Email: email, Password: passwordOf(email), Name: fmt.Sprintf("Visitor %d", n)}
}

// payer is the account of a run: that of its neighbours, too, so that several workers
// want it at the same time.
func payer(i int) demosite.Account { return account(i / fleetWorkers % fleetAccounts) }

func passwordOf(email string) string { return "meadow-" + email }

// fleetWorker is `reprise work` with the secrets of the built-in site's visitors.
func fleetWorker() {
	ctx, stop := untilAsked(context.Background())
	defer stop()
	a := newApp()
	lease, err := time.ParseDuration(os.Getenv(fleetLeaseEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	err = a.work(ctx, &workOptions{parallel: 1, longest: fleetPatience, grace: worker.DefaultGrace, lease: lease, values: func(_ context.Context, t *worker.Turn) (replayer.Values, error) {
		return replayer.Map{"password": passwordOf(t.Order.Account), "card": testCard}, nil
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
}

// payDocument signs in, and pays a bill.
func payDocument(t *testing.T, url string) *automation.Automation {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"pay-bill","match":{"urls":["%[2]s/*"]},
		"variables":{"type":"object","properties":{"email":{"type":"string"},"password":{"type":"string","writeOnly":true},
			"reference":{"type":"string"},"card":{"type":"string","writeOnly":true}},"required":["email","password","reference","card"]},
		"steps":[
			{"tool":"navigate","url":"%[1]s/signin"},
			{"tool":"typeInput","selector":"#identifierId","value":{"kind":"variable","name":"email"}},
			{"tool":"click","selector":"#identifierNext"},
			{"tool":"typeInput","selector":"input[name=\"Passwd\"]","value":{"kind":"variable","name":"password"}},
			{"tool":"click","selector":"#passwordNext"},
			{"tool":"waitForNav","url":"%[2]s/dashboard"},
			{"tool":"navigate","url":"%[1]s/bill"},
			{"tool":"typeInput","selector":"#reference","value":{"kind":"variable","name":"reference"}},
			{"tool":"typeInput","selector":"#card","value":{"kind":"variable","name":"card"}},
			{"tool":"click","selector":"#continue"},
			{"tool":"waitForNav","url":"%[2]s/bill/review"},
			{"tool":"click","selector":"#pay"},
			{"tool":"waitForNav","url":"%[2]s/bill/paid"}]}`, url, strings.TrimPrefix(url, "http://")))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// fleetTest is many runs that wait for several workers.
type fleetTest struct {
	*testing.T
	ctx     context.Context
	site    *demosite.Server
	server  *postgrestest.Server
	address string
	kept    *postgres.Store
	queue   *worker.Queue
	doc     *automation.Automation
	bills   map[string]string // by run: the reference of what it pays
	workers []*exec.Cmd
}

func startFleet(t *testing.T) *fleetTest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), fleetPatience)
	t.Cleanup(cancel)
	f := &fleetTest{T: t, ctx: ctx, server: postgrestest.Start(t), bills: map[string]string{}}
	var accounts []demosite.Account
	for i := range fleetAccounts {
		accounts = append(accounts, account(i))
	}
	var err error
	if f.site, err = demosite.Start(&demosite.Options{Accounts: accounts, Delay: -1, NoBanner: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.site.Close() })
	f.address = f.server.Database(t)
	if f.kept, err = postgres.Open(ctx, f.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.kept.Close() })
	if f.queue, err = worker.Open(ctx, f.kept); err != nil {
		t.Fatal(err)
	}
	if f.doc, err = f.kept.Automations().Save(ctx, payDocument(t, f.site.URL)); err != nil {
		t.Fatal(err)
	}
	return f
}

func reference(i int) string { return fmt.Sprintf("B-%d", i) }

// put queues the payment of a bill.
func (f *fleetTest) put(i int) {
	f.Helper()
	email := payer(i).Email
	run, err := f.queue.Put(f.ctx, f.doc, worker.Order{
		Automation: f.doc.Name, Account: email, Commit: "allow", Values: worker.Values{"email": email, "reference": reference(i)},
	}, "")
	if err != nil {
		f.Fatal(err)
	}
	f.bills[run.ID] = reference(i)
}

// work starts a worker in a process of its own.
func (f *fleetTest) work() {
	f.Helper()
	cmd := exec.CommandContext(f.ctx, "reprise-fleet-worker")
	lease := fleetLease
	if *soak {
		lease = worker.DefaultLease
	}
	cmd.Env = append(os.Environ(), storeEnv+"="+f.address, fleetLeaseEnv+"="+lease.String())
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if !testing.Verbose() {
		cmd.Stderr = nil
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.workers = append(f.workers, cmd)
}

// until waits for something.
func (f *fleetTest) until(what string, holds func() bool) {
	f.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			f.Fatalf("%s: it does not come to that: %v", what, context.Cause(f.ctx))
		}
	}
}

// paid is how often each bill was paid, by the books of the site.
func (f *fleetTest) paid() map[string]int {
	times := map[string]int{}
	for _, p := range f.site.Payments() {
		times[p.Reference]++
	}
	return times
}

// records are those of the runs that have ended, by run.
func (f *fleetTest) records() map[string]store.Run {
	ended := map[string]store.Run{}
	for r, err := range f.kept.Runs().List(f.ctx) {
		if err != nil || r.Err != nil {
			f.Fatal(err, r.Err)
		}
		if runner.Ended(r.State) {
			ended[r.ID] = r.Run
		}
	}
	return ended
}

func (f *fleetTest) allEnded() {
	f.Helper()
	last := time.Now()
	f.until("all runs have ended", func() bool {
		if time.Since(last) < 500*time.Millisecond { // each look reads all
			return false
		}
		last = time.Now()
		return len(f.records()) == len(f.bills)
	})
}

// TestEveryQueuedRunIsDoneOnce queues runs for three workers, kills one of them, and
// restarts the database meanwhile.
func TestEveryQueuedRunIsDoneOnce(t *testing.T) {
	t.Parallel()
	runs := fleetSample
	if *soak {
		runs = fleetRuns
	}
	f := startFleet(t)
	began := time.Now()
	for i := range runs {
		f.put(i)
	}
	for range fleetWorkers {
		f.work()
	}
	f.until("a fifth is paid", func() bool { return len(f.paid()) >= runs/5 })
	if err := f.workers[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = f.workers[0].Wait() // which says that it was killed
	f.until("two fifths are paid", func() bool { return len(f.paid()) >= runs*2/5 })
	f.server.Stop(t)
	f.server.Start(t)
	f.allEnded()
	doubts := f.settle(runs)
	f.allEnded()
	t.Logf("%d runs in %v, %d of them uncertain", runs, time.Since(began).Round(time.Second), doubts)
	for _, worker := range f.workers[1:] {
		if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := worker.Wait(); err != nil {
			t.Errorf("a worker that was told to stop: %v", err)
		}
	}
	f.check(runs, doubts)
}

// settle does what a person does with runs that are uncertain: looks at the books whether
// the bill was paid, and has it paid where it was not.
func (f *fleetTest) settle(runs int) (doubts int) {
	paid := f.paid()
	for id, run := range f.records() {
		if run.State != store.Uncertain {
			continue
		}
		doubts++
		if paid[f.bills[id]] > 0 {
			continue
		}
		for i := range runs {
			if reference(i) == f.bills[id] {
				f.put(i)
			}
		}
	}
	return doubts
}

// check judges by the books of the site.
func (f *fleetTest) check(runs, doubts int) {
	paid := f.paid()
	for i := range runs {
		if paid[reference(i)] != 1 {
			f.Errorf("bill %s was paid %d times", reference(i), paid[reference(i)])
		}
	}
	if overlaps := f.site.Overlaps(); len(overlaps) > 0 {
		f.Errorf("accounts were in two runs at a time: %v", overlaps)
	}
	signIns := 0
	for i := range fleetAccounts {
		signIns += f.site.SignIns(account(i).Email)
	}
	if signIns < runs || signIns > runs+2*fleetDoubt {
		f.Errorf("%d runs have signed in %d times", runs, signIns)
	}
	if doubts > fleetDoubt {
		f.Errorf("%d runs ended as uncertain, more than were cut off", doubts)
	}
	for id, run := range f.records() {
		if run.State != store.Done && run.State != store.Uncertain {
			f.Errorf("run %s is %s (%s: %s)", id, run.State, run.Code, run.Reason)
		}
	}
}
