package target_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-reprise/reprise/internal/target"
)

// A page may leave what it sends to a worker, or to one that this has started.
func TestWhatTheWorkersOfAPageRequestIsSeen(t *testing.T) {
	scripts := map[string]string{
		"/outer.js": `const inner = new Worker("/inner.js"); onmessage = () => { fetch("/save", {method: "POST"}); inner.postMessage("") }`,
		"/inner.js": `onmessage = () => fetch("/send", {method: "POST"})`,
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if script := scripts[r.URL.Path]; script != "" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, script)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(site.Close)
	p := open(t, site.URL)
	traffic, err := p.WatchTraffic(within(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traffic.Stop)
	p.Send("Runtime.evaluate", map[string]any{"expression": `new Worker("/outer.js").postMessage("")`})
	for _, path := range []string{"/save", "/send"} {
		if _, _, err := traffic.WaitReply(within(t), 0, func(e target.Exchange) bool { return e.URL == site.URL+path }); err != nil {
			t.Fatalf("%s was not seen: %v", path, err)
		}
	}
	for _, e := range traffic.Requests(0) {
		if !e.Over() {
			t.Errorf("the end of %s was not heard of", e.URL)
		}
	}
}
