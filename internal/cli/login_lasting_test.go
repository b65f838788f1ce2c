package cli

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

// lastingSite keeps its sign-in in one place: /enter signs in, / asks to sign in anyone who
// comes without the token. One that renews takes each token once, and hands out the next.
type lastingSite struct {
	*httptest.Server
	renews bool

	mu    sync.Mutex
	token string
	asked int // to sign in
	seen  int // who was signed in
}

// keeping are the scripts that save and load a token.
var keeping = map[string]string{
	"cookie":  `const save = async (t) => { document.cookie = "token=" + t + "; path=/"; }, load = async () => /token=(\w+)/.exec(document.cookie)?.[1];`,
	"local":   `const save = async (t) => localStorage.setItem("token", t), load = async () => localStorage.getItem("token");`,
	"session": `const save = async (t) => sessionStorage.setItem("token", t), load = async () => sessionStorage.getItem("token");`,
	"indexed": recordScript + `const save = put, load = get;`,
}

func newLastingSite(t *testing.T, place string, renews bool) *lastingSite {
	t.Helper()
	s := &lastingSite{renews: renews}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/enter":
			_, _ = fmt.Fprintf(w, `<p>Welcome</p><script>%s save(%q).then(() => { document.querySelector("p").id = "welcome"; })</script>`, keeping[place], s.renew())
		case "/visit":
			_, _ = fmt.Fprintf(w, "%q", s.visit(r.FormValue("token")))
		case "/":
			_, _ = fmt.Fprintf(w, `<main></main><script>%s (async () => {
				const answer = await fetch("/visit?token=" + await load()), next = await answer.json(), main = document.querySelector("main");
				if (next === "") { main.innerHTML = '<h1>Sign in</h1><form><label>Password <input type="password" autocomplete="current-password"></label><button>Sign in</button></form>'; return; }
				await save(next);
				main.innerHTML = '<p id="known">Welcome back</p>';
			})()</script>`, keeping[place])
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *lastingSite) renew() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = rand.Text()
	return s.token
}

func (s *lastingSite) visit(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == "" || token != s.token {
		s.asked++
		return ""
	}
	if s.seen++; s.renews {
		s.token = rand.Text()
	}
	return s.token
}

