package browser_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestAConnectedBrowserIsConnectedToAgain(t *testing.T) {
	host := launch(t, &browser.Options{DebugPort: true})
	site := form(t)
	w := browsertest.NewWire(t, host.Endpoint())
	b, err := browser.Connect(within(t), w.Endpoint, &browser.Options{KeepContexts: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), site.URL+"/mine")
	if err != nil {
		t.Fatal(err)
	}
	eval[string](t, p, `document.cookie = document.title = "as=it was"`)
	w.Cut()
	<-p.Done()
	var unreachable *browser.ConnectError
	if _, err := b.Reconnect(within(t)); !errors.As(err, &unreachable) {
		t.Errorf("while the network is down: %v", err)
	}
	w.Mend()
	again, err := b.Reconnect(within(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	p = openedPage(t, again, p.ID())
	if got := eval[string](t, p, `document.title + document.body.innerText`); got != "as=it was/mine" {
		t.Errorf("the page is %q", got)
	}
	if got := eval[string](t, p, `fetch("/more").then(r => r.text())`); got != "/more<input>" {
		t.Errorf("the page asks for more, and has %q", got)
	}
	if err := p.Close(context.WithoutCancel(within(t))); err != nil {
		t.Fatal(err)
	}
	if has(t, host, p.ID()) {
		t.Error("the page is there after Close")
	}
}

func TestALaunchedBrowserIsNotConnectedToAgain(t *testing.T) {
	b := launch(t, nil)
	if _, err := b.Reconnect(within(t)); !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("Reconnect: %v, want %v", err, browser.ErrDisconnected)
	}
}
