package gate_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/proxy"

	"github.com/go-reprise/reprise/internal/gate"
)

// through connects to an address by a gate.
func through(t testing.TB, g *gate.Gate, to string) (net.Conn, error) {
	t.Helper()
	u, err := url.Parse(g.Proxy())
	if err != nil {
		t.Fatal(err)
	}
	d, err := proxy.FromURL(u, proxy.Direct)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return d.(proxy.ContextDialer).DialContext(ctx, "tcp", to)
}

func open(t testing.TB, o gate.Options) *gate.Gate {
	t.Helper()
	g, err := gate.NewRules(o).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// says dials a server that says its name to anyone who comes.
func says(t testing.TB) func(context.Context, netip.AddrPort) (net.Conn, error) {
	return func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			_, _ = io.WriteString(there, to.String()+"\n")
			_ = there.Close()
		}()
		return here, nil
	}
}

func line(t testing.TB, c net.Conn) string {
	t.Helper()
	text, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text)
}

func TestTheAddressThatWasCheckedIsTheOneThatIsDialed(t *testing.T) {
	t.Parallel()
	lookups := 0
	g := open(t, gate.Options{Env: []string{}, Dial: says(t), Lookup: func(context.Context, string) ([]netip.Addr, error) {
		lookups++
		if lookups == 1 {
			return []netip.Addr{netip.MustParseAddr("203.0.113.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
	}})
	c, err := through(t, g, "site.test:80")
	if err != nil {
		t.Fatal(err)
	}
	if got := line(t, c); got != "203.0.113.1:80" || lookups != 1 {
		t.Errorf("dialed %s after %d lookups", got, lookups)
	}
	if _, err := through(t, g, "site.test:80"); err == nil {
		t.Error("the name now resolves to a metadata address, and was connected to")
	}
	var refused *gate.Refused
	if !errors.As(g.Failure("http://site.test/x"), &refused) || refused.Own {
		t.Errorf("the gate says %v", g.Failure("http://site.test/x"))
	}
}

func TestASlowAddressDoesNotHoldUpTheNext(t *testing.T) {
	t.Parallel()
	good := says(t)
	g := open(t, gate.Options{
		Env: []string{},
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("203.0.113.1")}, nil
		},
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			if to.Addr().Is6() {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return good(ctx, to)
		},
	})
	c, err := through(t, g, "site.test:443")
	if err != nil {
		t.Fatal(err)
	}
	if got := line(t, c); got != "203.0.113.1:443" {
		t.Errorf("dialed %s", got)
	}
}

func TestConnectionsLentToPrivatePagesAreCalledBack(t *testing.T) {
	t.Parallel()
	g := open(t, gate.Options{Env: []string{}, Dial: func(context.Context, netip.AddrPort) (net.Conn, error) {
		here, _ := net.Pipe()
		return here, nil
	}})
	g.SetPlaces(func(context.Context) (gate.Places, error) {
		return gate.Places{At: []string{"http://10.0.0.1/", "about:blank", "blob:http://10.0.0.1/x"}}, nil
	})
	g.Name("http://10.0.0.1/")
	named, err := through(t, g, "10.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	lent, err := through(t, g, "10.0.0.2:80")
	if err != nil {
		t.Fatal(err)
	}
	g.Leave("http://10.0.0.3/") // private, too
	g.Leave("https://203.0.113.1/")
	if _, err := lent.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the lent connection is open: %v", err)
	}
	_ = named.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	var timeout net.Error
	if _, err := named.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("the named connection is not open: %v", err)
	}
	g.SetPlaces(func(context.Context) (gate.Places, error) {
		return gate.Places{At: []string{"http://10.0.0.1/", "https://203.0.113.1/worker.js"}}, nil
	})
	if _, err := through(t, g, "10.0.0.2:80"); err == nil {
		t.Error("a private address was lent to a public worker")
	}
	// What is at a private address reaches another port of it; to what is only on its way there nothing is lent.
	g.SetPlaces(func(context.Context) (gate.Places, error) { return gate.Places{At: []string{"http://10.0.0.1/"}}, nil })
	if _, err := through(t, g, "10.0.0.1:8080"); err != nil {
		t.Errorf("another port of where the page is: %v", err)
	}
	g.SetPlaces(func(context.Context) (gate.Places, error) {
		return gate.Places{OnTheWay: []string{"http://10.0.0.1:8080/"}}, nil
	})
	if _, err := through(t, g, "10.0.0.1:8080"); err == nil {
		t.Error("a private address was lent to a page that is on its way there")
	}
}

