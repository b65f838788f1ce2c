package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// wire keeps every byte that passes, both ways.
type wire struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(p)
}

func (w *wire) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.all.Bytes())
}

// tapped is a reader of which the wire hears.
type tapped struct {
	io.Reader
	io.Closer
}

func (w *wire) reads(from io.ReadCloser) io.ReadCloser {
	return tapped{io.TeeReader(from, w), from}
}

// tappedWriter is a writer of which the wire hears.
type tappedWriter struct {
	io.Writer
	io.Closer
}

func (w *wire) writes(to io.WriteCloser) io.WriteCloser {
	return tappedWriter{io.MultiWriter(to, w), to}
}

// RoundTrip has the wire hear of requests and their answers.
func (w *wire) roundTrip(token string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		fmt.Fprintln(w, r.Method, r.URL, r.Header)
		r.Header.Set("Authorization", "Bearer "+token)
		if r.Body != nil {
			r.Body = w.reads(r.Body)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			fmt.Fprintln(w, answer.Status, answer.Header)
			answer.Body = w.reads(answer.Body)
		}
		return answer, err
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// agents is a site of two accounts with passwords that stand nowhere else, a directory
// with its sign-in, and the passwords in the vault; and one with a login that is saved.
type agents struct {
	site    *demosite.Server
	entered *canarySite
	data    string
	env     []string
}

const demoLogin = `{"format": 1, "name": "demo-login", "description": "Sign in to the demo", "match": {"urls": ["HOST/*"]},
	"variables": {"type": "object", "properties": {"email": {"type": "string", "format": "email"}, "password": {"type": "string", "writeOnly": true}}, "required": ["email", "password"]},
	"steps": [
		{"tool": "navigate", "url": "http://HOST/signin"},
		{"tool": "click", "selector": "#accept-all", "optional": true},
		{"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "variable", "name": "email"}},
		{"tool": "click", "selector": "#identifierNext"},
		{"tool": "typeInput", "selector": "#password", "value": {"kind": "variable", "name": "password"}},
		{"tool": "click", "selector": "#passwordNext"},
		{"tool": "waitForNav", "url": "HOST/dashboard"},
		{"tool": "extract", "selector": "[data-email]", "args": {"as": "who"}}]}`

func serveAgents(t *testing.T) *agents {
	t.Helper()
	browsertest.Slot(t)
	accounts := demosite.BuiltinAccounts()
	for i := range accounts {
		accounts[i].Password = canary.NewOf(`Kanarie+<"é`)
	}
	site, err := demosite.Start(&demosite.Options{Delay: -1, Accounts: accounts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	a := &agents{site: site, entered: newCanarySite(t), data: t.TempDir()}
	a.env = append(os.Environ(), "REPRISE_DATA="+a.data, "REPRISE_KEY_FILE="+filepath.Join(t.TempDir(), "key"))
	a.keep(t, strings.ReplaceAll(demoLogin, "HOST", strings.TrimPrefix(site.URL, "http://")))
	for _, account := range accounts {
		a.run(t, account.Password, "credential", "set", "demo", "--account", account.Email, "--origin", site.URL, "--from-stdin")
	}
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	a.entered.documents(t, a.data)
	a.run(t, "", "login", "save", "shop", "--automation", "enter", "--account", "ada", "--browser", b.Endpoint())
	return a
}

// keep puts a document into the directory.
func (a *agents) keep(t *testing.T, document string) {
	t.Helper()
	st, err := store.Open(t.Context(), a.data)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	doc, err := automation.Parse([]byte(document))
	if err == nil {
		_, err = st.Automations().Save(t.Context(), doc)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// command is the built command.
func (a *agents) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "reprise", args...)
	cmd.Env = a.env
	return cmd
}

func (a *agents) run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := a.command(t.Context(), args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("reprise %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// signInAll signs each account in by a client of its own, and looks at what came.
func (a *agents) signInAll(t *testing.T, connect func() *mcp.ClientSession) {
	t.Helper()
	for _, account := range a.site.Accounts() {
		before := a.site.SignIns(account.Email)
		s := connect()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_demo_login", Arguments: map[string]any{
			"account": account.Email, "vars": map[string]any{"email": account.Email}, "intent": "see the dashboard",
		}})
		if err != nil || r.IsError || a.site.SignIns(account.Email) != before+1 {
			t.Fatalf("%s is not signed in: %v, %+v", account.Email, err, r)
		}
		for _, tool := range []string{"snapshot", "screenshot", "run_status", "journal", "list_automations"} {
			if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool}); err != nil || r.IsError {
				t.Errorf("%s: %v, %+v", tool, err, r)
			}
		}
		a.begin(t, s)
		// A wrong turn: the secret given by the agent is refused, and what fails is told.
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "click", Arguments: map[string]any{"target": "#not-there", "timeout": "300ms"}}); err != nil || !r.IsError {
			t.Errorf("%v, %+v", err, r)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// begin has an agent begin with the saved login, and read what the page repeats of it.
func (a *agents) begin(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	before := a.entered.back.Load()
	for _, call := range []*mcp.CallToolParams{
		{Name: "list_automations"},
		{Name: "run_inside", Arguments: map[string]any{"account": "ada", "login": "shop"}},
		{Name: "navigate", Arguments: map[string]any{"url": a.entered.URL + "/echo"}}, {Name: "extract", Arguments: map[string]any{"target": "#echo", "as": "echo"}},
		{Name: "snapshot"}, {Name: "journal"},
	} {
		r, err := s.CallTool(t.Context(), call)
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", call.Name, err, r)
		}
		told, _ := json.Marshal(r.StructuredContent)
		for tool, want := range map[string]string{"list_automations": `"logins":[{"account":"ada","name":"shop"`, "extract": `"echo":"[secret] [secret] [secret] [secret]"`, "run_inside": `"state":"done"`} {
			if tool == call.Name && !strings.Contains(string(told), want) {
				t.Errorf("%s gives %s, want %s", tool, told, want)
			}
		}
	}
	if a.entered.back.Load() != before+1 {
		t.Error("no one was signed in with the login")
	}
	if all := decoded[[]struct {
		LastUsed time.Time `json:"last_used"`
	}](t, a.run(t, "", "login", "list", "--json")); len(all) != 1 || time.Since(all[0].LastUsed) > time.Minute {
		t.Errorf("the login was marked as used at %v", all)
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sign_in", Arguments: map[string]any{"site": a.entered.URL, "account": "ada"}})
	if told, _ := json.Marshal(r); err != nil || !r.IsError || !strings.Contains(string(told), "--check") {
		t.Errorf("a login without a check: %v, %s", err, told)
	}
	for _, other := range []map[string]any{{"account": "grace", "login": "shop"}, {"account": "ada", "login": "bank"}} {
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_inside", Arguments: other}); err != nil || !r.IsError {
			t.Errorf("%v: %v, %+v", other, err, r)
		}
	}
}

