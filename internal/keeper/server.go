package keeper

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Options of Serve.
type Options struct {
	// Browser is the pipe to the browser, which Serve owns from then on.
	Browser cdp.Transport
	// Idle is how long the browser may go on with no one driving it.
	Idle time.Duration
	// BrowserPID and Holder are told to those who look for browsers.
	BrowserPID int
	Holder     string
	// Notes are handed to each driver.
	Notes json.RawMessage
	// Gates are open already.
	Gates []*net.TCPListener
}

// Place is where a keeper is reached, made before its browser starts.
type Place struct {
	ID  string
	dir string
	key string

	owner  *flock.Flock
	socket *net.UnixListener
}

// NewPlace makes a place. Remove it.
func NewPlace() (*Place, error) {
	root, err := makeRoot()
	if err != nil {
		return nil, err
	}
	Sweep(root)
	p := &Place{ID: strings.ToLower(rand.Text()[:12]), key: newKey()}
	p.dir = filepath.Join(root, p.ID)
	path := filepath.Join(p.dir, socketFile)
	if len(path) > maxPathName {
		return nil, fmt.Errorf("%s is too long for the name of a socket: set XDG_RUNTIME_DIR to a shorter one", path)
	}
	if err := p.make(path); err != nil {
		return nil, errors.Join(err, p.Remove())
	}
	return p, nil
}

// make makes what is in the directory. Its lock is taken before the file has the name that a sweep
// looks for.
func (p *Place) make(path string) error {
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return err
	}
	owner := filepath.Join(p.dir, ownerFile)
	p.owner = flock.New(owner + ".new")
	if err := p.owner.Lock(); err != nil {
		return err
	}
	if err := os.Rename(owner+".new", owner); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, keyFile), []byte(p.key), 0o600); err != nil {
		return err
	}
	var err error
	if p.socket, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// Remove ends it.
func (p *Place) Remove() error {
	if p.socket != nil {
		_ = p.socket.Close()
	}
	err := os.RemoveAll(p.dir)
	if p.owner != nil {
		err = errors.Join(err, p.owner.Unlock())
	}
	return err
}

// Sweep removes the places of keepers that were killed: their lock is free.
func Sweep(root string) {
	dirs, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, d := range dirs {
		dir := filepath.Join(root, d.Name())
		lock := flock.New(filepath.Join(dir, ownerFile), flock.SetFlag(os.O_RDWR)) // never made here
		if free, err := lock.TryLock(); err != nil || !free {
			continue
		}
		_ = os.RemoveAll(dir)
		_ = lock.Unlock()
	}
}

// firstID begins the numbers of the keeper's own commands, far above any driver's.
const firstID = 1 << 30

// server is a keeper at work.
type server struct {
	place   *Place
	o       Options
	ctx     context.Context
	end     func()
	work    sync.WaitGroup
	started time.Time

	attaching sync.Mutex // one driver at a time comes

	mu     sync.Mutex // orders what goes to the browser
	token  uint64
	driver *driver   // nil when no one drives
	past   []*driver // earlier ones that have left dialogs open
	lastID uint64
	calls  map[uint64]chan reply
	pages  map[string]bool
	gates  map[string]*gate
	order  []string // of gates
	idle   *time.Timer
	holder string
}

type gate struct {
	listener *net.TCPListener
	state    json.RawMessage
}

type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *cdp.Error      `json:"error"`
}

// firstDriver is how long the program that has it started may take to come.
const firstDriver = time.Minute

// Serve has a browser go on until it ends, ctx does, no one has driven it for so long, or its last
// page is closed with no one driving. ready is called when it can be reached.
func Serve(ctx context.Context, place *Place, o Options, ready func() error) error {
	told := ctx
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	end := sync.OnceFunc(func() {
		_ = os.Remove(filepath.Join(place.dir, keyFile)) // before a connection is cut: those who dial must know why
		cancel()
	})
	defer end()
	defer context.AfterFunc(told, end)()
	s := &server{
		place: place, o: o, ctx: ctx, end: end, started: time.Now(), holder: o.Holder,
		lastID: firstID, calls: map[uint64]chan reply{}, pages: map[string]bool{}, gates: map[string]*gate{},
	}
	for _, listener := range o.Gates {
		s.addGate(listener)
	}
	s.idle = time.AfterFunc(max(o.Idle, firstDriver), end)
	defer s.idle.Stop()
	s.work.Go(s.readBrowser)
	err := s.call(ctx, "Target.setDiscoverTargets", map[string]any{"discover": true, "filter": []map[string]string{{"type": "page"}}}, nil)
	if err == nil {
		err = s.writeInfo()
	}
	if err == nil {
		s.work.Go(s.accept)
		err = ready()
	}
	if err == nil {
		<-ctx.Done()
	}
	end()
	_ = place.socket.Close()
	hangs := time.AfterFunc(leaveTime, func() { _ = o.Browser.Close() }) // it reads nothing, and the server stays locked
	defer hangs.Stop()
	s.mu.Lock()
	s.dismiss(s.driver)
	for _, g := range s.gates {
		_ = g.listener.Close()
	}
	s.send("", "Browser.close", nil)
	s.mu.Unlock()
	return err
}

