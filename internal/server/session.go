package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/agent"
)

// sessions are those of the API that are open. Each is a client of the agent's server, with a
// page of its own, and ends when no one has used it for the timeout.
type sessions struct {
	agent   *agent.Server
	owner   string
	max     int
	timeout time.Duration

	mu     sync.Mutex
	open   []*session
	taken  int // places: of open, of those that begin, and of runs with a page of their own
	closed bool
}

// session is one of them.
type session struct {
	*agent.Client
	context string // the saved login that it began with, "" for none
	started time.Time
	expires time.Time // when it ends unless it is used
	busy    int       // calls that are under way
	timer   *time.Timer
}

// reserve makes a client, in a place that release returns.
func (s *sessions) reserve() (*agent.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, agent.ErrClosed
	}
	if s.taken >= s.max {
		return nil, refusal(TooManySessions, "stop a session (POST /session/stop), or raise session.concurrent in the settings",
			"%d of %d sessions are open, those of runs counted", s.taken, s.max)
	}
	client, err := s.agent.Client(s.owner)
	if err == nil {
		s.taken++
	}
	return client, err
}

// release closes a client and returns its place.
func (s *sessions) release(client *agent.Client) {
	client.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
}

// begin opens a session: from now on, use finds it.
func (s *sessions) begin(client *agent.Client, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	begun := &session{Client: client, context: login, started: now, expires: now.Add(s.timeout)}
	begun.timer = time.AfterFunc(s.timeout, func() { s.expire(begun) })
	s.open = append(s.open, begun)
}

// errNoSession is the error where none is open.
var errNoSession error = refusal(NoSession, "start one with POST /session/start", "no active session")

// find returns the open session of an ID, or the only one that is open for "".
func (s *sessions) find(id string) (*session, error) {
	switch i := slices.IndexFunc(s.open, func(one *session) bool { return one.ID() == id }); {
	case i >= 0:
		return s.open[i], nil
	case id != "":
		return nil, refusal(NoSession, "GET /session/status shows which are open", "there is no such session; it may have ended, as no one used it")
	case len(s.open) == 0:
		return nil, errNoSession
	case len(s.open) > 1:
		return nil, refusal(agent.InvalidArguments, "name one as ?session=ID; GET /session/status shows them", "%d sessions are open", len(s.open))
	}
	return s.open[0], nil
}

// use returns a session, which does not expire until done is called.
func (s *sessions) use(id string) (used *session, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if used, err = s.find(id); err != nil {
		return nil, nil, err
	}
	used.busy++
	return used, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if used.busy--; used.busy == 0 && slices.Contains(s.open, used) {
			used.expires = time.Now().Add(s.timeout)
			used.timer.Reset(s.timeout)
		}
	}, nil
}

// stop ends a session, and the calls that are under way in it.
func (s *sessions) stop(id string) (*session, error) {
	s.mu.Lock()
	found, err := s.find(id)
	if err == nil {
		err = found.Client.Held()
	}
	if err == nil {
		s.remove(found)
	}
	s.mu.Unlock()
	if err == nil {
		s.release(found.Client)
	}
	return found, err
}

// expire ends a session that no one has used.
func (s *sessions) expire(idle *session) {
	s.mu.Lock()
	ends := idle.busy == 0 && slices.Contains(s.open, idle) && !time.Now().Before(idle.expires)
	if ends {
		s.remove(idle)
	}
	s.mu.Unlock()
	if ends {
		s.release(idle.Client)
	}
}

func (s *sessions) remove(gone *session) {
	gone.timer.Stop()
	s.open = slices.DeleteFunc(s.open, func(one *session) bool { return one == gone })
}

// shown is a session as GET /session/status has it.
type shown struct {
	Session  string         `json:"session"`
	URL      string         `json:"url"`
	Context  string         `json:"context,omitempty"`
	Started  time.Time      `json:"started"`
	Expires  time.Time      `json:"expires,omitzero"` // unless it is used; not while it is
	WaitsFor map[string]any `json:"waits_for,omitempty"`
}

// list returns the open sessions, oldest first.
func (s *sessions) list() []shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []shown{}
	for _, one := range s.open {
		status := one.Status()
		told := shown{Session: one.ID(), URL: status.URL, Context: one.context, Started: one.started, WaitsFor: status.WaitsFor}
		if one.busy == 0 {
			told.Expires = one.expires
		}
		all = append(all, told)
	}
	return all
}

// close ends all sessions; no other begins.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	open := slices.Clone(s.open)
	for _, one := range open {
		s.remove(one)
	}
	s.mu.Unlock()
	for _, one := range open {
		s.release(one.Client)
	}
}

// call calls a tool for a request, within the time that it may take.
func (a *api) call(ctx context.Context, client *agent.Client, tool string, args map[string]any) (agent.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	result, err := client.Call(ctx, tool, args, nil)
	if err != nil {
		err = timedOut(ctx, err)
	}
	return result, err
}
