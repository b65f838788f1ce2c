package cli

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

// holdPayments puts a server in front of the site that says when a payment has come, and
// lets it go on when the test ends.
func holdPayments(t *testing.T, site string) (address string, came <-chan struct{}) {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	arrived, over := make(chan struct{}, 1), make(chan struct{})
	pass := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/bill/pay" {
			arrived <- struct{}{}
			select {
			case <-over:
			case <-r.Context().Done():
			}
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(over) })
	return s.URL, arrived
}

// A payment whose process was killed is uncertain from that moment on, and not only when
// somebody resumes it: the journal of commits says that it was sent, and nothing says what
// became of it.
func TestAPaymentWhoseProcessWasKilledIsUncertainAtOnce(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []struct {
		flag string
		at   func(*testing.T) string
	}{
		{"--data", func(t *testing.T) string { return filepath.Join(t.TempDir(), "data") }},
		{"--store", func(t *testing.T) string { return postgrestest.Database(t) }},
	} {
		t.Run(place.flag, func(t *testing.T) {
			t.Parallel()
			p := startPayments(t, place.flag, place.at(t))
			address, came := holdPayments(t, p.site.URL)
			doc := billDocument(t, address)
			doc.Name = "pay-held"
			if _, err := p.kept.Automations().Save(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
			listed := func(state string) []string {
				t.Helper()
				var ids []string
				for _, r := range decoded[[]keptRun](t, p.ends(p.begin("runs", "--state", state, "--json"), exitDone)) {
					if ids = append(ids, r.ID); string(r.State) != state {
						t.Errorf("--state %s lists a run that is %s", state, r.State)
					}
				}
				return ids
			}
			playing := p.begin("play", "pay-held", "--vars", p.vars, "--browser", b.Endpoint(), "--commit", "allow", "--json")
			select {
			case <-came:
			case <-time.After(patience):
				t.Fatal("no payment has come")
			}
			run := listed("running")
			if len(run) != 1 || len(listed("uncertain")) != 0 {
				t.Fatalf("while it pays %v are running, and %v uncertain", run, listed("uncertain"))
			}
			if err := playing.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = playing.Wait() // it was killed
			for state, want := range map[string][]string{"uncertain": run, "running": nil, "lost": nil, "failed": nil} {
				if got := listed(state); !slices.Equal(got, want) {
					t.Errorf("--state %s lists %v, want %v", state, got, want)
				}
			}
			if one := decoded[keptRun](t, p.ends(p.begin("runs", run[0], "--json"), exitDone)); one.State != store.Uncertain || !one.Lost || one.Code != "uncertain" || len(one.Sent) != 1 || one.Sent[0].Done {
				t.Errorf("the run is told as %+v", one)
			}
			p.ends(p.begin("play", "pay-held", "--vars", p.vars, "--browser", b.Endpoint(), "--commit", "allow", "--resume", run[0], "--settled", "done", "--json"), exitDone)
			if got := listed("uncertain"); len(got) != 0 {
				t.Errorf("after somebody said what became of it %v are uncertain", got)
			}
		})
	}
}