// writeInfo tells those who look for browsers of this one.
func (s *server) writeInfo() error {
	s.mu.Lock()
	info := Info{ID: s.place.ID, PID: os.Getpid(), Browser: s.o.BrowserPID, Started: s.started, Holder: s.holder}
	s.mu.Unlock()
	data, err := json.Marshal(info)
	if err != nil {
		return err
	}
	path := filepath.Join(s.place.dir, stateFile)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// send sends a command of the keeper's own, and returns its number. The server is locked.
func (s *server) send(session, method string, params any) uint64 {
	s.lastID++
	data, err := json.Marshal(struct {
		ID        uint64 `json:"id"`
		SessionID string `json:"sessionId,omitempty"`
		Method    string `json:"method"`
		Params    any    `json:"params,omitempty"`
	}{s.lastID, session, method, params})
	if err == nil {
		err = s.o.Browser.Send(data)
	}
	if err != nil {
		s.end()
	}
	return s.lastID
}

// call sends a command and waits for its reply.
func (s *server) call(ctx context.Context, method string, params, out any) error {
	answered := make(chan reply, 1)
	s.mu.Lock()
	id := s.send("", method, params)
	s.calls[id] = answered
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.calls, id)
		s.mu.Unlock()
	}()
	select {
	case r := <-answered:
		if r.Error != nil {
			r.Error.Method = method
			return r.Error
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(r.Result, out)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.ctx.Done():
		return ErrGone
	}
}

// readBrowser hands on what the browser sends.
func (s *server) readBrowser() {
	defer s.end()
	for {
		data, err := s.o.Browser.Read()
		if err != nil {
			return
		}
		s.fromBrowser(data)
	}
}

// sessionEnd ends the messages of sessions, as the browser writes them.
const sessionEnd = `"}`

// ofSession reports whether a message is of a session, from how the browser writes them: the session
// comes last. A text of a page cannot end one so, as its quotation marks are escaped.
func ofSession(data []byte) bool {
	if !bytes.HasSuffix(data, []byte(sessionEnd)) {
		return false
	}
	body := data[:len(data)-len(sessionEnd)]
	at := bytes.LastIndexByte(body, '"')
	return at > 0 && bytes.HasSuffix(body[:at], []byte(`"sessionId":`))
}

