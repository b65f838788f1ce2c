package server_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/replayer"
)

// shop has a page of everything that a session does.
type shop struct {
	*httptest.Server
	paid, greeted atomic.Int32
	held          chan struct{} // that GET /slow waits for
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{held: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/pay":
			s.paid.Add(1)
		case "/greet":
			s.greeted.Add(1)
			_, _ = fmt.Fprintf(w, `<title>Hello</title><h1 id=said>Hello</h1>`)
		case "/slow":
			<-s.held
			_, _ = fmt.Fprint(w, `<h1>At last</h1>`)
		default:
			_, _ = fmt.Fprint(w, `<title>Shop</title><body style="height: 5000px"><form action=/greet><input id=name name=name autofocus><input id=pass type=password name=pass></form>
				<a href=/greet>Say hello</a><form id=order method=post action=/pay><input type=hidden name=amount value="12.00"><button id=pay>Pay 12.00 EUR now</button></form>
				<p id=at>0</p><script>onscroll = () => { document.querySelector("#at").textContent = scrollY > 0 ? "down" : "top" }</script>`)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.release)
	return s
}

// release has /slow be answered.
func (s *shop) release() {
	select {
	case <-s.held:
	default:
		close(s.held)
	}
}

// startAPI starts a sidecar, with two automations for a shop; change may change the options.
func startAPI(t *testing.T, change func(*agent.Options, *server.Options)) (*sidecar, *shop) {
	t.Helper()
	site := newShop(t)
	s := startWith(t, nil, func(a *agent.Options, o *server.Options) {
		a.Timeout = 20 * time.Second
		o.API.Rate = 1000
		if change != nil {
			change(a, o)
		}
	})
	for name, steps := range map[string]string{
		"say-hello": `{"tool": "navigate", "url": "http://HOST/"}, {"tool": "click", "selector": "text/Say hello"}, {"tool": "extract", "selector": "#said", "args": {"as": "said"}}`,
		"wait-long": `{"tool": "navigate", "url": "http://HOST/slow", "timeout": "100s"}`,
		"miss":      `{"tool": "navigate", "url": "http://HOST/"}, {"tool": "click", "selector": "#never", "timeout": "100ms"}`,
	} {
		document := fmt.Sprintf(`{"format": 1, "name": %q, "match": {"urls": ["HOST/*"]}, "steps": [%s]}`, name, steps)
		a, err := automation.Parse([]byte(strings.ReplaceAll(document, "HOST", strings.TrimPrefix(site.URL, "http://"))))
		if err == nil {
			_, err = s.st.Automations().Save(t.Context(), a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, site
}

func (s *sidecar) status(t *testing.T) told { return s.does(t, 200, "GET", "/session/status", "") }

// isPicture checks that a field holds a picture.
func isPicture(t *testing.T, value told) {
	t.Helper()
	text, _ := value["picture"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		_, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		t.Errorf("the picture is none: %v", err)
	}
}

func TestASessionOverHTTP(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	if status := s.status(t); status["status"] != "no active session" {
		t.Errorf("before: %v", status)
	}
	started := s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q, "intent": "look around"}`, site.URL))
	isPicture(t, started)
	if started["link"] != "" {
		t.Errorf("the link is %v", started["link"])
	}
	s.fails(t, 409, server.TooManySessions, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	status := s.status(t)
	if open := status["sessions"].([]any)[0].(map[string]any); status["status"] != "active" || open["session"] != started["session"] || open["url"] != site.URL+"/" {
		t.Errorf("open: %v", status)
	}

	s.does(t, 200, "POST", "/session/type", `{"text": "Ada"}`) // where the focus is
	s.does(t, 200, "POST", "/session/scroll", `{"direction": "down"}`)
	page := s.pageAt(t, site.URL)
	if name := page("#name"); name != "Ada" {
		t.Errorf("the field holds %q", name)
	}
	browsertest.Until(t, "the page is scrolled", func() bool { return page("#at") == "down" })
	if clicked := s.does(t, 200, "POST", "/session/click?session="+started["session"].(string), `{"text": "Say hello"}`); clicked["url"] != site.URL+"/greet" {
		t.Errorf("after the click: %v", clicked)
	}
	went := s.does(t, 200, "POST", "/session/navigate", fmt.Sprintf(`{"url": "%s/?q"}`, site.URL))
	isPicture(t, went)
	for _, query := range []string{"", "?full_page=true"} {
		_, data := s.send(t, "GET", "/session/screenshot"+query, "", nil)
		shot, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || (shot.Height >= 5000) != (query != "") {
			t.Errorf("the picture is %d high: %v", shot.Height, err)
		}
	}
	if stopped := s.does(t, 200, "POST", "/session/stop", ""); stopped["session"] != started["session"] {
		t.Errorf("stopped: %v", stopped)
	}
	if status := s.status(t); status["status"] != "no active session" {
		t.Errorf("after: %v", status)
	}
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
}

// pageAt returns what elements of the page of a site hold, or say.
func (s *sidecar) pageAt(t *testing.T, site string) func(selector string) string {
	t.Helper()
	b := <-s.browser
	all, err := b.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if strings.HasPrefix(p.URL(), site) {
			return func(selector string) string {
				tools := replayer.Begin(p, nil)
				defer tools.Close()
				what := `{"tool": "extract", "selector": "` + selector + `", "args": {"as": "it"}}`
				step := automation.Step{}
				if err := step.UnmarshalJSON([]byte(what)); err != nil {
					t.Fatal(err)
				}
				if _, err := tools.Do(t.Context(), step); err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(tools.Outputs()["it"])
			}
		}
	}
	t.Fatal("there is no such page")
	return nil
}

func TestWhatNoOneMayAskOfTheAPI(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		for what, c := range map[string]struct {
			change func(*http.Request)
			status int
			code   string
		}{
			"a wrong token":  {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401, server.Unauthorized},
			"no token":       {func(r *http.Request) { r.Header.Del("Authorization") }, 401, server.Unauthorized},
			"a foreign page": {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, server.Forbidden},
			"a foreign host": {func(r *http.Request) { r.Host = "evil.example" }, 403, server.Forbidden},
		} {
			answer, data := s.send(t, method, path, "", c.change)
			if answer.StatusCode != c.status || !strings.Contains(string(data), `"code":"`+c.code+`"`) {
				t.Errorf("%s: %s is answered with %s %s", what, route, answer.Status, data)
			}
		}
	}
}

func TestABodyThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	large := `{"intent": "` + strings.Repeat("x", 2<<20) + `"}`
	secret := canary.New()
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if method != "POST" {
			continue
		}
		s.fails(t, 413, server.TooLarge, method, path, large)
		for _, body := range []string{`[]`, `{`, `{} {}`, `"x"`, `{"nonsense": "` + secret + `"}`, `{"intent": 5, "url": 5, "direction": 5}`} {
			if e := s.fails(t, 400, agent.InvalidArguments, method, path, body); strings.Contains(fmt.Sprint(e), secret) {
				t.Errorf("%s repeats the body: %v", route, e)
			}
		}
	}
	if status := s.status(t); status["status"] != "no active session" {
		t.Errorf("after: %v", status)
	}
}
