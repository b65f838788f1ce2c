package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	_ "github.com/go-reprise/reprise/store/postgres"
)

const (
	payersEnv = "REPRISE_RUNNER_TEST_PAYS"
	payers    = 4
	// Of each three payments the limit allows one.
	paymentsTried = 200
	paidShare     = 3
)

// init makes the test program one that pays, where the environment says so.
func init() {
	if place := os.Getenv(payersEnv); place != "" {
		if err := pay(place); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// bill is the approval request for a payment of a run.
func bill(run string) replayer.Approval {
	return replayer.Approval{Run: run, Step: 1, Tool: "click", Origin: "https://shop.example", URL: "https://shop.example/pay", Payee: "Meadow Water", Amount: "10,00 €"}
}

// pay makes the payment of each run that it reads, as a run does: begun in the ledger, then sent, then resolved.
// Each of the three is printed, so that who has killed it knows how far it had come.
func pay(place string) error {
	ctx := context.Background()
	st, err := store.Open(ctx, place)
	if err != nil {
		return err
	}
	j := newJournal(st, nil)
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		run := in.Text()
		err := j.BeginPayment(ctx, bill(run))
		switch {
		case errors.Is(err, replayer.ErrNotWithinLimit):
			fmt.Println("asked", run)
			continue
		case errors.Is(err, replayer.ErrAlreadySent):
			fmt.Println("uncertain", run)
			continue
		case err != nil:
			return err
		}
		fmt.Println("sent", run) // the site has it now
		if err := j.Resolve(ctx, run, 1, true); err != nil {
			return err
		}
		fmt.Println("done", run)
	}
	return nil
}

// payer is a process that pays.
type payer struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startPayer(t *testing.T, place string) *payer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &payer{cmd: exec.CommandContext(t.Context(), self)}
	p.cmd.Env = append(os.Environ(), payersEnv+"="+place)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if !p.lines.Scan() || p.lines.Text() != "ready" {
		t.Fatalf("a payer is not ready: %q", p.lines.Text())
	}
	return p
}

func (p *payer) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	for p.lines.Scan() { // what it printed before
	}
	_ = p.cmd.Wait() // it was killed
}

// While it is not known whether a run has paid, the same payee is not paid again without a question: what went wrong is tried
// again. Another payee is, and so is the same once it is known.
func TestWhereItIsNotKnownWhetherItWasPaidAPersonIsAsked(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for _, payee := range []string{"Meadow Water", "Hill Gas"} {
		limit := store.Limit{Site: "https://shop.example", Payee: payee, Currency: "EUR", Sum: store.Money{Minor: 10_000, Currency: "EUR"}}
		if _, err := st.Limits().Add(t.Context(), limit); err != nil {
			t.Fatal(err)
		}
	}
	j := newJournal(st, nil)
	first, now := store.NewRunID(), time.Now()
	record := func(state store.RunState, finished time.Time) {
		t.Helper()
		if err := st.Runs().Save(t.Context(), store.Run{ID: first, Automation: "pay", State: state, Started: now, Finished: finished, Process: ThisProcess()}); err != nil {
			t.Fatal(err)
		}
	}
	pays := func(a replayer.Approval) error {
		t.Helper()
		err := j.BeginPayment(t.Context(), a)
		if err == nil {
			err = j.Resolve(t.Context(), a.Run, a.Step, true)
		}
		return err
	}
	record(store.Running, time.Time{})
	if err := j.BeginPayment(t.Context(), bill(first)); err != nil {
		t.Fatal(err)
	}
	if err := pays(bill(store.NewRunID())); err != nil { // it is being paid, and its run finds out
		t.Errorf("next to one that is being made: %v", err)
	}
	record(store.Uncertain, time.Now())
	if err := pays(bill(store.NewRunID())); !errors.Is(err, replayer.ErrNotWithinLimit) {
		t.Errorf("after one that is uncertain: %v", err)
	}
	other := bill(store.NewRunID())
	other.Payee = "Hill Gas"
	if err := pays(other); err != nil {
		t.Errorf("another payee: %v", err)
	}
	if err := j.Resolve(t.Context(), first, 1, false); err != nil {
		t.Fatal(err)
	}
	if err := pays(bill(store.NewRunID())); err != nil {
		t.Errorf("once it is known: %v", err)
	}
}

