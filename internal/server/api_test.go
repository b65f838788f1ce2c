package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// shop has a page of everything that a session does.
type shop struct {
	*httptest.Server
	paid, greeted atomic.Int32
	member        atomic.Bool   // someone who is signed in was seen
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
		case "/bill":
			_, _ = fmt.Fprint(w, `<title>Bill</title><p id=to>Meadow Water</p><p id=sum>12,00 €</p><form method=post action=/pay><button id=pay>Pay now</button></form>`)
		case "/in":
			http.SetCookie(w, &http.Cookie{Name: "member", Value: "ada-is-a-member", Path: "/"})
		case "/framed":
			_, _ = fmt.Fprint(w, `<title>Framed</title><iframe id=inner src=/ width=600 height=400></iframe>`)
		case "/slow":
			<-s.held
			_, _ = fmt.Fprint(w, `<h1>At last</h1>`)
		default:
			if _, err := r.Cookie("member"); err == nil {
				s.member.Store(true)
			}
			_, _ = fmt.Fprint(w, `<title>Shop</title><body style="height: 5000px"><form action=/greet><input id=name name=name autofocus><input id=pass type=password name=pass></form>
				<a href=/greet>Say hello</a><form id=order method=post action=/pay><input type=hidden name=amount value="12.00"><button id=pay>Pay 12.00 EUR now</button></form>
				<p id=at>0</p><script>
					for (const delegatesFocus of [false, true]) {
						const host = document.body.appendChild(document.createElement("div"))
						host.attachShadow({mode: "open", delegatesFocus}).innerHTML = '<input aria-label="within ' + delegatesFocus + '">'
					}
					onscroll = () => { document.querySelector("#at").textContent = scrollY > 0 ? "down" : "top" }</script>`)
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
		a.Timeout, a.SelfAddrs = 20*time.Second, o.Hosts
		o.API.Rate = 1000
		if change != nil {
			change(a, o)
		}
	})
	for name, steps := range map[string]string{
		"say-hello": `{"tool": "navigate", "url": "http://HOST/"}, {"tool": "click", "selector": "text/Say hello"}, {"tool": "extract", "selector": "#said", "args": {"as": "said"}}`,
		"wait-long": `{"tool": "navigate", "url": "http://HOST/slow", "timeout": "100s"}`,
		"miss":      `{"tool": "navigate", "url": "http://HOST/greet"}, {"tool": "click", "selector": "#never", "timeout": "100ms"}`,
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
	s.does(t, 200, "POST", "/session/scroll", `{"direction": "up"}`)
	page := s.pageAt(t, site.URL)
	if name := page("#name"); name != "Ada" {
		t.Errorf("the field holds %q", name)
	}
	for _, label := range []string{"within false", "within true"} {
		s.does(t, 200, "POST", "/session/click", fmt.Sprintf(`{"selector": "pierce/[aria-label='%s']"}`, label))
		s.does(t, 200, "POST", "/session/type", `{"text": "in a shadow root"}`)
		if held := page("pierce/[aria-label='" + label + "']"); held != "in a shadow root" {
			t.Errorf("the field %s holds %q", label, held)
		}
	}
	s.does(t, 200, "POST", "/session/scroll", `{"direction": "down", "pixels": 900}`)
	browsertest.Until(t, "the page is scrolled", func() bool { return page("#at") == "down" })
	if clicked := s.does(t, 200, "POST", "/session/click?session="+started["session"].(string), `{"text": "Say hello"}`); clicked["url"] != site.URL+"/greet" {
		t.Errorf("after the click: %v", clicked)
	}
	went := s.does(t, 200, "POST", "/session/navigate", fmt.Sprintf(`{"url": "%s/?q"}`, site.URL))
	isPicture(t, went)
	s.does(t, 200, "POST", "/session/navigate", fmt.Sprintf(`{"url": "%s/framed"}`, site.URL))
	s.does(t, 200, "POST", "/session/click", `{"selector": "#name", "frame": ["#inner"]}`)
	s.does(t, 200, "POST", "/session/type", `{"text": "Grace", "frame": ["#inner"]}`)
	s.does(t, 200, "POST", "/session/click", `{"text": "Say hello", "frame": ["#inner"]}`)
	s.does(t, 200, "POST", "/session/click", `{"selector": "#said", "frame": ["#inner"]}`)
	s.does(t, 200, "POST", "/session/navigate", fmt.Sprintf(`{"url": %q}`, site.URL))
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
		if method != "POST" || strings.HasPrefix(path, "/approvals") || strings.HasPrefix(path, "/limits") || strings.HasSuffix(path, "/link") { // with another token
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

func TestASessionIsNeededForWhatIsDoneInOne(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	for route, body := range map[string]string{
		"POST /session/stop": "", "POST /session/navigate": fmt.Sprintf(`{"url": %q}`, site.URL), "POST /session/click": `{"text": "x"}`,
		"POST /session/type": `{"text": "x"}`, "POST /session/scroll": `{"direction": "up"}`, "GET /session/screenshot": "",
	} {
		method, path, _ := strings.Cut(route, " ")
		if e := s.fails(t, 404, server.NoSession, method, path, body); e["reason"] != "no active session" {
			t.Errorf("%s: %v", route, e)
		}
		s.fails(t, 404, server.NoSession, method, path+"?session=another", body)
	}
	s.fails(t, 404, server.NoSession, "POST", "/automations/say-hello/play?session=another", "")
}

func TestASessionThatDoesNotBeginTakesNoPlace(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	s.fails(t, 400, agent.InvalidArguments, "POST", "/session/start", "")
	s.fails(t, 403, string(replayer.Refused), "POST", "/session/start", `{"url": "file:///etc/passwd"}`)
	s.fails(t, 403, string(replayer.OutOfScope), "POST", "/session/start", fmt.Sprintf(`{"url": "%s/health"}`, s.URL))
	if health := s.does(t, 200, "GET", "/health", ""); health["sessions"] != 0.0 || health["max_sessions"] != 1.0 {
		t.Errorf("the server is at %v", health)
	}
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	if health := s.does(t, 200, "GET", "/health", ""); health["sessions"] != 1.0 {
		t.Errorf("the server is at %v", health)
	}
}

func TestOfSeveralSessionsOneIsNamed(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, func(_ *agent.Options, o *server.Options) { o.API.MaxSessions = 2 })
	start := fmt.Sprintf(`{"url": %q}`, site.URL)
	one, other := s.does(t, 200, "POST", "/session/start", start), s.does(t, 200, "POST", "/session/start", start)
	s.fails(t, 400, agent.InvalidArguments, "POST", "/session/click", `{"text": "Say hello"}`)
	s.does(t, 200, "POST", fmt.Sprintf("/session/click?session=%s", other["session"]), `{"text": "Say hello"}`)
	at := map[any]any{}
	for _, open := range s.status(t)["sessions"].([]any) {
		at[open.(map[string]any)["session"]] = open.(map[string]any)["url"]
	}
	if at[one["session"]] != site.URL+"/" || at[other["session"]] != site.URL+"/greet" {
		t.Errorf("they are at %v", at)
	}
	s.fails(t, 409, server.TooManySessions, "POST", "/session/start", start)
	s.does(t, 200, "POST", fmt.Sprintf("/session/stop?session=%s", one["session"]), "")
	s.does(t, 200, "POST", "/session/click", `{"selector": "#said"}`) // of the only one
}

func TestASessionThatNoOneUsesEnds(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, func(_ *agent.Options, o *server.Options) { o.API.SessionTimeout = 3 * time.Second })
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	b := <-s.browser
	s.send(t, "POST", "/session/click", `{"selector": "#never", "timeout": "5s"}`, nil) // for longer than that, it is used
	if status := s.status(t); status["status"] != "active" {
		t.Errorf("after a long call: %v", status)
	}
	browsertest.Until(t, "its page is closed", func() bool { return pages(t, b, site.URL) == 0 })
	if status := s.status(t); status["status"] != "no active session" {
		t.Errorf("after that: %v", status)
	}
	browsertest.Until(t, "its place is free", func() bool { return s.does(t, 200, "GET", "/health", "")["sessions"] == 0.0 })
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
}

