package runner_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// banners are questions for consent whose button is not only that. Each has #agree, which a person has pressed once, and
// which was saved.
var banners = map[string]string{
	"pays by its form":       `<form method=post action=/checkout/pay>COOKIES<button id=agree>Accept all</button></form>`,
	"pays by a mark":         `COOKIES<button id=agree class=btn-danger name=pay onclick="fetch('/pay', {method: 'POST'}); remove()">Accept all</button>`,
	"orders by a script":     `COOKIES<button id=agree onclick="fetch('/order', {method: 'POST'}); banner.remove()">Accept all</button>`,
	"deletes":                `COOKIES<button id=agree onclick="fetch('/account', {method: 'DELETE'}); banner.remove()">Accept all</button>`,
	"asks for a payment":     `COOKIES<p>Do you want to pay 99,00 € now?</p><form method=post action=/checkout/pay><input name=cc-number><button id=agree>Accept</button></form>`,
	"is said for an offer":   `<p>Accept the offer of 99,00 €, by cookie?</p><button id=agree onclick="fetch('/order', {method: 'POST'}); banner.remove()">I agree</button>`,
	"orders a moment later":  `COOKIES<button id=agree onclick="setTimeout(() => fetch('/order', {method: 'POST'}), 300); banner.remove()">Accept all</button>`,
	"has another label then": `COOKIES<button id=agree onclick="fetch('/order', {method: 'POST'}); banner.remove()">Buy now</button>`,
}

// What was learned for a blocker commits to nothing, whatever the page has made of it since.
func TestALearnedConsentCommitsToNothing(t *testing.T) {
	t.Parallel()
	var sent atomic.Pointer[string]
	html := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			what := r.Method + " " + r.URL.Path
			sent.Store(&what)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html)
	}))
	t.Cleanup(site.Close)
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	a, err := automation.Parse([]byte(fmt.Sprintf(`{"format": 1, "name": "consent", "match": {"urls": ["%[1]s/*"], "blocker": "permission"}, "steps": [{"tool": "click", "selector": "#agree", "effect": "write"}]}`, site.URL)))
	if err == nil {
		_, err = st.Automations().Save(t.Context(), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, site.URL)
	unblock := func(t *testing.T, banner string) (replayer.Unblocked, error) {
		t.Helper()
		html = `<!doctype html><title>Shop</title><p>News</p><div id=banner class=cookie-banner style="position: fixed; inset: 0; background: #eee">` +
			strings.ReplaceAll(banner, "COOKIES", "<p>We use cookies. Do you accept all cookies?</p>") + `</div>`
		sent.Store(nil)
		if err := page.Navigate(t.Context(), site.URL); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, done, err := (&runner.Runner{Store: st}).Unblock(ctx, runner.UnblockRequest{Page: page, Reason: automation.ReasonPermission})
		return done, err
	}
	for name, banner := range banners {
		t.Run(name, func(t *testing.T) {
			done, err := unblock(t, banner)
			if err := page.Navigate(t.Context(), site.URL+"/after"); err != nil { // what was sent has come before that
				t.Fatal(err)
			}
			if what := sent.Load(); what != nil {
				t.Errorf("it has sent %s: %v, %v", *what, done, err)
			}
		})
	}
	t.Run("and consents", func(t *testing.T) {
		if done, err := unblock(t, `COOKIES<button id=agree onclick="fetch('/consent', {method: 'POST'}); banner.remove()">Accept all</button>`); err != nil || !done.Done || sent.Load() == nil {
			t.Errorf("%+v, %v, sent %v", done, err, sent.Load())
		}
	})
}
