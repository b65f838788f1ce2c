package target_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

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
	if n := send(); n < 2 {
		t.Errorf("the browser sent it %d times: this test proves nothing", n)
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
	var heard []string
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/before" {
			asked <- struct{}{}
			slowly(w, r)
		}
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	p := open(t, server.URL)
	fresh := freshConnections(t, p)
	t.Cleanup(fresh.Stop)
	mu.Lock()
	heard = nil
	mu.Unlock()
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
	heard = slices.DeleteFunc(heard, func(path string) bool { return path == "/favicon.ico" })
	if want := []string{"/before", "/pay", "/after"}; !slices.Equal(heard, want) {
		t.Errorf("the server was asked for %v, want %v", heard, want)
	}
}
