package browser_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

// wire is a network between this program and a browser, which can be cut.
type wire struct {
	endpoint string

	mu    sync.Mutex
	conns []net.Conn
	down  bool
}

func newWire(t *testing.T, endpoint string) *wire {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w := &wire{endpoint: strings.Replace(endpoint, u.Host, l.Addr().String(), 1)}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			w.carry(near, u.Host)
		}
	}()
	return w
}

func (w *wire) carry(near net.Conn, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	far, err := net.Dial("tcp", to)
	if err != nil || w.down {
		_ = near.Close()
		return
	}
	w.conns = append(w.conns, near, far)
	for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
	}
}

// cut breaks all connections, and lets through no others while it is down.
func (w *wire) cut(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

func TestAConnectedBrowserIsConnectedToAgain(t *testing.T) {
	host := launch(t, &browser.Options{DebugPort: true})
	site := form(t)
	w := newWire(t, host.Endpoint())
	b, err := browser.Connect(within(t), w.endpoint, &browser.Options{KeepContexts: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), site.URL+"/mine")
	if err != nil {
		t.Fatal(err)
	}
	eval[string](t, p, `document.cookie = document.title = "as=it was"`)
	w.cut(true)
	<-p.Done()
	var unreachable *browser.ConnectError
	if _, err := b.Reconnect(within(t)); !errors.As(err, &unreachable) {
		t.Errorf("while the network is down: %v", err)
	}
	w.cut(false)
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
