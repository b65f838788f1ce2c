// Package providertest checks that a provider does what browser.Provider promises. Run is for
// those that speak to a service, whose API a server of the test speaks with a real browser at
// its end; Lifecycle is for all.
package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/canary"
)

// Cloud is what lies under the API of a service: its sessions, all of them in one real browser,
// and what goes wrong with it.
type Cloud struct {
	URL   string        // of the API
	Key   string        // that the API is to be asked with
	Delay time.Duration // of each answer of the API

	// IgnoreQueries lists all sessions, whatever was asked for.
	IgnoreQueries bool

	token, view string // parts of the addresses of connections and viewers that are as good as a key
	chromium    *url.URL

	mu       sync.Mutex
	sessions []*CloudSession
	faults   []*Fault
	asked    []string
}

// CloudSession is a session of a Cloud.
type CloudSession struct {
	ID, Region, Tag  string
	Created, Expires time.Time
	Ended            bool
	Asked            map[string]any // the body of the request that has opened it
}

// Fault is what happens to requests in place of an answer.
type Fault struct {
	Request string // "POST /v1/sessions" is met, and no longer path; "POST " is any of this method, "" any
	Times   int    // how often; 0 is always
	Done    bool   // what was asked for is done nevertheless
	Status  int
	Header  http.Header
	Body    string
	Hang    bool // until the client leaves
}

// NewCloud serves the API that handler speaks, until the test ends; chromium is the endpoint of a
// browser.
func NewCloud(t testing.TB, chromium string, handler func(*Cloud) http.Handler) *Cloud {
	t.Helper()
	socket, err := url.Parse(chromium)
	if err != nil {
		t.Fatal(err)
	}
	socket.Scheme = "http"
	c := &Cloud{Key: canary.NewOf("key-"), token: canary.NewOf("token-"), view: canary.NewOf("view-"), chromium: socket}
	api := handler(c)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/connect" {
			c.connect(w, r)
			return
		}
		c.answer(w, r, api)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// connect leads a connection with the address of a session that runs to the browser.
func (c *Cloud) connect(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s := c.Find(q.Get("sessionId"))
	if s == nil || s.Ended || q.Get("token") != c.token || q.Get("apiKey") != c.Key {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.URL, p.Out.Host = c.chromium, c.chromium.Host
	}}).ServeHTTP(w, r)
}

func (c *Cloud) answer(w http.ResponseWriter, r *http.Request, api http.Handler) {
	c.mu.Lock()
	line := r.Method + " " + r.URL.Path
	c.asked = append(c.asked, line)
	var met *Fault
	for i, f := range c.faults {
		if line == f.Request || f.Request == "" || strings.HasSuffix(f.Request, " ") && strings.HasPrefix(line, f.Request) {
			met = f
			if f.Times--; f.Times == 0 {
				c.faults = slices.Delete(c.faults, i, i+1)
			}
			break
		}
	}
	c.mu.Unlock()
	if c.Delay > 0 {
		timer := time.NewTimer(c.Delay) // as a service takes its time
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if met == nil {
		api.ServeHTTP(w, r)
		return
	}
	if met.Done {
		api.ServeHTTP(httptest.NewRecorder(), r)
	} else {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see the client leave
	}
	if met.Hang {
		<-r.Context().Done()
		return
	}
	for name, values := range met.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(met.Status)
	body := met.Body
	if all := c.Sessions(); len(all) > 0 {
		body = strings.ReplaceAll(body, LastSession, all[len(all)-1].ID)
	}
	_, _ = io.WriteString(w, body)
}

// LastSession stands in the body of a Fault for the ID of the session that was opened last.
const LastSession = "LAST-SESSION"

// Meet has requests meet a fault.
func (c *Cloud) Meet(f *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, f)
}

// Heal ends all faults.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
}

// Asked counts the requests of a method and path.
func (c *Cloud) Asked(line string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, asked := range c.asked {
		if asked == line {
			n++
		}
	}
	return n
}

// requests counts all of them.
func (c *Cloud) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asked)
}

// Open opens a session. A handler calls it.
func (c *Cloud) Open(id, tag, region string, lasts time.Duration, asked map[string]any) *CloudSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().UTC().Truncate(time.Millisecond)
	s := &CloudSession{ID: id, Tag: tag, Region: region, Created: now, Expires: now.Add(lasts), Asked: asked}
	c.sessions = append(c.sessions, s)
	return s
}

// Find returns a copy of a session, nil where there is none.
func (c *Cloud) Find(id string) *CloudSession {
	for _, s := range c.Sessions() {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// End ends a session, and reports whether it was running.
func (c *Cloud) End(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.ID == id && !s.Ended {
			s.Ended = true
			return true
		}
	}
	return false
}

// Sessions returns copies of all that were ever opened.
func (c *Cloud) Sessions() []*CloudSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*CloudSession
	for _, s := range c.sessions {
		dup := *s
		all = append(all, &dup)
	}
	return all
}

// Running counts the sessions that have not ended.
func (c *Cloud) Running() int {
	n := 0
	for _, s := range c.Sessions() {
		if !s.Ended {
			n++
		}
	}
	return n
}

// Socket is where a session is connected to, with these parameters besides the Cloud's own.
func (c *Cloud) Socket(params url.Values) string {
	q := url.Values{"token": {c.token}}
	for name, values := range params {
		q[name] = values
	}
	return "ws" + strings.TrimPrefix(c.URL, "http") + "/connect?" + q.Encode()
}

// Viewer is the address of the live view of a session.
func (c *Cloud) Viewer(id string) string { return c.URL + "/view/" + id + "?t=" + c.view }

// Reply writes an answer as JSON.
func Reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Secrets are what no one may write down: the key, and parts of the addresses of connections and
// viewers.
func (c *Cloud) Secrets() map[string]string {
	return map[string]string{"key": c.Key, "address of a connection": c.token, "address of a viewer": c.view}
}

// Body reads the body of a request.
func Body(r *http.Request) map[string]any {
	body := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}
