// Package cdp is the connection to a browser that everything else speaks
// through: Chrome DevTools Protocol messages, sent in order without waiting for
// replies, with every way that a connection, a session or a page can end
// reported as an error.
//
// It stands under rod too, as its CDPClient. rod's own client panics when a
// message is not JSON, leaves calls hanging when a renderer crashes, and writes
// a message only when its caller waits for the answer.
package cdp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// Client speaks to one browser over one Transport. Its methods may be called
// from any goroutine.
type Client struct {
	transport Transport
	root      string // session that stands for the browser itself, "" for none
	lastID    atomic.Uint64
	handlers  handlers
	stream    stream // what rod reads
	done      chan struct{}
	wake      chan struct{} // of the writer; holds one
	wg        sync.WaitGroup

	mu      sync.Mutex
	err     error // set when the client has ended
	pending map[uint64]*Call
	queue   []*message      // encoded, not yet given to the transport
	crashed map[string]bool // sessions whose renderer is gone

	sessions sessions // of the reader goroutine alone
}

// New starts a client on a transport, which it owns from then on. Close it.
func New(t Transport) *Client { return NewWithin(t, "") }

// NewWithin is New for a transport that others use as well: the browser is addressed
// through a session of this client's own, as Target.attachToBrowserTarget makes them, and
// whatever belongs to another's session is passed over.
func NewWithin(t Transport, root string) *Client {
	c := &Client{
		transport: t,
		root:      root,
		done:      make(chan struct{}),
		wake:      make(chan struct{}, 1),
		pending:   map[uint64]*Call{},
		crashed:   map[string]bool{},
		sessions:  sessions{},
	}
	c.wg.Go(c.read)
	c.wg.Go(c.write)
	return c
}

// Send puts a command into the queue and returns at once; commands reach the
// browser in the order of the Sends. sessionID "" addresses the browser itself;
// params may be nil. What goes wrong, a value that JSON cannot express
// included, is told by the Call.
func (c *Client) Send(sessionID, method string, params any) *Call {
	return c.SendThen(sessionID, method, params, nil)
}

// SendThen is Send, with then called with the result, if there is one. It is
// called as the handlers of events are, before any event that came after the
// reply: what those events are about can be learnt from it.
func (c *Client) SendThen(sessionID, method string, params any, then func(result json.RawMessage)) *Call {
	call := &Call{method: method, sessionID: sessionID, then: then, done: make(chan struct{})}
	call.id = c.lastID.Add(1)
	m, err := encode(call.id, cmp.Or(sessionID, c.root), method, params)
	if err != nil {
		call.finish(nil, fmt.Errorf("%s: parameters cannot be sent: %w", method, err))
		return call
	}
	if err := c.enqueue(call, m); err != nil {
		m.free()
		call.finish(nil, fmt.Errorf("%s: %w", method, err))
	}
	return call
}

// Call is Send and Wait: rod's interface to a client.
func (c *Client) Call(ctx context.Context, sessionID, method string, params any) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return c.Send(sessionID, method, params).Wait(ctx)
}

// Sent counts the commands so far.
func (c *Client) Sent() uint64 { return c.lastID.Load() }

// Done is closed when the client has ended: closed, or its browser lost. Every
// call has its error by then.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the client has ended; it is ErrClosed, wrapped with the cause
// unless Close was it. It is nil while the client works.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the client: calls in flight fail with ErrClosed, the transport is
// closed and the goroutines have gone when it returns. The browser goes on
// (unless the pipe to it was the reason it lived). An event handler must not
// call it.
func (c *Client) Close() error {
	c.end(nil)
	c.wg.Wait()
	return nil
}

// start runs f unless the client has ended; Close waits for it.
func (c *Client) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.wg.Go(f)
	return true
}

func (c *Client) enqueue(call *Call, m *message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if c.crashed[call.sessionID] && !revives(call.method) {
		return ErrCrashed
	}
	c.pending[call.id] = call
	c.queue = append(c.queue, m)
	select {
	case c.wake <- struct{}{}:
	default: // the writer already knows
	}
	return nil
}

// write is the writer goroutine. The queue before it has no bound, so that an
// event handler can Send while the browser does not read.
func (c *Client) write() {
	var batch []*message
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		c.mu.Lock()
		batch, c.queue = c.queue, batch[:0]
		c.mu.Unlock()
		for i, m := range batch {
			if err := c.transport.Send(m.Bytes()); err != nil {
				c.end(fmt.Errorf("write: %w", err))
				return
			}
			m.free()
			batch[i] = nil
		}
	}
}

