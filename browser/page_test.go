package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
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
	private, err := b.NewIsolatedPage(t.Context(), srv.URL)
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
	if got := known(b.NewIsolatedPage(t.Context(), srv.URL)); got != "false" {
		t.Error("a second private tab is known from the first")
	}
	if got := known(b.NewWindow(t.Context(), srv.URL)); got != "false" {
		t.Error("a window is known from a tab")
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

func TestAnAddressThatCannotBeLoadedIsANavigationError(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	_, err := b.NewPage(within(t), "http://127.0.0.1:1/?token=canary-secret")
	var failed *browser.NavigationError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "net::ERR_") || strings.Contains(err.Error(), "canary") {
		t.Errorf("NewPage: %v, want a NavigationError without the token", err)
	}
	if pages, err := b.Pages(within(t)); err != nil || len(pages) != 0 {
		t.Errorf("%d tabs are left, %v", len(pages), err)
	}
	p := open(t, b, "")
	if err := p.Navigate(within(t), "http://127.0.0.1:1/"); !errors.As(err, &failed) {
		t.Errorf("Navigate: %v, want a NavigationError", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if err := p.Navigate(ctx, "about:blank"); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("Navigate: %v, want the cause of the context", err)
	}
}

func TestWaitURLSeesEveryAddressAndEndsWithTheTab(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/first" {
			_, _ = fmt.Fprint(w, `<script>history.replaceState(0, "", "/passing"); history.replaceState(0, "", "/second"); location = "/third"</script>`)
		}
	}))
	t.Cleanup(srv.Close)
	b := launch(t, nil)
	p := open(t, b, srv.URL)
	if err := p.WaitURL(within(t), func(url string) bool { return url == srv.URL+"/" }); err != nil {
		t.Errorf("at once: %v", err)
	}
	asked := make(chan string)
	waited := make(chan error)
	go func() {
		first := true
		waited <- p.WaitURL(within(t), func(url string) bool {
			if first {
				asked <- p.URL() // it may ask the tab
			}
			first = false
			return url == srv.URL+"/passing"
		})
	}()
	<-asked
	if err := p.Navigate(within(t), srv.URL+"/first"); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("an address that was there for a moment: %v", err)
	}
	never := func(string) bool { return false }
	for end, want := range map[string]error{"crash": browser.ErrPageCrashed, "close": browser.ErrPageClosed} {
		p := open(t, b, srv.URL)
		go func() { waited <- p.WaitURL(within(t), never) }()
		switch end {
		case "crash":
			p.Target().Send("Page.crash", nil)
		case "close":
			if err := p.Close(within(t)); err != nil {
				t.Error(err)
			}
		}
		if err := <-waited; !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", end, err, want)
		}
		if err := p.Err(); !errors.Is(err, want) {
			t.Errorf("%s: Err() = %v, want %v", end, err, want)
		}
		if end == "close" {
			<-p.Done()
			continue
		}
		select {
		case <-p.Done():
			t.Error("a tab that crashed is said to be gone")
		default:
		}
		if err := p.Navigate(within(t), srv.URL); err != nil || p.Err() != nil {
			t.Errorf("after a crash: %v, %v", err, p.Err())
		}
	}
	go func() { waited <- p.WaitURL(within(t), never) }()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	<-p.Done()
	if err := <-waited; !errors.Is(err, browser.ErrPageClosed) && !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("the browser was closed: %v, want ErrPageClosed or ErrLost", err)
	}
}
