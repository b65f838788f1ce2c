package agent_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const seesForm = `{"format": 1, "name": "see-form", "match": {"urls": ["HOST/*"]}, "steps": [{"tool": "navigate", "url": "http://HOST/form"}]}`

func TestAnAgentIsToldThatAnotherRunActsForTheAccount(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(seesForm)
	doc, err := p.st.Automations().Get(t.Context(), "see-form", "")
	if err != nil {
		t.Fatal(err)
	}
	places, err := runner.Places(t.Context(), p.st.Automations(), doc, "ada")
	if err != nil {
		t.Fatal(err)
	}
	client := p.client(nil)
	err = runner.Hold(t.Context(), p.st, "the-first", places, time.Minute, func(context.Context, store.Store) error {
		r := fails(t, client, agent.Conflict, "run_see_form", map[string]any{"account": "ada"})
		if !strings.Contains(r.Error.Reason, "the-first") || r.Error.Next == "" || r.Error.Run != "" {
			t.Errorf("it is told %s", r.Text)
		}
		must(t, client, "run_see_form", map[string]any{"account": "grace"})
		must(t, client, "run_see_form", nil) // for no account, which shares nothing
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	must(t, client, "run_see_form", map[string]any{"account": "ada"})
}

func TestAnAgentDoesNotResumeWhatIsStillPlayed(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Owner = "the client" })
	p.keep(seesForm)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	run := store.Run{
		ID: store.NewRunID(), Automation: "see-form", Owner: "the client", State: store.Running, Started: time.Now(), Resume: "r1.x",
		Process: &store.Process{Host: host, PID: os.Getpid()},
	}
	if err := p.st.Runs().Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	r := fails(t, p.client(nil), agent.Conflict, "run_see_form", map[string]any{"resume": run.ID})
	if now, err := p.st.Runs().Get(t.Context(), run.ID); err != nil || now.State != store.Running || !strings.Contains(r.Error.Reason, "has not ended") {
		t.Errorf("it is %s, %v, and told as %s", now.State, err, r.Text)
	}
}
