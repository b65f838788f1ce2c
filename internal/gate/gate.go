// Package gate is the only way to the network of what a browser shows: a SOCKS5 proxy on
// loopback for each browser context. The browser sends it names; it resolves them, checks
// each address by the rules, and connects to exactly the address that it has checked.
// Whatever makes a request (a document, a redirect, a frame, a worker, a socket, a beacon)
// needs a connection and so comes by here, and nothing of it is visible to a page.
package gate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/netrule"
)

// Bypass is the list of hosts for which the browser does not use a gate: none, not even
// loopback and link-local ones, which it would leave out on its own.
const Bypass = "<-loopback>"

// Bounds of a gate.
const (
	// dialTimeout is below the 30 s that Chrome gives a SOCKS proxy, so that it is the gate
	// that says what went wrong.
	dialTimeout = 25 * time.Second
	// handshakeTimeout is as long, and longer on a busy machine: the browser asks at once, and takes its time where it
	// opens fifty pages.
	handshakeTimeout = dialTimeout
	maxFailures      = 256 // that are remembered
)

// Gate is the way to the network of one browser context.
type Gate struct {
	rules    *Rules
	listener net.Listener
	cancel   context.CancelFunc
	work     sync.WaitGroup

	mu       sync.Mutex
	private  bool // whatever the rules say
	cut      bool // nothing is connected
	places   func(context.Context) (Places, error)
	named    map[string]bool          // host:port that the caller itself named
	classes  map[string]netrule.Class // of hosts that were connected to; a public one stays that
	failures map[string]error         // by host:port, the last
	proxy    *url.URL                 // the next hop, nil for what the environment says
	tunnels  map[*tunnel]bool
	leaves   int // how often what was lent was called back
}

// tunnel is an open connection.
type tunnel struct {
	browser, server net.Conn
	lent            bool // to a private address, because of the pages that were open
}

// Open opens a gate. Close it.
func (r *Rules) Open() (*Gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a gate to the network: %w", err)
	}
	return r.Serve(listener), nil
}

// Serve is Open with a socket on loopback that listens already. The gate closes it.
func (r *Rules) Serve(listener net.Listener) *Gate {
	ctx, cancel := context.WithCancel(context.Background())
	g := &Gate{
		rules: r, listener: listener, cancel: cancel,
		named: map[string]bool{}, classes: map[string]netrule.Class{}, failures: map[string]error{}, tunnels: map[*tunnel]bool{},
	}
	g.work.Go(func() { g.serve(ctx) })
	return g
}

// Addr is where it listens.
func (g *Gate) Addr() string { return g.listener.Addr().String() }

// Proxy returns the gate as Chrome's proxy settings name it.
func (g *Gate) Proxy() string { return ProxyAt(g.listener.Addr()) }

// ProxyAt returns the gate that listens there as Chrome's proxy settings name it.
func ProxyAt(addr net.Addr) string { return "socks5://" + addr.String() }

// Places are the addresses of the documents and workers that are alive in a browser context, and those to which documents are on
// their way, which may come to nothing.
type Places struct{ At, OnTheWay []string }

// SetPlaces sets how the places in the browser context are found: before a connection to a private address that the caller has
// not named. Until then there are none.
func (g *Gate) SetPlaces(places func(context.Context) (Places, error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.places = places
}

// SetProxy has connections made through a proxy (http, https, socks5), by its own names and in
// place of those of the environment. It may hold a user and a password. Loopback addresses are
// connected to without it.
func (g *Gate) SetProxy(through *url.URL) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proxy = through
}

// Cut refuses all connections from now on: a browser that emulates being offline still makes
// some ahead of the requests that it then fails, and a proxy that is not known any more must not be
// gone round.
func (g *Gate) Cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cut = true
}

// Direct reports whether connections are made as the environment has it: through no proxy of the
// gate's own, and at all.
func (g *Gate) Direct() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.proxy == nil && !g.cut
}

// AllowPrivate lets private addresses be reached through this gate, whatever the rules say.
func (g *Gate) AllowPrivate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.private = true
}

// Name notes an address that the caller itself goes to: its host may be a private one. A
// site that goes from http to https stays named. It reports whether that was new.
func (g *Gate) Name(address string) bool {
	host, port := hostPort(address)
	if host == "" {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.named[net.JoinHostPort(host, port)]
	g.named[net.JoinHostPort(host, port)] = true
	if port == "80" {
		g.named[net.JoinHostPort(host, "443")] = true
	}
	return !known
}

// Named are the hosts, with ports, that the caller itself has named.
func (g *Gate) Named() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.named))
}

// SetNamed sets them, as for a gate that takes the place of another.
func (g *Gate) SetNamed(hosts []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, host := range hosts {
		g.named[host] = true
	}
}

// Failure returns why the last connection for an address came to nothing, nil where it did not.
func (g *Gate) Failure(address string) error {
	host, port := hostPort(address)
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failures[net.JoinHostPort(host, port)]
}