func TestACommitOverHTTPRequiresApproval(t *testing.T) {
	t.Parallel()
	asked := make(chan store.Approval, 1)
	for name, change := range map[string]func(*agent.Options, *server.Options){
		"refused": nil,
		"asked": func(a *agent.Options, _ *server.Options) {
			a.ApprovalTimeout, a.OnApprovalRequested = time.Minute, func(_ context.Context, one store.Approval) { asked <- one }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, site := startAPI(t, change)
			s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
			if change == nil {
				s.fails(t, 403, string(replayer.Refused), "POST", "/session/click", `{"selector": "#pay"}`)
				if site.paid.Load() != 0 {
					t.Error("it was paid")
				}
				return
			}
			clicked := make(chan told, 1)
			go func() {
				_, data := s.send(t, "POST", "/session/click", `{"selector": "#pay", "intent": "buy seeds"}`, nil)
				value := told{}
				_ = json.Unmarshal(data, &value) // what it is, is looked at
				clicked <- value
			}()
			one := <-asked
			browsertest.Until(t, "the status has the approval", func() bool {
				open := s.status(t)["sessions"].([]any)[0].(map[string]any)
				waits, _ := open["waits_for"].(map[string]any)
				return waits["approval"] == one.ID && waits["intent"] == "buy seeds" && open["expires"] == nil
			})
			if site.paid.Load() != 0 {
				t.Error("it was paid before someone has approved")
			}
			nonce, err := s.st.Approvals().IssueNonce(t.Context(), one.ID, "ada")
			if err == nil {
				_, err = s.st.Approvals().Answer(t.Context(), one.ID, nonce, true)
			}
			if err != nil {
				t.Fatal(err)
			}
			if value := <-clicked; value["effect"] != "commit" || site.paid.Load() != 1 {
				t.Errorf("approved: %v, paid %d times", value, site.paid.Load())
			}
		})
	}
}

