package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// host runs what an application is made of, in a directory that is removed afterwards.
type host struct {
	dir     string
	servers []*server
	older   bool  // it runs the release before
	ports   []int // that it has given
	again   []int // that it begins with: an older release had them
}

type server struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// How often a server is asked whether it is up, for how long, and how long it may take to end.
const (
	askEvery  = 100 * time.Millisecond
	startTime = 90 * time.Second
	endTime   = 10 * time.Second
)

func newHost() (*host, error) {
	dir, err := os.MkdirTemp("", "bench-apps-")
	if err != nil {
		return nil, err
	}
	return &host{dir: dir}, os.Chmod(dir, 0o755)
}

// close ends the servers, last first, and removes the directory.
func (h *host) close() error {
	for i := len(h.servers) - 1; i >= 0; i-- {
		h.servers[i].end()
	}
	return os.RemoveAll(h.dir)
}

func (s *server) end() {
	group := -s.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM) // it may have ended
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-s.done
}

// program is where an application is that was built for this.
func program(name string) string {
	path, err := filepath.Abs(filepath.Join("bin/apps", name))
	if err != nil {
		return name // there is no working directory: it is missed
	}
	return path
}

func (h *host) path(parts ...string) string {
	return filepath.Join(append([]string{h.dir}, parts...)...)
}

// write writes a file of the directory.
func (h *host) write(name, text string) error {
	path := h.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	_ = os.Remove(path) // it may be a file of the package that may only be read
	return os.WriteFile(path, []byte(text), 0o644)
}

// port is one that nothing listens on, the same one for each release.
func (h *host) port() (port int, err error) {
	defer func() { h.ports = append(h.ports, port) }()
	if n := len(h.ports); n < len(h.again) {
		return h.again[n], nil
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// free are so many ports.
func (h *host) free(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		var err error
		if ports[i], err = h.port(); err != nil {
			return nil, err
		}
	}
	return ports, nil
}

// run runs a program to its end. env is added to the environment.
func (h *host) run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, tail(string(out)))
	}
	return string(out), nil
}

// serve starts a program that goes on until the host is closed.
func (h *host) serve(dir string, env []string, name string, args ...string) (*server, error) {
	s := &server{log: h.path(fmt.Sprintf("server-%d.log", len(h.servers))), done: make(chan struct{})}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd = exec.Command(name, args...)
	s.cmd.Dir, s.cmd.Env = dir, append(os.Environ(), env...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = s.cmd.Wait(); close(s.done) }() // how it ended is in its log
	h.servers = append(h.servers, s)
	return s, nil
}

// up waits until something holds, while the server runs.
func (s *server) up(ctx context.Context, holds func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	var err error
	for {
		if err = holds(ctx); err == nil {
			return nil
		}
		select {
		case <-ask.C:
		case <-s.done:
			return fmt.Errorf("%s ended: %s", s.cmd.Path, s.said())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s does not answer: %s", s.cmd.Path, s.said()), err)
		}
	}
}

func (s *server) said() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return tail(string(text))
}

// answers reports whether there is a page at an address.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode >= http.StatusInternalServerError {
			return fmt.Errorf("%s: %s", url, res.Status)
		}
		return nil
	}
}

// getJSON reads JSON.
func getJSON(ctx context.Context, url string, answer any) error {
	return getBy(ctx, http.DefaultClient, url, answer)
}

// getBy does so with a client of its own, which may know cookies.
func getBy(ctx context.Context, client *http.Client, url string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return answered(client, req, answer)
}

// answered sends a request, and reads JSON.
func answered(client *http.Client, req *http.Request, answer any) error {
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", req.URL, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(answer)
}

// has reports whether a file of the directory is there.
func (h *host) has(name string) func(context.Context) error {
	return func(context.Context) error { _, err := os.Stat(h.path(name)); return err }
}

const tailSize = 1500

func tail(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > tailSize {
		text = "…" + text[len(text)-tailSize:]
	}
	return text
}
