package agent_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// takeover is an agent whose page a person can take over.
type takeover struct {
	*place
	desk    *handoff.Desk
	client  *mcp.ClientSession
	notices chan handoff.Notice
	shop    string
}

func startTakeover(t *testing.T, more ...func(*agent.Options)) *takeover {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Shop</title><button id=b onclick="document.title = 'pressed'">Go</button>`))
	}))
	t.Cleanup(shop.Close)
	o := &takeover{notices: make(chan handoff.Notice, 10), shop: shop.URL}
	o.place = at(t, func(options *agent.Options) {
		var err error
		o.desk, err = handoff.New(&handoff.Options{Store: options.Store, PublicURL: "http://127.0.0.1:1", Notify: func(n handoff.Notice) { o.notices <- n }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.desk.Close)
		options.Handoffs = o.desk
		for _, change := range more {
			change(options)
		}
	})
	o.client = o.place.client(nil)
	must(t, o.client, "navigate", map[string]any{"url": o.shop})
	return o
}

// later calls a tool, and returns what comes of it.
func (o *takeover) later(t *testing.T, name string, args map[string]any) <-chan result {
	t.Helper()
	ended := make(chan result, 1)
	go func() {
		r, err := o.client.CallTool(browsertest.Context(t), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			ended <- result{Text: err.Error()}
			return
		}
		ended <- resultOf(t, r)
	}()
	return ended
}

// While a person has the page the agent is blind and bound; then it must look before it acts.
func TestAnAgentIsBlindWhileAPersonHasItsPage(t *testing.T) {
	t.Parallel()
	o := startTakeover(t)
	waits := o.later(t, "request_human", map[string]any{"reason": "login", "instruction": "Sign in."})
	notice := <-o.notices
	if notice.Reason != "login" || notice.Instruction != "Sign in." || !strings.Contains(notice.Link, notice.Handoff+".") {
		t.Errorf("the person is told %+v", notice)
	}
	answered := []string{"human_wait", "handoff_status", "handoff_finish", "handoff_cancel"}
	tools, err := o.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, tool := range tools.Tools {
		if strings.Contains(strings.Join(answered, " "), tool.Name) {
			continue
		}
		r := fails(t, o.client, agent.HeldByPerson, tool.Name, map[string]any{})
		refused++
		if !strings.Contains(r.Text, `"tool":"human_wait"`) || !strings.Contains(r.Text, notice.Handoff) {
			t.Errorf("%s does not tell what to call: %s", tool.Name, r.Text)
		}
	}
	if refused < 25 {
		t.Errorf("%d tools are refused", refused)
	}
	status := must(t, o.client, "handoff_status", map[string]any{"handoff_id": notice.Handoff})
	if status.Value["status"] != "RUNNING" {
		t.Errorf("it is %v", status.Value)
	}
	running := must(t, o.client, "human_wait", map[string]any{"handoff_id": notice.Handoff, "wait_seconds": 0})
	if line := fmt.Sprint(running.Value["line"]); !strings.Contains(line, notice.Handoff) || !strings.Contains(line, "login") || !strings.Contains(line, "until 20") {
		t.Errorf("its line is %q", line)
	}
	if running.Value["status"] != "RUNNING" || running.Value["retry_after"] == nil {
		t.Errorf("waiting for no time: %v", running.Value)
	}

	if unmet, err := o.desk.Get(notice.Handoff).Return(browsertest.Context(t)); err != nil || unmet != "" {
		t.Fatalf("returning it: %q, %v", unmet, err)
	}
	done := <-waits
	if done.Value["status"] != "FINISHED" || done.Value["resume_hint"] == "" || done.Value["delta_summary"] != "nothing changed" {
		t.Errorf("the agent is told %s", done.Text)
	}
	if r := fails(t, o.client, agent.LookFirst, "click", map[string]any{"target": "#b", "intent": "go on"}); r.Error.Intent != "go on" {
		t.Errorf("the error says it was to %q", r.Error.Intent)
	}
	must(t, o.client, "snapshot", nil)
	must(t, o.client, "click", map[string]any{"target": "#b"})
	if again := must(t, o.client, "handoff_status", map[string]any{"handoff_id": notice.Handoff}); again.Value["status"] != "FINISHED" {
		t.Errorf("later it is %v", again.Value)
	}
}

// An agent ends a handoff of its own that no person has opened, and no one else's.
func TestAnAgentEndsOnlyItsOwnHandoff(t *testing.T) {
	t.Parallel()
	o := startTakeover(t)
	started := must(t, o.client, "handoff_start", map[string]any{"reason": "other", "instruction": "Look.", "timeout_ms": 60000})
	id := started.Value["handoff_id"]
	other := o.place.client(nil)
	for _, tool := range []string{"handoff_status", "handoff_finish", "handoff_cancel", "human_wait"} {
		fails(t, other, agent.NotFound, tool, map[string]any{"handoff_id": id})
	}
	if ended := must(t, o.client, "handoff_finish", map[string]any{"handoff_id": id}); ended.Value["status"] != "FINISHED" {
		t.Errorf("it is %v", ended.Value)
	}
	started = must(t, o.client, "handoff_start", map[string]any{"reason": "other", "instruction": "Look.", "until": "#never"})
	for range handoff.MaxTries + 1 {
		fails(t, o.client, agent.Conflict, "handoff_finish", map[string]any{"handoff_id": started.Value["handoff_id"]})
	}
	if ended := must(t, o.client, "handoff_cancel", map[string]any{"handoff_id": started.Value["handoff_id"]}); ended.Value["status"] != "CANCELLED" {
		t.Errorf("it is %v", ended.Value)
	}
}

// A run that hands over waits for the person, and goes on in the same page.
func TestARunGoesOnAfterItsHandoff(t *testing.T) {
	t.Parallel()
	o := startTakeover(t)
	o.keep(strings.ReplaceAll(`{"format": 1, "name": "helped", "match": {"urls": ["SHOP/*"]}, "steps": [
		{"tool": "navigate", "url": "http://SHOP/"}, {"tool": "handoff", "args": {"reason": "2fa", "message": "Enter the code."}},
		{"tool": "click", "selector": "#b"}, {"tool": "extract", "selector": "#b", "args": {"as": "said"}}]}`, "SHOP", strings.TrimPrefix(o.shop, "http://")))
	events, stop := o.desk.Events()
	defer stop()
	waits := o.later(t, "run_automation", map[string]any{"name": "helped"})
	notice := <-o.notices
	if notice.Reason != "2fa" || notice.Instruction != "Enter the code." || notice.Run == "" {
		t.Errorf("the person is told %+v", notice)
	}
	fails(t, o.client, agent.HeldByPerson, "snapshot", nil)
	if unmet, err := o.desk.Get(notice.Handoff).Return(browsertest.Context(t)); err != nil || unmet != "" {
		t.Fatalf("returning it: %q, %v", unmet, err)
	}
	if done := <-waits; done.Value["state"] != "done" {
		t.Errorf("the run ends %s", done.Text)
	}
	var told []string
	for range 6 {
		e := <-events
		told = append(told, e.Kind+" "+e.Status)
	}
	if got, want := strings.Join(told, ", "), "RUN_UPDATE running, ACTION_REQUIRED , RUN_UPDATE waiting_for_person, ACTION_RESOLVED FINISHED, RUN_UPDATE running, RUN_UPDATE done"; got != want {
		t.Errorf("programs are told %s, want %s", got, want)
	}
}

// An operator who lets agents see one another's calls lets them end no handoff of another.
func TestASharedJournalGivesNoAgentTheHandoffOfAnother(t *testing.T) {
	t.Parallel()
	o := startTakeover(t, func(options *agent.Options) { options.ShareJournal = true })
	id := must(t, o.client, "handoff_start", map[string]any{"reason": "other", "instruction": "Look."}).Value["handoff_id"]
	other := o.place.client(nil)
	if seen := must(t, other, "handoff_status", map[string]any{"handoff_id": id}); seen.Value["status"] != "RUNNING" {
		t.Errorf("it is %v", seen.Value)
	}
	for _, tool := range []string{"handoff_finish", "handoff_cancel"} {
		fails(t, other, agent.NotFound, tool, map[string]any{"handoff_id": id})
	}
	if seen := must(t, o.client, "handoff_status", map[string]any{"handoff_id": id}); seen.Value["status"] != "RUNNING" {
		t.Errorf("it is %v", seen.Value)
	}
}
