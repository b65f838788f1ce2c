// Package server is the sidecar: what other programs on the network reach of Reprise, which
// is MCP over HTTP, at Path, and an API of JSON over HTTP that openapi.json describes. Who has
// its token controls a browser, so it answers by the names it is known by only, and to no page
// of another site.
//
//	sidecar, err := server.New(&server.Options{Agent: agents, Token: token, Hosts: server.LoopbackHosts("7337")})
//	if err != nil {
//		return err
//	}
//	defer sidecar.Close()
//	return httpserver.New(sidecar, nil).Serve(listener)
package server

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/notify"
)

// Path is where MCP is spoken.
const Path = "/mcp"

// Defaults of Options.
const (
	// DefaultGrace is how long a client may be away that had a stream open, or left in the
	// middle of a call: a connection that breaks is opened again at once.
	DefaultGrace = 30 * time.Second
	// DefaultIdle is how long one may be silent that keeps no stream open: an agent thinks,
	// and a person reads, between two calls.
	DefaultIdle = 30 * time.Minute
)

// Options of a Server.
type Options struct {
	// Agent is what is served. It is needed.
	Agent *agent.Server
	// Token is what every request must carry, as Authorization: Bearer. It is needed.
	Token string
	// PersonToken is what requests must carry in its place that answer approvals, set limits or open a live view: agents that
	// have Token must not have it. Default: "", no one may do that here.
	PersonToken string
	// Hosts are the names (host:port) that the server is reached by: a request by another,
	// as a page that rebinds its DNS name makes it, is refused. It is needed.
	Hosts []string
	// Grace and Idle are how long a client's page stays after it was last heard of.
	// Default: DefaultGrace, DefaultIdle.
	Grace, Idle time.Duration
	// API are the options of the API of JSON over HTTP.
	API API
	// Mount has more handlers, by patterns of http.ServeMux such as "/handoff/". They do their
	// own authentication: of the checks here only that of the host is made for them. Default:
	// none.
	Mount map[string]http.Handler
	// Handoffs are listed, and told as events. Default: nil, no one takes over.
	Handoffs *handoff.Desk
	// Notify tells people what POST /notify says. Default: nil, no one can be told.
	Notify *notify.Notifier
	// Logger is told of requests that are refused. Default: silent.
	Logger *slog.Logger
}

// Server is the handler.
type Server struct {
	options  Options
	mounted  *http.ServeMux // without our authentication
	routes   *http.ServeMux // with it
	api      *api
	presence *presence
}

// New makes a server. Close it.
func New(o *Options) (*Server, error) {
	switch {
	case o == nil || o.Agent == nil:
		return nil, errors.New("server: Options.Agent is needed")
	case len(o.Token) < leastToken:
		return nil, errors.New("server: Options.Token is needed, of 16 characters or more: who has it controls the browser")
	case o.PersonToken != "" && (len(o.PersonToken) < leastToken || o.PersonToken == o.Token || o.API.Store == nil):
		return nil, errors.New("server: Options.PersonToken is another than Token, of 16 characters or more, and needs API.Store")
	case len(o.Hosts) == 0:
		return nil, errors.New("server: Options.Hosts is needed: the names that the server is reached by")
	}
	s := &Server{options: *o}
	if s.options.Grace <= 0 {
		s.options.Grace = DefaultGrace
	}
	if s.options.Idle <= 0 {
		s.options.Idle = DefaultIdle
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.New(slog.DiscardHandler)
	}
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Agent.MCP() }, &mcp.StreamableHTTPOptions{
		Logger: s.options.Logger, DisableLocalhostProtection: true, // it knows of no other names; refuses is stricter
	})
	s.presence = newPresence(s.options.Grace, s.options.Idle, o.Agent.Disconnect)
	var err error
	if s.api, err = newAPI(&s.options); err != nil {
		return nil, err
	}
	s.routes, s.mounted = http.NewServeMux(), http.NewServeMux()
	s.routes.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) { s.presence.serve(w, r, protocol) })
	for pattern, handle := range s.api.routes() {
		s.routes.HandleFunc(pattern, s.api.limited(handle))
	}
	for pattern, handler := range o.Mount {
		s.mounted.Handle(pattern, handler)
	}
	return s, nil
}

// leastToken keeps tokens from being guessed.
const leastToken = 16

// NewToken returns a token that no one guesses.
func NewToken() string { return strings.ToLower(rand.Text()) }

// LoopbackHosts are the names of a port on this machine.
func LoopbackHosts(port string) []string {
	return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port), net.JoinHostPort("::1", port)}
}

// ServeHTTP answers those who may ask.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.known(r.Host) {
		s.refuse(w, r, refusal(Forbidden, "name the server as it listens, or start it with --host", "this server is not known by that host"))
		return
	}
	if handler, pattern := s.mounted.Handler(r); pattern != "" {
		handler.ServeHTTP(w, r)
		return
	}
	if e := s.refuses(r); e != nil {
		s.refuse(w, r, e)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if handler, pattern := s.routes.Handler(r); pattern == "" {
		answerNoRoute(w, r, handler)
		return
	}
	s.routes.ServeHTTP(w, r)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, e *agent.Error) {
	s.options.Logger.WarnContext(r.Context(), "a request was refused", "why", e.Reason, "from", r.RemoteAddr)
	if e.Code == Unauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	answerError(w, e)
}

// refuses returns why a request is not answered, nil where it is. The origin comes before the
// token: a page in someone's browser has none, and is to learn nothing by trying.
func (s *Server) refuses(r *http.Request) *agent.Error {
	foreign := refusal(Forbidden, "call it from a program: no page of another site may", "pages of other sites are not answered")
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host || u.Scheme != "http" && u.Scheme != "https" {
			return foreign
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return foreign
	}
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if forPeople(r.URL.Path) {
		return s.refusesPerson(token, is)
	}
	if !is || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) != 1 {
		return refusal(Unauthorized, "send the server's token as Authorization: Bearer TOKEN", "the token is missing, or another")
	}
	return nil
}

// refusesPerson is refuses for what only people may do.
func (s *Server) refusesPerson(token string, is bool) *agent.Error {
	const next = "send the person's token as Authorization: Bearer TOKEN"
	switch {
	case is && subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1:
		if s.options.PersonToken == "" {
			return refusal(Forbidden, "start the server with a token for people, or use `reprise approvals`, `reprise limits` and `reprise handoffs`", "what people alone may do is not done here")
		}
		return refusal(Forbidden, next, "the server's token is for agents and programs: they approve nothing, set no limits, and open no live view")
	case !is || s.options.PersonToken == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.PersonToken)) != 1:
		return refusal(Unauthorized, next, "the person's token is missing, or another")
	}
	return nil
}

func (s *Server) known(host string) bool {
	return slices.ContainsFunc(s.options.Hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// Close ends the sessions and the runs of the API, and what waits for clients to come back. The
// agent stays the caller's.
func (s *Server) Close() {
	s.api.close()
	s.presence.close()
}
