package demosite

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/go-reprise/reprise/internal/httpserver"
)

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
