package runner_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

const theHandoff = "06h1h27z6a8t8emb8eyzaknxqr"

// helper deals with what blocks a page, and looks at the record of the run meanwhile.
type helper struct {
	replayer.Person
	st    store.Store
	state store.RunState
	help  func(*browser.Page) error
}

func (h *helper) TakeOver(ctx context.Context, asked replayer.Handoff) (replayer.Returned, error) {
	run, err := h.st.Runs().Get(ctx, asked.Run)
	if err != nil {
		return replayer.Returned{}, err
	}
	h.state = run.State
	return replayer.Returned{Handoff: theHandoff}, h.help(asked.Page)
}

func TestABlockedRunWaitsForAPersonInPlace(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, `<h1>Welcome back</h1><form action="/in"><input type=password><button>Go</button></form>`)
			return
		}
		_, _ = io.WriteString(w, `<button id=next>Next</button>`)
	}))
	t.Cleanup(site.Close)
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	doc, err := automation.Parse([]byte(`{"format": 1, "name": "next", "match": {"urls": ["` + site.URL + `/*"]}, "steps": [
		{"tool": "navigate", "url": "` + site.URL + `/"}, {"tool": "click", "selector": "#next"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Browser(t)
	pages := &runner.PrivatePages{Browser: func(context.Context) (*browser.Browser, error) { return b, nil }}
	person := &helper{st: st, help: func(p *browser.Page) error { return p.Navigate(t.Context(), site.URL+"/in") }}
	r := &runner.Runner{Store: st}
	outcome, err := r.Run(t.Context(), runner.Request{Document: doc, Pages: pages, Options: replayer.Options{Person: person, Timeout: 30 * time.Second}}, runner.Events{})
	if err != nil || person.state != store.WaitingForPerson || outcome.Record.State != store.Done {
		t.Errorf("%v: it was %s while the person had it, and is %s", err, person.state, outcome.Record.State)
	}
	named := func(want ...string) {
		t.Helper()
		run, err := st.Runs().Get(t.Context(), outcome.Record.ID)
		if err != nil || !slices.Equal(run.Handoffs, want) {
			t.Errorf("the record names the handoffs %v: %v, want %v", run.Handoffs, err, want)
		}
	}
	named(theHandoff)
	const later = "06h1h27z6a8t8emb8eyzaknxqs"
	for range 2 {
		if err := runner.NoteHandoff(t.Context(), st, outcome.Record.ID, later); err != nil {
			t.Fatal(err)
		}
	}
	named(theHandoff, later)
}