// fromBrowser takes one message.
func (s *server) fromBrowser(data []byte) {
	if ofSession(data) {
		s.mu.Lock()
		d := s.driver
		if d != nil {
			d.note(data)
		}
		s.forgetDialogs(data)
		s.mu.Unlock()
		s.toDriver(d, data)
		return
	}
	var m struct {
		ID     uint64          `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		reply
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	switch {
	case m.ID > firstID:
		s.mu.Lock()
		answered := s.calls[m.ID]
		delete(s.calls, m.ID)
		s.mu.Unlock()
		if answered != nil {
			answered <- m.reply
		}
	case m.ID > 0: // a session that the browser does not know
		s.mu.Lock()
		d := s.driver
		s.mu.Unlock()
		s.toDriver(d, data)
	case m.Method == "Target.targetCreated" || m.Method == "Target.targetDestroyed":
		s.follow(m.Method, m.Params)
	}
}

// toDriver hands a message on to a driver, if there is one. One that reads too slowly drives no more.
func (s *server) toDriver(d *driver, data []byte) {
	if d != nil && !d.out.put(data) {
		s.leave(d)
	}
}

// follow knows which pages are open. With the last one the browser ends, unless it is driven.
func (s *server) follow(method string, params json.RawMessage) {
	var e struct {
		TargetID string `json:"targetId"`
		Info     struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "Target.targetCreated" {
		if e.Info.Type == "page" {
			s.pages[e.Info.TargetID] = true
		}
		return
	}
	if s.pages[e.TargetID] {
		delete(s.pages, e.TargetID)
		if len(s.pages) == 0 && s.driver == nil {
			s.end()
		}
	}
}

func (s *server) accept() {
	for {
		conn, err := s.place.socket.AcceptUnix()
		if err != nil {
			s.end()
			return
		}
		s.work.Go(func() {
			defer func() { _ = conn.Close() }()
			stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
			defer stop()
			s.serve(conn)
		})
	}
}

// serve serves one connection until it ends.
func (s *server) serve(conn *net.UnixConn) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	in := bufio.NewReaderSize(conn, maxRequest)
	var h hello
	if readLine(in, maxRequest, &h) != nil || subtle.ConstantTimeCompare([]byte(h.Key), []byte(s.place.key)) != 1 {
		return
	}
	if h.Version != version {
		_ = writeLine(conn, welcome{Error: nameOf(errOtherVersion)}, -1)
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	switch h.Role {
	case "control":
		s.control(conn, in, h)
	case "drive":
		s.drive(conn, in, h)
	}
}

// control serves the requests of a driver; with their end it drives no more.
func (s *server) control(conn *net.UnixConn, in *bufio.Reader, h hello) {
	d, err := s.admit(conn, h)
	if err != nil {
		_ = writeLine(conn, welcome{Error: nameOf(err)}, -1)
		return
	}
	defer s.leave(d)
	if s.welcome(conn, d) != nil {
		return
	}
	for {
		var q request
		if readLine(in, maxRequest, &q) != nil {
			return
		}
		if !s.answer(conn, d, q) {
			return
		}
	}
}

func nameOf(err error) string {
	for name, of := range errorNames {
		if errors.Is(err, of) {
			return name
		}
	}
	return err.Error()
}

// admit makes a connection's program the driver.
func (s *server) admit(conn *net.UnixConn, h hello) (*driver, error) {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	s.mu.Lock()
	driven, token := s.driver, s.token
	s.mu.Unlock()
	if driven != nil && h.Token == 0 && !h.Take {
		driven = s.outlasts(driven)
	}
	switch {
	case h.Token != 0 && h.Token != token:
		return nil, ErrTakenOver
	case h.Token == 0 && driven != nil && !h.Take:
		return nil, ErrDriven
	}
	s.mu.Lock()
	s.dismiss(driven)
	s.mu.Unlock()
	var session struct {
		SessionID string `json:"sessionId"`
	}
	if err := s.call(s.ctx, "Target.attachToBrowserTarget", nil, &session); err != nil {
		return nil, err
	}
	d := newDriver(session.SessionID, conn)
	s.mu.Lock()
	s.token++
	d.token = s.token
	s.driver, s.holder = d, h.Holder
	s.idle.Stop()
	s.mu.Unlock()
	_ = s.writeInfo() // others read who drives; a full disk keeps no one from the pages
	return d, nil
}

// leaveTime is how long a driver may take to leave whose program has just ended.
const leaveTime = time.Second

// outlasts returns a driver if it does not leave at once, nil where it does.
func (s *server) outlasts(d *driver) *driver {
	select {
	case <-d.left:
		return nil
	case <-time.After(leaveTime):
		return d
	}
}

// welcome tells a driver what there is. The server is not locked while it writes: a program that stands
// still must not stop the browser, nor the next driver.
func (s *server) welcome(conn *net.UnixConn, d *driver) error {
	s.mu.Lock()
	w := welcome{Token: d.token, Root: d.root, Gates: len(s.order), Notes: s.o.Notes}
	for _, past := range s.past {
		w.Dialogs = slices.AppendSeq(w.Dialogs, maps.Values(past.dialogs))
	}
	w.Dialogs = w.Dialogs[:min(len(w.Dialogs), maxDialogs)]
	var gates []gate
	for _, id := range s.order {
		gates = append(gates, *s.gates[id])
	}
	s.mu.Unlock()
	if err := writeLine(conn, w, -1); err != nil {
		return err
	}
	for _, g := range gates {
		line := Gate{ID: g.listener.Addr().String(), State: g.state}
		if err := writeGate(conn, g.listener, line); err != nil {
			return err
		}
	}
	return nil
}

// writeGate writes a line with the socket of a gate.
func writeGate(conn *net.UnixConn, l *net.TCPListener, line any) error {
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = writeLine(conn, line, int(fd)) })
	return errors.Join(err, failed)
}

// leave ends a driver whose connection has ended. With no page open there is nothing to come
// back to.
func (s *server) leave(d *driver) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driver != d {
		return
	}
	s.dismiss(d)
	if len(s.pages) == 0 {
		s.end()
	}
}

// dismiss ends a driver, if it drives. What it had held at the browser fails, and what it had
// attached and enabled ends. The server is locked.
func (s *server) dismiss(d *driver) {
	if d == nil || s.driver != d {
		return
	}
	s.driver = nil
	for request, session := range d.held { // the browser would let it go
		s.send(session, "Fetch.failRequest", map[string]any{"requestId": request, "errorReason": "Aborted"})
	}
	if len(d.dialogs) > 0 { // no other session can answer them
		s.past = append(s.past, d)
		// What opens from now on must not wait for it.
		attach := map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}
		s.send(d.root, "Target.setAutoAttach", attach)
		for session := range d.targets {
			s.send(session, "Target.setAutoAttach", attach)
		}
	} else {
		s.send("", "Target.detachFromTarget", map[string]any{"sessionId": d.root})
	}
	d.close()
	s.idle.Reset(s.o.Idle)
}

// forgetDialogs ends the sessions of an earlier driver when the last dialog that it left open is
// closed. The server is locked.
func (s *server) forgetDialogs(data []byte) {
	if len(s.past) == 0 {
		return
	}
	s.past = slices.DeleteFunc(s.past, func(d *driver) bool {
		clear(d.held)
		d.noteOf(data, pausedHead, openingHead, closedHead)
		for request, session := range d.held { // the page goes on asking, and no one answers
			s.send(session, "Fetch.failRequest", map[string]any{"requestId": request, "errorReason": "Aborted"})
		}
		if len(d.dialogs) > 0 {
			return false
		}
		s.send("", "Target.detachFromTarget", map[string]any{"sessionId": d.root})
		return true
	})
}

// answer answers a request. It reports whether the driver may ask more.
func (s *server) answer(conn *net.UnixConn, d *driver, q request) bool {
	s.mu.Lock()
	if s.driver != d {
		s.mu.Unlock()
		return false
	}
	var made *net.TCPListener
	var reply answer
	switch q.Op {
	case opListen:
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		switch {
		case err == nil && len(s.gates) >= maxGates:
			_ = listener.Close()
			reply.Error = fmt.Sprintf("a browser has at most %d gates", maxGates)
		case err != nil:
			reply.Error = err.Error()
		default:
			made = listener.(*net.TCPListener)
			reply.Gate = &Gate{ID: s.addGate(made)}
		}
	case opNote:
		if g := s.gates[q.Gate]; g != nil {
			g.state = q.State
		}
	case opClose:
		if g := s.gates[q.Gate]; g != nil {
			_ = g.listener.Close()
			delete(s.gates, q.Gate)
			s.order = slices.DeleteFunc(s.order, func(id string) bool { return id == q.Gate })
		}
	case opEnd:
		defer s.end() // once it is answered
	default:
		reply.Error = "unknown request " + q.Op
	}
	s.mu.Unlock()
	if made != nil {
		return writeGate(conn, made, reply) == nil
	}
	return writeLine(conn, reply, -1) == nil
}

// addGate adds a socket, and returns its name.
func (s *server) addGate(l *net.TCPListener) string {
	id := l.Addr().String()
	s.gates[id] = &gate{listener: l}
	s.order = append(s.order, id)
	return id
}

// drive carries a driver's messages to the browser and back.
func (s *server) drive(conn *net.UnixConn, in *bufio.Reader, h hello) {
	s.mu.Lock()
	d := s.driver
	if d == nil || d.token != h.Token || d.conn != nil {
		s.mu.Unlock()
		return
	}
	d.conn = conn
	s.mu.Unlock()
	defer s.leave(d)
	pipe := cdp.NewPipe(conn, buffered{in, conn})
	s.work.Go(func() {
		defer s.leave(d)
		for {
			data, ok := d.out.take()
			if !ok || pipe.Send(data) != nil {
				return
			}
		}
	})
	for {
		data, err := pipe.Read()
		if err != nil || !s.toBrowser(d, data) {
			return
		}
	}
}

// buffered reads what the reader of the first line has read already.
type buffered struct {
	*bufio.Reader
	net.Conn
}

func (b buffered) Read(p []byte) (int, error) { return b.Reader.Read(p) }

// toBrowser sends a driver's message on, if it still drives.
func (s *server) toBrowser(d *driver, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driver != d {
		return false
	}
	d.letGo(data)
	if s.o.Browser.Send(data) != nil {
		s.end()
		return false
	}
	return true
}
