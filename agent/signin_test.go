package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

// signing are logins that can be renewed.
type signing struct {
	logins
	fails error // what SignIn returns
	mu    sync.Mutex
	calls []string
}

func (l *signing) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
}

func (l *signing) SignIn(_ context.Context, name, account string, b *browser.Browser, _ replayer.Person) (string, error) {
	l.note("sign in %s %s %v", name, account, b != nil)
	return "automation", l.fails
}

func (l *signing) Used(_ context.Context, name, account string, saved time.Time, automation string, played error) error {
	l.note("used %s %s %v %s %v", name, account, saved.Equal(l.logins[name].Saved()), automation, played == nil)
	return nil
}

func TestAnAgentHasALoginRenewed(t *testing.T) {
	t.Parallel()
	m := startMembers(t)
	l := &signing{logins: m.logins}
	m.place = at(t, func(o *agent.Options) { o.Logins = l })
	s := m.client(nil)
	for _, site := range []string{m.club.URL, m.club.URL + "/inside?x=1", strings.TrimPrefix(m.club.URL, "http://"), "127.0.0.1"} {
		r := must(t, s, "sign_in", map[string]any{"site": site, "account": "ada"})
		if r.Value["login"] != "club" || r.Value["account"] != "ada" || r.Value["by"] != "automation" {
			t.Errorf("for %s it is told: %s", site, r.Text)
		}
	}
	for _, args := range []map[string]any{{"site": "https://elsewhere.example"}, {"site": "club"}, {"site": m.club.URL, "account": "grace"}} {
		fails(t, s, string(replayer.Refused), "sign_in", args)
	}
	m.logins["other"] = m.logins["club"]
	if r := fails(t, s, string(replayer.Refused), "sign_in", map[string]any{"site": m.club.URL}); len(r.Error.Logins) != 2 {
		t.Errorf("where two are for it, it is told: %s", r.Text)
	}
	delete(m.logins, "other")
	l.fails = &replayer.Error{Code: replayer.Blocked, Reason: "no one is signed in", Step: -1}
	if r := fails(t, s, string(replayer.Blocked), "sign_in", map[string]any{"site": m.club.URL}); r.Error.Suggestion != nil {
		t.Errorf("where no one can, it is told: %s", r.Text)
	}
	want := slices.Repeat([]string{"sign in club ada true"}, 5)
	if !slices.Equal(l.calls, want) {
		t.Errorf("the logins were called as %q, want %q", l.calls, want)
	}
}

func TestARunOfAnAgentMarksItsLogin(t *testing.T) {
	t.Parallel()
	m := startMembers(t)
	l := &signing{logins: m.logins}
	m.place = at(t, func(o *agent.Options) { o.Logins = l })
	m.keep(fmt.Sprintf(`{"format": 1, "name": "look", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "http://%[1]s/"}, {"tool": "waitFor", "selector": "#who", "timeout": "1s"}]}`, strings.TrimPrefix(m.club.URL, "http://")))
	s := m.client(nil)
	with := map[string]any{"account": "ada", "login": "club"}
	must(t, s, "run_look", with)
	m.club.closed.Store(true)
	fails(t, s, string(replayer.Blocked), "run_look", with)
	fails(t, s, string(replayer.Blocked), "run_look", nil) // with none
	if want := []string{"used club ada true look true", "used club ada true look false"}; !slices.Equal(l.calls, want) {
		t.Errorf("the logins were called as %q, want %q", l.calls, want)
	}
}

func TestSignInIsServedForLoginsThatCanBeRenewedOnly(t *testing.T) {
	t.Parallel()
	for want, o := range map[bool]agent.Logins{true: &signing{}, false: logins{}} {
		s := at(t, func(options *agent.Options) { options.Logins = o }).client(nil)
		all, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := false
		for _, tool := range all.Tools {
			has = has || tool.Name == "sign_in"
		}
		if has != want {
			t.Errorf("of %T there is a sign_in: %v", o, has)
		}
	}
}
