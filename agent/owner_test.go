package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/store"
)

// seesBlocker is an automation that stops where a click has no element, and can be resumed.
const seesBlocker = `{"format": 1, "name": "see-blocker", "match": {"urls": ["HOST/*"]}, "steps": [
	{"tool": "navigate", "url": "http://HOST/form"}, {"tool": "click", "selector": "#never", "timeout": "100ms"}]}`

// tellsOfRuns are the IDs that run_status lists.
func tellsOfRuns(t *testing.T, s *mcp.ClientSession) []string {
	t.Helper()
	var ids []string
	all, _ := must(t, s, "run_status", nil).Value["runs"].([]any)
	for _, one := range all {
		ids = append(ids, asObject(one)["run"].(string))
	}
	return ids
}

func TestAClientSeesItsOwnCallsAndRunsAlone(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(seesBlocker)
	first, second := p.client(nil), p.client(nil)
	const private = "the first one's own business"
	failed := call(t, first, "run_see_blocker", map[string]any{"intent": private})
	run := failed.Error.Run
	if run == "" || !failed.Error.Resumable {
		t.Fatalf("the run cannot be resumed: %s", failed.Text)
	}
	must(t, first, "list_automations", map[string]any{"query": private})
	if own := must(t, first, "journal", nil); !strings.Contains(own.Text, private) || len(tellsOfRuns(t, first)) != 1 {
		t.Errorf("the first does not see its own: %s", own.Text)
	}
	must(t, first, "run_status", map[string]any{"run": run})

	if others := must(t, second, "journal", map[string]any{"limit": 200}); strings.Contains(others.Text, private) || strings.Contains(others.Text, run) {
		t.Errorf("the second sees the first one's calls: %s", others.Text)
	}
	if ids := tellsOfRuns(t, second); len(ids) != 0 {
		t.Errorf("the second sees the runs %v", ids)
	}
	sameAsMissing(t, second, run, "run_status", func(id string) map[string]any { return map[string]any{"run": id} })
	sameAsMissing(t, second, run, "run_see_blocker", func(id string) map[string]any { return map[string]any{"resume": id} })
	sameAsMissing(t, second, run, "run_automation", func(id string) map[string]any { return map[string]any{"name": "see-blocker", "resume": id} })

	if calls := p.trace(); len(calls) == 0 || calls[0].Intent != private {
		t.Errorf("a person does not see all: %+v", calls)
	}
}

// sameAsMissing calls a tool with the run of another and with one that there is not: but for
// the ID the answers are the same.
func sameAsMissing(t *testing.T, s *mcp.ClientSession, run, tool string, args func(id string) map[string]any) {
	t.Helper()
	missing := store.NewRunID()
	hidden, none := fails(t, s, agent.NotFound, tool, args(run)), fails(t, s, agent.NotFound, tool, args(missing))
	if got, want := strings.ReplaceAll(hidden.Text, run, "ID"), strings.ReplaceAll(none.Text, missing, "ID"); got != want {
		t.Errorf("%s tells of another's run:\n%s\nand of none:\n%s", tool, got, want)
	}
}

// A run of a person's, and one that was damaged, are no agent's to see.
func TestAClientSeesNoRunThatNoAgentBegan(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(seesBlocker)
	s := p.client(nil)
	run := store.Run{ID: store.NewRunID(), Automation: "see-blocker", State: store.Failed, Started: time.Now(), Finished: time.Now(), Resume: "r1.x"}
	if err := p.st.Runs().Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	damaged := p.damagedRun()
	if ids := tellsOfRuns(t, s); len(ids) != 0 {
		t.Errorf("it sees %v", ids)
	}
	for _, id := range []string{run.ID, damaged} {
		sameAsMissing(t, s, id, "run_status", func(id string) map[string]any { return map[string]any{"run": id} })
		sameAsMissing(t, s, id, "run_see_blocker", func(id string) map[string]any { return map[string]any{"resume": id} })
	}
}

func TestAnOwnerSeesItsRunsInItsNextSession(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Owner = "task-5f" })
	p.keep(seesBlocker)
	first, line := p.onLine()
	run := call(t, first, "run_see_blocker", nil).Error.Run
	_ = line.Close()
	again := p.client(nil)
	if ids := tellsOfRuns(t, again); len(ids) != 1 || ids[0] != run {
		t.Errorf("it sees %v, want %s", ids, run)
	}
	must(t, again, "run_status", map[string]any{"run": run})
	if told := must(t, again, "journal", nil); !strings.Contains(told.Text, "run_see_blocker") {
		t.Errorf("its journal is %s", told.Text)
	}
	for _, c := range p.trace() {
		if c.Owner != "task-5f" {
			t.Errorf("%s is of %q", c.Tool, c.Owner)
		}
	}
}

func TestAnOwnerThatNoJournalTakesIsRefused(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if _, err := agent.New(t.Context(), &agent.Options{Store: st, Owner: strings.Repeat("x", 65)}); err == nil {
		t.Error("an owner of 65 bytes will do, and no call of its clients is written down")
	}
}

func TestAnOperatorMayShareTheJournal(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.ShareJournal = true })
	p.keep(seesBlocker)
	run := call(t, p.client(nil), "run_see_blocker", map[string]any{"intent": "for all to see"}).Error.Run
	other := p.client(nil)
	if ids := tellsOfRuns(t, other); len(ids) != 1 || ids[0] != run {
		t.Errorf("another sees %v, want %s", ids, run)
	}
	must(t, other, "run_status", map[string]any{"run": run})
	if told := must(t, other, "journal", nil); !strings.Contains(told.Text, "for all to see") {
		t.Errorf("the journal is %s", told.Text)
	}
	must(t, other, "navigate", map[string]any{"url": p.site.URL + "/form"})
	fails(t, other, "gone", "run_see_blocker", map[string]any{"resume": run})
	if r, err := p.st.Runs().Get(t.Context(), run); err != nil || r.Owner == "" || r.Owner != p.trace()[0].Session {
		t.Errorf("the run that another resumed is of %q, %v", r.Owner, err)
	}
}

// damagedRun puts a record there that cannot be read.
func (p *place) damagedRun() string {
	p.t.Helper()
	id := store.NewRunID()
	dir := filepath.Join(p.root, "runs", id)
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"format": 1, "id": `), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	return id
}
