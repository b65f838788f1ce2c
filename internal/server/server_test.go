package server_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/store"
)

const token = "a-token-of-the-test"

// sidecar is a server, and the browser that its agent has started.
type sidecar struct {
	*httptest.Server
	st        store.Store
	dir       string // of the store
	browser   chan *browser.Browser
	described *described
}

func start(t *testing.T, grace, idle time.Duration) *sidecar {
	t.Helper()
	return startWith(t, nil, func(_ *agent.Options, o *server.Options) { o.Grace, o.Idle = grace, idle })
}

// startWith starts a sidecar; change may change the options.
func startWith(t *testing.T, limits *httpserver.Options, change func(*agent.Options, *server.Options)) *sidecar {
	t.Helper()
	browsertest.Slot(t)
	dir := t.TempDir()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &sidecar{st: st, dir: dir, browser: make(chan *browser.Browser, 1), described: describe(t)}
	s.Server = httptest.NewUnstartedServer(nil)
	_, port, _ := strings.Cut(s.Listener.Addr().String(), ":")
	o := &server.Options{Token: token, Hosts: server.LoopbackHosts(port)}
	agents := &agent.Options{Store: st, Browser: func(ctx context.Context) (*browser.Browser, error) {
		b, err := browser.Launch(ctx, nil)
		s.browser <- b
		return b, err
	}}
	change(agents, o)
	if o.Agent, err = agent.New(t.Context(), agents); err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Config = httpserver.New(handler, limits)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		handler.Close()
		if err := o.Agent.Close(); err != nil {
			t.Error(err)
		}
		_ = st.Close()
	})
	return s
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// ask makes a request that begins a session; change may change it.
func (s *sidecar) ask(t *testing.T, change func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/mcp", bytes.NewReader([]byte(initialize)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	change(r)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestOnlyWhoMayAskIsAnswered(t *testing.T) {
	t.Parallel()
	s := start(t, 0, 0)
	port := s.URL[strings.LastIndexByte(s.URL, ':')+1:]
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"a client":                     {func(*http.Request) {}, 200},
		"by localhost":                 {func(r *http.Request) { r.Host = "LocalHost:" + port }, 200},
		"a page of its own":            {func(r *http.Request) { r.Header.Set("Origin", s.URL); r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		"no token":                     {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token":                {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401},
		"half a token":                 {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:5]) }, 401},
		"an empty token":               {func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		"a token as a password":        {func(r *http.Request) { r.Header.Del("Authorization"); r.SetBasicAuth("x", token) }, 401},
		"a token in the address":       {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + token }, 401},
		"a name that was rebound":      {func(r *http.Request) { r.Host = "evil.example:" + port }, 403},
		"a name without a port":        {func(r *http.Request) { r.Host = "127.0.0.1" }, 403},
		"a name like ours":             {func(r *http.Request) { r.Host = "127.0.0.1.evil.example:" + port }, 403},
		"rebound, and without a token": {func(r *http.Request) { r.Host = "evil.example"; r.Header.Del("Authorization") }, 403},
		"a page of another site":       {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a page of no site":            {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a page on another port":       {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"a page of two sites":          {func(r *http.Request) { r.Header["Origin"] = []string{s.URL, "https://evil.example"} }, 403},
		"a page that a browser tells":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a page of a sister":           {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"a preflight": {func(r *http.Request) {
			r.Method = "OPTIONS"
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Del("Authorization")
		}, 403},
		"another path": {func(r *http.Request) { r.URL.Path = "/" }, 404},
	} {
		answer := s.ask(t, c.change)
		if answer.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", name, answer.Status, c.status)
		}
		for header := range answer.Header {
			if strings.HasPrefix(header, "Access-Control-") {
				t.Errorf("%s: there is a header %s", name, header)
			}
		}
	}
}

func TestAServerThatAnyoneCouldUseIsNotMade(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	served, err := agent.New(t.Context(), &agent.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = served.Close() })
	for what, o := range map[string]*server.Options{
		"nothing":       nil,
		"no agent":      {Token: token, Hosts: []string{"x"}},
		"no token":      {Agent: served, Hosts: []string{"x"}},
		"a short token": {Agent: served, Token: "short", Hosts: []string{"x"}},
		"no hosts":      {Agent: served, Token: token},
	} {
		if _, err := server.New(o); err == nil {
			t.Errorf("%s will do", what)
		}
	}
	if one, other := server.NewToken(), server.NewToken(); one == other || len(one) < 20 {
		t.Errorf("%s, %s", one, other)
	}
}

