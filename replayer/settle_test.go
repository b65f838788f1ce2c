package replayer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// What a frame is answered with, and what the page around it does then, that orders on
// its own account.
var answers = map[string]struct{ page, around string }{
	"it sends a form at once":          {page: `<form method=post action=/order></form><script>document.forms[0].submit()</script>`},
	"it sends a form when it is there": {page: `<body onload="document.forms[0].submit()"><form method=post action=/order></form>`},
	"it sends a form a task later":     {page: `<body onload="setTimeout(() => document.forms[0].submit())"><form method=post action=/order></form>`},
	"it asks when it is there":         {page: `<body onload="fetch('/order', {method: 'POST'})">`},
	"it asks when it has been told":    {page: `<script>fetch('/told').then((r) => r.text()).then(() => fetch('/order', {method: 'POST'}))</script>`},
	"the page around it asks":          {page: `<p>Thanks`, around: `if (this.dataset.before) fetch('/order', {method: 'POST'}); this.dataset.before = 1`},
}

// framed is a shop whose form, in a frame of a host, is answered with a page.
func framed(t *testing.T, host, sandbox, answer, around string) (*till, *automation.Automation) {
	t.Helper()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", host, 1)
	pages := map[string]string{
		"/":      fmt.Sprintf(`<iframe id=f src="%s/form" %s onload="%s"></iframe>`, other, sandbox, around),
		"/form":  `<form method=post action=/begin><button id=pay>Pay 12 €</button></form>`,
		"/begin": answer, "/told": "yes",
	}
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", page)
			return
		}
		base.ServeHTTP(w, r)
	})
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }
	a := document(t, s.URL, `{"tool":"click","frame":["#f"],"selector":"#pay"}`)
	a.Match.URLs = append(a.Match.URLs, other[len("http://"):]+"/*")
	return s, a
}

// An answer may be a page that sends what counts, as that of a bank does: the commit is
// as done as that.
func TestWhatAFrameIsAnsweredWithMayOrder(t *testing.T) {
	t.Parallel()
	for name, answer := range answers {
		for where, host := range map[string]string{"of the same site": "127.0.0.1", "of another site": "localhost"} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				s, a := framed(t, host, "", answer.page, answer.around)
				_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 20 * time.Second})
				wantCode(t, err, replayer.Uncertain, 0)
				if n := s.orders.Load(); n != 1 {
					t.Errorf("%d orders", n)
				}
			})
		}
	}
}

// No timer of ours runs there either.
func TestAFrameThatMayRunNoScriptsIsNotWaitedForByThem(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []string{"sandbox=allow-forms", `sandbox="allow-forms allow-same-origin"`} {
		s, a := framed(t, "127.0.0.1", sandbox, "<p>Thanks", "")
		if _, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
			t.Errorf("%s: %v", sandbox, err)
		}
	}
}