// What is paid to whom is read from the page: a program has a person approve that, and then presses.
func TestAnApprovalIsRequestedOverHTTP(t *testing.T) {
	t.Parallel()
	asked := make(chan store.Approval, 3)
	s, site := startAPI(t, func(a *agent.Options, _ *server.Options) {
		a.ApprovalTimeout, a.OnApprovalRequested = time.Minute, func(_ context.Context, one store.Approval) { asked <- one }
	})
	const request = `{"selector": "#pay", "payee": "#to", "amount": "#sum", "intent": "pay 1 € to Ada"}`
	s.fails(t, 404, server.NoSession, "POST", "/session/request_approval", request)
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL+"/bill"))
	for _, body := range []string{`{"selector": "#pay"}`, `{"amount": "#sum"}`, `{"selector": "#pay", "text": "Pay now", "amount": "#sum"}`, `{"selector": "#pay", "amount": 12}`} {
		s.fails(t, 400, agent.InvalidArguments, "POST", "/session/request_approval", body)
	}
	s.fails(t, 422, string(replayer.NotFound), "POST", "/session/request_approval", `{"selector": "#pay", "amount": "#never", "timeout": "100ms"}`)
	answered := func(yes bool) told {
		t.Helper()
		ended := make(chan told, 1)
		go func() {
			_, data := s.send(t, "POST", "/session/request_approval", request, nil)
			value := told{}
			_ = json.Unmarshal(data, &value) // what it is, is looked at
			ended <- value
		}()
		one := <-asked
		if one.Payee != "Meadow Water" || one.Amount != "12,00 €" || one.Label != "Pay now" || one.Tool != "click" || one.Intent != "pay 1 € to Ada" {
			t.Errorf("asked is %+v", one)
		}
		if picture, err := s.st.Approvals().Picture(t.Context(), one.ID); err != nil || len(picture) == 0 {
			t.Errorf("its picture: %v", err)
		}
		nonce, err := s.st.Approvals().IssueNonce(t.Context(), one.ID, "ada")
		if err == nil {
			_, err = s.st.Approvals().Answer(t.Context(), one.ID, nonce, yes)
		}
		if err != nil {
			t.Fatal(err)
		}
		return <-ended
	}
	denied, _ := answered(false)["error"].(map[string]any)
	if denied["code"] != string(replayer.Refused) || denied["outcome"] != "denied" || denied["consent"] != false {
		t.Errorf("denied: %v", denied)
	}
	if approved := answered(true); approved["approved"] != true || site.paid.Load() != 0 {
		t.Errorf("approved: %v, paid %d times", approved, site.paid.Load())
	}
	s.does(t, 200, "POST", "/session/click", `{"selector": "#pay"}`)
	if site.paid.Load() != 1 || len(asked) != 0 {
		t.Errorf("paid %d times, and %d more were asked for", site.paid.Load(), len(asked))
	}
}

func TestWhereNoOneIsAskedNoApprovalIsRequested(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL+"/bill"))
	if e := s.fails(t, 404, agent.NotFound, "POST", "/session/request_approval", `{"selector": "#pay", "amount": "#sum"}`); e["next"] != "start the server with --ask store" {
		t.Errorf("what to do is %v", e["next"])
	}
}

func TestACallEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		b, err := browser.Launch(t.Context(), nil) // whose start takes its own time
		if err != nil {
			t.Fatal(err)
		}
		a.Browser = func(context.Context) (*browser.Browser, error) { return b, nil }
		o.API.CallTimeout = 5 * time.Second
	})
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	s.fails(t, 504, string(replayer.Timeout), "POST", "/session/click", `{"selector": "#never", "timeout": "300s"}`)
	s.does(t, 200, "POST", "/session/click", `{"text": "Say hello"}`)
}

func TestASecretOfASessionLeavesItNowhere(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	secret := canary.New()
	text, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	var all []byte
	for _, one := range []struct{ path, body string }{
		{"/session/type", fmt.Sprintf(`{"selector": "#pass", "text": %s}`, text)},
		{"/session/type", fmt.Sprintf(`{"selector": "#never", "text": %s, "timeout": "200ms"}`, text)},
		{"/session/click", fmt.Sprintf(`{"text": %s, "timeout": "200ms"}`, text)},
	} {
		_, data := s.send(t, "POST", one.path, one.body, nil)
		all = append(all, data...)
	}
	calls, err := s.st.Journal().Recent(t.Context(), 100)
	if err != nil || len(calls) != 5 {
		t.Errorf("%d calls were written down: %v", len(calls), err)
	}
	for _, call := range calls {
		all = append(all, fmt.Sprintf("%s %+v\n", call.Arguments, call)...)
	}
	if form, around := canary.Find(all, secret); form != "" {
		t.Errorf("it stands there, as %s: %s", form, around)
	}
}

func TestAnAutomationOverHTTP(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	if all := s.does(t, 200, "GET", "/automations?query=hello&limit=1", ""); len(all["automations"].([]any)) != 1 {
		t.Errorf("there are %v", all)
	}
	learned, err := automation.Parse([]byte(`{"format": 1, "name": "shop-sign-in", "match": {"urls": ["shop.example/in"], "blocker": "login"}, "steps": [{"tool": "click", "selector": "#in"}]}`))
	if err == nil {
		_, err = s.st.Automations().Save(t.Context(), learned)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range s.does(t, 200, "GET", "/automations", "")["automations"].([]any) {
		one, _ := one.(map[string]any)
		if blocker, is := one["blocker"]; is != (one["name"] == "shop-sign-in") || is && blocker != "login" {
			t.Errorf("listed is %v", one)
		}
	}
	s.fails(t, 400, agent.InvalidArguments, "GET", "/automations?limit=0", "")
	s.fails(t, 400, agent.InvalidArguments, "GET", "/automations?limit=x", "")

	done := s.does(t, 200, "POST", "/automations/say-hello/play", `{"intent": "greet"}`)
	if outputs, _ := done["outputs"].(map[string]any); done["state"] != "done" || outputs["said"] != "Hello" || site.greeted.Load() != 1 {
		t.Errorf("played: %v", done)
	}
	missed := s.fails(t, 422, string(replayer.NotFound), "POST", "/automations/miss/play", "")
	if missed["step"] != 2.0 || missed["resumable"] != true {
		t.Errorf("missed: %v", missed)
	}
	s.fails(t, 404, agent.NotFound, "POST", "/automations/nothing/play", "")
	s.fails(t, 400, agent.InvalidArguments, "POST", "/automations/say-hello/play", `{"vars": {"x": 1}}`)
	s.fails(t, 400, agent.InvalidArguments, "POST", "/automations/say-hello/play", `{"wait": -1}`)

	runs := s.does(t, 200, "GET", "/runs?limit=5", "")["runs"].([]any)
	if len(runs) != 2 || runs[0].(map[string]any)["run"] != missed["run"] || runs[1].(map[string]any)["run"] != done["run"] {
		t.Errorf("there were %v", runs)
	}
	one := s.does(t, 200, "GET", fmt.Sprintf("/runs/%s", done["run"]), "")["run"].(map[string]any)
	if steps, _ := one["steps"].([]any); one["state"] != "done" || len(steps) != 3 {
		t.Errorf("the run is %v", one)
	}
	s.fails(t, 404, agent.NotFound, "GET", "/runs/"+store.NewRunID(), "")
	s.fails(t, 400, agent.InvalidArguments, "GET", "/runs/x", "")
	if status := s.status(t); status["status"] != "no active session" {
		t.Errorf("after the runs: %v", status)
	}
}

func TestARunIsPlayedInTheSessionThatIsOpen(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	s.does(t, 200, "POST", "/session/start", fmt.Sprintf(`{"url": %q}`, site.URL))
	s.does(t, 200, "POST", "/automations/say-hello/play", "")
	if open := s.status(t)["sessions"].([]any)[0].(map[string]any); open["url"] != site.URL+"/greet" {
		t.Errorf("the session is at %v", open)
	}
	s.does(t, 200, "POST", "/session/click", `{"selector": "#said"}`)
}

func TestARunOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	s, site := startAPI(t, nil)
	answer, data := s.send(t, "POST", "/automations/wait-long/play", `{"wait": 0}`, nil)
	var begun struct{ Run string }
	if err := json.Unmarshal(data, &begun); err != nil || answer.StatusCode != 202 || answer.Header.Get("Location") != "/runs/"+begun.Run {
		t.Fatalf("%s: %s, %v", answer.Status, data, err)
	}
	s.fails(t, 409, server.TooManySessions, "POST", "/automations/say-hello/play", "") // its page takes the place
	state := func() any { return s.does(t, 200, "GET", "/runs/"+begun.Run, "")["run"].(map[string]any)["state"] }
	if now := state(); now != "running" {
		t.Errorf("the run is %v", now)
	}
	site.release()
	browsertest.Until(t, "the run is done", func() bool { return state() == "done" })
	browsertest.Until(t, "its page is closed", func() bool { return s.does(t, 200, "GET", "/health", "")["sessions"] == 0.0 })
}

