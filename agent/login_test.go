package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/replayer"
)

// club knows its members by a cookie, and repeats it to them, with what it has stored. It
// marks whom it has seen at /mark.
type club struct {
	*httptest.Server
	cookie, stored string
	closed         atomic.Bool // no cookie is taken any more
}

func newClub(t *testing.T) *club {
	t.Helper()
	s := &club{cookie: canary.NewOf("Zeisig+&'"), stored: canary.NewOf(`Girlitz<"é`)}
	text, err := json.Marshal(s.stored)
	if err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		session, err := r.Cookie("session")
		_, unmarked := r.Cookie("mark")
		switch {
		case r.URL.Path == "/enter":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: s.cookie, HttpOnly: true, Path: "/"})
			_, _ = fmt.Fprintf(w, `<script>localStorage.setItem("token", %s)</script>`, text)
		case err != nil || session.Value != s.cookie || s.closed.Load():
			_, _ = fmt.Fprint(w, `<title>Sign in</title><h1>Sign in</h1><form><input name=user autocomplete=username><input type=password name=pass><button>Sign in</button></form>`)
		case r.URL.Path == "/mark":
			http.SetCookie(w, &http.Cookie{Name: "mark", Value: "1", Path: "/"})
		default:
			_, _ = fmt.Fprintf(w, `<h1 id=who>Welcome, member</h1><p id=mark>marked: %v</p><p id=cookie>%s</p><p id=stored></p>
				<script>document.querySelector("#stored").textContent = localStorage.getItem("token")</script>`, unmarked == nil, session.Value)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// logins are those of a test: by name, for the account "ada".
type logins map[string]*browser.StorageState

func (l logins) List(context.Context) ([]agent.Login, error) {
	var all []agent.Login
	for name, login := range l {
		all = append(all, agent.Login{Name: name, Account: "ada", Origins: login.Origins(), Saved: login.Saved()})
	}
	return all, nil
}

func (l logins) Open(_ context.Context, name, account string) (*browser.StorageState, error) {
	if l[name] == nil || account != "ada" {
		return nil, &agent.Error{Code: string(replayer.Refused), Reason: "no agent may", Next: "name another"}
	}
	return l[name], nil
}

// members are a club and a server whose agents may begin as a member.
type members struct {
	*place
	club   *club
	logins logins
}

func startMembers(t *testing.T) *members {
	t.Helper()
	m := &members{club: newClub(t), logins: logins{}}
	page := browsertest.Page(t, m.club.URL+"/enter")
	login, err := page.StorageState(t.Context(), m.club.URL)
	if err != nil || login.Cookies() != 1 || login.Stored() != 1 {
		t.Fatalf("%v: %d cookies, %d items", err, login.Cookies(), login.Stored())
	}
	m.logins["club"] = login
	m.place = at(t, func(o *agent.Options) { o.Logins = m.logins })
	m.keep(strings.ReplaceAll(`{"format": 1, "name": "inside", "match": {"urls": ["CLUB/*"]}, "steps": [
		{"tool": "navigate", "url": "http://CLUB/"}, {"tool": "waitFor", "selector": "h1"}, {"tool": "waitFor", "selector": "#who", "timeout": "1s"},
		{"tool": "extract", "selector": "#cookie", "args": {"as": "cookie"}}, {"tool": "extract", "selector": "#stored", "args": {"as": "stored"}},
		{"tool": "extract", "selector": "#mark", "args": {"as": "mark"}}]}`, "CLUB", strings.TrimPrefix(m.club.URL, "http://")))
	return m
}

// saveAgain has the login be saved once more, later.
func (m *members) saveAgain(t *testing.T) {
	t.Helper()
	state := strings.Replace(m.logins["club"].Secret().Reveal(), `"saved":"20`, `"saved":"21`, 1)
	secret, err := automation.NewSecret(state, m.club.URL)
	if err != nil {
		t.Fatal(err)
	}
	if m.logins["club"], err = browser.ReadLogin(secret); err != nil {
		t.Fatal(err)
	}
}

// silent wants nothing of the login to have been told or written down.
func (m *members) silent(t *testing.T, told ...string) {
	t.Helper()
	err := filepath.WalkDir(m.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		told = append(told, string(data))
		return err
	})
	if err != nil || len(told) < 5 {
		t.Fatalf("%v, %d places: this looks in the wrong place", err, len(told))
	}
	for _, text := range told {
		for _, secret := range []string{m.club.cookie, m.club.stored} {
			if form, _ := canary.Find([]byte(text), secret); form != "" {
				t.Errorf("what is in the login stands, as %s, in %s", form, text)
			}
		}
	}
}

