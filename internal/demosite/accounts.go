package demosite

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// session is a browser that signed in. It counts once the browser has brought its cookie back.
type session struct {
	account Account
	csrf    string // for the sign-out
	active  bool
}

// sessions keeps who is signed in. The Site's lock guards it.
type sessions struct {
	byID    map[string]*session
	signIns map[string]int // by e-mail, in lower case
}

func newSessions() sessions {
	return sessions{byID: map[string]*session{}, signIns: map[string]int{}}
}

// issue makes a session in the place of the one that the browser held, if any.
func (s *sessions) issue(a Account, held string) (id string) {
	delete(s.byID, held)
	id = rand.Text()
	s.byID[id] = &session{account: a, csrf: rand.Text()}
	return id
}

// activate reports whether the browser has brought the cookie back: the sign-in is complete.
func (s *sessions) activate(id string) bool {
	session, ok := s.byID[id]
	if ok && !session.active {
		session.active = true
		s.signIns[strings.ToLower(session.account.Email)]++
	}
	return ok
}

func (s *sessions) active(id string) (session, bool) {
	found, ok := s.byID[id]
	if !ok || !found.active {
		return session{}, false
	}
	return *found, true
}

// SignedIn returns the e-mail addresses of who is signed in now, sorted, each once.
func (s *Site) SignedIn() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	emails := map[string]bool{}
	for _, session := range s.sessions.byID {
		if session.active {
			emails[session.account.Email] = true
		}
	}
	return slices.Sorted(maps.Keys(emails))
}

// Sessions returns how many browsers an account is signed in with now. A browser that signs in again
// gives up the session that it had.
func (s *Site) Sessions(email string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, session := range s.sessions.byID {
		if session.active && strings.EqualFold(session.account.Email, email) {
			n++
		}
	}
	return n
}

// SignIns returns how many times an account has signed in since the site began or was reset.
func (s *Site) SignIns(email string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions.signIns[strings.ToLower(email)]
}

// visits keeps by which browsers an account is used: one after the other, or several at
// the same time. The Site's lock guards it.
type visits struct {
	of       map[string]string          // e-mail, by the visitor's cookie
	last     map[string]string          // visitor, by e-mail
	left     map[string]map[string]bool // visitors that another came after, by e-mail
	overlaps []string
}

func newVisits() visits {
	return visits{of: map[string]string{}, last: map[string]string{}, left: map[string]map[string]bool{}}
}

// begin records that a visitor acts for an account from now on.
func (v *visits) begin(visitor, email string) {
	v.of[visitor] = email
	v.come(visitor)
}

// come notes a request of a visitor. One that comes again after another had come for the
// same account was there all the time.
func (v *visits) come(visitor string) {
	email, known := v.of[visitor]
	if !known || v.last[email] == visitor {
		return
	}
	if v.left[email] == nil {
		v.left[email] = map[string]bool{}
	}
	if v.left[email][visitor] {
		v.overlaps = append(v.overlaps, email)
	}
	if before := v.last[email]; before != "" {
		v.left[email][before] = true
	}
	v.last[email] = visitor
}

// Overlaps returns the e-mail addresses of accounts that were used by two browsers at the
// same time, once for each request that showed it.
func (s *Site) Overlaps() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.visits.overlaps)
}

func (s *Site) visit(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits.come(cookieValue(r, visitorCookie))
}

// Event is something that a page of windows, frames or shadow roots sent to the server.
type Event struct {
	Source string // same, cross, srcdoc, shadow or window
	Host   string // the host and port that it was sent to
	Values url.Values
}

// Seen returns the events of /popup and /frames in the order in which they came.
func (s *Site) Seen() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := slices.Clone(s.seen)
	for i := range seen {
		seen[i].Values = cloneValues(seen[i].Values)
	}
	return seen
}

// sources are where an event can come from, with the words for it in the frame's own page.
var sources = map[string]string{
	"same":   "Frame of the same origin",
	"cross":  "Frame of another site",
	"srcdoc": "Frame inside a frame",
	"shadow": "Shadow root",
	"window": "New window",
}

func (s *Site) recordEvent(w http.ResponseWriter, r *http.Request) {
	source := r.PostFormValue("source")
	if _, ok := sources[source]; !ok {
		http.Error(w, "an event needs a source that the site has", http.StatusBadRequest)
		return
	}
	values := cloneValues(r.PostForm)
	values.Del("source")
	s.mu.Lock()
	s.seen = append(s.seen, Event{Source: source, Host: r.Host, Values: values})
	s.mu.Unlock()
	http.Redirect(w, r, "/seen/thanks", http.StatusSeeOther)
}

// eventView is what a page with one small form is rendered from.
type eventView struct {
	base
	Source, Title, Via, Cross string
}

func (s *Site) framesPage(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "frames.html", eventView{Cross: crossHost(r.Host)})
}

func (s *Site) innerFrame(w http.ResponseWriter, r *http.Request) {
	source := r.FormValue("source")
	title, ok := sources[source]
	if !ok {
		s.notFound(w, r)
		return
	}
	render(w, http.StatusOK, "inner.html", eventView{Source: source, Title: title})
}

func (s *Site) popupWindow(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "window.html", eventView{Source: "window", Via: r.FormValue("via")})
}

func cloneValues(v url.Values) url.Values {
	c := maps.Clone(v)
	for key := range c {
		c[key] = slices.Clone(c[key])
	}
	return c
}
