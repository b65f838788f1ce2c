package demosite_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/demosite"
)

func signedIn(t *testing.T, s *demosite.Server, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.SignedIn()); diff != "" {
		t.Errorf("signed in (-want +got):\n%s", diff)
	}
}

func TestRightPasswordSignsInExactlyThatAccount(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i, a := range s.Accounts() {
		v := visit(t, s)
		page := v.signIn(a.Email, a.Password)
		if page.path != "/dashboard" || !strings.Contains(page.body, `data-email="`+a.Email+`"`) || !strings.Contains(page.body, a.Name) {
			t.Errorf("%s ended at %s:\n%s", a.Email, page.path, page.body)
		}
		if want := []string{"/signin/check", "/session/cookies", "/session/return", "/dashboard"}; !slices.Equal(v.trail, want) {
			t.Errorf("redirects %v, want %v", v.trail, want)
		}
		if s.Sessions(a.Email) != 1 || s.SignIns(a.Email) != 1 || len(s.SignedIn()) != i+1 {
			t.Errorf("%s: %d sessions, %d sign-ins, signed in: %v", a.Email, s.Sessions(a.Email), s.SignIns(a.Email), s.SignedIn())
		}
	}
	signedIn(t, s, "ada@example.com", "grace@example.com")
}

func TestAccountsOfTheCallerReplaceTheBuiltInOnes(t *testing.T) {
	t.Parallel()
	s := start(t, &demosite.Options{Accounts: []demosite.Account{{Email: "Joan@example.org", Password: "p&q=1 +é", Name: "Joan"}}})
	if page := visit(t, s).signIn(" joan@EXAMPLE.org ", "p&q=1 +é"); page.path != "/dashboard" {
		t.Errorf("ended at %s", page.path)
	}
	ada := demosite.BuiltinAccounts()[0]
	visit(t, s).signIn(ada.Email, ada.Password)
	signedIn(t, s, "Joan@example.org")
}

func TestWrongPasswordSignsNoOneInAndMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada, grace := s.Accounts()[0], s.Accounts()[1]
	v := visit(t, s)
	page := v.signIn(ada.Email, grace.Password)
	if page.path != "/signin/challenge/pwd" || !strings.Contains(page.body, "Wrong password") {
		t.Errorf("ended at %s:\n%s", page.path, page.body)
	}
	signedIn(t, s)
	if page := v.get("/dashboard"); page.path != "/signin" {
		t.Errorf("the dashboard was shown at %s", page.path)
	}
	page = v.sendPassword(v.token(v.get("/signin/challenge/pwd")), ada.Password)
	if page.path != "/dashboard" {
		t.Errorf("the second try ended at %s", page.path)
	}
}

func TestUnknownAddressIsAnAnswerInThePage(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	token := v.token(v.get("/signin"))
	if said := v.lookUp(token, "stranger@example.com"); said.status != http.StatusOK || !strings.Contains(said.body, `"error"`) {
		t.Errorf("%d %s", said.status, said.body)
	}
	if page := v.sendPassword(token, s.Accounts()[0].Password); page.status != http.StatusForbidden {
		t.Errorf("a password without an account: %d", page.status)
	}
	signedIn(t, s)
}

func TestUnknownAddressForgetsTheOneBefore(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	token := v.token(v.get("/signin"))
	v.lookUp(token, ada.Email)
	v.lookUp(token, "stranger@example.com")
	v.sendPassword(token, ada.Password)
	signedIn(t, s)
}

func TestPasswordIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]func(v *visitor, a demosite.Account) reply{
		"without the first step": func(v *visitor, a demosite.Account) reply {
			return v.sendPassword(v.token(v.get("/signin")), a.Password)
		},
		"without a token": func(v *visitor, a demosite.Account) reply {
			v.lookUp(v.token(v.get("/signin")), a.Email)
			return v.sendPassword("", a.Password)
		},
		"with a made-up token": func(v *visitor, a demosite.Account) reply {
			v.lookUp(v.token(v.get("/signin")), a.Email)
			return v.sendPassword("AAAAAAAAAAAAAAAAAAAAAAAAAA", a.Password)
		},
		"with the token of another browser": func(v *visitor, a demosite.Account) reply {
			other := visit(v.t, v.site)
			token := other.token(other.get("/signin"))
			other.lookUp(token, a.Email)
			v.get("/signin")
			return v.sendPassword(token, a.Password)
		},
		"with the token of an attempt that failed": func(v *visitor, a demosite.Account) reply {
			token := v.token(v.get("/signin"))
			v.lookUp(token, a.Email)
			v.sendPassword(token, "wrong")
			return v.sendPassword(token, a.Password)
		},
		"by a page of another site": func(v *visitor, a demosite.Account) reply {
			token := v.token(v.get("/signin"))
			v.lookUp(token, a.Email)
			return v.do(http.MethodPost, "/signin/challenge/pwd", url.Values{"csrf": {token}, "Passwd": {a.Password}},
				http.Header{"Sec-Fetch-Site": {"cross-site"}})
		},
	}
	for name, try := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			if page := try(visit(t, s), s.Accounts()[0]); page.status != http.StatusForbidden || page.path != "/signin/challenge/pwd" {
				t.Errorf("status %d at %s", page.status, page.path)
			}
			signedIn(t, s)
		})
	}
}