// read is the reader goroutine. It calls the event handlers itself: a reply is
// given to its caller only after the events before it were handled.
func (c *Client) read() {
	for {
		data, err := c.transport.Read()
		if err != nil {
			c.end(fmt.Errorf("read: %w", err))
			return
		}
		in, err := decode(data)
		if err != nil {
			c.end(err)
			return
		}
		if c.root != "" && in.SessionID == "" && in.Error == nil {
			continue // of the one that owns the transport; what names no session is told there
		}
		if in.SessionID == c.root {
			in.SessionID = ""
		}
		c.receive(in)
	}
}

func (c *Client) receive(in incoming) {
	if in.Method != "" {
		e := Event{SessionID: in.SessionID, Method: in.Method, Params: in.Params}
		c.beginSession(e)
		c.handlers.call(e)
		c.stream.put(e)
		c.followSessions(e)
		return
	}
	c.mu.Lock()
	call := c.pending[in.ID]
	if call != nil && c.root != "" && in.Error == nil && in.SessionID != call.sessionID {
		call = nil // an answer to the client before this one
	} else {
		delete(c.pending, in.ID)
	}
	c.mu.Unlock()
	switch {
	case call == nil: // a late answer to a call that was failed
	case in.Error != nil:
		in.Error.Method = call.method
		call.finish(nil, in.Error)
	default:
		if call.then != nil {
			call.then(in.Result)
		}
		call.finish(in.Result, nil)
	}
}

// end makes the client fail everything from now on. The first cause counts;
// nil means that Close asked for it.
func (c *Client) end(cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = ErrClosed
	if cause != nil {
		c.err = fmt.Errorf("%w: %w", ErrClosed, cause)
	}
	err, calls := c.err, c.pending
	c.pending, c.queue = nil, nil
	c.mu.Unlock()

	_ = c.transport.Close() // what was wrong is in err
	for _, call := range calls {
		call.finish(nil, fmt.Errorf("%s: %w", call.method, err))
	}
	close(c.done)
}

// Call is a command on its way. No one has to wait for it.
type Call struct {
	id                uint64
	method, sessionID string
	then              func(json.RawMessage) // may be nil

	done   chan struct{}
	result json.RawMessage // readable once done is closed, like err
	err    error
}

// Done is closed when the reply, or the reason why there will be none, is here.
func (call *Call) Done() <-chan struct{} { return call.done }

// Wait returns the result object of the reply, or an *Error of the protocol,
// ErrCrashed, ErrSessionGone or ErrClosed (all to be tested with errors.Is and
// errors.As). When it returns, the handlers of all events that came before the
// reply have returned. When ctx ends first it returns its cause; the command
// may still take effect.
func (call *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-call.done:
		return call.result, call.err
	default:
	}
	select {
	case <-call.done:
		return call.result, call.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (call *Call) finish(result json.RawMessage, err error) {
	call.result, call.err = result, err
	close(call.done)
}

// maxKept is the largest buffer that is reused for the next message; a larger one
// (a script to inject, a screenshot) is given back at once.
const maxKept = 64 << 10

// message is an encoded command in a reused buffer.
type message struct {
	bytes.Buffer
	enc *json.Encoder
}

var messages = sync.Pool{New: func() any {
	m := &message{}
	m.enc = json.NewEncoder(&m.Buffer)
	m.enc.SetEscapeHTML(false) // scripts are full of <, > and &
	return m
}}

// encode writes {"id":…,"sessionId":…,"method":…,"params":…}.
func encode(id uint64, sessionID, method string, params any) (*message, error) {
	m := messages.Get().(*message)
	m.WriteString(`{"id":`)
	m.Write(strconv.AppendUint(m.AvailableBuffer(), id, 10))
	if sessionID != "" {
		m.WriteString(`,"sessionId":`)
		m.quote(sessionID)
	}
	m.WriteString(`,"method":`)
	m.quote(method)
	if params != nil {
		m.WriteString(`,"params":`)
		if err := m.enc.Encode(params); err != nil {
			m.free()
			return nil, err
		}
	}
	m.WriteByte('}')
	return m, nil
}

func (m *message) quote(s string) { _ = m.enc.Encode(s) } // no string fails

// free keeps the buffer for another message.
func (m *message) free() {
	m.Reset()
	if m.Cap() <= maxKept {
		messages.Put(m)
	}
}

// incoming is a reply (ID) or an event (Method). Its parts are copies: they do
// not share memory with what decode was given.
type incoming struct {
	ID        uint64          `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *Error          `json:"error"`
}

// decode never quotes the message in an error: pages' texts are in it.
func decode(data []byte) (incoming, error) {
	var in incoming
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("the browser sent %d bytes that are not a protocol message: %w", len(data), err)
	}
	if in.ID == 0 && in.Method == "" && in.Error != nil {
		// Chrome answers so when it could not read a command; whose it was is
		// not said, so no one may wait any longer.
		return in, fmt.Errorf("the browser could not read a command: %w", in.Error)
	}
	if in.ID == 0 && in.Method == "" {
		return in, errors.New("the browser sent a message that is neither a reply nor an event")
	}
	return in, nil
}
