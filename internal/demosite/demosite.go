// Package demosite is the site that Reprise carries with it to demonstrate, test and measure itself on.
//
// It is an ordinary site: a two-step sign-in with a consent banner, a plain form, a bill to pay, a page that
// opens windows and a page of frames. The server checks what it is told and remembers what it saw, so that
// a test asks the server whether a play did its work, never the page.
//
//	/signin   #identifierId, #identifierNext, then in the same document, at
//	          /signin/challenge/pwd: input[name="Passwd"], #showPassword, #passwordNext;
//	          then three redirects to /dashboard, where [data-email] says who is signed in
//	/form     #name #email #phone #city #country #quantity #date, input[name="delivery"],
//	          #note, #gift, #terms and #submit, then /form/done
//	/bill     #reference, #card (a secret) and #continue, then #pay at /bill/review, which
//	          pays by a script and goes on to /bill/paid
//	/popup    #link and #button open a window without an opener, #child opens one with an opener
//	/frames   a form in a frame of the same origin, of another site (localhost for 127.0.0.1
//	          and the reverse) and in a srcdoc frame inside a frame, and an open shadow root:
//	          #message and #send in #same, #cross, #nest > #srcdoc and letter-box
//
// Nothing is loaded from elsewhere, and a strict Content-Security-Policy with Trusted Types holds on
// every page. Everything but the random tokens is the same on every run.
package demosite

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultDelay is how long the card of the sign-in slides: the time it takes on the sites it is like.
const DefaultDelay = 140 * time.Millisecond

// maxBody is far more than any form of the site can send.
const maxBody = 64 << 10

// Account is somebody who can sign in.
type Account struct {
	Email    string
	Password string
	Name     string
}

// Options say what a site is like. The zero value works.
type Options struct {
	Accounts []Account     // who can sign in; default: BuiltinAccounts
	Delay    time.Duration // how long the sign-in's card slides; default: DefaultDelay; negative: not at all
	NoBanner bool          // leaves the consent banner out; default: a first visit to / or /signin meets it
}

// Site serves the pages and knows what was done on them. It is safe for concurrent use.
type Site struct {
	accounts []Account
	delay    time.Duration
	banner   bool
	handler  http.Handler

	mu          sync.Mutex
	flows       flows
	sessions    sessions
	visits      visits
	submissions []url.Values
	bills       map[string]Payment // by the visitor's cookie: what is about to be paid
	payments    []Payment
	seen        []Event
}

// BuiltinAccounts are the two people who can sign in where Options name no others.
func BuiltinAccounts() []Account {
	return []Account{
		{Email: "ada@example.com", Password: "analytical-engine-1843", Name: "Ada Lovelace"},
		{Email: "grace@example.com", Password: "nanosecond-of-wire-1952", Name: "Grace Hopper"},
	}
}

// New returns a site that nobody has visited. A nil o means the defaults.
func New(o *Options) *Site {
	if o == nil {
		o = &Options{}
	}
	s := &Site{accounts: slices.Clone(o.Accounts), delay: o.Delay, banner: !o.NoBanner}
	if len(s.accounts) == 0 {
		s.accounts = BuiltinAccounts()
	}
	if s.delay == 0 {
		s.delay = DefaultDelay
	}
	s.delay = max(s.delay, 0)
	s.Reset()
	s.handler = http.NewCrossOriginProtection().Handler(s.routes())
	return s
}

// ServeHTTP answers for the whole site.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	setHeaders(w.Header(), r.Host, r.URL.Path)
	s.visit(r)
	s.handler.ServeHTTP(w, r)
}

// Accounts returns who can sign in.
func (s *Site) Accounts() []Account { return slices.Clone(s.accounts) }

// Reset forgets every visitor, session, submission and event.
func (s *Site) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows, s.sessions, s.visits = newFlows(), newSessions(), newVisits()
	s.submissions, s.seen = nil, nil
	s.bills, s.payments = map[string]Payment{}, nil
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /{$}":                   s.index,
		"GET /":                      s.notFound,
		"GET /static/":               static,
		"GET /favicon.ico":           favicon,
		"GET /signin":                s.signIn,
		"POST /signin/lookup":        s.lookup,
		"GET /signin/challenge/pwd":  s.passwordPage,
		"POST /signin/challenge/pwd": s.password,
		"GET /signin/check":          s.check,
		"GET /session/cookies":       s.issueCookies,
		"GET /session/return":        s.returnSignedIn,
		"GET /dashboard":             s.dashboard,
		"POST /signout":              s.signOut,
		"GET /form":                  s.form,
		"POST /form":                 s.submitForm,
		"GET /form/done":             s.formDone,
		"GET /bill":                  s.bill,
		"POST /bill":                 s.checkBill,
		"GET /bill/review":           s.reviewBill,
		"POST /bill/pay":             s.pay,
		"GET /bill/paid":             s.billPaid,
		"GET /popup":                 s.page("popup.html"),
		"GET /popup/window":          s.popupWindow,
		"GET /frames":                s.framesPage,
		"GET /frames/inner":          s.innerFrame,
		"GET /frames/nest":           s.page("nest.html"),
		"POST /seen":                 s.recordEvent,
		"GET /seen/thanks":           s.page("thanks.html"),
	} {
		mux.HandleFunc(pattern, handle)
	}
	return mux
}

func (s *Site) account(email string) (Account, bool) {
	email = strings.TrimSpace(email)
	for _, a := range s.accounts {
		if strings.EqualFold(a.Email, email) {
			return a, true
		}
	}
	return Account{}, false
}
