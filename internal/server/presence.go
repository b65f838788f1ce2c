package server

import (
	"net/http"
	"sync"
	"time"
)

// sessionHeader names a client's session, in requests and in the answer to the first.
const sessionHeader = "Mcp-Session-Id"

// presence knows which clients are there. Over HTTP no one says goodbye for one whose
// machine has gone: what tells is that nothing of it is open any more.
type presence struct {
	grace, idle time.Duration
	leave       func(session string)

	mu      sync.Mutex
	clients map[string]*client
	closed  bool
	leaving sync.WaitGroup
}

// client is one session.
type client struct {
	open     int  // requests that are under way
	streamed bool // it keeps a stream open: that is away when the client is
	timer    *time.Timer
}

func newPresence(grace, idle time.Duration, leave func(string)) *presence {
	return &presence{grace: grace, idle: idle, leave: leave, clients: map[string]*client{}}
}

// serve has a request answered, and notes that its client is there meanwhile.
func (p *presence) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	session := r.Header.Get(sessionHeader)
	if r.Method == http.MethodDelete && p.knows(session) {
		p.gone(session, true) // calls that are under way are ended with it, and not waited for
		w.WriteHeader(http.StatusNoContent)
		return
	}
	p.comes(session, r.Method == http.MethodGet)
	next.ServeHTTP(w, r)
	if session == "" {
		session = w.Header().Get(sessionHeader)
		p.comes(session, false)
	}
	p.goes(session, r.Context().Err() != nil)
}

func (p *presence) knows(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients[session] != nil
}

// comes notes a request of a client.
func (p *presence) comes(session string, stream bool) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[session]
	if c == nil {
		c = &client{}
		p.clients[session] = c
	}
	c.open++
	c.streamed = c.streamed || stream
	if c.timer != nil {
		c.timer.Stop()
	}
}

// goes notes that a request has ended; broken that the client did not wait for it.
func (p *presence) goes(session string, broken bool) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[session]
	if c == nil {
		return
	}
	if c.open--; c.open > 0 || p.closed {
		return
	}
	wait := p.idle
	if c.streamed || broken {
		wait = p.grace
	}
	c.timer = time.AfterFunc(wait, func() { p.gone(session, false) })
}

// gone ends the session of a client that has left, or has not come back.
func (p *presence) gone(session string, left bool) {
	p.mu.Lock()
	if c := p.clients[session]; c == nil || p.closed || c.open > 0 && !left {
		p.mu.Unlock()
		return
	}
	delete(p.clients, session)
	p.leaving.Add(1)
	p.mu.Unlock()
	defer p.leaving.Done()
	p.leave(session)
}

// close ends the timers, and waits for what they have begun.
func (p *presence) close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.clients {
		if c.timer != nil {
			c.timer.Stop()
		}
	}
	p.mu.Unlock()
	p.leaving.Wait()
}
