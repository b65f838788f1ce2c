package demosite

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

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
