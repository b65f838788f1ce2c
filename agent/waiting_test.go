package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// asking is a shop whose orders a person is asked for in the store.
type asking struct {
	*place
	shop   *httptest.Server
	client *mcp.ClientSession
	orders atomic.Int32
	asked  chan store.Approval

	mu   sync.Mutex
	told []mcp.ProgressNotificationParams
}

func startAsking(t *testing.T, within time.Duration, changes ...func(*agent.Options)) *asking {
	t.Helper()
	a := &asking{asked: make(chan store.Approval, 10)}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			a.orders.Add(1)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><p id=to>Meadow Water</p><p id=sum>12,00 €</p><form method=post><button id=pay>Pay 12 €</button></form>`)
	}))
	t.Cleanup(shop.Close)
	a.shop = shop
	a.place = at(t, func(o *agent.Options) {
		o.ApprovalTimeout, o.OnApprovalRequested = within, func(_ context.Context, asked store.Approval) { a.asked <- asked }
		for _, change := range changes {
			change(o)
		}
	})
	a.keep(strings.ReplaceAll(`{"format": 1, "name": "pay", "match": {"urls": ["SHOP/*"]}, "steps": [
		{"tool": "navigate", "url": "http://SHOP/"}, {"tool": "click", "selector": "#pay", "effect": "commit"}]}`, "SHOP", strings.TrimPrefix(shop.URL, "http://")))
	a.client = a.place.client(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.told = append(a.told, *r.Params)
	}})
	must(t, a.client, "navigate", map[string]any{"url": shop.URL})
	return a
}

// begin calls a tool, and gives what comes of it later.
func (a *asking) begin(ctx context.Context, name string, args map[string]any) <-chan result {
	ended := make(chan result, 1)
	go func() {
		params := &mcp.CallToolParams{Name: name, Arguments: args}
		params.SetProgressToken("mine")
		r, err := a.client.CallTool(ctx, params)
		if err != nil {
			ended <- result{Text: err.Error()}
			return
		}
		t, _ := a.t.(*testing.T)
		ended <- resultOf(t, r)
	}()
	return ended
}

// says answers a question as someone who has the store.
func (a *asking) says(asked store.Approval, yes bool) {
	a.t.Helper()
	nonce, err := a.st.Approvals().IssueNonce(a.t.Context(), asked.ID, "ada")
	if err == nil {
		_, err = a.st.Approvals().Answer(a.t.Context(), asked.ID, nonce, yes)
	}
	if err != nil {
		a.t.Error(err)
	}
}

func (a *asking) ordered(want int32) {
	a.t.Helper()
	if got := a.orders.Load(); got != want {
		a.t.Errorf("%d orders, want %d", got, want)
	}
}

func TestARunWaitsForAnAnswerInTheStore(t *testing.T) {
	t.Parallel()
	a := startAsking(t, 10*time.Minute)
	if does := names(t, a.client)["run_pay"].Description; !strings.Contains(does, "a person is asked before that") {
		t.Error(does)
	}
	run := a.begin(t.Context(), "run_pay", map[string]any{"intent": "buy the seeds"})
	asked := <-a.asked
	status := must(t, a.client, "run_status", map[string]any{"run": asked.Run})
	told, _ := status.Value["run"].(map[string]any)
	waits, _ := told["waits_for"].(map[string]any)
	if told["state"] != "waiting_for_person" || waits["approval"] != asked.ID || waits["step"] != 2.0 || waits["says"] != "Pay 12 €" || waits["intent"] != "buy the seeds" || !strings.Contains(fmt.Sprint(told["next"]), "a person answers") {
		t.Errorf("while it waits it is told: %s", status.Text)
	}
	all := must(t, a.client, "run_status", nil)
	if runs, _ := all.Value["runs"].([]any); len(runs) != 1 || !strings.Contains(all.Text, asked.ID) {
		t.Errorf("of all it is told: %s", all.Text)
	}
	eventually(t, "the client is told that it waits", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.told) == 3
	})
	if last := a.told[2]; last.Progress != 1.5 || last.Total != 2 || last.Message != "waits for a person: approval "+asked.ID {
		t.Errorf("the client is told %+v", last)
	}
	a.ordered(0)
	a.says(asked, true)
	if r := <-run; r.IsError || r.Value["state"] != "done" || r.Value["run"] != asked.Run {
		t.Errorf("once approved: %s", r.Text)
	}
	a.ordered(1)

	run = a.begin(t.Context(), "run_pay", nil)
	a.says(<-a.asked, false)
	if r := <-run; r.Error.Code != string(replayer.Refused) || !strings.Contains(r.Error.Reason, "the approver denied") || !strings.Contains(r.Error.Next, "do something else") || r.Error.Run == "" {
		t.Errorf("after a no: %s", r.Text)
	}

	lone := a.begin(t.Context(), "click", map[string]any{"target": "#pay", "intent": "buy more"})
	asked = <-a.asked
	waits, _ = must(t, a.client, "run_status", nil).Value["call_waits_for"].(map[string]any)
	if waits["approval"] != asked.ID || asked.Intent != "buy more" || asked.Run != a.trace()[0].Session {
		t.Errorf("a lone call waits for %v, and asks for %+v", waits, asked)
	}
	a.says(asked, true)
	if r := <-lone; r.IsError {
		t.Errorf("a lone call, once approved: %s", r.Text)
	}
	a.ordered(2)
	if waits := must(t, a.client, "run_status", nil).Value["call_waits_for"]; waits != nil {
		t.Errorf("nothing waits any more, and it is told %v", waits)
	}
}

func TestACallThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	a := startAsking(t, 10*time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	run := a.begin(ctx, "run_pay", nil)
	asked := <-a.asked
	cancel()
	if r := <-run; !strings.Contains(r.Text, context.Canceled.Error()) {
		t.Errorf("a cancelled call gives %s", r.Text)
	}
	eventually(t, "no one is asked any more, and the run is cancelled", func() bool {
		now, err := a.st.Approvals().Get(t.Context(), asked.ID)
		r, missing := a.st.Runs().Get(t.Context(), asked.Run)
		return err == nil && missing == nil && now.State == store.ApprovalWithdrawn && r.State == store.Cancelled
	})
	must(t, a.client, "extract", map[string]any{"target": "#pay", "as": "pay"}) // the page is there as before
	run = a.begin(t.Context(), "click", map[string]any{"target": "#pay"})
	asked = <-a.asked
	if err := a.server.Close(); err != nil {
		t.Error(err)
	}
	<-run
	if now, err := a.st.Approvals().Get(t.Context(), asked.ID); err != nil || now.State != store.ApprovalWithdrawn {
		t.Errorf("what a server has asked that was closed is %s, %v", now.State, err)
	}
	a.ordered(0)
}

// A run whose process was killed waits for no one any more, whatever its record says.
func TestARunThatWasLostIsToldSo(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Owner = "the client" })
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const unused = 1 << 30 // more than any process has
	run := store.Run{
		ID: store.NewRunID(), Automation: "pay", Owner: "the client", State: store.WaitingForPerson, Started: time.Now(),
		Process: &store.Process{Host: host, PID: unused, Started: time.Now()},
	}
	if err := p.st.Runs().Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	question := store.ApprovalRequest{Run: run.ID, Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay"}
	if _, err := p.st.Approvals().Ask(t.Context(), question, time.Minute); err != nil {
		t.Fatal(err)
	}
	p.keep(`{"format": 1, "name": "pay", "match": {"urls": ["HOST/*"]}, "steps": [{"tool": "navigate", "url": "http://HOST/form"}]}`)
	client := p.client(nil)
	r := must(t, client, "run_status", map[string]any{"run": run.ID})
	told, _ := r.Value["run"].(map[string]any)
	if told["lost"] != true || told["waits_for"] != nil || !strings.Contains(fmt.Sprint(told["next"]), "died without recording a result") {
		t.Errorf("it is told %s", r.Text)
	}
	if err := p.st.Commits().Begin(t.Context(), run.ID+".2", 4); err != nil { // in an automation that it plays
		t.Fatal(err)
	}
	r = must(t, client, "run_status", map[string]any{"run": run.ID})
	one, _ := r.Value["run"].(map[string]any)
	all, _ := must(t, client, "run_status", nil).Value["runs"].([]any)
	for _, told := range append(all, one) {
		if told := asObject(told); told["state"] != "uncertain" || told["lost"] != true || told["resumable"] != nil || !strings.Contains(fmt.Sprint(told["next"]), "do not do it again") {
			t.Errorf("with a commit that was sent it is told as %v", told)
		}
	}
	if len(all) != 1 {
		t.Errorf("%d runs are told of", len(all))
	}
	fails(t, client, string(replayer.Uncertain), "run_pay", map[string]any{"resume": run.ID})
}

func TestSilenceIsRefused(t *testing.T) {
	t.Parallel()
	a := startAsking(t, 50*time.Millisecond)
	for name, args := range map[string]map[string]any{"run_pay": nil, "click": {"target": "#pay"}} {
		r := fails(t, a.client, string(replayer.Refused), name, args)
		if !strings.Contains(r.Error.Reason, "no one answered in time") || r.Error.Suggestion != nil {
			t.Errorf("%s, and silence: %s", name, r.Text)
		}
	}
	a.ordered(0)
	if _, err := agent.New(t.Context(), &agent.Options{Store: a.st, ApprovalTimeout: 48 * time.Hour}); err == nil {
		t.Error("a question may wait for two days")
	}
}

// One question for one payment: the facts are the page's, and the press that follows is not asked for again.
func TestAnAgentRequestsAnApprovalOfWhatThePageShows(t *testing.T) {
	t.Parallel()
	a := startAsking(t, 10*time.Minute)
	args := map[string]any{"target": "#pay", "payee": "#to", "amount": "#sum", "intent": "pay 1 € to Ada"}
	request := a.begin(t.Context(), "request_approval", args)
	asked := <-a.asked
	if asked.Payee != "Meadow Water" || asked.Amount != "12,00 €" || asked.Label != "Pay 12 €" || asked.Tool != "click" || asked.Intent != "pay 1 € to Ada" {
		t.Errorf("asked is %+v", asked)
	}
	if picture, err := a.st.Approvals().Picture(t.Context(), asked.ID); err != nil || len(picture) == 0 {
		t.Errorf("its picture: %v", err)
	}
	a.ordered(0)
	a.says(asked, true)
	if r := <-request; r.IsError || r.Value["approved"] != true {
		t.Fatalf("once approved: %s", r.Text)
	}
	a.ordered(0)
	must(t, a.client, "click", map[string]any{"target": "#pay"})
	a.ordered(1)
	select {
	case again := <-a.asked:
		t.Errorf("it was asked again: %+v", again)
	default:
	}
	// A second payment is asked for, and silence about it is no consent.
	lone := a.begin(t.Context(), "click", map[string]any{"target": "#pay"})
	a.says(<-a.asked, false)
	if r := <-lone; r.Error.Code != string(replayer.Refused) || r.Error.Outcome != replayer.ApprovalDenied || r.Error.Consent == nil || *r.Error.Consent {
		t.Errorf("denied: %s", r.Text)
	}
	a.ordered(1)
}

func TestAnAgentsRunPaysWithinALimitAndAsksOverIt(t *testing.T) {
	t.Parallel()
	var events <-chan handoff.Event
	a := startAsking(t, 10*time.Minute, func(o *agent.Options) {
		desk, err := handoff.New(&handoff.Options{Store: o.Store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		o.Handoffs = desk
		events, _ = desk.Events()
	})
	a.keep(strings.ReplaceAll(`{"format": 1, "name": "pay-bill", "match": {"urls": ["SHOP/*"]}, "steps": [
		{"tool": "navigate", "url": "http://SHOP/"}, {"tool": "approve", "args": {"payee": "#to", "amount": "#sum"}},
		{"tool": "click", "selector": "#pay", "effect": "commit"}]}`, "SHOP", strings.TrimPrefix(a.shop.URL, "http://")))
	eur := func(minor int64) store.Money { return store.Money{Minor: minor, Currency: "EUR"} }
	if _, err := a.st.Limits().Add(t.Context(), store.Limit{Site: a.shop.URL, Payee: "Meadow Water", Currency: "EUR", Each: eur(1500), Sum: eur(2000), By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if r := must(t, a.client, "run_pay_bill", nil); r.Value["state"] != "done" {
		t.Errorf("within the limit: %s", r.Text)
	}
	a.ordered(1)
	if len(a.asked) > 0 {
		t.Errorf("within the limit a person is asked for %+v", <-a.asked)
	}
	for e := range events { // programs are told
		if e.Kind == handoff.Paid {
			if e.Run == "" || e.URL != a.shop.URL || !strings.HasPrefix(e.Text, "12.00 EUR to Meadow Water\nleft of limit ") || !strings.Contains(e.Text, "8.00 EUR until ") {
				t.Errorf("the event is %+v", e)
			}
			break
		}
	}
	over := a.begin(t.Context(), "run_pay_bill", nil)
	asked := <-a.asked
	if asked.Payee != "Meadow Water" || asked.Amount != "12,00 €" {
		t.Errorf("over it a person is asked for %+v", asked)
	}
	a.ordered(1)
	a.says(asked, false)
	if r := <-over; r.Error.Code != string(replayer.Refused) {
		t.Errorf("over it, after a no: %s", r.Text)
	}
	a.ordered(1)
}
