package agent_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestWhatCommitsIsRefusedWithoutLeave(t *testing.T) {
	t.Parallel()
	orders := atomic.Int32{}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			orders.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><form method=post><button id=pay>Pay 12 €</button></form>`)
	}))
	t.Cleanup(shop.Close)
	document := strings.ReplaceAll(`{"format": 1, "name": "pay", "match": {"urls": ["HOST/*"]}, "steps": [
		{"tool": "navigate", "url": "http://HOST/"}, {"tool": "click", "selector": "#pay", "effect": "commit"}]}`, "HOST", strings.TrimPrefix(shop.URL, "http://"))
	p := at(t, func(o *agent.Options) { o.Tools = forPeople(t) })
	p.keep(document)
	s := p.client(nil)
	tool := names(t, s)["run_pay"]
	if tool.Annotations.DestructiveHint == nil || !*tool.Annotations.DestructiveHint || !strings.Contains(tool.Description, "commit") {
		t.Errorf("%+v", tool)
	}
	p.keep(signIn)
	if tool := names(t, s)["run_demo_login"]; *tool.Annotations.DestructiveHint {
		t.Error("a sign-in is said to destroy")
	}
	must(t, s, "navigate", map[string]any{"url": shop.URL})
	for name, args := range map[string]map[string]any{"run_pay": nil, "click": {"target": "#pay"}, "keypress": {"target": "#pay", "key": "Enter"}} {
		r := fails(t, s, string(replayer.Refused), name, args)
		if r.Error.Suggestion == nil || r.Error.Suggestion.Tool != "request_human" || r.Error.Suggestion.Arguments["reason"] != "approval" {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
	if n := orders.Load(); n > 0 {
		t.Errorf("%d orders", n)
	}
	allowed := at(t, func(o *agent.Options) { o.Commit = replayer.AllowCommits })
	allowed.keep(document)
	must(t, allowed.client(nil), "run_pay", nil)
	if n := orders.Load(); n != 1 {
		t.Errorf("%d orders, with leave for one", n)
	}
}

// forPeople are tools that are served by the names that suggestions have.
func forPeople(t *testing.T) *replayer.Tools {
	t.Helper()
	tools, err := replayer.NewTools(replayer.Tool{Name: "request.human", Do: nothing}, replayer.Tool{Name: "handoff.start", Do: nothing})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// Each tool that is named in what to do next is served, or it is not named.
func TestNextNamesOnlyToolsThatAreServed(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Timeout = time.Second })
	s := p.client(nil)
	all := names(t, s)
	for code, next := range agent.Nexts {
		for _, word := range regexp.MustCompile(`[a-z]+(_[a-z]+)+`).FindAllString(next, -1) {
			if all[word] == nil {
				t.Errorf("what to do after %s names %s, which is not served", code, word)
			}
		}
		if strings.Contains(next, "suggestion") {
			t.Errorf("after %s, a suggestion is spoken of whether there is one or not", code)
		}
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><p>nothing`)
	}))
	t.Cleanup(page.Close)
	must(t, s, "navigate", map[string]any{"url": page.URL})
	r := fails(t, s, string(replayer.NotFound), "click", map[string]any{"target": "#never"})
	if r.Error.Suggestion != nil || strings.Contains(r.Text, "suggestion") {
		t.Errorf("without a tool for it: %s", r.Text)
	}
}

// yes is a person who agrees to everything, and remembers for what.
type yes struct{ asked chan string }

func (y yes) Approve(_ context.Context, a replayer.Approval) (bool, error) {
	y.asked <- a.Intent
	return true, nil
}

func (y yes) TakeOver(_ context.Context, h replayer.Handoff) (replayer.Returned, error) {
	y.asked <- h.Message
	return replayer.Returned{}, nil
}

// no is a person who agrees to nothing.
type no struct{ asked *atomic.Int32 }

func (n no) Approve(context.Context, replayer.Approval) (bool, error) {
	n.asked.Add(1)
	return false, nil
}

func (no) TakeOver(context.Context, replayer.Handoff) (replayer.Returned, error) {
	return replayer.Returned{Status: replayer.Aborted}, nil
}