func TestAProxyOfTheEnvironmentIsUsedByName(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	corporate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		asked <- r.Method + " " + r.Host + " " + user + " " + password
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nhello\n")
		_ = c.Close()
	}))
	t.Cleanup(corporate.Close)
	g := open(t, gate.Options{
		Env:  []string{"https_proxy=http://ada:pw@" + corporate.Listener.Addr().String(), "NO_PROXY=direct.test"},
		Dial: says(t),
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "direct.test":
				return []netip.Addr{netip.MustParseAddr("203.0.113.1")}, nil
			case "meta.test":
				return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
			}
			return nil, &net.DNSError{Name: host, IsNotFound: true}
		},
	})
	c, err := through(t, g, "only-the-proxy-knows.test:443")
	if err != nil {
		t.Fatal(err)
	}
	if got, said := <-asked, line(t, c); got != "CONNECT only-the-proxy-knows.test:443 ada pw" || said != "hello" {
		t.Errorf("the proxy was asked %q, and said %q", got, said)
	}
	if c, err = through(t, g, "direct.test:443"); err != nil || line(t, c) != "203.0.113.1:443" {
		t.Errorf("what needs no proxy: %v", err)
	}
	for _, to := range []string{"meta.test:443", "metadata.google.internal:443", "169.254.169.254:443"} {
		if _, err := through(t, g, to); err == nil {
			t.Errorf("%s was connected to", to)
		}
	}
	if len(asked) > 0 {
		t.Errorf("the proxy was asked %s", <-asked)
	}
}

func TestHostRulesMapNamesAsTheBrowserWould(t *testing.T) {
	t.Parallel()
	g := open(t, gate.Options{Env: []string{}, Dial: says(t), HostRules: "MAP *.test 203.0.113.9:8080, MAP none.example ~NOTFOUND, EXCLUDE not.test",
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("203.0.113.1")}, nil
		}})
	for to, want := range map[string]string{"a.test:80": "203.0.113.9:8080", "not.test:80": "203.0.113.1:80"} {
		c, err := through(t, g, to)
		if err != nil {
			t.Fatal(err)
		}
		if got := line(t, c); got != want {
			t.Errorf("%s: %s, want %s", to, got, want)
		}
	}
	if _, err := through(t, g, "none.example:80"); err == nil {
		t.Error("a name that does not resolve was connected to")
	}
}

func TestWhatIsNoBrowserIsNotAnswered(t *testing.T) {
	t.Parallel()
	g := open(t, gate.Options{Env: []string{}})
	for _, said := range []string{"GET / HTTP/1.1\r\n\r\n", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00", "\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(g.Proxy(), "socks5://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, said)
		answer, _ := io.ReadAll(c)
		if len(answer) > 2 { // at most that there is no need to authenticate
			t.Errorf("%q was answered %q", said, answer)
		}
	}
}

func BenchmarkConnect(b *testing.B) {
	srv := httptest.NewServer(http.NotFoundHandler())
	b.Cleanup(srv.Close)
	to := srv.Listener.Addr().String()
	g := open(b, gate.Options{AllowPrivate: true, Env: []string{}})
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			c, err := net.Dial("tcp", to)
			if err != nil {
				b.Fatal(err)
			}
			_ = c.Close()
		}
	})
	b.Run("gate", func(b *testing.B) {
		for b.Loop() {
			c, err := through(b, g, to)
			if err != nil {
				b.Fatal(err)
			}
			_ = c.Close()
		}
	})
}
