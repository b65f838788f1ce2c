package postgrestest

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

var errNotInstalled = errors.New("no Postgres is installed: install it (on Debian: apt-get install postgresql; on macOS: brew install postgresql), or name a server with $" + URLEnv)

// watchdog starts and stops the server as it is told by its input, and ends it with that.
//
//go:embed watchdog.sh
var watchdog string

// Server is a Postgres server for tests. It does not wait for the disk, so that tests
// are quick: what it must not lose is what a crash of Postgres loses, not one of the
// machine.
type Server struct {
	address string
	dir     string // "" for one that was not started here
	cmd     *exec.Cmd
	tell    io.WriteCloser
	hear    *bufio.Scanner
	stopped atomic.Bool
}

// Start starts a server that was stopped, and waits until it answers.
func (s *Server) Start(t testing.TB) { s.do(t, "start") }

// Stop ends what the server does and stops it, with what it has promised on the disk.
func (s *Server) Stop(t testing.TB) { s.do(t, "stop") }

// Crash stops the server where it stands.
func (s *Server) Crash(t testing.TB) { s.do(t, "crash") }

func (s *Server) do(t testing.TB, what string) {
	t.Helper()
	if err := s.order(what); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) running() bool { return !s.stopped.Load() }

// order has the watchdog do something, and waits until it is done.
func (s *Server) order(what string) error {
	s.stopped.Store(what != "start")
	if _, err := fmt.Fprintln(s.tell, what); err != nil {
		return fmt.Errorf("the watchdog of the server is gone: %w", err)
	}
	if !s.hear.Scan() || s.hear.Text() != "done" {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // no log says nothing more
		return fmt.Errorf("cannot %s Postgres:\n%s", what, log)
	}
	return nil
}

func (s *Server) end() error {
	return errors.Join(s.tell.Close(), s.cmd.Wait())
}

// start makes a server from the installed programs.
func start() (*Server, error) {
	programs, err := find()
	if err != nil {
		return nil, err
	}
	s := &Server{}
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil { // short, because the path of a socket is
		return nil, err
	}
	if err := s.keep(programs); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := errors.Join(s.order("init"), s.order("start")); err != nil {
		return nil, errors.Join(err, s.end())
	}
	s.address = (&url.URL{Scheme: "postgres", Path: "/postgres", RawQuery: url.Values{
		"host": {s.dir}, "user": {"reprise"}, "sslmode": {"disable"},
	}.Encode()}).String()
	return s, nil
}

// keep starts the watchdog, in a group of its own so that Ctrl-C reaches it only
// through the end of this process.
func (s *Server) keep(programs string) error {
	s.cmd = exec.Command("/bin/sh", "-c", watchdog, "watchdog", s.dir)
	s.cmd.Dir = s.dir
	s.cmd.Env = []string{"PATH=" + programs + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		if err := s.leaveRoot(); err != nil {
			return err
		}
	}
	var err error
	if s.tell, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.hear = bufio.NewScanner(out)
	return s.cmd.Start()
}

// leaveRoot has the server run as a user whom Postgres does not refuse.
func (s *Server) leaveRoot() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return fmt.Errorf("postgres does not run as root, and there is no one else: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, int(uid), int(gid))
}

// find returns the directory of the programs: of those in the path, where they are
// linked one by one from another place; else the newest that Debian or Homebrew has.
func find() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		if found, err = filepath.EvalSymlinks(found); err == nil {
			return filepath.Dir(found), nil
		}
	}
	best, newest := "", 0.0
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb",
		"/opt/homebrew/opt/postgresql@*/bin/initdb", "/usr/local/opt/postgresql@*/bin/initdb",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		for _, path := range found {
			version := filepath.Base(filepath.Dir(filepath.Dir(path))) // 17, pgsql-17, postgresql@17
			number, err := strconv.ParseFloat(version[strings.LastIndexAny(version, "-@")+1:], 64)
			if err == nil && number > newest {
				best, newest = filepath.Dir(path), number
			}
		}
	}
	if best == "" {
		return "", errNotInstalled
	}
	return best, nil
}