func TestRunsOverHTTPBelongToTheToken(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	done := s.does(t, 200, "POST", "/automations/say-hello/play", "")
	run, err := s.st.Runs().Get(t.Context(), done["run"].(string))
	if err != nil || run.Owner != agent.OwnerOf(token) || strings.Contains(run.Owner, token) {
		t.Errorf("it belongs to %q: %v", run.Owner, err)
	}
	run.ID, run.Owner = store.NewRunID(), "another"
	if err := s.st.Runs().Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	s.fails(t, 404, agent.NotFound, "GET", "/runs/"+run.ID, "")
	if runs := s.does(t, 200, "GET", "/runs", "")["runs"].([]any); len(runs) != 1 {
		t.Errorf("it is told of %v", runs)
	}
}

// savedLogins are those that agents may begin with in a test: that of the name "shop".
type savedLogins struct{ safe *sealed.SecretStore }

func (l savedLogins) List(context.Context) ([]agent.Login, error) { return nil, nil }

func (l savedLogins) Open(ctx context.Context, name, account string) (*browser.StorageState, error) {
	if name != "shop" {
		return nil, &agent.Error{Code: string(replayer.Refused), Reason: "no agent may", Next: "name another"}
	}
	opened, err := runner.OpenLogin(ctx, l.safe, name, account)
	if err != nil {
		return nil, err
	}
	return opened.State, nil
}

func TestSavedLoginsOverHTTP(t *testing.T) {
	t.Parallel()
	var safe *sealed.SecretStore
	s, site := startAPI(t, func(a *agent.Options, o *server.Options) {
		key, err := sealed.File(filepath.Join(t.TempDir(), "key"))
		if err != nil {
			t.Fatal(err)
		}
		if err := key.Change(t.Context(), func(*sealed.Keys) (*sealed.Keys, error) { return sealed.NewKeys() }); err != nil {
			t.Fatal(err)
		}
		safe = sealed.New(a.Store, key)
		a.Logins = savedLogins{safe}
		o.API.Logins, o.API.LoginAllowed = a.Store.Logins(), func(name, _ string) bool { return name == "shop" }
	})
	state, err := browsertest.Page(t, site.URL+"/in").StorageState(t.Context(), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	used := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"shop", "bank"} {
		status := store.LoginStatus{State: store.LoginGood, LastUsed: used, LastVerified: used, Notes: "the club's"}
		if err := safe.SaveLogin(t.Context(), sealed.Login{Name: name, Account: "ada", State: state.Secret(), Status: status}); err != nil {
			t.Fatal(err)
		}
	}
	all := s.does(t, 200, "GET", "/contexts", "")["contexts"].([]any)
	if len(all) != 1 {
		t.Fatalf("it lists %v", all)
	}
	one := all[0].(map[string]any)
	if one["name"] != "shop" || one["account"] != "ada" || one["domain"] != "127.0.0.1" || one["state"] != "good" || one["notes"] != "the club's" ||
		one["last_used"] != "2026-01-02T03:04:05Z" || one["last_verified"] != "2026-01-02T03:04:05Z" {
		t.Errorf("it lists %v", one)
	}

	start := func(name string) string {
		return fmt.Sprintf(`{"url": %q, "context": %q, "account": "ada"}`, site.URL, name)
	}
	s.fails(t, 403, string(replayer.Refused), "POST", "/session/start", start("bank"))
	s.does(t, 200, "POST", "/session/start", start("shop"))
	if !site.member.Load() {
		t.Error("no one is signed in")
	}
	if open := s.status(t)["sessions"].([]any)[0].(map[string]any); open["context"] != "shop" {
		t.Errorf("open is %v", open)
	}

	s.does(t, 200, "POST", "/automations/say-hello/play", `{"context": "shop", "account": "ada"}`)
	s.fails(t, 403, string(replayer.Refused), "POST", "/automations/say-hello/play", `{"context": "bank", "account": "ada"}`)

	s.fails(t, 404, agent.NotFound, "DELETE", "/contexts/bank?account=ada", "")
	s.fails(t, 404, agent.NotFound, "DELETE", "/contexts/shop", "") // of no account
	s.does(t, 204, "DELETE", "/contexts/shop?account=ada", "")
	s.fails(t, 404, agent.NotFound, "DELETE", "/contexts/shop?account=ada", "")
	if _, err := s.st.Logins().Get(t.Context(), "bank", "ada"); err != nil {
		t.Errorf("the other login: %v", err)
	}
}

