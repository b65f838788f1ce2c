package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// wire speaks the protocol with nothing around it: it writes at once what it is
// given, and pairs replies with commands. Of events it knows only that a frame has got
// a session of its own.
type wire struct {
	conn     *websocket.Conn
	done     chan struct{}
	attached chan string // sessions of frames, the first few that no one has taken

	mu      sync.Mutex
	sent    uint64
	keys    uint64 // of these
	pending map[uint64]chan answer
}

type answer struct {
	ID     uint64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// knownFrames is more than any flow has.
const knownFrames = 8

// largestReply is far more than anything that is asked here.
const largestReply = 1 << 20

func dial(ctx context.Context, endpoint string) (*wire, error) {
	conn, _, err := websocket.Dial(ctx, endpoint, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(largestReply)
	w := &wire{conn: conn, done: make(chan struct{}), attached: make(chan string, knownFrames), pending: map[uint64]chan answer{}}
	go w.read()
	return w, nil
}

// Close ends the connection and waits for its reader.
func (w *wire) Close() error {
	err := w.conn.CloseNow()
	<-w.done
	return err
}

func (w *wire) read() {
	defer close(w.done)
	for {
		_, data, err := w.conn.Read(context.Background())
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(data, &a) != nil {
			continue
		}
		if a.ID == 0 {
			w.event(a)
			continue
		}
		w.mu.Lock()
		waiting := w.pending[a.ID]
		delete(w.pending, a.ID)
		w.mu.Unlock()
		if waiting != nil {
			waiting <- a
		}
	}
}

func (w *wire) event(a answer) {
	var to struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			Type string `json:"type"`
		} `json:"targetInfo"`
	}
	if a.Method != "Target.attachedToTarget" || json.Unmarshal(a.Params, &to) != nil || to.TargetInfo.Type != "iframe" {
		return
	}
	select {
	case w.attached <- to.SessionID:
	default: // none is waited for
	}
}

type command struct {
	ID        uint64 `json:"id"`
	SessionID string `json:"sessionId,omitempty"`
	Method    string `json:"method"`
	Params    any    `json:"params,omitempty"`
}

// send writes a command; the reply comes by the channel.
func (w *wire) send(ctx context.Context, session, method string, params any) (<-chan answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent++
	if method == "Input.dispatchKeyEvent" {
		w.keys++
	}
	data, err := json.Marshal(command{w.sent, session, method, params})
	if err != nil {
		return nil, err
	}
	reply := make(chan answer, 1)
	w.pending[w.sent] = reply
	return reply, w.conn.Write(ctx, websocket.MessageText, data)
}

// ask sends a command and waits for its result.
func (w *wire) ask(ctx context.Context, session, method string, params, out any) error {
	reply, err := w.send(ctx, session, method, params)
	if err != nil {
		return err
	}
	return w.wait(ctx, reply, method, out)
}

func (w *wire) wait(ctx context.Context, reply <-chan answer, method string, out any) error {
	select {
	case a := <-reply:
		if a.Error != nil {
			return fmt.Errorf("%s: %w", method, refusal(a.Error.Message))
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(a.Result, out)
	case <-w.done:
		return errors.New("the connection ended")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refusal is an error of the browser.
type refusal string

func (r refusal) Error() string { return string(r) }

// count is how many commands were sent that press no key.
func (w *wire) count() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent - w.keys
}