// No process passes the limit, none loses a reservation, and nothing is paid twice, wherever they are killed.
func TestPaymentsOfKilledProcessesStayWithinTheirLimit(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*testing.T) string{
		"directory": func(t *testing.T) string { return t.TempDir() },
		"postgres":  func(t *testing.T) string { return postgrestest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where := place(t)
			st, err := store.Open(t.Context(), where)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			euros := func(n int) store.Money { return store.Money{Minor: int64(n) * 100, Currency: "EUR"} }
			limit := store.Limit{Site: "https://shop.example", Payee: "Meadow Water", Currency: "EUR", Each: euros(10), Sum: euros(10 * (paymentsTried / paidShare))}
			if _, err := st.Limits().Add(t.Context(), limit); err != nil {
				t.Fatal(err)
			}
			site, kills := payAtRandom(t, where, paymentsTried)
			checkLedger(t, st, site, paymentsTried/paidShare)
			t.Logf("%d payments tried, %d at the site, %d processes killed", paymentsTried, len(site), kills)
		})
	}
}

// payAtRandom has processes pay, and kills each now and then within a payment. It returns how often the site had
// each payment, at least: a process that is killed may have sent one without being heard.
func payAtRandom(t *testing.T, place string, tried int) (site map[string]int, kills int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	site = map[string]int{}
	runs := make(chan string, tried*2)
	for range tried {
		runs <- store.NewRunID()
	}
	close(runs)
	for range payers {
		group.Go(func() {
			p := startPayer(t, place)
			defer func() { p.kill() }()
			for run := range runs {
				again := true
				for again { // a run whose process was killed is tried again, as a person resumes it
					again = false
					if _, err := fmt.Fprintln(p.in, run); err != nil {
						t.Error(err)
						return
					}
					var killed *time.Timer
					if rand.IntN(3) == 0 {
						process := p.cmd.Process
						killed = time.AfterFunc(time.Duration(rand.IntN(12_000))*time.Microsecond, func() { _ = process.Kill() })
					}
					ended := false
					for !ended && p.lines.Scan() {
						what, of, _ := strings.Cut(p.lines.Text(), " ")
						mu.Lock()
						if what == "sent" {
							site[of]++
						}
						mu.Unlock()
						ended = what != "sent"
					}
					if killed != nil {
						killed.Stop()
					}
					if !ended {
						p.kill()
						mu.Lock()
						kills++
						mu.Unlock()
						p, again = startPayer(t, place), true
					}
				}
			}
		})
	}
	group.Wait()
	return site, kills
}

func checkLedger(t *testing.T, st store.Store, site map[string]int, allowed int) {
	t.Helper()
	counted := map[string]store.LedgerState{}
	for e, err := range st.Limits().Payments(t.Context()) {
		if err = errors.Join(err, e.Err); err != nil {
			t.Fatal(err)
		}
		if e.State != store.Released {
			counted[e.Run] = e.State
		}
	}
	if len(counted) > allowed {
		t.Errorf("%d payments count, and the limit allows %d", len(counted), allowed)
	}
	for run, times := range site {
		if times > 1 {
			t.Errorf("run %s has paid %d times", run, times)
		}
		if counted[run] == "" {
			t.Errorf("the reservation of run %s is lost, which has paid", run)
		}
	}
	for run, state := range counted {
		sent, err := st.Commits().Committed(t.Context(), run)
		done, noted := sent[1]
		// A directory writes the ledger before the note: killed between the two, a payment counts and is uncertain.
		if err != nil || !noted || done && state != store.Paid {
			t.Errorf("run %s is %s in the ledger, and its commit is %v, %v", run, state, sent, err)
		}
	}
	for l, err := range st.Limits().List(t.Context()) {
		if err = errors.Join(err, l.Err); err != nil {
			t.Fatal(err)
		}
		if l.Left.Spent.Minor != int64(len(counted))*1000 || l.Left.Spent.Minor > l.Sum.Minor {
			t.Errorf("%v are spent of %v, and %d payments count", l.Left.Spent, l.Sum, len(counted))
		}
	}
}

