package demosite

import (
	"crypto/rand"
	"maps"
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

// activate says that the browser has brought the cookie back: the sign-in is complete.
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