// Who is asked often enough says yes in the end: an agent does not ask so often, nor by another connection.
func TestAPersonWhoDeniesIsNotAskedAgainAndAgain(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			t.Error("it was sent")
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><form method=post><button id=pay>Pay 12 €</button></form>`)
	}))
	t.Cleanup(shop.Close)
	asked := new(atomic.Int32)
	p := at(t, func(o *agent.Options) { o.Person = no{asked} })
	for range 2 {
		s := p.client(nil)
		must(t, s, "navigate", map[string]any{"url": shop.URL})
		for range 4 {
			r := fails(t, s, string(replayer.Refused), "click", map[string]any{"target": "#pay"})
			if r.Error.Outcome != replayer.ApprovalDenied || r.Error.Suggestion != nil {
				t.Errorf("denied: %s", r.Text)
			}
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the person was asked %d times", n)
	}
}

func TestAPersonWhoIsAskedIsToldWhatItIsFor(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><form method=post><button id=pay>Pay 12 €</button></form>`)
	}))
	t.Cleanup(shop.Close)
	asked := make(chan string, 10)
	p := at(t, func(o *agent.Options) { o.Person = yes{asked} })
	p.keep(strings.ReplaceAll(`{"format": 1, "name": "pay", "match": {"urls": ["HOST/*"]}, "steps": [
		{"tool": "navigate", "url": "http://HOST/"}, {"tool": "handoff"}, {"tool": "click", "selector": "#pay", "effect": "commit"}]}`, "HOST", strings.TrimPrefix(shop.URL, "http://")))
	s := p.client(nil)
	must(t, s, "run_pay", map[string]any{"intent": "pay for the seeds"})
	must(t, s, "click", map[string]any{"target": "#pay", "intent": "pay once more"})
	must(t, s, "run_pay", nil)
	for _, want := range []string{"pay for the seeds", "pay for the seeds", "pay once more", "", ""} {
		if got := <-asked; got != want {
			t.Errorf("a person is told %q, want %q", got, want)
		}
	}
}

func TestAWallCarriesTheCallThatGetsOn(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Timeout, o.Tools = 2*time.Second, forPeople(t) })
	p.keep(`{"format": 1, "name": "see-orders", "match": {"urls": ["HOST/*"]}, "steps": [
		{"tool": "navigate", "url": "http://HOST/signin"}, {"tool": "click", "selector": "#accept-all", "optional": true},
		{"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "literal", "value": "ada@example.com"}}, {"tool": "click", "selector": "#identifierNext"},
		{"tool": "click", "selector": "#orders"}]}`)
	p.keep(signIn)
	s := p.client(nil)
	r := fails(t, s, string(replayer.Blocked), "run_see_orders", nil)
	if r.Error.Suggestion == nil || r.Error.Suggestion.Tool != "handoff_start" || r.Error.Suggestion.Arguments["reason"] != "login" || r.Error.Run == "" || *r.Error.Step != 5 {
		t.Fatalf("%s", r.Text)
	}
	status := must(t, s, "run_status", map[string]any{"run": r.Error.Run})
	if told, _ := status.Value["run"].(map[string]any); told["state"] != "failed" || told["code"] != "blocked" || told["resumable"] != true {
		t.Errorf("%s", status.Text)
	}
	account := p.site.Accounts()[0].Email
	matched := must(t, s, "match_automation", map[string]any{"account": account})
	next, _ := matched.Value["call"].(map[string]any)
	if matched.Value["found"] != true || next["tool"] != "run_demo_login" {
		t.Fatalf("%s", matched.Text)
	}
	arguments, _ := next["arguments"].(map[string]any)
	must(t, s, fmt.Sprint(next["tool"]), arguments)
	if p.site.SignIns(account) != 1 {
		t.Error("not signed in")
	}
	fails(t, s, string(replayer.NotFound), "run_see_orders", map[string]any{"resume": r.Error.Run}) // it goes on where it stopped
	again := must(t, s, "run_status", map[string]any{"run": r.Error.Run})
	if told, _ := again.Value["run"].(map[string]any); told["code"] != "gone" || told["steps_done"] != 4.0 {
		t.Errorf("%s", again.Text)
	}
}

func TestAnUncertainRunIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	orders := atomic.Int32{}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			orders.Add(1)
			panic(http.ErrAbortHandler) // the answer is lost
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><form method=post><button id=pay>Pay 12 €</button></form>`)
	}))
	t.Cleanup(shop.Close)
	p := at(t, func(o *agent.Options) {
		o.Commit, o.Timeout, o.Tools = replayer.AllowCommits, 2*time.Second, forPeople(t)
	})
	p.keep(strings.ReplaceAll(`{"format": 1, "name": "pay", "match": {"urls": ["HOST/*"]}, "steps": [
		{"tool": "navigate", "url": "http://HOST/"}, {"tool": "click", "selector": "#pay", "effect": "commit"}, {"tool": "waitForNav", "url": "HOST/thanks"}]}`, "HOST", strings.TrimPrefix(shop.URL, "http://")))
	s := p.client(nil)
	r := fails(t, s, string(replayer.Uncertain), "run_pay", nil)
	if r.Error.Suggestion == nil || r.Error.Suggestion.Tool != "handoff_start" || r.Error.Suggestion.Arguments["reason"] != "manual_recovery" || r.Error.Resumable {
		t.Errorf("%s", r.Text)
	}
	fails(t, s, string(replayer.Uncertain), "run_pay", map[string]any{"resume": r.Error.Run})
	if n := orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
	calls := p.trace()
	if calls[0].Outcome != store.CallUncertain || calls[0].Run != r.Error.Run || len(calls[0].Evidence) == 0 {
		t.Errorf("%+v", calls[0])
	}
}

func TestWhatIsMissingIsToldWithWhatToDo(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(signIn)
	p.keep(strings.Replace(strings.Replace(signIn, "demo-login", "own-login", 1), `"match": {`, `"match": {"account": "ada", `, 1))
	s := p.client(nil)
	fails(t, s, agent.NotFound, "run_automation", map[string]any{"name": "no-such"})
	r := fails(t, s, agent.NotFound, "run_own_login", map[string]any{"account": "grace"})
	if fmt.Sprint(r.Error.Accounts) != "[ada]" {
		t.Errorf("%s", r.Text)
	}
	fails(t, s, agent.NotFound, "run_status", map[string]any{"run": store.NewRunID()})
	r = fails(t, s, string(replayer.InvalidValue), "run_demo_login", map[string]any{"account": "stranger@example.com", "vars": map[string]any{"email": "stranger@example.com"}})
	if !strings.Contains(r.Error.Reason, `"password"`) || !strings.Contains(r.Error.Next, "stored for the account") {
		t.Errorf("%s", r.Text)
	}
	none := must(t, s, "match_automation", map[string]any{"url": "https://elsewhere.example/"})
	if none.Value["found"] != false || none.Value["next"] == nil {
		t.Errorf("%s", none.Text)
	}
	fails(t, s, string(replayer.OutOfScope), "click", map[string]any{"target": "#x"})
	fails(t, s, string(replayer.Refused), "navigate", map[string]any{"url": "file:///etc/passwd"})
	fails(t, s, string(replayer.Refused), "navigate", map[string]any{"url": "http://169.254.169.254/latest/meta-data"})
	fails(t, s, agent.InvalidArguments, "click", map[string]any{"target": "css/#x"})
	listed := must(t, s, "list_automations", map[string]any{"query": "OWN-"})
	if all, _ := listed.Value["automations"].([]any); len(all) != 1 || strings.Contains(listed.Text, "analytical") {
		t.Errorf("%s", listed.Text)
	}
}

func TestNoPageGoesToTheServersOwnAddress(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.SelfAddrs = []string{"127.0.0.1:7337", "agents.example:443"} })
	p.keep(`{"format": 1, "name": "own", "match": {"urls": ["localhost:7337/*"]}, "steps": [{"tool": "navigate", "url": "http://localhost:7337/mcp"}]}`)
	s := p.client(nil)
	for _, url := range []string{"http://127.0.0.1:7337/mcp", "http://localhost:7337/", "http://[::1]:7337/", "https://agents.example/mcp"} {
		fails(t, s, string(replayer.OutOfScope), "navigate", map[string]any{"url": url})
		fails(t, s, string(replayer.OutOfScope), "tab", map[string]any{"tab": "x", "url": url})
	}
	fails(t, s, string(replayer.OutOfScope), "run_own", nil)
}

func TestNoPageIsLedToTheServersOwnAddress(t *testing.T) {
	t.Parallel()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the server's own words") }))
	t.Cleanup(own.Close)
	_, port, err := net.SplitHostPort(own.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprintf(w, `<!doctype html><a id=link href="http://127.0.0.1:%[1]s/">go</a><iframe src="http://[::ffff:127.0.0.1]:%[1]s/"></iframe>`, port)
	}))
	t.Cleanup(page.Close)
	p := at(t, func(o *agent.Options) { o.SelfAddrs = []string{"localhost:" + port} })
	s := p.client(nil)
	for _, to := range []string{"http://127.0.0.1:" + port + "/", "http://own.localhost:" + port + "/", "http://127.1.2.3:" + port + "/"} {
		fails(t, s, string(replayer.OutOfScope), "navigate", map[string]any{"url": page.URL + "/?to=" + url.QueryEscape(to)})
	}
	must(t, s, "navigate", map[string]any{"url": page.URL})
	if shot := must(t, s, "snapshot", nil); strings.Contains(shot.Text, "own words") || !strings.Contains(shot.Text, "not loaded") {
		t.Errorf("%s", shot.Text)
	}
	call(t, s, "click", map[string]any{"target": "#link"})
	if shot := must(t, s, "snapshot", nil); strings.Contains(shot.Text, "own words") || !strings.Contains(shot.Text, "Reprise's own address") {
		t.Errorf("%s", shot.Text)
	}
}

func TestAFileIsGivenOnlyFromAllowedFolders(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><input type=file id=f>`)
	}))
	t.Cleanup(page.Close)
	p := at(t, nil)
	s := p.client(nil)
	must(t, s, "navigate", map[string]any{"url": page.URL})
	r := call(t, s, "file_upload", map[string]any{"target": "#f", "value": "/etc/hostname"})
	if !r.IsError {
		t.Errorf("%s", r.Text)
	}
}

