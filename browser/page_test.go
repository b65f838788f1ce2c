package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

func TestPrivatePagesShareNothing(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, missing := r.Cookie("known")
		http.SetCookie(w, &http.Cookie{Name: "known", Value: "yes"})
		_, _ = fmt.Fprint(w, missing == nil)
	}))
	t.Cleanup(srv.Close)
	b := launch(t, nil)
	known := func(p *browser.Page, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return eval[string](t, p, "document.body.innerText")
	}
	for i, want := range []string{"false", "true"} {
		if got := known(b.NewPage(t.Context(), srv.URL)); got != want {
			t.Errorf("tab %d is known: %s, want %s", i+1, got, want)
		}
	}
	private, err := b.NewPrivatePage(t.Context(), srv.URL)
	if got := known(private, err); got != "false" {
		t.Error("a private tab is known from the others")
	}
	if err := private.Navigate(t.Context(), srv.URL); err != nil {
		t.Fatal(err)
	}
	if got := known(private, nil); got != "true" {
		t.Error("a private tab does not know itself")
	}
	if err := private.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if has(t, b, private.ID()) {
		t.Error("a closed tab is still there")
	}
	if got := known(b.NewPrivatePage(t.Context(), srv.URL)); got != "false" {
		t.Error("a second private tab is known from the first")
	}
}

func TestALaunchedBrowserHasOnlyThePagesThatAreOpened(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	pages, err := b.Pages(t.Context())
	if err != nil || len(pages) != 0 {
		t.Errorf("a fresh browser has %d pages, %v", len(pages), err)
	}
	for range 2 { // and it stays when its last page is closed
		p := open(t, b, "data:text/html,hello")
		if p.URL() != "data:text/html,hello" || p.Browser() != b || p.Target().ID() != p.ID() {
			t.Errorf("the page is %s at %s", p.ID(), p.URL())
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestRodOnAClosedPageReturnsErrors(t *testing.T) {
	t.Parallel()
	p := open(t, launch(t, nil), "")
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := p.Rod()
	if page == nil {
		t.Fatal("Rod() is nil")
	}
	if _, err := page.Eval("() => 1"); err == nil {
		t.Error("Eval succeeded on a closed page")
	}
	if err := page.Navigate("about:blank"); err == nil {
		t.Error("Navigate succeeded on a closed page")
	}
	if _, err := page.Element("body"); err == nil {
		t.Error("Element succeeded on a closed page")
	}
}
