package cli

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// whoDocument asks the site who is signed in.
func whoDocument(t *testing.T, site string) *automation.Automation {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "who", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "%[1]s/dashboard"}, {"tool": "waitFor", "selector": "#account-email", "timeout": "1s"}]}`, site))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// A worker begins with a login that another machine has saved, and reports why it cannot.
func TestAWorkerBeginsWithALogin(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(&demosite.Options{Delay: -1, NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	q := &queueTest{T: t, address: postgrestest.Database(t)}
	q.keep(whoDocument(t, site.URL), signInDocument(t, site.URL))
	key := filepath.Join(t.TempDir(), "key")
	here := []string{"--key", key, "--browser", b.Endpoint()}
	vars := filepath.Join(t.TempDir(), "vars.json")
	if err := os.WriteFile(vars, []byte(`{"email": "ada@example.com", "password": "analytical-engine-1843"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	q.reprise(failure.ExitDone, append(here, "login", "save", "shop", "--automation", "sign-in", "--account", "ada", "--vars", vars)...)
	q.work(here...)
	play := []string{"play", "who", "--login", "shop", "--account", "ada", "--queue", "--json"}
	if well := decoded[played](t, q.reprise(failure.ExitDone, play...)); well.Outcome != store.Done || site.SignIns("ada@example.com") != 1 {
		t.Errorf("with the login play says %+v, after %d sign-ins", well, site.SignIns("ada@example.com"))
	}
	site.Reset()
	for what, test := range map[string]struct {
		exit         int
		account, has string
	}{
		"blocked":       {failure.ExitPerson, "ada", "reprise login save shop --account ada"},
		"invalid_value": {failure.ExitFailed, "grace", `there is no login "shop" of the account "grace"`},
	} {
		play[5] = test.account
		failed := decoded[played](t, q.reprise(test.exit, play...))
		if failed.Error == nil || failed.Error.Code != what || !strings.Contains(failed.Error.Reason, test.has) {
			t.Errorf("for %s play says %+v, want %s", test.account, failed, what)
		}
	}
}

