package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// startSite serves a page at each path.
func startSite(t *testing.T, at map[string]string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html>", at[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return server
}

// tells calls a tool and compares all of its result, with HOST for the site's address.
func tells(t *testing.T, s *mcp.ClientSession, site *httptest.Server, name string, args map[string]any, want string) {
	t.Helper()
	r := must(t, s, name, args)
	if diff := cmp.Diff(want, strings.ReplaceAll(r.Text, site.URL, "HOST")); diff != "" {
		t.Errorf("%s(%v) (-want +got):\n%s", name, args, diff)
	}
}

func TestAnAgentIsToldWhatACallLedTo(t *testing.T) {
	t.Parallel()
	site := startSite(t, map[string]string{
		"/": `<title>Home</title><button id=b>nothing</button><button id=yes onclick="alert('Saved')">a</button>
			<button id=sure onclick="this.textContent=confirm('Sure?')">b</button><a id=next href="/next?token=tk-1">next</a>`,
		"/next": `<title>Next</title><p>there`,
	})
	s := at(t, nil).client(nil)
	tells(t, s, site, "navigate", map[string]any{"url": site.URL + "/"}, `{"done":true,"effect":"read","url":"HOST/"}`)
	tells(t, s, site, "click", map[string]any{"target": "#b"}, `{"done":true,"effect":"write","url":"HOST/"}`)
	tells(t, s, site, "click", map[string]any{"target": "#yes"}, `{"dialogs":[{"answer":"accepted","kind":"alert","message":"Saved"}],"done":true,"effect":"write","url":"HOST/"}`)
	tells(t, s, site, "click", map[string]any{"target": "#sure"}, `{"dialogs":[{"answer":"dismissed","kind":"confirm","message":"Sure?"}],"done":true,"effect":"write","url":"HOST/"}`)
	tells(t, s, site, "click", map[string]any{"target": "#b"}, `{"done":true,"effect":"write","url":"HOST/"}`)
	tells(t, s, site, "click", map[string]any{"target": "#next"}, `{"done":true,"effect":"write","navigated":"HOST/next","url":"HOST/next"}`)
	tells(t, s, site, "go_back", nil, `{"done":true,"effect":"read","navigated":"HOST/","url":"HOST/"}`)
	tells(t, s, site, "go_forward", nil, `{"done":true,"effect":"read","navigated":"HOST/next","url":"HOST/next"}`)
	fails(t, s, string(replayer.Refused), "go_forward", nil)
	tells(t, s, site, "reload", nil, `{"done":true,"effect":"read","url":"HOST/next"}`)
	must(t, s, "record_start", map[string]any{"name": "back"})
	fails(t, s, agent.Conflict, "go_back", nil)
}

