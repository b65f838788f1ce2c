package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// queueDocuments are one that only types, and one that commits.
func queueDocuments(t *testing.T, url string) []*automation.Automation {
	t.Helper()
	var all []*automation.Automation
	for name, steps := range map[string]string{
		"greet": `{"tool":"typeInput","selector":"#name","value":{"kind":"variable","name":"name"}}`,
		"order": `{"tool":"click","selector":"#submit","effect":"commit"}`,
	} {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":%q,"match":{"urls":["%s/*"]},
			"variables":{"type":"object","properties":{"name":{"type":"string"},"pin":{"type":"string","writeOnly":true}}},
			"steps":[{"tool":"navigate","url":"%s/form"},%s]}`, name, strings.TrimPrefix(url, "http://"), url, steps))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, doc)
	}
	return all
}

// queueTest is a store that is shared, with a worker.
type queueTest struct {
	*testing.T
	address string
	stdin   string // of commands, until it is set again
}

func startQueue(t *testing.T, address string) *queueTest {
	t.Helper()
	browsertest.Slot(t)
	site, err := demosite.Start(&demosite.Options{NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	q := &queueTest{T: t, address: address}
	st, err := store.Open(t.Context(), q.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range queueDocuments(t, site.URL) {
		if _, err := st.Automations().Save(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return q
}

// work starts a worker, which ends well when it is told to.
func (q *queueTest) work(flags ...string) (stop func()) {
	q.Helper()
	cmd := exec.Command("reprise", append(flags, "work", "--store", q.address)...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		q.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			q.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			q.Errorf("the worker: %v\n%s", err, said.String())
		}
	})
	q.Cleanup(stop)
	return stop
}

// reprise runs a command line, and returns what it prints on standard output.
func (q *queueTest) reprise(want int, args ...string) string {
	q.Helper()
	out, complaints := scratch(q.T, ""), scratch(q.T, "")
	a := &app{stdin: scratch(q.T, q.stdin), stdout: out, stderr: complaints}
	code := a.execute(q.Context(), append(args, "--store", q.address))
	said, err := os.ReadFile(out.Name())
	if err != nil {
		q.Fatal(err)
	}
	if code != want {
		also, _ := os.ReadFile(complaints.Name())
		q.Errorf("reprise %v exits %d, want %d:\n%s%s", args, code, want, said, also)
	}
	return string(said)
}

func decoded[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// played is what is read of what play prints.
type played struct {
	Run     string         `json:"run"`
	Outcome store.RunState `json:"outcome"`
	Steps   []struct {
		Tool     string `json:"tool"`
		Selector string `json:"selector"`
	} `json:"steps"`
	Error *failure.Failure `json:"error"`
}

func TestAWorkerPlaysWhatIsQueued(t *testing.T) {
	t.Parallel()
	q := startQueue(t, postgrestest.Database(t))
	key := filepath.Join(t.TempDir(), "key") // of the worker, who opens what a task has
	putting := &app{stdin: scratch(t, `{"name": "Ada"}`), stdout: scratch(t, ""), stderr: scratch(t, "")}
	if code := putting.execute(t.Context(), []string{"task", "put", "order-17", "--key", key, "--store", q.address}); code != failure.ExitDone {
		t.Fatalf("task put exits %d", code)
	}
	doubted, finished := q.begunBefore(false), q.begunBefore(true)
	q.work("--key", key)
	well := decoded[played](t, q.reprise(failure.ExitDone, "play", "greet", "--var", "name=Ada", "--queue", "--json"))
	if well.Outcome != store.Done || len(well.Steps) != 2 || well.Steps[1].Selector != "#name" || well.Error != nil {
		t.Errorf("play says %+v", well)
	}
	if said := q.reprise(failure.ExitDone, "runs", well.Run); !strings.Contains(said, "greet") {
		t.Errorf("runs says %s", said)
	}
	refused := decoded[played](t, q.reprise(failure.ExitPerson, "play", "order", "--queue", "--json"))
	if refused.Outcome != store.Failed || refused.Error == nil || refused.Error.Code != "refused" || refused.Error.Step == nil || *refused.Error.Step != 1 {
		t.Errorf("play says %+v", refused)
	}
	q.reprise(failure.ExitPerson, "play", "order", "--queue")
	q.reprise(failure.ExitDone, "play", "greet", "--task", "order-17", "--queue")
	missing := decoded[played](t, q.reprise(failure.ExitFailed, "play", "greet", "--task", "order-18", "--queue", "--json"))
	if missing.Error == nil || missing.Error.Code != "invalid_value" {
		t.Errorf("without the task play says %+v", missing)
	}
	for run, want := range map[string]store.RunState{doubted: store.Uncertain, finished: store.Done} {
		if now := decoded[render.Run](t, q.reprise(failure.ExitDone, "runs", run, "--json")); now.State != want || len(now.Steps) > 0 {
			t.Errorf("what another had begun is %s, want %s, with %d steps played", now.State, want, len(now.Steps))
		}
	}
}

// begunBefore queues a run that a worker had begun which was lost: it has sent its last
// step, and seen that it was done or not.
func (q *queueTest) begunBefore(resolved bool) string {
	q.Helper()
	run := strings.TrimSpace(q.reprise(failure.ExitDone, "play", "order", "--commit", "allow", "--queue", "--detach"))
	st, err := store.Open(q.Context(), q.address)
	if err != nil {
		q.Fatal(err)
	}
	defer st.Close()
	if err := st.Commits().Begin(q.Context(), run, 1); err != nil {
		q.Fatal(err)
	}
	if resolved {
		if err := st.Commits().Resolve(q.Context(), run, 1, true); err != nil {
			q.Fatal(err)
		}
	}
	return run
}

func TestWhatHappensIsFollowedAcrossARestart(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	q := startQueue(t, server.Database(t))
	q.work()
	waiting := strings.TrimSpace(q.reprise(failure.ExitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach", "--on", "nowhere.example"))
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		a := &app{stdin: os.Stdin, stdout: out, stderr: scratch(t, "")}
		ended <- a.execute(ctx, []string{"runs", "--follow", "--json", "--store", q.address})
		_ = out.Close()
	}()
	lines := bufio.NewScanner(in)
	q.sees(lines, waiting, store.Queued)
	q.sees(lines, strings.TrimSpace(q.reprise(failure.ExitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach")), store.Done)
	server.Stop(t)
	server.Start(t)
	q.sees(lines, strings.TrimSpace(q.reprise(failure.ExitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach")), store.Done)
	q.reprise(failure.ExitDone, "runs", "cancel", waiting)
	q.sees(lines, waiting, store.Cancelled)
	q.reprise(failure.ExitFailed, "runs", "cancel", waiting)
	stop()
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != failure.ExitDone {
		t.Errorf("runs --follow exits %d", code)
	}
}

// sees reads lines up to that of a run in a state.
func (q *queueTest) sees(lines *bufio.Scanner, run string, state store.RunState) {
	q.Helper()
	var states []store.RunState
	for lines.Scan() {
		now := decoded[render.Run](q.T, lines.Text())
		if now.ID != run {
			continue
		}
		if states = append(states, now.State); now.State == state {
			return
		}
		if runner.Ended(now.State) {
			break
		}
	}
	q.Fatalf("run %s was seen as %v, want %s: %v", run, slices.Compact(states), state, lines.Err())
}

func TestWhatCannotBeQueuedIsAWrongCommandLine(t *testing.T) {
	t.Setenv("QUEUE_TEST_PIN", "0000")
	q := startQueue(t, postgrestest.Database(t))
	for _, args := range [][]string{
		{"play", "greet", "--queue", "--var-env", "pin=QUEUE_TEST_PIN"},
		{"play", "greet", "--queue", "--var", "name=4111 1111 1111 1111"},
		{"play", "greet", "--queue", "--headed"},
		{"play", "greet", "--queue", "--dry-run"},
		{"play", "./greet.json", "--queue"},
		{"play", "greet", "--detach"},
		{"play", "greet", "--on", "here"},
		{"work", "--parallel", "0"},
	} {
		q.reprise(failure.ExitUsage, args...)
	}
	if all := decoded[[]render.Run](t, q.reprise(failure.ExitDone, "runs", "--json")); len(all) > 0 {
		t.Errorf("something was queued: %+v", all)
	}
	for _, args := range [][]string{{"play", "greet", "--queue"}, {"work"}, {"runs", "cancel", "06gzxw5dg3fvq5sec7d5ajpt4x"}} {
		a := &app{stdin: os.Stdin, stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), append(args, "--data", t.TempDir())); code != failure.ExitUsage {
			t.Errorf("reprise %v in a directory exits %d", args, code)
		}
	}
}

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "queue 500 runs for three workers, kill 300 servers of agents and visit a site 20 times, and not only a sample")

const (
	fleetRuns, fleetSample = 500, 24
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
		os.Exit(failure.ExitUsage)
	}
	err = a.work(ctx, &workOptions{parallel: 1, longest: fleetPatience, grace: worker.DefaultGrace, lease: lease, values: func(_ context.Context, t *worker.Turn) (replayer.Values, error) {
		return replayer.Map{"password": passwordOf(t.Order.Account), "card": testCard}, nil
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(failure.ExitFailed)
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
	st      *postgres.Store
	queue   *worker.Queue
	doc     *automation.Automation
	bills   map[string]string // by run: the reference of what it pays
	workers []*exec.Cmd
}

func startFleet(t *testing.T) *fleetTest {
	t.Helper()
	browsertest.Slot(t)
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
	if f.st, err = postgres.Open(ctx, f.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.st.Close() })
	if f.queue, err = worker.Open(ctx, f.st); err != nil {
		t.Fatal(err)
	}
	if f.doc, err = f.st.Automations().Save(ctx, payDocument(t, f.site.URL)); err != nil {
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
	for r, err := range f.st.Runs().List(f.ctx) {
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
	_ = f.workers[0].Wait() // which reports that it was killed
	f.until("two fifths are paid", func() bool { return len(f.paid()) >= runs*2/5 })
	f.server.Stop(t)
	f.server.Start(t)
	f.allEnded()
	doubts := f.resolve(runs)
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

// resolve does what a person does with runs that are uncertain: looks at the books whether
// the bill was paid, and has it paid where it was not.
func (f *fleetTest) resolve(runs int) (doubts int) {
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
