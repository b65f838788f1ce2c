package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

// billDocument pays a bill.
func billDocument(t *testing.T, url string) *automation.Automation {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"pay-bill","match":{"urls":["%[2]s/*"]},
		"variables":{"type":"object","properties":{"reference":{"type":"string"},"card":{"type":"string","writeOnly":true}},"required":["reference","card"]},
		"steps":[
			{"tool":"navigate","url":"%[1]s/bill"},
			{"tool":"typeInput","selector":"#reference","value":{"kind":"variable","name":"reference"}},
			{"tool":"typeInput","selector":"#card","value":{"kind":"variable","name":"card"}},
			{"tool":"click","selector":"#continue"},
			{"tool":"waitForNav","url":"%[2]s/bill/review"},
			{"tool":"click","selector":"#pay","effect":"commit","intent":"pay the bill"},
			{"tool":"waitForNav","url":"%[2]s/bill/paid"}]}`, url, strings.TrimPrefix(url, "http://")))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// payments is a site whose bills are paid by processes of the command, and a store in which
// they ask before they do.
type payments struct {
	*testing.T
	site  *demosite.Server
	store string // as --data or --store and what it names
	st    store.Store
	vars  string // file
}

func startPayments(t *testing.T, flag, place string) *payments {
	t.Helper()
	browsertest.Slot(t)
	site, err := demosite.Start(&demosite.Options{Delay: -1, NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	st, err := store.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if _, err := st.Automations().Save(t.Context(), billDocument(t, site.URL)); err != nil {
		t.Fatal(err)
	}
	vars := scratch(t, `{"reference": "W-1017", "card": "`+testCard+`"}`).Name()
	return &payments{T: t, site: site, store: flag + "=" + place, st: st, vars: vars}
}

// player is a process that plays, and what it prints.
type player struct {
	*exec.Cmd
	out, errors strings.Builder
}

// begin starts a process of the command.
func (p *payments) begin(args ...string) *player {
	p.Helper()
	c := &player{Cmd: exec.CommandContext(p.Context(), "reprise", append(args, p.store)...)}
	c.Stdout, c.Stderr = &c.out, &c.errors
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	return c
}

// ends waits for a process, and wants this exit code.
func (p *payments) ends(c *player, want int) string {
	p.Helper()
	_ = c.Wait() // its exit code is checked
	if code := c.ProcessState.ExitCode(); code != want {
		p.Errorf("reprise %v exits %d, want %d:\n%s%s", c.Args[1:], code, want, c.out.String(), c.errors.String())
	}
	return c.out.String()
}

// asked waits until something is asked, and returns it.
func (p *payments) asked() (pending store.Approval) {
	p.Helper()
	browsertest.Until(p.T, "an approval request", func() bool {
		for a, err := range p.st.Approvals().Pending(p.Context()) {
			if err = errors.Join(err, a.Err); err != nil {
				p.Fatal(err)
			}
			pending = a.Approval
			return true
		}
		return false
	})
	return pending
}

// refusedFor reads what play prints of a run that was refused, and returns the run.
func (p *payments) refusedFor(said, why string) string {
	p.Helper()
	got := decoded[played](p.T, said)
	if got.Outcome != store.Failed || got.Error == nil || got.Error.Code != "refused" || !strings.Contains(got.Error.Reason, why) {
		p.Errorf("play says, where it was to be refused for %q: %s", why, said)
	}
	return got.Run
}

func (p *payments) paid(want int) {
	p.Helper()
	if got := len(p.site.Payments()); got != want {
		p.Errorf("%d bills are paid, want %d", got, want)
	}
}

// becomes waits until the record of a run has a state.
func (p *payments) becomes(run string, want store.RunState) {
	p.Helper()
	browsertest.Until(p.T, "the run is "+string(want), func() bool {
		now, err := p.st.Runs().Get(p.Context(), run)
		if err != nil {
			p.Fatal(err)
		}
		return now.State == want
	})
}

func TestAnotherProcessAnswersWhatARunAsks(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	p := startPayments(t, "--data", filepath.Join(t.TempDir(), "data"))
	play := func(flags ...string) *player {
		return p.begin(append([]string{"play", "pay-bill", "--vars", p.vars, "--browser", b.Endpoint(), "--ask", "store", "--json"}, flags...)...)
	}

	run := play()
	a := p.asked()
	p.becomes(a.Run, store.WaitingForPerson)
	if a.Step != 5 || a.Tool != "click" || a.Intent != "pay the bill" || !strings.Contains(a.Label, "Pay") || a.Origin != p.site.URL || a.URL != p.site.URL+"/bill/review" {
		t.Errorf("it asks for %+v", a)
	}
	if listed := decoded[[]render.Approval](t, p.ends(p.begin("approvals", "list", "--json"), failure.ExitDone)); len(listed) != 1 || listed[0].ID != a.ID || listed[0].Says != a.Label {
		t.Errorf("approvals list says %+v", listed)
	}
	completing := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
	if code := completing.execute(t.Context(), []string{"__complete", p.store, "approvals", "yes", a.ID[:5]}); code != failure.ExitDone {
		t.Errorf("completing exits %d", code)
	}
	if offered, err := os.ReadFile(completing.stdout.Name()); err != nil || !strings.Contains(string(offered), a.ID+"\tclick “Pay") {
		t.Errorf("completed is %s, %v", offered, err)
	}
	p.paid(0)
	p.ends(p.begin("approvals", "yes", a.ID), failure.ExitDone)
	if said := decoded[played](t, p.ends(run, failure.ExitDone)); said.Outcome != store.Done || said.Run != a.Run || !strings.Contains(run.errors.String(), "reprise approvals yes "+a.ID) {
		t.Errorf("play says %+v\n%s", said, run.errors.String())
	}
	p.paid(1)
	again := p.begin("approvals", "no", a.ID, "--json")
	if said := decoded[struct{ Error failure.Failure }](t, p.ends(again, failure.ExitFailed)); said.Error.Code != "ended" {
		t.Errorf("a second answer says %+v", said)
	}

	run = play()
	p.ends(p.begin("approvals", "no", p.asked().ID), failure.ExitDone)
	p.refusedFor(p.ends(run, failure.ExitPerson), "the approver denied")

	run = play()
	a = p.asked()
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it was killed
	if said := decoded[struct{ Error failure.Failure }](t, p.ends(p.begin("approvals", "yes", a.ID, "--json"), failure.ExitFailed)); said.Error.Code != "run_ended" || !strings.Contains(said.Error.Reason, "nothing was sent") {
		t.Errorf("an answer to a run that was killed is told %+v", said)
	}
	resumed := p.begin("play", "pay-bill", "--vars", p.vars, "--browser", b.Endpoint(), "--ask", "store", "--answer-within", "100ms", "--resume", a.Run, "--json")
	if run := p.refusedFor(p.ends(resumed, failure.ExitPerson), "no one answered in time"); run != a.Run {
		t.Errorf("run %s went on, want %s", run, a.Run)
	}
	silent := p.ends(play("--answer-within", "100ms"), failure.ExitPerson)
	p.refusedFor(silent, "no one answered in time")
	if e := decoded[played](t, silent).Error; e.Outcome != "expired" || e.Consent == nil || *e.Consent {
		t.Errorf("silence is told as %+v", e)
	}
	p.paid(1)
	if now, err := p.st.Approvals().Get(t.Context(), a.ID); err != nil || now.State != store.ApprovalWithdrawn || !now.Spent.IsZero() {
		t.Errorf("what was said to a run that is dead is %+v, %v", now, err)
	}
}

func TestAQueuedRunIsAnsweredFromElsewhere(t *testing.T) {
	t.Parallel()
	place := postgrestest.Database(t)
	p := startPayments(t, "--store", place)
	key := filepath.Join(t.TempDir(), "key")
	values := fmt.Sprintf(`{"reference": "W-1017", "card": {"secret": %q, "origins": [%q]}}`, testCard, p.site.URL)
	putting := &app{stdin: scratch(t, values), stdout: scratch(t, ""), stderr: scratch(t, "")}
	if code := putting.execute(t.Context(), []string{"task", "put", "bill", "--key", key, p.store}); code != failure.ExitDone {
		t.Fatalf("task put exits %d", code)
	}
	(&queueTest{T: t, address: place}).work("--key", key)
	play := func(flags ...string) *player {
		return p.begin(append([]string{"play", "pay-bill", "--task", "bill", "--queue", "--ask", "store", "--json"}, flags...)...)
	}
	run := play()
	a := p.asked()
	p.becomes(a.Run, store.WaitingForPerson)
	p.ends(p.begin("approvals", "yes", a.ID), failure.ExitDone)
	p.ends(run, failure.ExitDone)
	p.paid(1)
	if !strings.Contains(run.errors.String(), "waits for a person") {
		t.Errorf("who follows it is told:\n%s", run.errors.String())
	}
	run = play()
	a = p.asked()
	p.ends(p.begin("runs", "cancel", a.Run), failure.ExitDone)
	if said := decoded[played](t, p.ends(run, failure.ExitFailed)); said.Outcome != store.Cancelled {
		t.Errorf("play says %+v", said)
	}
	if now, err := p.st.Approvals().Get(t.Context(), a.ID); err != nil || now.State != store.ApprovalWithdrawn {
		t.Errorf("what a cancelled run has asked is %s, %v", now.State, err)
	}
	p.paid(1)
}

func TestWhoIsAskedIsSaidInFull(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"play", "a", "--ask", "chat"}, {"play", "a", "--ask", "store", "--answer-within", "0s"}, {"play", "a", "--ask", "store", "--answer-within", "48h"},
		{"play", "a", "--answer-within", "1m"}, {"approvals", "list", "--limit", "-1"}, {"approvals", "yes"}, {"approvals"},
	} {
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), append(args, "--data", t.TempDir())); code != failure.ExitUsage {
			t.Errorf("reprise %v exits %d, want %d", args, code, failure.ExitUsage)
		}
	}
}

// What a page says is of the page: it cannot move the cursor of the reader's terminal.
func TestWhatIsAskedForIsToldInALine(t *testing.T) {
	t.Parallel()
	a := store.Approval{ApprovalRequest: store.ApprovalRequest{Tool: "click", Label: "Pay\n\x1b[2J\u202eyaP", Payee: "A\x00B", Amount: "1", Currency: "EUR\r", Origin: "https://shop.example"}}
	if got, want := render.ApprovalLine(a.ApprovalRequest), "click “Pay [2JyaP” to AB, 1 EUR at https://shop.example"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if _, err := json.Marshal(render.ApprovalOf(store.ApprovalSummary{Approval: a})); err != nil {
		t.Error(err)
	}
}
