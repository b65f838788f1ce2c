package runner_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// members is a site with a sign-in, whose sessions can be ended.
type members struct {
	*httptest.Server
	signIns atomic.Int32
	mu      sync.Mutex
	session string
}

const membersPassword = "correct-horse-42"

func newMembers(t *testing.T) *members {
	t.Helper()
	m := &members{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		m.mu.Lock()
		defer m.mu.Unlock()
		c, err := r.Cookie("session")
		in := err == nil && m.session != "" && c.Value == m.session
		switch {
		case r.Method == http.MethodPost && r.FormValue("password") == membersPassword:
			m.signIns.Add(1)
			m.session = rand.Text()
			http.SetCookie(w, &http.Cookie{Name: "session", Value: m.session, Path: "/", HttpOnly: true, MaxAge: 3600})
			http.Redirect(w, r, "/", http.StatusSeeOther)
		case r.URL.Path == "/login":
			_, _ = io.WriteString(w, `<h1>Welcome back</h1><form method="post"><label>Password <input type="password" name="password"></label><button>Sign in</button></form>`)
		case !in:
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			_, _ = io.WriteString(w, `<p id="account">ada</p>`)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// end ends the session at the site.
func (m *members) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session = ""
}

// withLogin returns a runner with a login of someone who is not signed in any more.
func withLogin(t *testing.T, m *members) (*runner.Runner, runner.Pages) {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(t.Context(), filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	keys, err := sealed.File(filepath.Join(dir, "key"), filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	safe := sealed.New(st, keys)
	if _, err := safe.EnsureKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := &runner.Runner{Store: st, Secrets: func() (*sealed.SecretStore, error) { return safe, nil }}
	b := browsertest.Browser(t)
	page, err := b.NewIsolatedPage(t.Context(), m.URL+"/login")
	if err != nil {
		t.Fatal(err)
	}
	page.Rod().MustEval(`() => { document.cookie = "visited=yes; max-age=3600" }`)
	state, err := page.StorageState(t.Context(), m.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = page.Close(t.Context())
	check, err := runner.ParseLoginCheck("#account", m.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	l := &runner.Login{Name: "members", Account: "ada", State: state, Check: check}
	if err := l.Store(t.Context(), safe, time.Now(), store.LoginUnsure, ""); err != nil {
		t.Fatal(err)
	}
	return r, &runner.PrivatePages{Browser: func(context.Context) (*browser.Browser, error) { return b, nil }}
}

// addSignIn stores the automation that signs in, and the password.
func addSignIn(t *testing.T, r *runner.Runner, m *members) {
	t.Helper()
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "sign-in", "match": {"urls": ["%[1]s/login"]},
		"variables": {"type": "object", "properties": {"password": {"type": "string", "writeOnly": true}}, "required": ["password"]},
		"steps": [{"tool": "navigate", "url": "%[1]s/login"},
			{"tool": "typeInput", "selector": "[type=password]", "value": {"kind": "variable", "name": "password"}},
			{"tool": "click", "selector": "button"}, {"tool": "waitForNav", "url": "%[1]s/"}]}`, m.URL))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.Automations().Save(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	safe, _ := r.Secrets()
	if err := safe.SetCredential(t.Context(), sealed.Credential{Site: "members", Account: "ada", Origins: []string{m.URL}, Fields: map[string]string{"password": membersPassword}}); err != nil {
		t.Fatal(err)
	}
}

// byHand is a person who signs in.
type byHand struct{ replayer.Person }

func (byHand) TakeOver(_ context.Context, h replayer.Handoff) (replayer.Returned, error) {
	_, err := h.Page.Rod().Eval(`async (password) => { await fetch("/login", {method: "POST", body: new URLSearchParams({password})}) }`, membersPassword)
	return replayer.Returned{}, err
}

func TestSigningInAsksForNoMoreThanItNeeds(t *testing.T) {
	m := newMembers(t)
	r, pages := withLogin(t, m)
	q := runner.SignInRequest{Login: "members", Account: "ada", Pages: pages}
	if by, err := r.SignIn(t.Context(), q); err == nil {
		t.Fatalf("without an automation or a person it is by %q", by)
	}
	q.Person = byHand{}
	for i, want := range []runner.SignInBy{runner.ByPerson, runner.ByLogin} {
		if by, err := r.SignIn(t.Context(), q); by != want || err != nil {
			t.Errorf("call %d is by %q, %v; want %q", i+1, by, err, want)
		}
	}
	addSignIn(t, r, m)
	m.end()
	q.Person = nil
	before := m.signIns.Load()
	for i, want := range []runner.SignInBy{runner.ByAutomation, runner.ByLogin} {
		if by, err := r.SignIn(t.Context(), q); by != want || err != nil {
			t.Errorf("call %d after the end of the session is by %q, %v; want %q", i+1, by, err, want)
		}
	}
	if n := m.signIns.Load() - before; n != 1 {
		t.Errorf("it signed in %d times", n)
	}
}

func TestOfManyThatSignInOneDoes(t *testing.T) {
	m := newMembers(t)
	r, pages := withLogin(t, m)
	addSignIn(t, r, m)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := r.SignIn(t.Context(), runner.SignInRequest{Login: "members", Account: "ada", Pages: pages}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := m.signIns.Load(); n != 1 {
		t.Errorf("they signed in %d times", n)
	}
}

func TestARunSignsInWhereItsLoginIsOver(t *testing.T) {
	m := newMembers(t)
	r, pages := withLogin(t, m)
	addSignIn(t, r, m)
	doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "look", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "%[1]s/"}, {"tool": "waitFor", "selector": "#account"}]}`, m.URL))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		outcome, err := r.Run(t.Context(), runner.Request{
			Document: doc, Account: "ada", Login: "members", SignIn: true, Pages: pages, Options: replayer.Options{Timeout: 20 * time.Second},
		}, runner.Events{})
		if err != nil || outcome.Record.State != store.Done {
			t.Fatalf("%s: %v", outcome.Record.State, err)
		}
	}
	if n := m.signIns.Load(); n != 1 {
		t.Errorf("two runs signed in %d times", n)
	}
	safe, _ := r.Secrets()
	if l, err := safe.Login(t.Context(), "members", "ada"); err != nil || l.Status.State != store.LoginGood {
		t.Errorf("the login is %q, %v", l.Status.State, err)
	}
}

// late signs in, or does not, and returns the page with a status.
type late struct {
	replayer.Person
	signs  bool
	status replayer.ReturnStatus
}

func (l late) TakeOver(ctx context.Context, h replayer.Handoff) (returned replayer.Returned, err error) {
	if l.signs {
		returned, err = byHand{}.TakeOver(ctx, h)
	}
	returned.Status = l.status
	return returned, err
}

// A run whose person did not return its page in time fails; where they have signed in all the same, its login is saved,
// and the next run needs no one.
func TestTheLoginOfOneWhoSignedInTooLateIsSaved(t *testing.T) {
	for _, c := range []struct {
		person late
		want   store.LoginState
	}{
		{late{signs: true, status: replayer.TimedOut}, store.LoginGood},
		{late{signs: false, status: replayer.TimedOut}, store.LoginSignedOut},
		{late{signs: true, status: replayer.Aborted}, store.LoginSignedOut},
	} {
		m := newMembers(t)
		r, pages := withLogin(t, m)
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "look", "match": {"urls": ["%[1]s/*"]}, "steps": [
			{"tool": "navigate", "url": "%[1]s/"}, {"tool": "waitFor", "selector": "#account"}]}`, m.URL))
		if err != nil {
			t.Fatal(err)
		}
		q := runner.Request{
			Document: doc, Account: "ada", Login: "members", SaveLogin: true, Pages: pages,
			Options: replayer.Options{Person: c.person, Timeout: 20 * time.Second},
		}
		outcome, err := r.Run(t.Context(), q, runner.Events{})
		if err == nil || outcome.Record.State != store.Failed || outcome.LoginError != nil {
			t.Fatalf("%+v: it is %s, %v, and its login %v", c.person, outcome.Record.State, err, outcome.LoginError)
		}
		safe, _ := r.Secrets()
		if l, err := safe.Login(t.Context(), "members", "ada"); err != nil || l.Status.State != c.want {
			t.Errorf("%+v: the login is %q, %v, want %q", c.person, l.Status.State, err, c.want)
		}
		q.Options.Person = nil
		again, err := r.Run(t.Context(), q, runner.Events{})
		if saved := err == nil && again.Record.State == store.Done; saved != (c.want == store.LoginGood) {
			t.Errorf("%+v: the next run is %s, %v", c.person, again.Record.State, err)
		}
	}
}
