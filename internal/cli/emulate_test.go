package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// visits are what a site was told by its visitors and by their scripts, a line each.
type visits struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func (v *visits) add(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lines = append(v.lines, line)
	select {
	case v.more <- struct{}{}:
	default:
	}
}

func (v *visits) all() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.lines, "\n")
}

// visitorPage tells its server what it sees, at once and when its button is pressed.
const visitorPage = `<!DOCTYPE html><meta name=viewport content="width=device-width"><title>Visitors</title><button id=go>Go</button><script>
const tell = (what, more) => fetch("/told?" + new URLSearchParams({what, ...more}));
tell("page", {
	zone: Intl.DateTimeFormat().resolvedOptions().timeZone, languages: navigator.languages, touch: navigator.maxTouchPoints,
	dark: matchMedia("(prefers-color-scheme: dark)").matches, width: innerWidth,
});
document.querySelector("button").onclick = e => navigator.geolocation.getCurrentPosition(p => tell("press", {trusted: e.isTrusted, at: p.coords.latitude + "," + p.coords.longitude})
	.then(() => { document.body.append(Object.assign(document.createElement("p"), {id: "done", textContent: "Done"})) }));
</script>`

// openVisitors has $VISITED be a site that notes what it is told, and $PROXY a proxy through
// which it is every site, for the user ada and the password proxy-canary.
func openVisitors(ts *testscript.TestScript, _ bool, _ []string) {
	v := &visits{more: make(chan struct{}, 1)}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.add(fmt.Sprintf("%s %s language=%s tenant=%s agent=%s", r.Host, r.URL, r.Header.Get("Accept-Language"), r.Header.Get("X-Tenant"), r.UserAgent()))
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, visitorPage)
		}
	}))
	ts.Defer(site.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := &http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
		if user, password, _ := asked.BasicAuth(); user != "ada" || password != "proxy-canary" {
			v.add("proxy refused " + r.Host)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		v.add("proxy " + r.Host)
		server, err := net.Dial("tcp", site.Listener.Addr().String())
		if err != nil {
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { defer server.Close(); _, _ = io.Copy(server, client) }()
		defer client.Close()
		_, _ = io.Copy(client, server)
	}))
	ts.Defer(proxy.Close)
	ts.Setenv("VISITED", site.URL)
	ts.Setenv("VISITEDHOST", strings.TrimPrefix(site.URL, "http://"))
	ts.Setenv("PROXY", proxy.URL)
	worldOf(ts).visits = v
}

// visitTimeout bounds the wait for what a page tells after its run.
const visitTimeout = 20 * time.Second

// visited waits until the site was told something, or looks that it was not: visited 'zone=Asia'
func visited(ts *testscript.TestScript, neg bool, args []string) {
	v := worldOf(ts).visits
	told := regexp.MustCompile("(?m)" + args[0])
	if neg {
		if told.MatchString(v.all()) {
			ts.Fatalf("it was told %s:\n%s", args[0], v.all())
		}
		return
	}
	late := time.After(visitTimeout)
	for !told.MatchString(v.all()) {
		select {
		case <-v.more:
		case <-late:
			ts.Fatalf("it was not told %s, but:\n%s", args[0], v.all())
		}
	}
}
