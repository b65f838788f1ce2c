package demosite

import (
	"crypto/rand"
	"time"
)

// A sign-in has to end within flowLife; what is older is forgotten when the next one starts.
const flowLife = 10 * time.Minute

// flow is one attempt to sign in, from the e-mail page to the session. Its token is the page's CSRF
// token: it is worth something only together with the cookie of the browser that it was given to,
// and is spent by the password that it carries, right or wrong.
type flow struct {
	token   string
	visitor string // the pre-session cookie it is bound to
	email   string // set by a successful look-up: the first step is done
	failed  bool   // the last password was wrong
	born    time.Time
	order   int
}

// flows keeps the attempts that are under way. The Site's lock guards it.
type flows struct {
	byToken  map[string]*flow
	byTicket map[string]*flow // past the password, on the way through the redirects
	visitors map[string]bool
	count    int
}

func newFlows() flows {
	return flows{byToken: map[string]*flow{}, byTicket: map[string]*flow{}, visitors: map[string]bool{}}
}

// begin starts an attempt for a visitor, and makes a new visitor of one that the site does not know.
func (f *flows) begin(visitor string, now time.Time) *flow {
	f.forgetBefore(now.Add(-flowLife))
	if !f.visitors[visitor] {
		visitor = rand.Text()
		f.visitors[visitor] = true
	}
	return f.add(&flow{visitor: visitor, born: now})
}

// find returns the attempt of a token that was given to this visitor.
func (f *flows) find(token, visitor string) (*flow, bool) {
	a, ok := f.byToken[token]
	if !ok || a.visitor != visitor {
		return nil, false
	}
	return a, true
}

// identified returns the visitor's newest attempt whose first step is done.
func (f *flows) identified(visitor string) (*flow, bool) {
	var newest *flow
	for _, a := range f.byToken {
		if a.visitor == visitor && a.email != "" && (newest == nil || a.order > newest.order) {
			newest = a
		}
	}
	return newest, newest != nil
}

// fail spends the token of an attempt with a wrong password and gives it another.
func (f *flows) fail(a *flow) {
	delete(f.byToken, a.token)
	a.failed = true
	f.add(a)
}

// pass spends the token of an attempt with the right password for a ticket to the redirects.
func (f *flows) pass(a *flow) (ticket string) {
	delete(f.byToken, a.token)
	ticket = rand.Text()
	f.byTicket[ticket] = a
	return ticket
}

// ticketed returns the attempt that a ticket was given for, if this visitor made it.
func (f *flows) ticketed(ticket, visitor string) (*flow, bool) {
	a, ok := f.byTicket[ticket]
	if !ok || a.visitor != visitor {
		return nil, false
	}
	return a, true
}

func (f *flows) add(a *flow) *flow {
	f.count++
	a.token, a.order = rand.Text(), f.count
	f.byToken[a.token] = a
	return a
}

func (f *flows) forgetBefore(limit time.Time) {
	for _, m := range []map[string]*flow{f.byToken, f.byTicket} {
		for key, a := range m {
			if a.born.Before(limit) {
				delete(m, key)
			}
		}
	}
}