func TestASecretThatAPageRepeatsIsNotTold(t *testing.T) {
	t.Parallel()
	const canary = "kanarie-4711-x"
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		said := r.URL.Query().Get("pw")
		fmt.Fprintf(w, `<!doctype html><title>%[1]s</title><form><input type=password name=pw id=pw><button id=go>Go</button></form><p id=echo>%[1]s</p><a href=# id=k>%[1]s</a>`, said)
	}))
	t.Cleanup(page.Close)
	p := at(t, func(o *agent.Options) {
		o.Values = func(context.Context, agent.ValuesRequest) (replayer.Values, error) {
			secret, err := automation.NewSecret(canary, page.URL)
			return replayer.Map{"pw": secret}, err
		}
	})
	s := p.client(nil)
	for name, value := range map[string]any{"a variable": map[string]any{"variable": "pw"}, "a text": canary} {
		must(t, s, "navigate", map[string]any{"url": page.URL})
		must(t, s, "type_input", map[string]any{"target": "#pw", "value": value, "intent": "type " + canary})
		must(t, s, "click", map[string]any{"target": "#go"})
		must(t, s, "wait_for", map[string]any{"target": "#k", "state": "visible"})
		var told []string
		for _, r := range []result{
			must(t, s, "snapshot", nil), must(t, s, "extract", map[string]any{"target": "#echo", "as": "echo"}), call(t, s, "click", map[string]any{"target": "text/" + canary, "timeout": "300ms"}),
			must(t, s, "journal", nil), call(t, s, "assert", map[string]any{"target": "#echo", "value": "no", "timeout": "300ms"}),
		} {
			told = append(told, r.Text+toText(r.Value))
		}
		for _, c := range p.trace() {
			told = append(told, toText(c)+string(c.Arguments))
		}
		for _, text := range told {
			if strings.Contains(text, canary) {
				t.Errorf("%s: it is told in %s", name, text)
			}
		}
	}
}