// silent holds everything that was written anywhere to having none of the passwords, and
// nothing of the login.
func (a *agents) silent(t *testing.T, sinks ...sink) {
	t.Helper()
	err := filepath.WalkDir(a.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		sinks = append(sinks, newSink(path, data))
		return err
	})
	if err != nil || len(sinks) < 5 {
		t.Fatalf("%v, %d places: this test looks in the wrong place", err, len(sinks))
	}
	secrets := map[string]string{"the cookie of the login": a.entered.cookie, "the storage of the login": a.entered.stored}
	for _, account := range a.site.Accounts() {
		secrets["the password of "+account.Email] = account.Password
	}
	for what, secret := range secrets {
		for _, s := range sinks {
			if form := s.holds(secret); form != "" {
				t.Errorf("%s stands in %s, as %s", what, s.name, form)
			}
		}
	}
	if out := a.run(t, "", "journal", "verify"); !strings.Contains(out, "whole") || strings.Contains(out, "broken") {
		t.Error(out)
	}
}

// overStandardInput returns a function that connects clients, each to a server of its own.
func (a *agents) overStandardInput(t *testing.T, passed, said *wire, flags ...string) func() *mcp.ClientSession {
	return func() *mcp.ClientSession {
		t.Helper()
		cmd := a.command(context.Background(), append([]string{"mcp", "-v"}, flags...)...)
		cmd.Stderr = said
		in, out := startPiped(t, cmd)
		t.Cleanup(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("reprise mcp: %v\n%s", err, said.bytes())
			}
		})
		s := connected(t, &mcp.IOTransport{Reader: passed.reads(out), Writer: passed.writes(in)})
		t.Cleanup(func() { _ = s.Close() }) // before it is waited for, also where the test has ended early
		return s
	}
}

// tokenOfServe is that of overHTTP.
const tokenOfServe = "a-token-for-the-test-only"

// overHTTP starts a server, and returns what connects clients to it.
func (a *agents) overHTTP(t *testing.T, passed, said *wire, flags ...string) func() *mcp.ClientSession {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := a.command(ctx, append([]string{"serve", "-v", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(cmd.Env, "REPRISE_TOKEN="+tokenOfServe)
	cmd.Stderr = said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "context canceled") {
			t.Errorf("reprise serve: %v\n%s", err, said.bytes())
		}
	})
	endpoint := servedAt(t, said)
	return func() *mcp.ClientSession {
		t.Helper()
		return connected(t, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: passed.roundTrip(tokenOfServe)}})
	}
}

