package demosite

import (
	"net/http"
	"slices"
)

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

// begin says that a visitor acts for an account from now on.
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
