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
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/httpserver"
)

// DefaultDelay is how long the card of the sign-in slides: the time it takes on the sites it is like.
const DefaultDelay = 140 * time.Millisecond

// maxBody is far more than any form of the site can send.
const maxBody = 64 << 10

// Account is someone who can sign in.
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

// New returns a site that no one has visited. A nil o means the defaults.
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

// Server is a Site on a free port of this machine, which nothing outside the machine can reach.
type Server struct {
	*Site
	URL      string // http://127.0.0.1:PORT
	CrossURL string // http://localhost:PORT: the same pages as another site

	http  *http.Server
	close func() error
}

// Start serves a new site on a free loopback port until Close. A nil o means the defaults.
func Start(o *Options) (*Server, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("demosite: no loopback port to listen on: %w", err)
	}
	site := New(o)
	host := listener.Addr().String()
	s := &Server{
		Site:     site,
		URL:      "http://" + host,
		CrossURL: "http://" + crossHost(host),
		http:     httpserver.New(site, &httpserver.Options{MaxBody: maxBody}),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(listener) }()
	s.close = sync.OnceValue(func() error { return errors.Join(s.http.Close(), serveError(<-ended)) })
	return s, nil
}

// Close stops listening, ends open connections and waits for the server to end. It may be called again.
func (s *Server) Close() error { return s.close() }

func serveError(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// policy allows what the site's own origin serves and nothing else: no inline script or style, no
// eval, no HTML made from strings. A recorder or a player that needs any of these fails here.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func setHeaders(h http.Header, host, path string) {
	csp := policy + "; frame-src 'self' http://" + crossHost(host)
	if !embeddable(path) {
		csp += "; frame-ancestors 'none'"
	}
	h.Set("Content-Security-Policy", csp)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
}

// embeddable reports whether a path is one that /frames shows in a frame.
func embeddable(path string) bool {
	return strings.HasPrefix(path, "/frames/") || strings.HasPrefix(path, "/seen/")
}

// crossHost names this server by another site, as a browser sees it: localhost for 127.0.0.1 and the reverse.
func crossHost(host string) string {
	name, port := splitHost(host)
	other := "localhost"
	if name == other {
		other = "127.0.0.1"
	}
	if port == "" {
		return other
	}
	return net.JoinHostPort(other, port)
}

// splitHost drops a port that is no number: what a client sends as its Host ends up in headers.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return host, ""
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		port = ""
	}
	return name, port
}

// cookieName keeps sites on different ports apart, which share one cookie jar in a browser.
func cookieName(r *http.Request, name string) string {
	if _, port := splitHost(r.Host); port != "" {
		return name + "-" + port
	}
	return name
}

func cookieValue(r *http.Request, name string) string {
	c, err := r.Cookie(cookieName(r, name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie that scripts cannot read and that other sites' requests do not carry.
func setCookie(w http.ResponseWriter, r *http.Request, name, value string) {
	c := &http.Cookie{Name: cookieName(r, name), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

//go:embed web
var files embed.FS

// base is what the frame around every page is rendered from.
type base struct {
	Banner        bool
	ConsentCookie string
}

// templates parses the embedded pages when the first one is asked for: a program that carries the
// site without serving it does not pay for it. A page that does not parse is a bug that every test finds.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "web/*.html"))
})

func render(w http.ResponseWriter, status int, name string, view any) {
	var page bytes.Buffer
	if err := templates().ExecuteTemplate(&page, name, view); err != nil {
		http.Error(w, "demosite: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // fails only when the browser has gone
}

// page serves a template that needs to know nothing.
func (s *Site) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { render(w, http.StatusOK, name, base{}) }
}

// withBanner asks for consent until the browser has brought an answer.
func (s *Site) withBanner(r *http.Request) base {
	return base{
		Banner:        s.banner && cookieValue(r, consentCookie) == "",
		ConsentCookie: cookieName(r, consentCookie),
	}
}

func (s *Site) index(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "index.html", s.withBanner(r))
}

// messageView is what a page that only says something is rendered from.
type messageView struct {
	base
	Title, Message string
}

func (s *Site) notFound(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusNotFound, "message.html", messageView{
		Title: "There is nothing here", Message: "The address may be mistyped.",
	})
}

func (s *Site) refuse(w http.ResponseWriter, _ *http.Request, title, message string) {
	render(w, http.StatusForbidden, "message.html", messageView{Title: title, Message: message})
}

func static(w http.ResponseWriter, r *http.Request) {
	web, err := fs.Sub(files, "web")
	if err != nil {
		http.Error(w, "demosite: "+err.Error(), http.StatusInternalServerError)
		return
	}
	http.FileServerFS(web).ServeHTTP(w, r)
}

func favicon(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "web/static/meadow.svg")
}