// A worker signs in again where the login is not good any more, if it or the run is told to.
func TestAWorkerSignsInWhereALoginIsOver(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(&demosite.Options{Delay: -1, NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	q := &queueTest{T: t, address: postgrestest.Database(t)}
	who, signIn := whoDocument(t, site.URL), signInDocument(t, site.URL)
	who.Match.URLs = []string{site.URL + "/dashboard"}
	signIn.Match.URLs = []string{site.URL + "/signin*"}
	q.keep(who, signIn)
	key := filepath.Join(t.TempDir(), "key")
	here := []string{"--key", key, "--browser", b.Endpoint()}
	q.stdin = `{"email": "ada@example.com", "password": "analytical-engine-1843"}`
	q.reprise(failure.ExitDone, append(here, "task", "put", "ada", "--secret", "password="+site.URL)...)
	q.reprise(failure.ExitDone, append(here, "login", "save", "shop", "--automation", "sign-in", "--account", "ada", "--task", "ada",
		"--check", "#account-email", "--check-at", site.URL+"/dashboard")...)
	play := []string{"play", "who", "--login", "shop", "--account", "ada", "--task", "ada", "--queue", "--json"}
	again := func(want int, args ...string) {
		t.Helper()
		before := site.SignIns("ada@example.com")
		if well := decoded[played](t, q.reprise(failure.ExitDone, args...)); well.Outcome != store.Done || site.SignIns("ada@example.com") != before+want {
			t.Errorf("reprise %v says %+v, after %d sign-ins more, want %d", args, well, site.SignIns("ada@example.com")-before, want)
		}
	}
	stop := q.work(here...)
	again(0, play...)
	site.Reset()
	again(1, append(play, "--sign-in")...)
	again(0, append(play, "--sign-in")...)
	stop()
	q.work(append(here, "--sign-in=true")...)
	site.Reset()
	again(1, play...)
}

func (q *queueTest) keep(docs ...*automation.Automation) {
	q.Helper()
	st, err := store.Open(q.Context(), q.address)
	if err != nil {
		q.Fatal(err)
	}
	defer st.Close()
	for _, doc := range docs {
		if _, err := st.Automations().Save(q.Context(), doc); err != nil {
			q.Fatal(err)
		}
	}
}

func signInDocument(t *testing.T, site string) *automation.Automation {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "sign-in", "match": {"urls": ["%[1]s/*"]},
		"variables": {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string", "writeOnly": true}}},
		"steps": [
			{"tool": "navigate", "url": "%[1]s/signin"},
			{"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "variable", "name": "email"}},
			{"tool": "click", "selector": "#identifierNext"},
			{"tool": "typeInput", "selector": "input[name=\"Passwd\"]", "value": {"kind": "variable", "name": "password"}},
			{"tool": "click", "selector": "#passwordNext"},
			{"tool": "waitForNav", "url": "%[1]s/dashboard"}]}`, site))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// What surely is of no more use ends a run before it begins; what is no login does, too.
func TestALoginThatCannotBeUsedSaysSo(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	q := &queueTest{T: t, address: filepath.Join(t.TempDir(), "data")}
	q.keep(whoDocument(t, "http://127.0.0.1:1"))
	st, err := store.Open(t.Context(), q.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	key := filepath.Join(t.TempDir(), "key")
	place, err := sealed.File(key)
	if err != nil {
		t.Fatal(err)
	}
	safe := sealed.New(st, place)
	if _, err := safe.EnsureKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		state, code, says string
		exit              int
	}{
		"old":    {`"cookies": [{"name": "s", "value": "CANARY", "domain": "127.0.0.1", "path": "/", "expires": 1700000000}]`, "blocked", "it has run out", failure.ExitPerson},
		"theirs": {`"cookies": [{"name": "s", "value": "CANARY", "domain": "bank.example", "path": "/"}]`, "invalid_login", "cookie 1 is not of its origins", failure.ExitFailed},
	} {
		state, err := automation.NewSecret(`{"format": 1, "saved": "2026-01-02T03:04:05Z", "origins": ["http://127.0.0.1:1"], `+test.state+`}`, "http://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		if err := safe.SaveLogin(t.Context(), sealed.Login{Name: name, State: state}); err != nil {
			t.Fatal(err)
		}
		for _, how := range [][]string{{}, {"--repeat", "2"}} {
			exit := test.exit
			if len(how) > 0 {
				exit = failure.ExitFailed // as some of many
			}
			said := q.reprise(exit, append([]string{"play", "who", "--login", name, "--json", "--key", key, "--browser", b.Endpoint()}, how...)...)
			if !strings.Contains(said, `"code": "`+test.code+`"`) || !strings.Contains(said, test.says) || !strings.Contains(said, "reprise login save "+name) || strings.Contains(said, "CANARY") {
				t.Errorf("with %s %v play says %s", name, how, said)
			}
		}
	}
}

// canarySite signs in everyone who opens /enter, by a cookie and texts in local storage,
// session storage and IndexedDB, and counts who comes back with all of them.
type canarySite struct {
	*httptest.Server
	cookie, stored, session, record string
	back                            atomic.Int64
}

// recordScript has put and get, of a record in IndexedDB.
const recordScript = `const records = new Promise((resolve) => { const r = indexedDB.open("session", 3); r.onupgradeneeded = () => r.result.createObjectStore("of"); r.onsuccess = () => resolve(r.result); });
	const over = (r) => new Promise((resolve) => { r.onsuccess = () => resolve(r.result); });
	const put = async (value) => over((await records).transaction("of", "readwrite").objectStore("of").put({deep: [value]}, "token"));
	const get = async () => (await over((await records).transaction("of").objectStore("of").get("token")))?.deep[0];`

func newCanarySite(t *testing.T) *canarySite {
	t.Helper()
	s := &canarySite{cookie: canary.NewOf("Zeisig+&'"), stored: canary.NewOf(`Girlitz<"é`), session: canary.NewOf("Stieglitz"), record: canary.NewOf("Gimpel")}
	text, err := json.Marshal([]string{s.stored, s.session, s.record})
	if err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch cookie, err := r.Cookie("session"); {
		case r.URL.Path == "/enter":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: s.cookie, HttpOnly: true, Path: "/"})
			_, _ = fmt.Fprintf(w, `<p>Welcome</p><script>%s const [stored, session, record] = %s; localStorage.setItem("token", stored); sessionStorage.setItem("token", session);
				put(record).then(() => { document.querySelector("p").id = "welcome"; });</script>`, recordScript, text)
		case r.URL.Path == "/check" && err == nil && cookie.Value == s.cookie && r.FormValue("token") == s.stored+s.session+s.record:
			s.back.Add(1)
			_, _ = fmt.Fprint(w, "known")
		case r.URL.Path == "/echo" && err == nil:
			_, _ = fmt.Fprintf(w, `<p>%s <b></b></p><script>%s get().then((record) => { document.querySelector("p").id = "echo"; document.querySelector("b").textContent = [localStorage.getItem("token"), sessionStorage.getItem("token"), record].join(" "); })</script>`, html.EscapeString(cookie.Value), recordScript)
		case r.URL.Path == "/":
			_, _ = fmt.Fprint(w, `<p>This is </p><script>`+recordScript+`
				get().then((record) => fetch("/check", {method: "POST", body: new URLSearchParams({token: localStorage.getItem("token") + sessionStorage.getItem("token") + record})}))
				.then((answer) => answer.text()).then((text) => { if (text === "known") document.querySelector("p").append(Object.assign(document.createElement("b"), {id: "known", textContent: text})); })</script>`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// documents are one that signs in and one that needs that.
func (s *canarySite) documents(t *testing.T, dir string) {
	t.Helper()
	for name, steps := range map[string]string{
		"enter":  `{"tool": "navigate", "url": "%[1]s/enter"}, {"tool": "waitFor", "selector": "#welcome"}`,
		"inside": `{"tool": "navigate", "url": "%[1]s/"}, {"tool": "waitFor", "selector": "#known"}`,
	} {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": %[2]q, "match": {"urls": ["%[1]s/*"]}, "steps": [`+steps+`]}`, s.URL, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := files.WriteDocument(filepath.Join(dir, "automations", name+".json"), doc); err != nil {
			t.Fatal(err)
		}
	}
}
