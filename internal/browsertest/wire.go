package browsertest

import (
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Wire is a network between this program and a browser, which can be cut.
type Wire struct {
	Endpoint string // of the browser, by this network

	mu    sync.Mutex
	conns []net.Conn
	down  bool
}

// NewWire returns the network to a browser's endpoint, until the test ends.
func NewWire(t testing.TB, endpoint string) *Wire {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w := &Wire{Endpoint: strings.Replace(endpoint, u.Host, l.Addr().String(), 1)}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			w.carry(near, u.Host)
		}
	}()
	return w
}

func (w *Wire) carry(near net.Conn, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	far, err := net.Dial("tcp", to)
	if err != nil || w.down {
		_ = near.Close()
		return
	}
	w.conns = append(w.conns, near, far)
	for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
	}
}

// Cut breaks all connections, and lets through no others until Mend.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// Mend lets connections through again.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