// startPiped starts a command, and returns the ends of its standard input and output.
func startPiped(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

// connected is a client of a server.
func connected(t *testing.T, over mcp.Transport) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnAgentSignsInOverStandardInputWithoutASecretPassing(t *testing.T) {
	t.Parallel()
	signsInSilently(t, (*agents).overStandardInput, "shop=ada")
}

func TestAnAgentSignsInOverHTTPWithoutASecretPassing(t *testing.T) {
	t.Parallel()
	signsInSilently(t, (*agents).overHTTP, "shop")
}

// signsInSilently has clients sign in, also with a login, and looks at all that passed.
func signsInSilently(t *testing.T, over func(*agents, *testing.T, *wire, *wire, ...string) func() *mcp.ClientSession, login string) {
	t.Helper()
	a := serveAgents(t)
	var passed, said wire
	a.signInAll(t, over(a, t, &passed, &said, "--login", login))
	if n := len(passed.bytes()); n < 20_000 {
		t.Fatalf("only %d bytes were heard", n)
	}
	a.silent(t, newSink("what passed", passed.bytes()), newSink("standard error", said.bytes()))
}

var addressSaid = regexp.MustCompile(`http://[0-9.:]+/mcp`)

// servedAt waits until serve has said where it answers.
func servedAt(t *testing.T, said *wire) string {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-again.C {
		if found := addressSaid.Find(said.bytes()); found != nil {
			return string(found)
		}
	}
	t.Fatalf("it does not say where it answers:\n%s", said.bytes())
	return ""
}

// A call of an agent waits for an answer in another process: over standard input
// and over HTTP.
func TestAnAgentsCallIsAnsweredByAnotherProcess(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	data, key := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "key")
	p := startPayments(t, "--data", data)
	values := fmt.Sprintf(`{"reference": "W-1017", "card": {"secret": %q, "origins": [%q]}}`, testCard, p.site.URL)
	token := p.here(values, "task", "put", "bill", "--key", key) + p.here("", "task", "token", "bill", "--key", key)
	a := &agents{env: append(os.Environ(), "REPRISE_DATA="+data, "REPRISE_KEY_FILE="+key, "REPRISE_BROWSER="+b.Endpoint(), taskTokenEnv+"="+lastWord(token))}
	var passed, said wire
	flags := []string{"--ask", "store"}
	p.pays(a.overStandardInput(t, &passed, &said, flags...)(), "yes")
	p.paid(1)
	p.pays(a.overHTTP(t, &passed, &said, flags...)(), "no")
	p.paid(1)
	if told := string(said.bytes()); strings.Count(told, "waits for a person, for 10m0s: click “Pay") != 2 || !strings.Contains(told, "reprise approvals yes ") {
		t.Errorf("anyone who started it is told:\n%s", told)
	}
	if n := strings.Count(string(passed.bytes()), "waits for a person: approval "); n < 2 {
		t.Errorf("the clients were told %d times that a person is waited for", n)
	}
	for _, s := range []sink{newSink("what passed", passed.bytes()), newSink("standard error", said.bytes())} {
		if form := s.holds(testCard); form != "" {
			t.Errorf("the card stands in %s, as %s", s.name, form)
		}
	}
}

func lastWord(text string) string {
	words := strings.Fields(text)
	return words[len(words)-1]
}

// here runs a command in this process, and returns what it prints on standard output.
func (p *payments) here(stdin string, args ...string) string {
	p.Helper()
	a := &app{stdin: scratch(p.T, stdin), stdout: scratch(p.T, ""), stderr: scratch(p.T, "")}
	if code := a.execute(p.Context(), append(args, p.store)); code != failure.ExitDone {
		complaint, _ := os.ReadFile(a.stderr.Name())
		p.Fatalf("reprise %v exits %d: %s", args, code, complaint)
	}
	said, err := os.ReadFile(a.stdout.Name())
	if err != nil {
		p.Fatal(err)
	}
	return string(said)
}

