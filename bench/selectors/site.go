package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-reprise/reprise/internal/httpserver"
)

// site serves the packages to this machine alone.
type site struct {
	server   *http.Server
	listener net.Listener
	done     chan error
}

// serve serves a folder of packages, and what else belongs to it.
func serve(dir string) (*site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{listener: listener, done: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(os.DirFS(dir)))
	mux.HandleFunc("GET /generated/{nodes}", generate)
	s.server = httpserver.New(mux, nil)
	go func() { s.done <- s.server.Serve(listener) }()
	return s, nil
}

func (s *site) address(page string) string {
	u := url.URL{Scheme: "http", Host: s.listener.Addr().String(), Path: "/" + page}
	return u.String()
}

func (s *site) close() error {
	err := s.server.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// pagesOf reads the pages of a set: a path below node_modules a line.
func pagesOf(dir, set string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "pages", set+".txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no set of pages called %q", set)
	}
	if err != nil {
		return nil, err
	}
	var pages []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			pages = append(pages, line)
		}
	}
	return pages, nil
}
