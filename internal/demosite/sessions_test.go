package demosite_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNoOneIsSignedInBeforeTheCookieCameBack(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	v.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/session/return" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	v.signIn(ada.Email, ada.Password)
	signedIn(t, s)
	if page := v.get("/dashboard"); page.path != "/signin" {
		t.Errorf("the dashboard was shown at %s", page.path)
	}
	v.get("/session/return")
	signedIn(t, s, ada.Email)
}

func TestSessionCookieIsOutOfReachOfScripts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	var cookies []string
	v.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		cookies = append(cookies, r.Response.Header.Values("Set-Cookie")...)
		return nil
	}
	v.signIn(ada.Email, ada.Password)
	if len(cookies) != 1 || !strings.HasPrefix(cookies[0], "session-") ||
		!strings.Contains(cookies[0], "; HttpOnly; SameSite=Lax") {
		t.Errorf("cookies set by the redirects: %q", cookies)
	}
}

func TestSigningInAgainGivesUpTheSessionBefore(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada, grace := s.Accounts()[0], s.Accounts()[1]
	v := visit(t, s)
	v.signIn(ada.Email, ada.Password)
	v.signIn(ada.Email, ada.Password)
	if s.Sessions(ada.Email) != 1 || s.SignIns(ada.Email) != 2 {
		t.Errorf("%d sessions, %d sign-ins", s.Sessions(ada.Email), s.SignIns(ada.Email))
	}
	v.signIn(grace.Email, grace.Password)
	signedIn(t, s, grace.Email)
	visit(t, s).signIn(grace.Email, grace.Password)
	if n := s.Sessions(grace.Email); n != 2 {
		t.Errorf("two browsers, %d sessions", n)
	}
}

func TestSignOutNeedsThePageOfTheSession(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.Accounts()[0]
	v := visit(t, s)
	page := v.signIn(ada.Email, ada.Password)
	if refused := v.post("/signout", url.Values{"csrf": {"guess"}}); refused.status != http.StatusForbidden {
		t.Errorf("a guessed token: %d", refused.status)
	}
	signedIn(t, s, ada.Email)
	if out := v.post("/signout", url.Values{"csrf": {v.token(page)}}); out.path != "/signin" {
		t.Errorf("signing out ended at %s", out.path)
	}
	signedIn(t, s)
}
