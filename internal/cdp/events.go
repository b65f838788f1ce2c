package cdp

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	rodcdp "github.com/go-rod/rod/lib/cdp"
)

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

// stream is an unbounded queue before a channel; nothing is kept, and no
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