func (s *lastingSite) documents(t *testing.T) (enter, inside *automation.Automation) {
	t.Helper()
	parse := func(name, steps string) *automation.Automation {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": %q, "match": {"urls": ["%[2]s/*"]}, "steps": [`+steps+`]}`, name, s.URL))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	return parse("enter", `{"tool": "navigate", "url": "%[2]s/enter"}, {"tool": "waitFor", "selector": "#welcome"}`),
		parse("inside", `{"tool": "navigate", "url": "%[2]s/"}, {"tool": "waitFor", "selector": "#known", "timeout": "5s"}`)
}

func stateOfLogin(t *testing.T, q *queueTest, name string) render.Login {
	t.Helper()
	for _, l := range decoded[[]render.Login](t, q.reprise(failure.ExitDone, "login", "list", "--json")) {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("there is no login %s", name)
	return render.Login{}
}

// Each command here begins with nothing but the store: no browser context is shared.
func TestASignInLastsWhereverTheSiteStoresIt(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	for place := range keeping {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			site := newLastingSite(t, place, false)
			q := &queueTest{T: t, address: filepath.Join(t.TempDir(), "data")}
			enter, inside := site.documents(t)
			q.keep(enter, inside)
			here := []string{"--key", filepath.Join(t.TempDir(), "key"), "--browser", b.Endpoint()}
			run := func(exit int, args ...string) string { t.Helper(); return q.reprise(exit, append(args, here...)...) }
			run(failure.ExitDone, "login", "save", "site", "--automation", "enter", "--account", "ada", "--check", "automation=inside")
			if l := stateOfLogin(t, q, "site"); l.State != store.LoginGood || l.LastVerified.IsZero() || !l.LastUsed.IsZero() {
				t.Errorf("as it was saved: %+v", l.LoginStatus)
			}
			for range 2 {
				run(failure.ExitDone, "play", "inside", "--login", "site", "--account", "ada")
			}
			if l := stateOfLogin(t, q, "site"); l.State != store.LoginGood || l.LastUsed.IsZero() || site.asked != 0 {
				t.Errorf("after two runs: %+v, and %d were asked to sign in", l.LoginStatus, site.asked)
			}
			site.renew() // the site has ended the session
			said := run(failure.ExitPerson, "play", "inside", "--login", "site", "--account", "ada", "--json")
			if l := stateOfLogin(t, q, "site"); l.State != store.LoginSignedOut || !strings.Contains(said, "no longer takes the login") {
				t.Errorf("after the site has ended it: %+v\n%s", l.LoginStatus, said)
			}
			run(failure.ExitPerson, "login", "check", "site", "--account", "ada")
		})
	}
}

// Runs of two workers in a row, at a site that takes what it has handed out once.
func TestASignInLastsThatIsRenewedAtEachVisit(t *testing.T) {
	t.Parallel()
	runs := 6
	if *soak {
		runs = 20
	}
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	for place := range map[string]bool{"session": true, "indexed": true} {
		t.Run(place, func(t *testing.T) {
			site := newLastingSite(t, place, true)
			q := &queueTest{T: t, address: postgrestest.Database(t)}
			enter, inside := site.documents(t)
			q.keep(enter, inside)
			here := []string{"--key", filepath.Join(t.TempDir(), "key"), "--browser", b.Endpoint()}
			q.reprise(failure.ExitDone, append(here, "login", "save", "site", "--automation", "enter", "--account", "ada")...)
			q.work(here...)
			q.work(here...)
			var queued []string
			for range runs {
				queued = append(queued, strings.TrimSpace(q.reprise(failure.ExitDone, "play", "inside", "--login", "site", "--account", "ada", "--save-login", "--queue", "--detach")))
			}
			hosts := map[int]bool{}
			for _, run := range queued {
				ended := q.ended(run)
				if ended.State != store.Done {
					t.Errorf("run %s: %s %v", run, ended.State, ended.Steps)
				}
				if ended.Process != nil {
					hosts[ended.Process.PID] = true
				}
			}
			if site.asked != 0 || site.seen != runs {
				t.Errorf("the site saw %d signed in and asked %d to sign in, want %d and none", site.seen, site.asked, runs)
			}
			if l := stateOfLogin(t, q, "site"); l.State != store.LoginUnsure || l.LastUsed.IsZero() {
				t.Errorf("the login: %+v", l.LoginStatus)
			}
			q.reprise(failure.ExitDone, append(here, "play", "inside", "--login", "site", "--account", "ada", "--wait")...) // the last run may hold the account still
			q.reprise(failure.ExitPerson, append(here, "play", "inside", "--login", "site", "--account", "ada")...)         // which shows that the site takes a token once
		})
	}
}

// ended waits for the end of a run.
func (q *queueTest) ended(run string) store.Run {
	q.Helper()
	st, err := store.Open(q.Context(), q.address)
	if err != nil {
		q.Fatal(err)
	}
	defer st.Close()
	for {
		r, err := st.Runs().Get(q.Context(), run)
		if err != nil {
			q.Fatal(err)
		}
		if r.State != store.Queued && r.State != store.Running && r.State != store.WaitingForPerson {
			return r
		}
		select {
		case <-q.Context().Done():
			q.Fatal("it does not end")
		case <-time.After(50 * time.Millisecond): // looks again
		}
	}
}

// An exported login is for its owner alone, and lets in who imports it.
func TestAnExportedLoginIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	site := newLastingSite(t, "indexed", false)
	q := &queueTest{T: t, address: filepath.Join(t.TempDir(), "data")}
	enter, inside := site.documents(t)
	q.keep(enter, inside)
	file := filepath.Join(t.TempDir(), "auth.json")
	here := []string{"--key", filepath.Join(t.TempDir(), "key"), "--browser", b.Endpoint()}
	q.reprise(failure.ExitDone, append(here, "login", "save", "site", "--automation", "enter")...)
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil { //nolint:gosec // it must not stay so
		t.Fatal(err)
	}
	q.reprise(failure.ExitDone, append(here, "login", "export", "site", "--to", file, "--plain")...)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info.Mode(), err)
	}
	var state struct {
		Origins []struct{ IndexedDB []any }
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &state) != nil || len(state.Origins) != 1 || len(state.Origins[0].IndexedDB) != 1 {
		t.Errorf("the file is %s", data)
	}
	q.reprise(failure.ExitDone, append(here, "login", "import", file, "--name", "other")...)
	q.reprise(failure.ExitDone, append(here, "play", "inside", "--login", "other")...)
}
