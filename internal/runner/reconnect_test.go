package runner_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

var soak = flag.Bool("soak", false, "cut the connection in 300 runs")

// shop takes orders in three pages.
type shop struct {
	mu     sync.Mutex
	drafts map[string]int // how often each order was entered
	paid   map[string]int // and paid
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	order := r.FormValue("name") + "/" + r.FormValue("size")
	switch r.Method + " " + r.URL.Path {
	case "GET /":
		_, _ = io.WriteString(w, `<form action="/review" method="post"><label>Name <input name="name"></label>
			<label>Size <select name="size"><option>small</option><option>large</option></select></label><button>Next</button></form>`)
	case "POST /review":
		s.drafts[order]++
		http.Redirect(w, r, "/review?"+url.Values{"name": {r.FormValue("name")}, "size": {r.FormValue("size")}}.Encode(), http.StatusSeeOther)
	case "GET /review":
		_, _ = fmt.Fprintf(w, `<form action="/pay" method="post"><input type="hidden" name="name" value=%q><input type="hidden" name="size" value=%q>
			<label>Note <input name="note"></label><button>Pay now</button></form>`, r.FormValue("name"), r.FormValue("size"))
	case "POST /pay":
		s.paid[order]++
		http.Redirect(w, r, "/done", http.StatusSeeOther)
	case "GET /done":
		_, _ = io.WriteString(w, "<h1>Thank you</h1>")
	default:
		http.NotFound(w, r)
	}
}

// order is the document: with pay, to its end.
func order(t testing.TB, at string, pay bool) *automation.Automation {
	t.Helper()
	steps := `{"tool": "navigate", "url": %[1]q},
		{"tool": "typeInput", "selector": "[name=name]", "value": {"kind": "variable", "name": "name"}},
		{"tool": "select", "selector": "[name=size]", "value": {"kind": "literal", "value": "large"}},
		{"tool": "click", "selector": "button", "effect": "write"},
		{"tool": "waitForNav", "url": "%[1]sreview*"},
		{"tool": "typeInput", "selector": "[name=note]", "value": {"kind": "literal", "value": "ring twice"}}`
	if pay {
		steps += `, {"tool": "click", "selector": "button", "effect": "commit"}, {"tool": "waitForNav", "url": "%[1]sdone"}`
	}
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "order", "match": {"urls": ["%[1]s*"]},
		"variables": {"type": "object", "properties": {"name": {"type": "string"}}}, "steps": [`+steps+`]}`, at))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// A connection that is cut at any time costs nothing that was done, and nothing is paid twice.
func TestARunGoesOnOverAnotherConnection(t *testing.T) {
	browsertest.Slot(t)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true, AnyNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	w := browsertest.NewWire(t, host.Endpoint())
	s := &shop{drafts: map[string]int{}, paid: map[string]int{}}
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	pages := &runner.PrivatePages{Browser: func(ctx context.Context) (*browser.Browser, error) {
		return browser.Connect(ctx, w.Endpoint, &browser.Options{KeepContexts: true})
	}}
	t.Cleanup(func() { _ = pages.Close() })
	count := 30
	if *soak {
		count = 300
	}
	said := map[string]int{}
	for i := range count {
		random := rand.New(rand.NewPCG(uint64(i), 17))
		pay := i%2 == 0
		doc := order(t, site.URL+"/", pay)
		at, after, away := random.IntN(len(doc.Steps)), time.Duration(random.IntN(int(30*time.Millisecond))), time.Duration(random.IntN(int(40*time.Millisecond)))
		forever := i%10 == 9
		var mended sync.WaitGroup
		r := &runner.Runner{Store: st, ReconnectAfter: []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond}}
		outcome, err := r.Run(t.Context(), runner.Request{
			Document: doc, Pages: pages, Values: replayer.Map{"name": fmt.Sprint("order ", i)},
			Options: replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second},
		}, runner.Events{Start: func(step int, _ automation.Step) {
			if step != at || after < 0 {
				return
			}
			mended.Go(func() {
				<-time.After(after)
				w.Cut()
				if !forever {
					<-time.After(away)
					w.Mend()
				}
			})
			after = -1
		}})
		mended.Wait()
		w.Mend()
		code := "done"
		if failed := new(replayer.Error); errors.As(err, &failed) {
			code = string(failed.Code)
		} else if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		said[code]++
		s.mu.Lock()
		drafts, paid := s.drafts[fmt.Sprintf("order %d/large", i)], s.paid[fmt.Sprintf("order %d/large", i)]
		s.mu.Unlock()
		ok := map[string]bool{
			"done": drafts == 1 && (paid == 1) == pay, "uncertain": pay && drafts == 1 && paid <= 1, "browser_lost": drafts <= 1 && paid == 0,
		}[code]
		if !ok {
			t.Errorf("run %d, cut %v into step %d for %v: it says %s (%v), entered %d times and paid %d times", i, after, at+1, away, code, err, drafts, paid)
		}
		if code == "browser_lost" && outcome.Record.Resume == "" && len(outcome.Record.Steps) > 1 {
			t.Errorf("run %d has no token to resume with: %+v", i, outcome.Record)
		}
	}
	t.Log(said)
	if said["done"] < count/2 {
		t.Errorf("of %d runs %v", count, said)
	}
}
