package cdp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	rodcdp "github.com/go-rod/rod/lib/cdp"
)

// Methods of the events that begin and end sessions.
const (
	attached       = "Target.attachedToTarget"
	detached       = "Target.detachedFromTarget"
	targetCrashed  = "Target.targetCrashed"    // to anyone who discovers targets
	selfCrashed    = "Inspector.targetCrashed" // to the session itself
	reloaded       = "Inspector.targetReloadedAfterCrash"
	frameNavigated = "Page.frameNavigated"
)

// sessions knows every session that the browser told of. Chrome does not
// answer the calls of a session that ends or crashes; the client does.
type sessions map[string]session

type session struct{ parent, target string }

// beginSession keeps a session that begins. One to a page that is known to have
// crashed begins crashed: it is told of the crash much later or never.
func (c *Client) beginSession(e Event) {
	if e.Method != attached {
		return
	}
	var p struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			TargetID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(e.Params, &p) != nil || p.SessionID == "" {
		return
	}
	c.mu.Lock()
	for _, sibling := range c.sessions.of(p.TargetInfo.TargetID) {
		if c.crashed[sibling] {
			c.crashed[p.SessionID] = true
		}
	}
	c.mu.Unlock()
	c.sessions[p.SessionID] = session{parent: e.SessionID, target: p.TargetInfo.TargetID}
}

// family is the session and those that were attached through it, which end
// with it.
func (s sessions) family(id string) []string {
	all := []string{id}
	for i := 0; i < len(all); i++ {
		for child, of := range s {
			if of.parent == all[i] && child != all[i] {
				all = append(all, child)
			}
		}
	}
	return all
}

func (s sessions) of(target string) []string {
	if target == "" {
		return nil
	}
	var all []string
	for id, of := range s {
		if of.target == target {
			all = append(all, id)
		}
	}
	return all
}

// followSessions fails what can no longer be answered. It runs after the
// event's handlers: who gets the error finds the event handled.
func (c *Client) followSessions(e Event) {
	switch e.Method {
	case detached:
		var p struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(e.Params, &p) == nil && p.SessionID != "" {
			c.detach(p.SessionID)
		}
	case selfCrashed:
		c.crash(e.SessionID)
	case targetCrashed:
		var p struct {
			TargetID string `json:"targetId"`
		}
		if json.Unmarshal(e.Params, &p) == nil {
			c.crash(c.sessions.of(p.TargetID)...)
		}
	case reloaded, frameNavigated:
		c.revive(e.SessionID)
	}
}

func (c *Client) detach(id string) {
	gone := c.sessions.family(id)
	c.failSessions(gone, ErrSessionGone, func() {
		for _, s := range gone {
			delete(c.crashed, s)
		}
	})
	for _, s := range gone {
		delete(c.sessions, s)
	}
}

// crash may be told twice of one crash, and must not fail the navigation that
// was sent in between.
func (c *Client) crash(ids ...string) {
	c.mu.Lock()
	ids = slices.DeleteFunc(ids, func(s string) bool { return c.crashed[s] })
	c.mu.Unlock()
	c.failSessions(ids, ErrCrashed, func() {
		for _, s := range ids {
			c.crashed[s] = true
		}
	})
}

func (c *Client) revive(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.crashed, id)
}

// failSessions fails with err the calls in flight of the sessions; mark runs with
// the lock held.
func (c *Client) failSessions(ids []string, err error, mark func()) {
	in := make(map[string]bool, len(ids))
	for _, id := range ids {
		in[id] = true
	}
	var calls []*Call
	c.mu.Lock()
	mark()
	for id, call := range c.pending {
		if in[call.sessionID] {
			calls = append(calls, call)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, call := range calls {
		call.finish(nil, fmt.Errorf("%s: %w", call.method, err))
	}
}

// revives reports whether a command can still be answered after a crash: the
// browser process does these, and a navigation starts a new renderer.
func revives(method string) bool {
	switch method {
	case "Page.navigate", "Page.reload", "Page.close", "Page.navigateToHistoryEntry":
		return true
	}
	return strings.HasPrefix(method, "Target.")
}

// Event is something that the browser tells on its own.
type Event struct {
	SessionID string // "" for the browser's own events
	Method    string
	Params    json.RawMessage
}

// OnEvent has f called with every event, one at a time, in the order of the
// browser, on the goroutine that reads: what f does delays every reply, so it
// must be quick, may Send, and must never Wait or Close. A call of f may still
// be under way when remove returns; no later event reaches it.
func (c *Client) OnEvent(f func(Event)) (remove func()) { return c.handlers.add(f) }

// handlers is a list that is copied when it changes, so that calling takes no
// lock and a handler may add and remove.
type handlers struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(Event)]
}

func (h *handlers) add(f func(Event)) (remove func()) {
	entry := &f
	h.change(func(l []*func(Event)) []*func(Event) { return append(l, entry) })
	return func() {
		h.change(func(l []*func(Event)) []*func(Event) {
			return slices.DeleteFunc(l, func(e *func(Event)) bool { return e == entry })
		})
	}
}

func (h *handlers) change(edit func([]*func(Event)) []*func(Event)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*func(Event)
	if old := h.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = edit(list)
	h.list.Store(&list)
}

func (h *handlers) call(e Event) {
	if list := h.list.Load(); list != nil {
		for _, f := range *list {
			(*f)(e)
		}
	}
}

// Event is the stream of events that rod reads. It starts with the first call
// of Event (every call returns the same channel), holds what is not yet taken
// without bound, and is closed when the client ends.
func (c *Client) Event() <-chan *rodcdp.Event {
	return c.stream.open(c)
}

// stream is an unbounded queue before a channel; nothing is held back, and no
// goroutine runs, before it is opened.
type stream struct {
	mu   sync.Mutex
	ch   chan *rodcdp.Event
	wake chan struct{}
	list []*rodcdp.Event
}

func (s *stream) open(c *Client) <-chan *rodcdp.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		return s.ch
	}
	s.ch, s.wake = make(chan *rodcdp.Event), make(chan struct{}, 1)
	if !c.start(func() { s.pump(c.done) }) {
		close(s.ch)
	}
	return s.ch
}

func (s *stream) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		return
	}
	s.list = append(s.list, &rodcdp.Event{SessionID: e.SessionID, Method: e.Method, Params: e.Params})
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) pump(done <-chan struct{}) {
	defer close(s.ch)
	for {
		select {
		case <-s.wake:
		case <-done:
			return
		}
		s.mu.Lock()
		batch := s.list
		s.list = nil
		s.mu.Unlock()
		for _, e := range batch {
			select {
			case s.ch <- e:
			case <-done:
				return
			}
		}
	}
}