func TestCleanupOverHTTP(t *testing.T) {
	t.Parallel()
	var orphan store.Browser
	s, _ := startAPI(t, func(a *agent.Options, o *server.Options) {
		o.API.Cleanup = func(ctx context.Context) ([]runner.Cleaned, error) {
			return runner.Cleanup(ctx, a.Store, runner.CleanupOptions{Close: func(_ context.Context, left store.Browser) error {
				orphan = left
				return nil
			}})
		}
	})
	if none := s.does(t, 200, "POST", "/cleanup", ""); len(none["browsers"].([]any)) != 0 {
		t.Errorf("of none it closes %v", none)
	}
	left := store.Browser{ID: store.NewRunID(), Kind: "steel", Session: "its-session", Started: time.Now()}
	if err := s.st.Browsers().Save(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	all := s.does(t, 200, "POST", "/cleanup", "{}")["browsers"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["session"] != "its-session" || all[0].(map[string]any)["closed"] != true || orphan.ID != left.ID {
		t.Errorf("it closes %v", all)
	}
}

func TestMoreRequestsThanTheRateAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, func(_ *agent.Options, o *server.Options) { o.API.Rate = 0.001 })
	s.does(t, 200, "GET", "/health", "")
	answer, _ := s.send(t, "GET", "/health", "", nil)
	if answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("the next is answered with %s", answer.Status)
	}
	if mcp := s.ask(t, func(*http.Request) {}); mcp.StatusCode != 200 {
		t.Errorf("MCP is answered with %s", mcp.Status)
	}
}

func TestTheDescriptionIsServed(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, nil)
	if doc := s.does(t, 200, "GET", "/openapi.json", ""); doc["openapi"] != "3.1.0" {
		t.Errorf("it is %v", doc["openapi"])
	}
	for _, c := range []struct {
		method, path string
		status       int
		code         string
	}{{"GET", "/nothing", 404, agent.NotFound}, {"GET", "/session/start", 405, server.MethodNotAllowed}} {
		answer := s.ask(t, func(r *http.Request) { r.Method, r.URL.Path = c.method, c.path })
		var body struct{ Error agent.Error }
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != c.status || body.Error.Code != c.code {
			t.Errorf("%s %s is answered with %s, %+v, %v", c.method, c.path, answer.Status, body, err)
		}
		if allow := answer.Header.Get("Allow"); (allow == "POST") != (c.status == 405) {
			t.Errorf("%s %s allows %q", c.method, c.path, allow)
		}
	}
}

func TestAMountedHandlerDoesItsOwnAuthentication(t *testing.T) {
	t.Parallel()
	s, _ := startAPI(t, func(_ *agent.Options, o *server.Options) {
		o.Mount = map[string]http.Handler{"/view/": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}
	})
	for what, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"no token":       {func(r *http.Request) { r.Header.Del("Authorization") }, 418},
		"a foreign page": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 418},
		"a foreign host": {func(r *http.Request) { r.Host = "evil.example" }, 403},
	} {
		answer := s.ask(t, func(r *http.Request) { r.URL.Path = "/view/x"; c.change(r) })
		if answer.StatusCode != c.status {
			t.Errorf("%s: %s", what, answer.Status)
		}
	}
}