func TestTokenThatSignedInIsSpent(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	token := v.token(v.get("/signin"))
	v.lookUp(token, ada.Email)
	v.sendPassword(token, ada.Password)
	if page := v.sendPassword(token, ada.Password); page.status != http.StatusForbidden {
		t.Errorf("the second time: %d at %s", page.status, page.path)
	}
	if n := s.SignIns(ada.Email); n != 1 {
		t.Errorf("%d sign-ins", n)
	}
}

func TestTicketIsForOneBrowserOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v, thief := visit(t, s), visit(t, s)
	thief.get("/signin")
	var ticket string
	v.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		ticket = r.URL.RawQuery
		return http.ErrUseLastResponse
	}
	v.signIn(ada.Email, ada.Password)
	for _, path := range []string{"/signin/check?", "/session/cookies?"} {
		if page := thief.get(path + ticket); page.status != http.StatusForbidden {
			t.Errorf("%s by another browser: %d", path, page.status)
		}
	}
	v.client.CheckRedirect = nil
	if page := v.get("/signin/check?" + ticket); page.path != "/dashboard" {
		t.Errorf("by its own browser: %d at %s", page.status, page.path)
	}
	if page := v.get("/session/cookies?" + ticket); page.status != http.StatusForbidden {
		t.Errorf("a second time: %d", page.status)
	}
	signedIn(t, s, ada.Email)
}

func TestReloadKeepsTheStep(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	if page := v.get("/signin/challenge/pwd"); page.path != "/signin" {
		t.Errorf("a password page for no one at %s", page.path)
	}
	v.lookUp(v.token(v.get("/signin")), ada.Email)
	page := v.get("/signin/challenge/pwd")
	if !strings.Contains(page.body, `data-first="password" data-identifier="`+ada.Email+`"`) {
		t.Errorf("the reload begins elsewhere:\n%s", page.body)
	}
	if page := v.sendPassword(v.token(page), ada.Password); page.path != "/dashboard" {
		t.Errorf("ended at %s", page.path)
	}
}

func TestTabsOfOneBrowserDoNotDisturbOneAnother(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	first := v.token(v.get("/signin"))
	v.token(v.get("/signin"))
	v.lookUp(first, ada.Email)
	if page := v.sendPassword(first, ada.Password); page.path != "/dashboard" {
		t.Errorf("ended at %s", page.path)
	}
}

func TestWrongPasswordIsShownForItsOwnAddress(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada, grace := s.Accounts()[0], s.Accounts()[1]
	v := visit(t, s)
	first, second := v.token(v.get("/signin")), v.token(v.get("/signin"))
	v.lookUp(first, ada.Email)
	v.lookUp(second, grace.Email)
	if page := v.sendPassword(first, "wrong"); !strings.Contains(page.body, `data-identifier="`+ada.Email+`"`) {
		t.Errorf("the other tab's address is shown:\n%s", page.body)
	}
}

func TestLookUpNeedsTheBrowserOfTheToken(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, other := visit(t, s), visit(t, s)
	token := v.token(v.get("/signin"))
	other.get("/signin")
	if said := other.lookUp(token, s.Accounts()[0].Email); said.status != http.StatusForbidden {
		t.Errorf("another browser: %d", said.status)
	}
	if said := visit(t, s).lookUp(token, s.Accounts()[0].Email); said.status != http.StatusForbidden {
		t.Errorf("a browser without a cookie: %d", said.status)
	}
}

func TestManyVisitorsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	var group sync.WaitGroup
	for range 16 {
		v := visit(t, s)
		group.Go(func() { v.signIn(ada.Email, ada.Password) })
	}
	group.Wait()
	if s.Sessions(ada.Email) != 16 || s.SignIns(ada.Email) != 16 {
		t.Errorf("%d sessions, %d sign-ins", s.Sessions(ada.Email), s.SignIns(ada.Email))
	}
}