func TestOnlyWhatThePageIsSurelyOfCountsAgainstALimit(t *testing.T) {
	t.Parallel()
	if p, err := paymentOf(bill("run")); err != nil || p.Amount.String() != "10.00 EUR" || p.Site != "https://shop.example" {
		t.Errorf("it is %+v, %v", p, err)
	}
	for what, spoil := range map[string]func(*replayer.Approval){
		"a control of another site": func(a *replayer.Approval) { a.Origin = "https://pay.example" },
		"a page of another site":    func(a *replayer.Approval) { a.URL = "https://evil.example/pay" },
		"an ambiguous amount":       func(a *replayer.Approval) { a.Amount = "1.234 €" },
		"no amount":                 func(a *replayer.Approval) { a.Amount = "" },
	} {
		a := bill("run")
		spoil(&a)
		if p, err := paymentOf(a); err == nil {
			t.Errorf("with %s it is %+v", what, p)
		}
	}
}

func TestAPersonIsToldWhatWasPaidAndWhatIsLeft(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	twenty := store.Money{Minor: 2000, Currency: "EUR"}
	if _, err := st.Limits().Add(t.Context(), store.Limit{Site: "https://shop.example", Payee: "Meadow Water", Currency: "EUR", Sum: twenty}); err != nil {
		t.Fatal(err)
	}
	var told []Payment
	j := newJournal(st, func(_ context.Context, p Payment) { told = append(told, p) })
	run := store.NewRunID()
	if err := j.BeginPayment(t.Context(), bill(run)); err != nil {
		t.Fatal(err)
	}
	if len(told) > 0 {
		t.Error("it is told before it is known that it was paid")
	}
	if err := j.Resolve(t.Context(), run, 1, true); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Amount.Minor != 1000 || told[0].Run != run || len(told[0].Left) != 1 || told[0].Left[0].Rest.Minor != 1000 {
		t.Errorf("told is %+v", told)
	}
}

func TestAnAnswerToARunThatHasEndedIsToldSo(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	died := exec.CommandContext(t.Context(), "true")
	if err := died.Run(); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]func(q *store.ApprovalRequest){
		"its process died": func(q *store.ApprovalRequest) {
			q.Process = &store.Process{PID: died.Process.Pid, Host: host, Started: time.Now()}
		},
		"its run has ended": func(q *store.ApprovalRequest) {
			r := store.Run{ID: q.Run, Automation: "pay", State: store.Done, Started: time.Now(), Finished: time.Now()}
			if err := st.Runs().Save(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := requestOf(replayer.Approval{Run: store.NewRunID(), Tool: "click", Origin: "https://shop.example", URL: "https://shop.example/pay"})
			q(&request)
			asked, err := st.Approvals().Ask(t.Context(), request, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			var ended *EndedRunError
			if _, err := Answer(t.Context(), st, asked.ID, "ada", true); !errors.As(err, &ended) || !strings.Contains(err.Error(), "nothing was sent") {
				t.Errorf("the answer: %v", err)
			}
			if now, err := st.Approvals().Get(t.Context(), asked.ID); err != nil || now.State != store.ApprovalWithdrawn {
				t.Errorf("it is %s, %v", now.State, err)
			}
		})
	}
	asked, err := st.Approvals().Ask(t.Context(), requestOf(replayer.Approval{Run: store.NewRunID(), Tool: "click", Origin: "https://shop.example", URL: "https://shop.example/pay"}), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Answer(t.Context(), st, asked.ID, "ada", true); err != nil || a.State != store.ApprovalApproved || a.By != "ada" {
		t.Errorf("of a run that waits: %+v, %v", a, err)
	}
}
