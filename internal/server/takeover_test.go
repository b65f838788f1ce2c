package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store/sealed"
)

// heard is what was sent to someone, in the order in which it came.
type heard struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data.Write(p)
}

func (h *heard) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return bytes.Clone(h.data.Bytes())
}

// until waits until a text was sent.
func (h *heard) until(t *testing.T, text string) {
	t.Helper()
	browsertest.Until(t, text, func() bool { return bytes.Contains(h.bytes(), []byte(text)) })
}

// newParrot is a site whose sign-in repeats the password wherever a page can: its title, its address, the label of its
// button, the console and the storage.
func newParrot(t *testing.T, password string) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		cookie, err := r.Cookie("in")
		switch {
		case r.Method == http.MethodPost && r.FormValue("user") == "ada" && r.FormValue("pass") == password:
			http.SetCookie(w, &http.Cookie{Name: "in", Value: "ada", Path: "/"})
			http.Redirect(w, r, "/orders?"+r.PostForm.Encode()+"#"+r.PostForm.Encode(), http.StatusSeeOther)
		case err == nil && cookie.Value == "ada":
			fmt.Fprint(w, `<!doctype html><title>Orders</title><h1>Orders of ada</h1>`)
		default:
			fmt.Fprintf(w, `<!doctype html><title>Sign in</title><form method=post><input name=user aria-label="User name"><input type=password name=pass aria-label=Password oninput="repeat(value)"><button id=go>Sign in</button></form><script>
				function repeat(text) {
					document.title = "Hello " + text; go.textContent = "Sign in with " + text; go.title = text; console.log(text)
					localStorage.password = text; history.replaceState(0, "", "?" + new URLSearchParams({text}) + "#" + text)
				}</script><p>%s`, html.EscapeString(r.URL.Path))
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// While it is learned, what a person types is sent to no one who watches, to no program, to no agent, and is stored
// nowhere but sealed; also where the page repeats it, and when the automation types it the next time.
func TestWhatIsTypedWhileItIsLearnedIsSentToNoOne(t *testing.T) {
	t.Parallel()
	password := canary.New()
	site := newParrot(t, password)
	var desk *handoff.Desk
	var log, files, events, watched, told heard
	notices := make(chan handoff.Notice, 2)
	view := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { desk.ServeHTTP(w, r) }))
	t.Cleanup(view.Close)
	s := startWith(t, nil, func(a *agent.Options, o *server.Options) {
		key, err := sealed.File(filepath.Join(t.TempDir(), "key"))
		if err != nil {
			t.Fatal(err)
		}
		safe := sealed.New(a.Store, key)
		desk, err = handoff.New(&handoff.Options{
			Store: a.Store, PublicURL: view.URL, Notify: func(n handoff.Notice) { notices <- n },
			Secrets: func() (*sealed.SecretStore, error) { return safe, nil },
			Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(desk.Close)
		a.Handoffs, o.Handoffs, o.API.Rate = desk, desk, 1000
		a.Values = func(ctx context.Context, w agent.ValuesRequest) (replayer.Values, error) {
			return safe.Values(ctx, w.Automation, sealed.Scope{Account: w.Account})
		}
	})
	hear := func(r *http.Response, in *heard) *http.Response {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, in), r.Body}
		return r
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	stream, err := http.DefaultClient.Do(r)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("the events: %v, %v", stream, err)
	}
	defer stream.Body.Close()
	go func() { _, _ = io.Copy(&events, stream.Body) }()
	carry := roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			answer = hear(answer, &told)
		}
		return answer, err
	})
	// asks has an agent meet the sign-in, in a window that has never seen the site.
	asks := func() <-chan string {
		c := s.client(t, carry, false)
		call := func(tool string, args map[string]any) string {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil {
				return err.Error()
			}
			text, _ := json.Marshal(r)
			return string(text)
		}
		done := make(chan string, 1)
		go func() {
			call("navigate", map[string]any{"url": site.URL + "/orders"})
			answer := call("request_human", map[string]any{"reason": "login", "instruction": "Sign in as ada.", "until": "text/Orders of ada"})
			call("snapshot", nil)
			call("tabs", nil)
			call("screenshot", nil)
			_ = c.Close()
			done <- answer
		}()
		return done
	}
	first := asks()
	var n handoff.Notice
	select {
	case n = <-notices:
	case answer := <-first:
		t.Fatalf("no one was called: %s", answer)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log:\n%s", log.bytes())
		}
	})
	stop := s.watch(t, view.URL, desk.Get(n.Handoff), &watched)
	defer stop()
	b := <-s.browser
	s.browser <- b
	h, err := s.st.Handoffs().Get(t.Context(), n.Handoff)
	if err != nil {
		t.Fatal(err)
	}
	handed, err := b.Page(t.Context(), h.Page)
	if err != nil {
		t.Fatal(err)
	}
	signIn(t, browsertest.Page(t, n.Link), handed, password)
	if answer := <-first; !strings.Contains(answer, "FINISHED") {
		t.Fatalf("the agent is told %s", answer)
	}
	watched.until(t, `"t":"end"`)
	events.until(t, handoff.ActionResolved)
	if answer := <-asks(); !strings.Contains(answer, "automation") || len(notices) > 0 {
		t.Fatalf("the next time the agent is told %s, and %d people are called", answer, len(notices))
	}

	var stored, journal heard
	for sum, err := range s.st.Automations().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		doc, err := s.st.Automations().Get(t.Context(), sum.Name, "")
		if err == nil {
			var text []byte
			text, err = automation.Marshal(doc)
			_, _ = stored.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	calls, err := s.st.Journal().Recent(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range calls {
		fmt.Fprintf(&journal, "%s %+v\n", call.Arguments, call)
	}
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		fmt.Fprintf(&files, "\n%s\n%s", path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for where, all := range map[string]*heard{
		"the view of one who watches": &watched, "GET /events": &events, "what the agents were sent": &told,
		"the journal": &journal, "the automation": &stored, "the files of the store": &files, "the log": &log,
	} {
		if len(all.bytes()) == 0 {
			t.Errorf("%s is empty: it was not looked at", where)
		}
		if form, around := canary.Find(all.bytes(), password); form != "" {
			t.Errorf("%s has the password, as %s: %q", where, form, around)
		}
	}
}

// watch has someone watch a handoff from here on, who has no control. stop ends that.
func (s *sidecar) watch(t *testing.T, view string, h *handoff.Handoff, in *heard) (stop func()) {
	t.Helper()
	link, err := h.Link(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	id, key, _ := strings.Cut(link[strings.IndexByte(link, '#')+1:], ".")
	reply, err := http.Post(view+handoff.Path+"open", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, id, key)))
	if err != nil || len(reply.Cookies()) != 1 {
		t.Fatalf("opening it: %v, %v", reply, err)
	}
	_ = reply.Body.Close()
	socket, _, err := websocket.Dial(t.Context(), view+handoff.Path+id+"/live", &websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {reply.Cookies()[0].String()}}})
	if err != nil {
		t.Fatal(err)
	}
	socket.SetReadLimit(-1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, data, err := socket.Read(t.Context())
			if err != nil {
				return
			}
			_, _ = in.Write(append(data, '\n'))
		}
	}()
	return func() { _ = socket.CloseNow(); <-ended }
}

// signIn signs ada in through the view, and has what was done saved.
func signIn(t *testing.T, view, handed *browser.Page, password string) {
	t.Helper()
	ctx := browsertest.Context(t)
	p := simuser.Help(view.Target(), handed.Target())
	for i, act := range []func() error{
		func() error { return p.Learn(ctx) },
		func() error { return p.Fill(ctx, "input[name=user]", "ada") },
		func() error { return p.Fill(ctx, "input[name=pass]", password) },
		func() error { return p.Click(ctx, "#go") },
		func() error { return simuser.At(handed.Target()).See(ctx, "/orders?") },
		func() error { return p.Return(ctx) },
		func() error { return p.Save(ctx, map[string]string{"username": "ada", "password": password}) },
	} {
		if err := act(); err != nil {
			t.Fatalf("the person, at %d: %v", i, err)
		}
	}
}