// pays has an agent pay, and another process answer.
func (p *payments) pays(s *mcp.ClientSession, answer string) {
	p.Helper()
	var ended sync.WaitGroup
	ended.Go(func() {
		params := &mcp.CallToolParams{Name: "run_pay_bill", Arguments: map[string]any{"task": "bill"}}
		params.SetProgressToken("mine")
		r, err := s.CallTool(p.Context(), params)
		if err != nil || r.IsError != (answer == "no") {
			p.Errorf("after a %s: %v, %+v", answer, err, r)
			return
		}
		if told := fmt.Sprint(r.StructuredContent); answer == "no" && (!strings.Contains(told, "code:refused") || !strings.Contains(told, "the approver denied")) {
			p.Errorf("after a no it is told %s", told)
		}
	})
	asked := p.asked()
	p.becomes(asked.Run, store.WaitingForPerson)
	r, err := s.CallTool(p.Context(), &mcp.CallToolParams{Name: "run_status", Arguments: map[string]any{"run": asked.Run}})
	if told := fmt.Sprint(r.StructuredContent); err != nil || !strings.Contains(told, "waits_for:map[approval:"+asked.ID) {
		p.Errorf("while it waits the agent is told %v, %v", told, err)
	}
	p.ends(p.begin("approvals", answer, asked.ID), failure.ExitDone)
	ended.Wait()
	if err := s.Close(); err != nil {
		p.Error(err)
	}
}

func TestWhatCommitsForAnAgentIsSaidInFull(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]replayer.CommitPolicy{
		"": replayer.RefuseCommits, "--ask store": replayer.AskCommits, "--ask store --commit ask": replayer.AskCommits,
		"--commit allow": replayer.AllowCommits, "--ask store --commit refuse": replayer.RefuseCommits, "--ask store --commit allow": replayer.AllowCommits,
	} {
		var o agentOptions
		f := pflag.NewFlagSet("mcp", pflag.ContinueOnError)
		o.flags(f)
		if err := f.Parse(strings.Fields(flags)); err != nil {
			t.Fatal(err)
		}
		if err := o.check(); err != nil || o.policy() != want || (o.asks.timeout() > 0) != strings.Contains(flags, "store") {
			t.Errorf("with %q it is %s, for %v, want %s: %v", flags, o.policy(), o.asks.timeout(), want, err)
		}
	}
}

// callsAndReads has a client call a tool, and returns what the journal then shows it.
func callsAndReads(t *testing.T, s *mcp.ClientSession, mark string) string {
	t.Helper()
	var text string
	for _, call := range []mcp.CallToolParams{{Name: "list_automations", Arguments: map[string]any{"query": mark}}, {Name: "journal"}} {
		r, err := s.CallTool(t.Context(), &call)
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", call.Name, err, r)
		}
		text = r.Content[0].(*mcp.TextContent).Text
	}
	return text
}

func TestAnAgentsJournalIsOfItsSessionOrItsToken(t *testing.T) {
	t.Parallel()
	const ownToken, otherToken = "reprise1.its-own.token", "reprise1.another.token"
	for _, test := range []struct {
		name        string
		over        func(*agents, *testing.T, *wire, *wire, ...string) func() *mcp.ClientSession
		flags       []string
		tokens      [2]string
		seesEarlier bool
	}{
		{name: "another session of a program", over: (*agents).overStandardInput},
		{name: "the same token", over: (*agents).overStandardInput, tokens: [2]string{ownToken, ownToken}, seesEarlier: true},
		{name: "another token", over: (*agents).overStandardInput, tokens: [2]string{ownToken, otherToken}},
		{name: "a program that shares", over: (*agents).overStandardInput, flags: []string{"--share-journal"}, seesEarlier: true},
		{name: "another client of a server", over: (*agents).overHTTP},
		{name: "another client of a server with a token for tasks", over: (*agents).overHTTP, tokens: [2]string{ownToken, ownToken}},
		{name: "a server that shares", over: (*agents).overHTTP, flags: []string{"--share-journal"}, seesEarlier: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := &agents{data: t.TempDir()}
			var passed, said wire
			var connect func() *mcp.ClientSession
			for i, token := range test.tokens {
				a.env = append(os.Environ(), "REPRISE_DATA="+a.data, taskTokenEnv+"="+token)
				if connect == nil || token != test.tokens[0] {
					connect = test.over(a, t, &passed, &said, test.flags...)
				}
				own, earlier := fmt.Sprintf("mark-%d", i), fmt.Sprintf("mark-%d", i-1)
				told := callsAndReads(t, connect(), own)
				if !strings.Contains(told, own) || i > 0 && strings.Contains(told, earlier) != test.seesEarlier {
					t.Errorf("client %d is told %s", i, told)
				}
			}
			if whole := a.run(t, "", "journal", "--json"); !strings.Contains(whole, "mark-0") || !strings.Contains(whole, "mark-1") || strings.Contains(whole, "its-own") {
				t.Errorf("a person is told %s", whole)
			}
		})
	}
}
