package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// A call of an agent waits for what somebody says in another process: over standard input
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
		t.Errorf("whoever started it is told:\n%s", told)
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

// here runs a command in this process, and gives what it says on standard output.
func (p *payments) here(stdin string, args ...string) string {
	p.Helper()
	a := &app{stdin: scratch(p.T, stdin), stdout: scratch(p.T, ""), stderr: scratch(p.T, "")}
	if code := a.execute(p.Context(), append(args, p.store)); code != exitDone {
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
		if told := fmt.Sprint(r.StructuredContent); answer == "no" && (!strings.Contains(told, "code:refused") || !strings.Contains(told, "a person said no")) {
			p.Errorf("after a no it is told %s", told)
		}
	})
	asked := p.asked()
	p.becomes(asked.Run, store.WaitingForPerson)
	r, err := s.CallTool(p.Context(), &mcp.CallToolParams{Name: "run_status", Arguments: map[string]any{"run": asked.Run}})
	if told := fmt.Sprint(r.StructuredContent); err != nil || !strings.Contains(told, "waits_for:map[approval:"+asked.ID) {
		p.Errorf("while it waits the agent is told %v, %v", told, err)
	}
	p.ends(p.begin("approvals", answer, asked.ID), exitDone)
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
		if err := o.check(); err != nil || o.policy() != want || (o.asks.lasting() > 0) != strings.Contains(flags, "store") {
			t.Errorf("with %q it is %s, for %v, want %s: %v", flags, o.policy(), o.asks.lasting(), want, err)
		}
	}
}