// Leave closes the connections to private addresses that were open only because of the
// page that was there, when a page goes to an address that is not private: the next one
// would find them in the browser's pool.
func (g *Gate) Leave(address string) {
	host, _ := hostPort(address)
	if host == "" || g.classOf(host) == netrule.Private {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaves++
	for t := range g.tunnels {
		if t.lent {
			t.close()
		}
	}
}

// Close closes the gate with all connections through it.
func (g *Gate) Close() error {
	g.cancel()
	err := g.listener.Close()
	g.work.Wait()
	return err
}

func (g *Gate) serve(ctx context.Context) {
	for {
		conn, err := g.listener.Accept()
		switch {
		case err == nil:
			g.work.Go(func() { g.handle(ctx, conn) })
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default: // as where there are too many open files: others will be closed
			select {
			case <-time.After(acceptAgain):
			case <-ctx.Done():
			}
		}
	}
}

const acceptAgain = 10 * time.Millisecond

// handle serves one connection of the browser, until it ends.
func (g *Gate) handle(ctx context.Context, browser net.Conn) {
	defer func() { _ = browser.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = browser.Close() })
	defer stop()
	asking, asked := load.WithTimeout(ctx, handshakeTimeout)
	inTime := context.AfterFunc(asking, func() { _ = browser.Close() })
	host, port, err := readRequest(browser)
	isLate := !inTime()
	asked()
	if err != nil || isLate {
		return // not a browser
	}
	server, lent, err := g.dial(ctx, host, port)
	g.remember(net.JoinHostPort(host, port), err)
	if err != nil {
		_, _ = browser.Write(reply(err))
		return
	}
	defer func() { _ = server.Close() }()
	t := &tunnel{browser: browser, server: server, lent: lent != notLent}
	g.mu.Lock()
	late := t.lent && lent != g.leaves // the page that it was for has gone
	g.tunnels[t] = true
	g.mu.Unlock()
	stopServer := context.AfterFunc(ctx, t.close)
	if !late {
		if _, err := browser.Write(reply(nil)); err == nil {
			t.relay()
		}
	}
	stopServer()
	g.mu.Lock()
	delete(g.tunnels, t)
	g.mu.Unlock()
}

func (g *Gate) remember(hostPort string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		delete(g.failures, hostPort)
		return
	}
	if len(g.failures) >= maxFailures {
		clear(g.failures)
	}
	g.failures[hostPort] = err
}

// The parts of SOCKS5 that a browser uses: no authentication, and CONNECT (RFC 1928).
const (
	version5    = 5
	noAuth      = 0
	connect     = 1
	typeIPv4    = 1
	typeName    = 3
	typeIPv6    = 4
	failed      = 1
	notAllowed  = 2
	unreachable = 4
	notAccepted = 5
)

var errProtocol = errors.New("not a SOCKS5 request to connect")

// readRequest greets a browser and reads where it wants to go.
func readRequest(c net.Conn) (host, port string, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:2]); err != nil || head[0] != version5 {
		return "", "", errProtocol
	}
	if _, err := io.CopyN(io.Discard, c, int64(head[1])); err != nil { // ways to authenticate
		return "", "", err
	}
	if _, err := c.Write([]byte{version5, noAuth}); err != nil {
		return "", "", err
	}
	if _, err := io.ReadFull(c, head[:]); err != nil || head[0] != version5 || head[1] != connect {
		return "", "", errProtocol
	}
	length := map[byte]int{typeIPv4: net.IPv4len, typeIPv6: net.IPv6len}[head[3]]
	if head[3] == typeName {
		var n [1]byte
		if _, err := io.ReadFull(c, n[:]); err != nil {
			return "", "", err
		}
		length = int(n[0])
	}
	rest := make([]byte, length+2)
	if _, err := io.ReadFull(c, rest); err != nil || length == 0 {
		return "", "", errProtocol
	}
	host = string(rest[:length])
	if ip, ok := netip.AddrFromSlice(rest[:length]); ok && head[3] != typeName {
		host = ip.String()
	}
	return normalHost(host), strconv.Itoa(int(binary.BigEndian.Uint16(rest[length:]))), nil
}

// reply is what the browser is answered. Chrome makes one error of all but success.
func reply(err error) []byte {
	code := byte(failed)
	switch {
	case err == nil:
		code = 0
	case errors.As(err, new(*Refused)):
		code = notAllowed
	case errors.Is(err, syscall.ECONNREFUSED):
		code = notAccepted
	case errors.As(err, new(*net.DNSError)):
		code = unreachable
	}
	return []byte{version5, code, 0, typeIPv4, 0, 0, 0, 0, 0, 0}
}

// relay carries bytes both ways until the browser has no more use for the connection.
func (t *tunnel) relay() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := io.Copy(t.browser, t.server); err != nil {
			t.reset()
			return
		}
		if half, ok := t.browser.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // it may still be sending
		}
	}()
	if _, err := io.Copy(t.server, t.browser); err != nil {
		t.reset()
	}
	t.close() // browsers close whole connections, never half
	<-done
}

// reset ends both sides as one has ended: a connection that broke must not look like one
// that was closed in peace.
func (t *tunnel) reset() {
	for _, c := range []net.Conn{t.browser, t.server} {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	t.close()
}

func (t *tunnel) close() {
	_ = t.browser.Close()
	_ = t.server.Close()
}

// hostPort returns the host and port of an http, https, ws or wss address, or of a blob's
// origin; "" for any other.
func hostPort(address string) (host, port string) {
	u, err := url.Parse(strings.TrimPrefix(address, "blob:"))
	if err != nil {
		return "", ""
	}
	port = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}[u.Scheme]
	if port == "" || u.Hostname() == "" {
		return "", ""
	}
	if u.Port() != "" {
		port = u.Port()
	}
	return normalHost(u.Hostname()), port
}

// normalHost is the form of a host by which it is compared.
func normalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}