func (s *sidecar) client(t *testing.T, transport http.RoundTripper, quiet bool) *mcp.ClientSession {
	t.Helper()
	return s.clientOf(t, nil, transport, quiet)
}

func (s *sidecar) clientOf(t *testing.T, o *mcp.ClientOptions, transport http.RoundTripper, quiet bool) *mcp.ClientSession {
	t.Helper()
	carry := roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
		return transport.RoundTrip(r)
	})
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: carry}, MaxRetries: -1, DisableStandaloneSSE: quiet}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func pages(t *testing.T, b *browser.Browser, site string) int {
	t.Helper()
	all, err := b.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range all {
		if strings.HasPrefix(p.URL(), site) {
			n++
		}
	}
	return n
}

func TestThePageOfAClientThatVanishesIsClosed(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(&demosite.Options{Delay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	for name, quiet := range map[string]bool{"with a stream": false, "without a stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, 300*time.Millisecond, time.Second)
			transport := &http.Transport{}
			c := s.client(t, transport, quiet)
			if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "navigate", Arguments: map[string]any{"url": site.URL + "/form"}}); err != nil || r.IsError {
				t.Fatal(err, r)
			}
			b := <-s.browser
			ctx, vanish := context.WithCancel(t.Context())
			called := make(chan struct{})
			go func() {
				defer close(called)
				_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: "click", Arguments: map[string]any{"target": "#never", "timeout": "100s"}})
			}()
			browsertest.Until(t, "the call is under way", func() bool { return pages(t, b, site.URL) == 1 })
			s.CloseClientConnections() // as where the client's machine has lost its power
			browsertest.Until(t, "its page is closed", func() bool { return pages(t, b, site.URL) == 0 })
			vanish()
			<-called
		})
	}
}

// The stream on which a client hears of new tools is never read out, and stays open for as
// long as the client is there: the times that a request may take are not for it.
func TestAStreamOutlivesTheTimesForRequests(t *testing.T) {
	t.Parallel()
	const most = 200 * time.Millisecond
	s := startWith(t, &httpserver.Options{HeaderTimeout: most, BodyTimeout: most, IdleTimeout: most, WriteTimeout: most}, func(*agent.Options, *server.Options) {})
	changed := make(chan struct{}, 10)
	c := s.clientOf(t, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }}, &http.Transport{}, false)
	defer c.Close()
	timer := time.NewTimer(5 * most)
	<-timer.C
	a, err := automation.Parse([]byte(`{"format": 1, "name": "later", "match": {"urls": ["shop.example"]}, "steps": [{"tool": "navigate", "url": "https://shop.example/"}]}`))
	if err == nil {
		_, err = s.st.Automations().Save(t.Context(), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Error("the client is not told of a new tool")
	}
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_automations"}); err != nil || r.IsError {
		t.Errorf("a call after that: %v, %+v", err, r)
	}
}

func TestARequestThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, 0, 0)
	for what, change := range map[string]func(*http.Request){
		"a client":  func(*http.Request) {},
		"no client": func(r *http.Request) { r.Header.Del("Authorization") },
	} {
		answer := s.ask(t, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, 5<<20))), 5<<20
			change(r)
		})
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %s", what, answer.Status)
		}
	}
}

func TestAClientThatOnlyThinksKeepsItsPage(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(&demosite.Options{Delay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	s := start(t, 100*time.Millisecond, 100*time.Millisecond)
	c := s.client(t, &http.Transport{}, false)
	must := func(name string, args map[string]any) {
		t.Helper()
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args}); err != nil || r.IsError {
			t.Fatal(name, err, r)
		}
	}
	must("navigate", map[string]any{"url": site.URL + "/form"})
	b := <-s.browser
	timer := time.NewTimer(700 * time.Millisecond) // several times what a client that is away is given
	<-timer.C
	must("click", map[string]any{"target": "#gift"})
	if pages(t, b, site.URL) != 1 {
		t.Error("its page is gone")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	browsertest.Until(t, "the page of who has said goodbye is closed", func() bool { return pages(t, b, site.URL) == 0 })
}
