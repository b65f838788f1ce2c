// Package server is the sidecar: what other programs on the network reach of Reprise.
// Now that is the agents' protocol, MCP over HTTP. Who has its token controls a browser,
// so it answers by the names it is known by only, and to no page of another site.
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
	// Hosts are the names (host:port) that the server is reached by: a request by another,
	// as a page that rebinds its DNS name makes it, is refused. It is needed.
	Hosts []string
	// Grace and Idle are how long a client's page stays after it was last heard of.
	// Default: DefaultGrace, DefaultIdle.
	Grace, Idle time.Duration
	// Logger is told of requests that are refused. Default: silent.
	Logger *slog.Logger
}

// Server is the handler.
type Server struct {
	options  Options
	protocol http.Handler
	presence *presence
}

// New makes a server. Close it.
func New(o *Options) (*Server, error) {
	switch {
	case o == nil || o.Agent == nil:
		return nil, errors.New("server: Options.Agent is needed")
	case len(o.Token) < leastToken:
		return nil, errors.New("server: Options.Token is needed, of 16 characters or more: who has it controls the browser")
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
	s.protocol = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Agent.MCP() }, &mcp.StreamableHTTPOptions{
		Logger: s.options.Logger, DisableLocalhostProtection: true, // it knows of no other names; refuses is stricter
	})
	s.presence = newPresence(s.options.Grace, s.options.Idle, o.Agent.Disconnect)
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
	if status, why := s.refuses(r); status != 0 {
		s.options.Logger.WarnContext(r.Context(), "a request was refused", "why", why, "from", r.RemoteAddr)
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		http.Error(w, why, status)
		return
	}
	if r.URL.Path != Path {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	s.presence.serve(w, r, s.protocol)
}

// refuses returns why a request is not answered. The host and the origin come before the
// token: a page in someone's browser has none, and is to learn nothing by trying.
func (s *Server) refuses(r *http.Request) (status int, why string) {
	if !s.known(r.Host) {
		return http.StatusForbidden, "this server is not known by that host"
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host || u.Scheme != "http" && u.Scheme != "https" {
			return http.StatusForbidden, "pages of other sites are not answered"
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return http.StatusForbidden, "pages of other sites are not answered"
	}
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) != 1 {
		return http.StatusUnauthorized, "the token is missing, or another"
	}
	return 0, ""
}

func (s *Server) known(host string) bool {
	return slices.ContainsFunc(s.options.Hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// Close ends what waits for clients to come back. The agent stays the caller's.
func (s *Server) Close() { s.presence.close() }