func TestATabThatAPageOpensHasAName(t *testing.T) {
	t.Parallel()
	for name, opener := range map[string]string{
		"a link":   `<a id=go target=_blank href="/inner?token=tk-1">go</a>`,
		"a script": `<button id=go onclick="window.open('/inner?token=tk-1')">go</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := startSite(t, map[string]string{
				"/":      `<title>Home</title>` + opener,
				"/inner": `<title>Inner</title><button id=deeper onclick="window.open('/inner')">deeper</button><button id=end onclick="window.close()">end</button><p id=what>inside`,
			})
			p := at(t, nil)
			s := p.client(nil)
			must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
			must(t, s, "record_start", map[string]any{"name": "inner"})
			tells(t, s, site, "click", map[string]any{"target": "#go"}, `{"done":true,"effect":"write","opened":[{"tab":"popup1","url":"HOST/inner"}],"url":"HOST/"}`)
			read := must(t, s, "extract", map[string]any{"target": "#what", "tab": "popup1", "as": "what"})
			if outputs := asObject(read.Value["outputs"]); outputs["what"] != "inside" {
				t.Errorf("in the tab: %s", read.Text)
			}
			must(t, s, "record_stop", nil)
			a, err := p.st.Automations().Get(t.Context(), "inner", "")
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(a.Steps, func(s automation.Step) bool { return len(s.Expect) > 0 }); i < 0 || a.Steps[i].Expect[0].Kind != "popup" || a.Steps[i].Expect[0].Page != "popup1" {
				t.Errorf("recorded: %+v", a.Steps)
			}
			must(t, s, "run_inner", nil)

			must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
			opened := must(t, s, "click", map[string]any{"target": "#go"})
			all, _ := opened.Value["opened"].([]any)
			if len(all) != 1 {
				t.Fatalf("after the run: %s", opened.Text)
			}
			tab := fmt.Sprint(asObject(all[0])["tab"])
			deeper := must(t, s, "click", map[string]any{"target": "#deeper", "tab": tab})
			if all, _ := deeper.Value["opened"].([]any); len(all) != 1 {
				t.Errorf("from a tab that a page opened: %s", deeper.Text)
			}
			must(t, s, "click", map[string]any{"target": "#end", "tab": tab})
			browsertest.Until(t, "the tab to be closed", func() bool {
				return !strings.Contains(must(t, s, "tab", map[string]any{"action": "list"}).Text, `"`+tab+`"`)
			})
			if r := fails(t, s, string(replayer.NotFound), "snapshot", map[string]any{"tab": tab}); !strings.Contains(r.Error.Reason, "there are: the first, which has no name, ") {
				t.Errorf("%s", r.Text)
			}
		})
	}
}

func TestAnAgentListsItsTabs(t *testing.T) {
	t.Parallel()
	site := startSite(t, map[string]string{"/": `<title>Home</title>`, "/two": `<title>Two</title>`})
	s := at(t, nil).client(nil)
	must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
	must(t, s, "tab", map[string]any{"tab": "second", "url": site.URL + "/two?token=tk-1"})
	browsertest.Until(t, "the browser to know the title", func() bool {
		return strings.Contains(must(t, s, "tab", map[string]any{"action": "list"}).Text, `"Two"`)
	})
	tells(t, s, site, "tab", map[string]any{"action": "list"}, `{"tabs":[{"title":"Home","url":"HOST/"},{"tab":"second","title":"Two","url":"HOST/two"}]}`)
	for _, args := range []map[string]any{{"action": "switch", "tab": "third"}, {"action": "close", "tab": "third"}} {
		if r := fails(t, s, string(replayer.NotFound), "tab", args); !strings.Contains(r.Error.Reason, `there is no tab "third"; there are: the first, which has no name, second`) {
			t.Errorf("%v: %s", args, r.Text)
		}
	}
	fails(t, s, agent.InvalidArguments, "tab", map[string]any{"action": "switch"})
	must(t, s, "tab", map[string]any{"action": "close", "tab": "second"})
	tells(t, s, site, "tab", map[string]any{"action": "list"}, `{"tabs":[{"title":"Home","url":"HOST/"}]}`)
}

// Single sign-on: what a press of the agent leads to is a part of what it does, wherever that is; where a page goes
// on its own is not.
func TestASessionActsWhereItsPressHasLed(t *testing.T) {
	t.Parallel()
	other := startSite(t, map[string]string{
		"/in": `<title>Sign in</title><input id=user><input id=code type=password><button id=go onclick="document.title='in'">go</button>`,
	})
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/in"
	for name, page := range map[string]string{
		"a link":          `<a id=lead href="` + elsewhere + `">in</a>`,
		"a script, later": `<button id=lead onclick="setTimeout(() => location = '` + elsewhere + `', 700)">in</button>`,
		"a form":          `<form action="` + elsewhere + `"><button id=lead>in</button></form>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := startSite(t, map[string]string{"/": page})
			p := at(t, func(o *agent.Options) {
				o.Values = func(context.Context, agent.ValuesRequest) (replayer.Values, error) {
					secret, err := automation.NewSecret("canary-pass-123")
					return replayer.Map{"password": secret}, err
				}
			})
			s := p.client(nil)
			must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
			led := must(t, s, "click", map[string]any{"target": "#lead"})
			must(t, s, "wait_for", map[string]any{"target": "#user", "state": "visible"})
			must(t, s, "type_input", map[string]any{"target": "#user", "value": "ada"})
			must(t, s, "click", map[string]any{"target": "#go"})
			origin := strings.TrimSuffix(elsewhere, "/in")
			if !strings.Contains(name, "later") && fmt.Sprint(led.Value["scope"]) != "["+origin+"]" {
				t.Errorf("it is told %s", led.Text)
			}
			if journal := toText(p.trace()); !strings.Contains(journal, "scope extended to "+origin) {
				t.Errorf("the journal has %s", journal)
			}
			fails(t, s, string(replayer.OutOfScope), "type_input", map[string]any{"target": "#code", "value": map[string]any{"variable": "password"}, "account": "ada"})
		})
	}
	t.Run("in a tab of its own", func(t *testing.T) {
		t.Parallel()
		site := startSite(t, map[string]string{"/": `<a id=lead target=_blank href="` + elsewhere + `">in</a>`})
		s := at(t, nil).client(nil)
		must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
		must(t, s, "click", map[string]any{"target": "#lead"})
		must(t, s, "click", map[string]any{"target": "#go", "tab": "popup1"})
	})
	t.Run("a page that goes there on its own", func(t *testing.T) {
		t.Parallel()
		site := startSite(t, map[string]string{"/": `<script>setTimeout(() => location = '` + elsewhere + `', 300)</script>`})
		s := at(t, nil).client(nil)
		must(t, s, "navigate", map[string]any{"url": site.URL + "/"})
		eventually(t, "it has gone there", func() bool {
			return strings.Contains(call(t, s, "tab", map[string]any{"action": "list"}).Text, elsewhere)
		})
		fails(t, s, string(replayer.OutOfScope), "click", map[string]any{"target": "#go"})
	})
}
