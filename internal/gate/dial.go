package gate

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/internal/netrule"
	"github.com/go-reprise/reprise/internal/weburl"
)

// Options of Rules. The zero value works.
type Options struct {
	// AllowPrivate lets pages at public addresses reach private ones. Default: they may not.
	AllowPrivate bool
	// Env is the environment that names the proxies behind the gate, as HTTP_PROXY,
	// HTTPS_PROXY, ALL_PROXY and NO_PROXY. Default: that of this process.
	Env []string
	// HostRules are what Chrome's --host-resolver-rules would be, as the gate resolves in its
	// place. Default: none.
	HostRules string
	// Lookup resolves a name, and Dial connects to an address that was checked. Default: the
	// system's.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Rules say where the pages of one browser may go, whichever context they are in.
type Rules struct {
	options  Options
	upstream func(*url.URL) (*url.URL, error)
	hosts    hostRules

	mu  sync.Mutex
	own []string
}

// NewRules returns the rules of a browser.
func NewRules(o Options) *Rules {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
		}
	}
	return &Rules{options: o, upstream: upstreamOf(o.Env), hosts: parseHostRules(o.HostRules)}
}

// Refuse adds addresses (host:port) that no page may reach, by whatever name: where
// Reprise itself is reached.
func (r *Rules) Refuse(own ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own = append(r.own, own...)
}

// Refused is why a connection was not made.
type Refused struct {
	Host   string // host:port
	Reason string
	Own    bool // it is where Reprise itself is reached
}

func (e *Refused) Error() string { return e.Host + " is refused: " + e.Reason }

// Reasons of a Refused, next to netrule's.
const (
	reasonOwn     = "this is Reprise's own address: no page goes there"
	reasonPrivate = "a private address is reached only where the caller names it, or from pages that are themselves at private addresses (--allow-private-network allows it)"
	reasonOffline = "the page is offline, or its proxy is known only to the program that opened it"
	reasonRebound = "a public site has become a private address (--allow-private-network allows it)"
)

// notLent is of a connection that may stay whatever page comes.
const notLent = -1

// dial connects to a host if the rules allow it. A connection to a private address that is
// there only because of the pages that were open is lent: the number says how often such
// ones had been called back by then.
func (g *Gate) dial(ctx context.Context, host, port string) (conn net.Conn, lent int, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if g.isCut() {
		return nil, 0, &Refused{Host: net.JoinHostPort(host, port), Reason: reasonOffline}
	}
	if netrule.IsMetadataName(host) {
		return nil, 0, &Refused{Host: net.JoinHostPort(host, port), Reason: netrule.ForbiddenReason}
	}
	mapped, mappedPort := g.rules.hosts.apply(host, port)
	proxy := g.proxyFor(mapped, mappedPort)
	ips, err := g.rules.lookup(ctx, mapped)
	if err != nil && proxy == nil {
		return nil, 0, err
	}
	class, lent := netrule.Public, notLent // of a name that only the proxy can resolve
	if err == nil {
		ips, class, lent, err = g.check(ctx, host, port, mappedPort, ips)
	} else {
		err = g.rules.checkOwn(ctx, mapped, mappedPort, netip.Addr{})
	}
	if err != nil {
		return nil, 0, err
	}
	if proxy != nil {
		conn, err = g.rules.dialProxy(ctx, proxy, net.JoinHostPort(mapped, mappedPort))
	} else {
		conn, err = g.rules.dialFirst(ctx, ips, mappedPort)
	}
	if err != nil {
		return nil, 0, err
	}
	g.note(host, class)
	return conn, lent, nil
}

func (g *Gate) isCut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cut
}

// check returns those addresses of a host that may be connected to: all of one class.
func (g *Gate) check(ctx context.Context, host, port, dialled string, ips []netip.Addr) (may []netip.Addr, class netrule.Class, lent int, err error) {
	refuse := func(reason string) error { return &Refused{Host: net.JoinHostPort(host, port), Reason: reason} }
	var public []netip.Addr
	for _, ip := range ips {
		switch netrule.Of(ip) {
		case netrule.Forbidden:
			return nil, 0, 0, refuse(netrule.ForbiddenReason)
		case netrule.Public:
			public = append(public, ip)
		}
		if err := g.rules.checkOwn(ctx, host, dialled, ip); err != nil {
			return nil, 0, 0, err
		}
	}
	if len(public) > 0 { // a site that has both is a public one
		return public, netrule.Public, notLent, nil
	}
	g.mu.Lock()
	allowed := g.private || g.rules.options.AllowPrivate
	known, seen := g.classes[host]
	named := g.named[net.JoinHostPort(host, port)]
	g.mu.Unlock()
	switch {
	case allowed:
		return ips, netrule.Private, notLent, nil
	case seen && known == netrule.Public:
		return nil, 0, 0, refuse(reasonRebound)
	case named:
		return ips, netrule.Private, notLent, nil
	}
	lent, ok := g.amongPrivate(ctx, host)
	if !ok {
		return nil, 0, 0, refuse(reasonPrivate)
	}
	return ips, netrule.Private, lent, nil
}