func TestAnAgentBeginsWithASavedLogin(t *testing.T) {
	t.Parallel()
	m := startMembers(t)
	s := m.client(nil)
	listed := must(t, s, "list_automations", nil)
	matched := must(t, s, "match_automation", map[string]any{"url": m.club.URL + "/"})
	for _, r := range []result{listed, matched} {
		all, _ := r.Value["logins"].([]any)
		if len(all) != 1 || asObject(all[0])["name"] != "club" || asObject(all[0])["account"] != "ada" {
			t.Errorf("of logins it is told: %s", r.Text)
		}
	}
	if r := must(t, s, "match_automation", map[string]any{"url": "https://elsewhere.example/"}); r.Value["logins"] != nil {
		t.Errorf("for another site: %s", r.Text)
	}
	if r := must(t, s, "list_automations", map[string]any{"query": "nothing-like-it"}); r.Value["logins"] != nil {
		t.Errorf("for another word: %s", r.Text)
	}
	m.keep(`{"format": 1, "name": "inside-too", "match": {"urls": ["` + strings.TrimPrefix(m.club.URL, "http://") + `/*"]}, "steps": [{"tool": "waitFor", "selector": "h1"}]}`)
	tie := fails(t, s, string(replayer.Ambiguous), "match_automation", map[string]any{"url": m.club.URL + "/"})
	if len(tie.Error.Logins) != 1 || tie.Error.Logins[0].Name != "club" || !strings.Contains(tie.Error.Reason, "inside and inside-too") {
		t.Errorf("where two match it is told: %s", tie.Text)
	}
	blocked := fails(t, s, string(replayer.Blocked), "run_inside", nil)
	if len(blocked.Error.Logins) != 1 || blocked.Error.Logins[0].Name != "club" || blocked.Error.Suggestion != nil || !strings.Contains(blocked.Error.Next, "one of logins") {
		t.Errorf("at the sign-in it is told: %s", blocked.Text)
	}
	with := map[string]any{"account": "ada", "login": "club", "intent": "look inside"}
	told := []string{listed.Text, matched.Text, blocked.Text}
	marks := func(want string) {
		t.Helper()
		r := must(t, s, "run_inside", with)
		outputs := asObject(r.Value["outputs"])
		if outputs["mark"] != want || outputs["cookie"] != "[secret]" || outputs["stored"] != "[secret]" {
			t.Errorf("inside it reads %v, want %q", outputs, want)
		}
		told = append(told, r.Text)
	}
	marks("marked: false")
	shot := must(t, s, "snapshot", nil)
	if !strings.Contains(shot.Text, "Welcome, member") {
		t.Errorf("after the run the page is not the member's: %s", shot.Text)
	}
	must(t, s, "navigate", map[string]any{"url": m.club.URL + "/mark"})
	marks("marked: true") // the same page: what the site has handed out since stays
	m.saveAgain(t)
	marks("marked: false")
	other := m.client(nil)
	must(t, other, "navigate", map[string]any{"url": m.club.URL + "/", "login": "club", "account": "ada"})
	read := must(t, other, "extract", map[string]any{"target": "#cookie", "as": "c"})
	m.silent(t, append(told, shot.Text, read.Text, must(t, other, "snapshot", nil).Text, must(t, other, "journal", nil).Text)...)
	var begun int
	for _, call := range m.trace() {
		begun += strings.Count(string(call.Arguments), `"login":"club"`)
	}
	if begun != 4 {
		t.Errorf("the journal has %d calls that begin with the login", begun)
	}
}

func asObject(v any) map[string]any {
	object, _ := v.(map[string]any)
	return object
}

func TestALoginThatLeadsNowhereSaysWhy(t *testing.T) {
	t.Parallel()
	m := startMembers(t)
	expired := strings.Replace(m.logins["club"].Secret().Reveal(), `"path":"/"`, `"path":"/","expires":1700000000`, 1)
	expired = expired[:strings.Index(expired, `,"storage"`)] + "}"
	secret, err := automation.NewSecret(expired, m.club.URL)
	if err != nil {
		t.Fatal(err)
	}
	if m.logins["old"], err = browser.ReadLogin(secret); err != nil {
		t.Fatal(err)
	}
	s := m.client(nil)
	run := func(code, login string) result {
		t.Helper()
		return fails(t, s, code, "run_inside", map[string]any{"account": "ada", "login": login})
	}
	run(string(replayer.Refused), "bank")
	fails(t, s, agent.InvalidArguments, "run_inside", map[string]any{"account": "ada", "login": `{"cookies": []}`})
	fails(t, s, agent.InvalidArguments, "navigate", map[string]any{"url": "about:blank", "account": "ada", "login": "club"})
	if r := run(string(replayer.Blocked), "old"); !strings.Contains(r.Error.Reason, "it has run out") || r.Error.Suggestion != nil {
		t.Errorf("one that has run out: %s", r.Text)
	}
	m.club.closed.Store(true)
	blocked := run(string(replayer.Blocked), "club")
	if !strings.Contains(blocked.Error.Reason, `the site no longer takes the login "club" of the account "ada", saved 20`) || !strings.Contains(blocked.Error.Next, "save that login again") {
		t.Errorf("one that the site no longer takes: %s", blocked.Text)
	}
	m.club.closed.Store(false)
	resumed := fails(t, s, agent.InvalidArguments, "run_inside", map[string]any{"account": "ada", "login": "club", "resume": blocked.Error.Run})
	if !strings.Contains(resumed.Error.Next, "leave login out") {
		t.Errorf("going on in a page of another login: %s", resumed.Text)
	}
	must(t, s, "run_inside", map[string]any{"account": "ada", "login": "club"})
	none := at(t, nil)
	none.keep(signIn)
	fails(t, none.client(nil), agent.InvalidArguments, "run_demo_login", map[string]any{"login": "club"})
}
