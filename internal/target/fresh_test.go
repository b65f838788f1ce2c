package target_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

// A server that does what it is asked and then breaks the connection is asked again by
// Chrome, unless the request had a connection of its own.
func TestARequestOnAConnectionOfItsOwnIsSentOnce(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<img src=/a><img src=/b><img src=/c>`)
	}))
	t.Cleanup(server.Close)
	p := open(t, server.URL)
	send := func() int64 {
		before := posts.Load()
		const post = `fetch("/x").then((r) => r.text()).then(() => fetch("/pay", {method: "POST"})).catch(() => 0)`
		if _, err := p.Send("Runtime.evaluate", map[string]any{"expression": post, "awaitPromise": true}).Wait(within(t)); err != nil {
			t.Fatal(err)
		}
		return posts.Load() - before
	}
	for tries := 1; send() < 2; tries++ { // the connection may not lie idle yet
		if tries == 20 {
			t.Fatal("the browser sends everything once: this test proves nothing")
		}
	}
	fresh := freshConnections(t, p)
	for range 20 {
		if n := send(); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	}
	fresh.Stop()
	if n := send(); n < 2 {
		t.Errorf("afterwards the browser sent it %d times: it is not as it was", n)
	}
	pages, err := p.Tree().Pages(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range pages {
		if u := other.URL(); len(u) > 9 && u[:9] == "chrome://" {
			t.Errorf("%s is among the pages", u)
		}
	}
}

// freshConnections begins them, with the traffic of the page watched.
func freshConnections(t *testing.T, p *target.Page) *target.Fresh {
	t.Helper()
	traffic, err := p.WatchTraffic(within(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traffic.Stop)
	fresh, err := p.FreshConnections(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// A connection that a read leaves idle is what a request would be sent on that is to have its own.
func TestReadsAreOverBeforeARequestGetsAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var isOver bool
	var used int // what the order's connection was used for, the order included
	asked := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/before" {
			asked <- struct{}{}
			slowly(w, r)
		}
		requests := r.Context().Value(requestsOfConnection{}).(*atomic.Int64).Add(1)
		mu.Lock()
		defer mu.Unlock()
		switch r.URL.Path {
		case "/before":
			isOver = true
		case "/pay":
			if used = int(requests); !isOver {
				t.Error("the order was sent while a read was under way")
			}
		}
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, requestsOfConnection{}, new(atomic.Int64))
	}
	server.Start()
	t.Cleanup(server.Close)
	p := open(t, server.URL)
	fresh := freshConnections(t, p)
	t.Cleanup(fresh.Stop)
	before := p.Send("Runtime.evaluate", map[string]any{"expression": `fetch("/before").then((r) => r.text())`, "awaitPromise": true})
	<-asked
	const others = `Promise.all([fetch("/pay", {method: "POST"}), fetch("/after")].map((sent) => sent.then((r) => r.text())))`
	for _, sent := range []*cdp.Call{before, p.Send("Runtime.evaluate", map[string]any{"expression": others, "awaitPromise": true})} {
		if _, err := sent.Wait(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if used != 1 {
		t.Errorf("the order was request number %d of its connection, want the first", used)
	}
}

// requestsOfConnection is the key of a counter of the requests of a connection.
type requestsOfConnection struct{}

// A read whose end can not be heard is not waited for: the order after it would be late by that.
func TestAReadThatNoOneHearsTheEndOfIsForgotten(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*target.Page, *target.Traffic, *target.Fresh) error{
		"no one watches any more": func(_ *target.Page, traffic *target.Traffic, fresh *target.Fresh) error {
			fresh.Stop()
			traffic.Stop()
			return nil
		},
		"its document is left": func(p *target.Page, _ *target.Traffic, _ *target.Fresh) error {
			return p.Navigate(within(t), strings.Replace(p.URL(), "127.0.0.1", "localhost", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/never" {
					asked <- struct{}{}
					<-r.Context().Done()
				}
			}))
			t.Cleanup(server.CloseClientConnections)
			p := open(t, server.URL)
			traffic, err := p.WatchTraffic(within(t))
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := p.FreshConnections(within(t))
			if err != nil {
				t.Fatal(err)
			}
			p.Send("Runtime.evaluate", map[string]any{"expression": `fetch("/never")`})
			select {
			case <-asked:
			case <-within(t).Done():
				t.Fatal("the server was not asked")
			}
			if err := leave(p, traffic, fresh); err != nil {
				t.Fatal(err)
			}
			if err := p.Tree().Wait(within(t), func() (bool, error) { return target.Reading(p) == 0, nil }); err != nil {
				t.Errorf("it counts as under way: %v", err)
			}
		})
	}
}

// Reads that are not known of, as they began before, leave connections idle at any moment.
func TestARequestAmongReadsIsSentOnce(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	began, ends := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			posts.Add(1)
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/lasts":
			began <- struct{}{}
			<-ends
		}
	}))
	t.Cleanup(server.Close)
	p := open(t, server.URL)
	fetch := func(script string) *cdp.Call {
		return p.Send("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true})
	}
	for range 20 {
		const reads = 4
		lasting := fetch(fmt.Sprintf(`Promise.all(Array.from({length: %d}, (_, i) => fetch("/lasts?" + Math.random()).then((r) => r.text())))`, reads))
		for range reads { // one that waited for its connection would be aborted
			<-began
		}
		fresh := freshConnections(t, p)
		before := posts.Load()
		paying := fetch(`fetch("/pay", {method: "POST"}).catch(() => 0)`)
		for range reads {
			ends <- struct{}{}
			<-time.After(5 * time.Millisecond)
		}
		for _, call := range []*cdp.Call{lasting, paying} {
			if _, err := call.Wait(within(t)); err != nil {
				t.Fatal(err)
			}
		}
		fresh.Stop()
		if n := posts.Load() - before; n != 1 {
			t.Errorf("the request was sent %d times", n)
		}
	}
}

// By HTTP/2, requests share a connection: one that is sent aborts no other.
func TestARequestAbortsNothingThatSharesItsConnection(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/lasts":
			began <- struct{}{}
			<-end
		case "/pay":
			defer close(end)
		}
		fmt.Fprint(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	p := open(t, "about:blank")
	if _, err := p.Send("Security.setIgnoreCertificateErrors", map[string]any{"ignore": true}).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	fresh := freshConnections(t, p)
	t.Cleanup(fresh.Stop)
	if err := p.Navigate(within(t), server.URL); err != nil {
		t.Fatal(err)
	}
	lasts := p.Send("Runtime.evaluate", map[string]any{"expression": `fetch("/lasts").then((r) => r.text())`, "awaitPromise": true, "returnByValue": true})
	<-began
	if _, err := p.Send("Runtime.evaluate", map[string]any{"expression": `fetch("/pay", {method: "POST"}).then((r) => r.text())`, "awaitPromise": true}).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if got, err := lasts.Wait(within(t)); err != nil || !strings.Contains(string(got), `"HTTP/2.0"`) {
		t.Errorf("what shares the connection got %s, %v", got, err)
	}
}