// amongPrivate reports whether all documents and workers that are alive in the context are
// at private addresses; and how often connections had been called back by then. That one is on its way to the host itself
// says nothing of it.
func (g *Gate) amongPrivate(ctx context.Context, host string) (leaves int, ok bool) {
	g.mu.Lock()
	places := g.places
	g.mu.Unlock()
	if places == nil {
		return 0, false
	}
	all, err := places(ctx)
	if err != nil {
		return 0, false
	}
	g.mu.Lock()
	leaves = g.leaves
	g.mu.Unlock()
	for i, address := range slices.Concat(all.At, all.OnTheWay) {
		at, _ := hostPort(address)
		if at == "" || at == host && i >= len(all.At) {
			continue // a blank page, one of the browser's own
		}
		if g.classOf(at) != netrule.Private {
			return 0, false
		}
		ok = true
	}
	return leaves, ok
}

// classOf returns the class of a host: of one that was never connected to, public.
func (g *Gate) classOf(host string) netrule.Class {
	if ip, err := netip.ParseAddr(host); err == nil {
		return netrule.Of(ip)
	}
	if weburl.IsLocalName(host) {
		return netrule.Private
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if class, known := g.classes[host]; known {
		return class
	}
	return netrule.Public
}

func (g *Gate) note(host string, class netrule.Class) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, seen := g.classes[host]; !seen || known != netrule.Public {
		g.classes[host] = class
	}
}

func (r *Rules) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if host == notFound {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if weburl.IsLocalName(host) {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	ips, err := r.options.Lookup(ctx, host)
	for i := range ips {
		ips[i] = ips[i].Unmap()
	}
	return ips, err
}

// checkOwn refuses where Reprise itself is reached; the address is none where only a proxy
// knows it.
func (r *Rules) checkOwn(ctx context.Context, host, port string, ip netip.Addr) error {
	r.mu.Lock()
	own := slices.Clone(r.own)
	r.mu.Unlock()
	for _, address := range own {
		at, p, err := net.SplitHostPort(address)
		if err == nil && p == port && (normalHost(at) == host || r.isSame(ctx, normalHost(at), ip)) {
			return &Refused{Host: net.JoinHostPort(host, port), Reason: reasonOwn, Own: true}
		}
	}
	return nil
}

// isSame reports whether an address is one of a host's. All of this machine's are one: who
// listens on one of them may listen on all.
func (r *Rules) isSame(ctx context.Context, host string, ip netip.Addr) bool {
	if !ip.IsValid() {
		return false
	}
	ips, err := r.lookup(ctx, host)
	if err != nil {
		return false
	}
	return slices.Contains(ips, ip) || isThisMachine(ip) && slices.ContainsFunc(ips, isThisMachine)
}

func isThisMachine(ip netip.Addr) bool {
	if ip = ip.Unmap(); ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	interfaces, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(interfaces, func(a net.Addr) bool {
		n, isNet := a.(*net.IPNet)
		return isNet && n.IP.Equal(ip.AsSlice())
	})
}

// nextAddress is how long one address of a host may take before the next is tried as
// well (RFC 8305).
const nextAddress = 250 * time.Millisecond

// dialFirst connects to the first address that answers.
func (r *Rules) dialFirst(ctx context.Context, ips []netip.Addr, port string) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result)
	begun, waiting := 0, 0
	begin := func() {
		to := net.JoinHostPort(ips[begun].String(), port)
		begun++
		waiting++
		go func() {
			var got result
			if address, err := netip.ParseAddrPort(to); err != nil {
				got.err = err
			} else {
				got.conn, got.err = r.options.Dial(ctx, address)
			}
			select {
			case results <- got:
			case <-ctx.Done(): // another was faster
				if got.conn != nil {
					_ = got.conn.Close()
				}
			}
		}()
	}
	var last error = &net.DNSError{Err: "no addresses", IsNotFound: true}
	for begun < len(ips) || waiting > 0 {
		if waiting == 0 {
			begin()
		}
		var slow <-chan time.Time
		if begun < len(ips) {
			slow = time.After(nextAddress)
		}
		select {
		case got := <-results:
			waiting--
			if got.err == nil {
				return got.conn, nil
			}
			last = got.err
		case <-slow:
			begin()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, last
}

// Reason returns in a browser's words why a connection came to nothing.
func Reason(err error) string {
	var name *net.DNSError
	var timeout interface{ Timeout() bool }
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, new(*proxyError)):
		return err.Error()
	case errors.As(err, &name):
		return "net::ERR_NAME_NOT_RESOLVED"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "net::ERR_CONNECTION_REFUSED"
	case errors.Is(err, syscall.ECONNRESET):
		return "net::ERR_CONNECTION_RESET"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "net::ERR_ADDRESS_UNREACHABLE"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "net::ERR_CONNECTION_TIMED_OUT"
	}
	return "net::ERR_CONNECTION_FAILED: " + err.Error()
}
