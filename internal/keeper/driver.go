package keeper

import (
	"bytes"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
)

// driver is a program that drives the browser, or has.
type driver struct {
	token   uint64
	root    string // its browser session
	control *net.UnixConn
	conn    *net.UnixConn // nil until it has come
	out     *queue
	left    chan struct{} // closed when it drives no more

	held    map[string]string // the requests that it holds, and their sessions
	targets map[string]string // of its sessions
	dialogs map[string]Dialog // that are open, by session
}

func newDriver(root string, control *net.UnixConn) *driver {
	return &driver{
		root: root, control: control, out: newQueue(), left: make(chan struct{}),
		held: map[string]string{}, targets: map[string]string{}, dialogs: map[string]Dialog{},
	}
}

func (d *driver) close() {
	close(d.left)
	d.out.close()
	_ = d.control.Close()
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// Dialog is one that was left open by an earlier driver, and that only its session can answer.
type Dialog struct {
	Target  string          `json:"target"` // of the page
	Session string          `json:"session"`
	Params  json.RawMessage `json:"params"` // of Page.javascriptDialogOpening
}

// How the browser begins the messages that the keeper must know of.
var (
	attachedHead = []byte(`{"method":"Target.attachedToTarget"`)
	pausedHead   = []byte(`{"method":"Fetch.requestPaused"`)
	openingHead  = []byte(`{"method":"Page.javascriptDialogOpening"`)
	closedHead   = []byte(`{"method":"Page.javascriptDialogClosed"`)
)

// note notes what is held for the driver, and what is open.
func (d *driver) note(data []byte) { d.noteOf(data, attachedHead, pausedHead, openingHead, closedHead) }

// noteOf notes an event if it is one of these, of one of the driver's own sessions.
func (d *driver) noteOf(data []byte, heads ...[]byte) {
	if !slices.ContainsFunc(heads, func(head []byte) bool { return bytes.HasPrefix(data, head) }) {
		return
	}
	var m struct {
		Method    string          `json:"method"`
		SessionID string          `json:"sessionId"`
		Params    json.RawMessage `json:"params"`
	}
	var e struct {
		RequestID string `json:"requestId"`
		SessionID string `json:"sessionId"`
		Info      struct {
			TargetID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(data, &m) != nil || json.Unmarshal(m.Params, &e) != nil {
		return
	}
	if m.Method == "Target.attachedToTarget" {
		if m.SessionID == d.root || d.targets[m.SessionID] != "" {
			d.targets[e.SessionID] = e.Info.TargetID
		}
		return
	}
	if d.targets[m.SessionID] == "" {
		return // of an earlier driver
	}
	switch m.Method {
	case "Fetch.requestPaused":
		if len(d.held) < maxHeld {
			d.held[e.RequestID] = m.SessionID
		}
	case "Page.javascriptDialogOpening":
		d.dialogs[m.SessionID] = Dialog{Target: d.targets[m.SessionID], Session: m.SessionID, Params: shortened(m.Params)}
	case "Page.javascriptDialogClosed":
		delete(d.dialogs, m.SessionID)
	}
}

// Bounds of what is stored of a dialog, whose texts and address are the page's to choose: all of it goes
// into one line for the next driver.
const (
	maxDialog     = 8 << 10
	maxDialogText = 512
	maxDialogs    = maxState / 4 / maxDialog
)

// shortened returns the parameters of a dialog, with its longest texts cut where they are too long.
func shortened(params json.RawMessage) json.RawMessage {
	var texts map[string]any
	if len(params) <= maxDialog || json.Unmarshal(params, &texts) != nil {
		return params
	}
	for name, value := range texts {
		if text, is := value.(string); is && len(text) > maxDialogText {
			texts[name] = strings.ToValidUTF8(text[:maxDialogText], "") + "…"
		}
	}
	short, err := json.Marshal(texts)
	if err != nil {
		return params
	}
	return short
}

// maxHeld bounds what is noted; a page waits for far fewer.
const maxHeld = 10_000

// headLength is as much of a driver's message as its method is in.
const headLength = 256

// letGo notes that the driver has decided on a request.
func (d *driver) letGo(data []byte) {
	if len(d.held) == 0 || !bytes.Contains(data[:min(len(data), headLength)], []byte(`"Fetch.`)) {
		return
	}
	var m struct {
		Params struct {
			RequestID string `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(data, &m) == nil {
		delete(d.held, m.Params.RequestID)
	}
}

// maxQueued bounds what waits for a driver that does not read, in bytes: it is dismissed
// then, or the browser would stand still for everyone. Tests set it.
var maxQueued = 512 << 20

// queue holds what is on its way to a driver, so that the browser never waits for it.
type queue struct {
	mu     sync.Mutex
	some   *sync.Cond
	list   [][]byte
	size   int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

// put adds a copy of a message. It reports whether there was room for it.
func (q *queue) put(data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.size+len(data) > maxQueued {
		return false
	}
	q.list = append(q.list, bytes.Clone(data))
	q.size += len(data)
	q.some.Signal()
	return true
}

// take returns the next message, false when there will be none.
func (q *queue) take() ([]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 && !q.closed {
		q.some.Wait()
	}
	if q.closed {
		return nil, false
	}
	data := q.list[0]
	q.list = q.list[1:]
	q.size -= len(data)
	return data, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.list = true, nil
	q.some.Broadcast()
}
