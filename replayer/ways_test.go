package replayer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// way is where a bill is paid.
type way struct {
	name  string
	doc   string // its steps: %[1]s is the site, %[2]s that without its scheme
	steps int
	pays  int           // the step that does
	takes time.Duration // in which something may happen after a step began
}

var ways = []way{
	{"on a page", `{"tool":"navigate","url":"%[1]s/bill"},` + billSteps("", true), 8, 5, 60 * time.Millisecond},
	{"in a frame", `{"tool":"navigate","url":"%[1]s/framed"},` + billSteps(`"frame":["#bank"],`, false), 6, 4, 60 * time.Millisecond},
	{"in a tab that it opens", `
		{"tool":"navigate","url":"%[1]s/opening"},
		{"tool":"click","selector":"#open","expect":[{"kind":"popup","page":"bank"}]},` + billSteps(`"page":"bank",`, true), 9, 6, 60 * time.Millisecond},
	{"by another automation", `{"tool":"navigate","url":"%[1]s/opening"},{"tool":"run","args":{"name":"pay-bill"}}`, 2, 1, time.Second},
}

// billSteps pay the bill that is shown, somewhere.
func billSteps(where string, navigates bool) string {
	steps := `
		{"tool":"typeInput",WHERE"selector":"#reference","value":{"kind":"variable","name":"reference"}},
		{"tool":"typeInput",WHERE"selector":"#card","value":{"kind":"variable","name":"card"}},
		{"tool":"click",WHERE"selector":"#continue"},
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/review"},
		{"tool":"click",WHERE"selector":"#pay"},
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/paid"},
		{"tool":"extract",WHERE"selector":"#reference","args":{"as":"paid"}}`
	if !navigates {
		steps = strings.NewReplacer(`
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/review"},`, "", `
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/paid"},`, "").Replace(steps)
	}
	return strings.ReplaceAll(steps, "WHERE", where)
}

// document is the automation that pays this way.
func (w way) document(url string) (*automation.Automation, error) {
	host := strings.TrimPrefix(url, "http://")
	return automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"pay-bill","match":{"urls":["%[2]s/*"]},
		"variables":{"type":"object","properties":{"reference":{"type":"string"},"card":{"type":"string","writeOnly":true}},"required":["reference","card"]},
		"steps":[`+w.doc+`]}`, url, host))
}

// paysFor is the automation that others play.
type paysFor struct{ url string }

func (p paysFor) Get(context.Context, string, string) (*automation.Automation, error) {
	return ways[0].document(p.url)
}

// show is the site, with pages of others around it: one that has the bill in a frame, and
// one that opens it.
func (b *bank) show(w http.ResponseWriter, r *http.Request) {
	around := map[string]string{
		"/framed":  `<iframe id=bank src=/bill width=900 height=500></iframe>`,
		"/opening": `<a id=open href=/bill target=_blank>See the bill</a>`,
	}
	if html, ok := around[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>shop</title>", html)
		return
	}
	shown := httptest.NewRecorder()
	b.Site.ServeHTTP(shown, r)
	for name, values := range shown.Header() {
		w.Header()[name] = values
	}
	policy := w.Header().Get("Content-Security-Policy")
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	w.WriteHeader(shown.Code)
	_, _ = w.Write(shown.Body.Bytes()) // fails only when the browser has gone
}
