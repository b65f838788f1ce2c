package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
)

// chrome is the other end of a browser's pipe: it attaches drivers, and sends what a test has it send.
type chrome struct {
	out    chan []byte
	closed chan struct{}
	once   sync.Once
	hangs  chan struct{} // closed where it reads no more
}

func newChrome() *chrome {
	return &chrome{out: make(chan []byte), closed: make(chan struct{}), hangs: make(chan struct{})}
}

func (c *chrome) Send(data []byte) error {
	select {
	case <-c.hangs:
		<-c.closed
		return cdp.ErrClosed
	default:
	}
	var m struct {
		ID     uint64 `json:"id"`
		Method string `json:"method"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	result := `{}`
	if m.Method == "Target.attachToBrowserTarget" {
		result = fmt.Sprintf(`{"sessionId":"root%d"}`, m.ID)
	}
	go c.say(fmt.Sprintf(`{"id":%d,"result":%s}`, m.ID, result))
	return nil
}

// say sends a message, and reports whether it was read.
func (c *chrome) say(message string) bool {
	select {
	case c.out <- []byte(message):
		return true
	case <-c.closed:
		return false
	}
}

func (c *chrome) Read() ([]byte, error) {
	select {
	case data := <-c.out:
		return data, nil
	case <-c.closed:
		return nil, io.EOF
	}
}

func (c *chrome) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// serve has a browser driven at a place of its own.
func serve(t *testing.T, o Options) (c *chrome, place *Place, end func() error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "k-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if place, err = NewPlace(); err != nil {
		t.Fatal(err)
	}
	c = newChrome()
	o.Browser, o.Idle = c, time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Serve(ctx, place, o, func() error { close(ready); return nil })
	}()
	<-ready
	c.say(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"p","type":"page"}}}`) // or it ends with its driver
	end = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(30 * time.Second):
			return context.DeadlineExceeded
		}
	})
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = c.Close()
		_ = place.Remove()
	})
	return c, place, end
}

func dial(t *testing.T, id string, o DialOptions) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := Dial(ctx, id, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// control opens the connection of a driver that then reads nothing.
func control(t *testing.T, place *Place) *net.UnixConn {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(place.dir, socketFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	unix := conn.(*net.UnixConn)
	if err := writeLine(unix, hello{Version: version, Key: place.key, Role: "control"}, -1); err != nil {
		t.Fatal(err)
	}
	return unix
}

func TestADriverThatDoesNotReadItsWelcomeIsTakenOver(t *testing.T) {
	notes, err := json.Marshal(string(bytes.Repeat([]byte("x"), maxState-1000)))
	if err != nil {
		t.Fatal(err)
	}
	_, place, _ := serve(t, Options{Notes: notes})
	still := control(t, place)
	if _, err := bufio.NewReader(still).Peek(1); err != nil { // it is being welcomed
		t.Fatal(err)
	}
	next := dial(t, place.ID, DialOptions{Take: true})
	if next.Token != 2 {
		t.Errorf("the next driver has the number %d", next.Token)
	}
}

func TestADriverThatReadsTooSlowlyDrivesNoMore(t *testing.T) {
	was := maxQueued
	maxQueued = 1 << 20
	t.Cleanup(func() { maxQueued = was })
	c, place, _ := serve(t, Options{})
	slow := dial(t, place.ID, DialOptions{})
	// What it does not read fills its socket, and then what is stored for it.
	message := `{"method":"Page.x","params":{"text":"` + string(bytes.Repeat([]byte("x"), 64<<10)) + `"},"sessionId":"a"}`
	for range 100 {
		if !c.say(message) {
			t.Fatal("the browser is not read")
		}
	}
	next := dial(t, place.ID, DialOptions{}) // it need not take over
	if next.Token != slow.Token+1 {
		t.Errorf("the next driver has the number %d", next.Token)
	}
}

func TestADiskThatIsFullKeepsNoDriverOut(t *testing.T) {
	_, place, _ := serve(t, Options{})
	if err := os.Mkdir(filepath.Join(place.dir, stateFile+".new"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = dial(t, place.ID, DialOptions{}).Close()
	dial(t, place.ID, DialOptions{})
}

func TestABrowserThatHangsIsEnded(t *testing.T) {
	c, place, end := serve(t, Options{})
	d := dial(t, place.ID, DialOptions{})
	close(c.hangs)
	if err := d.Transport().Send([]byte(`{"id":1,"method":"Page.enable"}`)); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestDiallingEndsWithItsTime(t *testing.T) {
	_, place, _ := serve(t, Options{})
	dial(t, place.ID, DialOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), leaveTime/4) // before it is known that the other one stays
	defer cancel()
	if _, err := Dial(ctx, place.ID, DialOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Dial: %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestTheEndIsAnsweredBeforeItComes(t *testing.T) {
	for range 50 {
		_, place, end := serve(t, Options{})
		if err := dial(t, place.ID, DialOptions{}).End(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
}

// Its browser may take seconds to end, and its place is its own until then.
func TestAKeeperThatIsEndingIsGone(t *testing.T) {
	_, place, end := serve(t, Options{})
	if err := (&Client{dir: place.dir}).lost(io.EOF); !errors.Is(err, ErrTakenOver) {
		t.Errorf("a welcome that was cut off: %v", err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if err := (&Client{dir: place.dir}).lost(io.EOF); !errors.Is(err, ErrGone) {
		t.Errorf("a welcome that it cut off: %v", err)
	}
}
