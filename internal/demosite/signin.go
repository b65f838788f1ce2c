package demosite

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The cookies of the site; see cookieName.
const (
	visitorCookie = "visitor"
	sessionCookie = "session"
	consentCookie = "consent" // set by the page, so that it is there before the next request
)

// signInView is what the sign-in's page is rendered from.
type signInView struct {
	base
	Token    string
	Email    string // not empty: begin at the password
	Failed   bool
	DelayMS  int64
	Password bool
}

func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := *s.flows.begin(cookieValue(r, visitorCookie), time.Now())
	s.mu.Unlock()
	setCookie(w, r, visitorCookie, a.visitor)
	s.renderSignIn(w, r, a)
}

// passwordPage is for a reload, and for another try after a wrong password: the first way to the
// password is in the document of /signin.
func (s *Site) passwordPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	found, ok := s.flows.identified(cookieValue(r, visitorCookie))
	var a flow
	if ok {
		a = *found
	}
	s.mu.Unlock()
	if !ok {
		http.Redirect(w, r, "/signin", http.StatusFound)
		return
	}
	s.renderSignIn(w, r, a)
}

func (s *Site) renderSignIn(w http.ResponseWriter, r *http.Request, a flow) {
	render(w, http.StatusOK, "signin.html", signInView{
		base: s.withBanner(r), Token: a.token, Email: a.email, Failed: a.failed,
		DelayMS: s.delay.Milliseconds(), Password: a.email != "",
	})
}

// lookup answers the page's question whether an e-mail address has an account. Not to have one is an
// answer, not a failed request, so the status is 200 for both.
func (s *Site) lookup(w http.ResponseWriter, r *http.Request) {
	token, identifier := r.PostFormValue("csrf"), r.PostFormValue("identifier")
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.flows.find(token, cookieValue(r, visitorCookie))
	if !ok {
		writeJSON(w, http.StatusForbidden, map[string]string{"error": "This page is too old. Load it again."})
		return
	}
	account, ok := s.account(identifier)
	if !ok {
		a.email = ""
		writeJSON(w, http.StatusOK, map[string]string{"error": "No Meadow account has this email address."})
		return
	}
	a.email = account.Email
	s.visits.begin(a.visitor, a.email)
	writeJSON(w, http.StatusOK, map[string]string{"email": account.Email, "next": "/signin/challenge/pwd"})
}

func (s *Site) password(w http.ResponseWriter, r *http.Request) {
	token, typed := r.PostFormValue("csrf"), []byte(r.PostFormValue("Passwd"))
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.flows.find(token, cookieValue(r, visitorCookie))
	if !ok || a.email == "" {
		s.refuse(w, r, "This sign-in is no longer valid", "It was used before, is too old, or began in another window.")
		return
	}
	account, ok := s.account(a.email)
	if !ok || subtle.ConstantTimeCompare([]byte(account.Password), typed) != 1 {
		s.flows.fail(a)
		http.Redirect(w, r, "/signin/challenge/pwd", http.StatusSeeOther)
		return
	}
	toTicket(w, r, "/signin/check", s.flows.pass(a), http.StatusSeeOther)
}

// check is the first of three hops, as a provider has that knows the person on one host and the
// session on another.
func (s *Site) check(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ticket := r.FormValue("ticket")
	if _, ok := s.flows.ticketed(ticket, cookieValue(r, visitorCookie)); !ok {
		s.refuseTicket(w, r)
		return
	}
	toTicket(w, r, "/session/cookies", ticket, http.StatusFound)
}

// issueCookies spends the ticket and gives the session.
func (s *Site) issueCookies(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ticket := r.FormValue("ticket")
	a, ok := s.flows.ticketed(ticket, cookieValue(r, visitorCookie))
	if !ok {
		s.refuseTicket(w, r)
		return
	}
	delete(s.flows.byTicket, ticket)
	account, _ := s.account(a.email)
	setCookie(w, r, sessionCookie, s.sessions.issue(account, cookieValue(r, sessionCookie)))
	http.Redirect(w, r, "/session/return", http.StatusFound)
}

// returnSignedIn sees whether the browser kept the cookie. Only then is anyone signed in.
func (s *Site) returnSignedIn(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sessions.activate(cookieValue(r, sessionCookie)) {
		s.refuse(w, r, "You are not signed in", "The browser did not keep the cookie that says so.")
		return
	}
	http.Redirect(w, r, "/dashboard", http.StatusFound)
}

func (s *Site) refuseTicket(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, "This link is no longer valid", "A sign-in can be finished once, by the browser that began it.")
}

func toTicket(w http.ResponseWriter, r *http.Request, path, ticket string, status int) {
	http.Redirect(w, r, path+"?"+url.Values{"ticket": {ticket}}.Encode(), status)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only when the browser has gone
}

// dashboardView is what the signed-in page is rendered from.
type dashboardView struct {
	base
	Name, First, Initials, Email, Token string
}

func (s *Site) dashboard(w http.ResponseWriter, r *http.Request) {
	current, ok := s.current(r)
	if !ok {
		http.Redirect(w, r, "/signin", http.StatusFound)
		return
	}
	a := current.account
	first, _, _ := strings.Cut(a.Name, " ")
	render(w, http.StatusOK, "dashboard.html", dashboardView{
		Name: a.Name, First: first, Initials: initials(a.Name), Email: a.Email, Token: current.csrf,
	})
}

func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	current, ok := s.current(r)
	if !ok || subtle.ConstantTimeCompare([]byte(current.csrf), []byte(r.PostFormValue("csrf"))) != 1 {
		s.refuse(w, r, "Nothing was done", "This sign-out did not come from the page of the one who is signed in.")
		return
	}
	s.mu.Lock()
	delete(s.sessions.byID, cookieValue(r, sessionCookie))
	s.mu.Unlock()
	setCookie(w, r, sessionCookie, "")
	http.Redirect(w, r, "/signin", http.StatusSeeOther)
}

func (s *Site) current(r *http.Request) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions.active(cookieValue(r, sessionCookie))
}

func initials(name string) string {
	var b strings.Builder
	for _, word := range strings.Fields(name) {
		b.WriteRune([]rune(word)[0])
	}
	return b.String()
}
