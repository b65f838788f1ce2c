package gate

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"

	"github.com/go-reprise/reprise/internal/weburl"
)

// proxyError is a proxy behind the gate that did not connect.
type proxyError struct {
	proxy string
	err   error
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy %s did not connect: %v", e.proxy, e.err)
}

func (e *proxyError) Unwrap() error { return e.err }

// upstreamOf reads the proxies that an environment names.
func upstreamOf(env []string) func(*url.URL) (*url.URL, error) {
	named := func(names ...string) string {
		for _, name := range names {
			for _, setting := range slices.Backward(env) { // the last counts
				key, value, _ := strings.Cut(setting, "=")
				if strings.EqualFold(key, name) && value != "" {
					return value
				}
			}
		}
		return ""
	}
	config := httpproxy.Config{
		HTTPProxy: named("http_proxy", "all_proxy"), HTTPSProxy: named("https_proxy", "all_proxy"), NoProxy: named("no_proxy"),
	}
	return config.ProxyFunc()
}

// proxyFor returns the proxy behind the gate for a host, nil for none.
func (g *Gate) proxyFor(host, port string) *url.URL {
	if ip, err := netip.ParseAddr(host); weburl.IsLocalName(host) || err == nil && ip.IsLoopback() {
		return nil
	}
	g.mu.Lock()
	through := g.proxy
	g.mu.Unlock()
	if through != nil {
		return through
	}
	return g.rules.proxyOfEnv(host, port)
}

func (r *Rules) proxyOfEnv(host, port string) *url.URL {
	scheme := "https"
	if port == "80" {
		scheme = "http"
	}
	through, err := r.upstream(&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)})
	if err != nil {
		return nil
	}
	return through
}

// dialProxy connects through a proxy behind the gate, by name: it may know others.
func (r *Rules) dialProxy(ctx context.Context, through *url.URL, to string) (net.Conn, error) {
	conn, err := dialThrough(ctx, through, to)
	if err != nil {
		return nil, &proxyError{proxy: weburl.Origin(through), err: err}
	}
	return conn, nil
}

func dialThrough(ctx context.Context, through *url.URL, to string) (net.Conn, error) {
	switch through.Scheme {
	case "socks5", "socks5h":
		dialer, err := proxy.FromURL(through, proxy.Direct)
		if err != nil {
			return nil, err
		}
		return dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", to)
	case "http", "https":
		return connectThrough(ctx, through, to)
	}
	return nil, fmt.Errorf("the scheme %q is none of http, https and socks5", through.Scheme)
}

// connectThrough has an HTTP proxy connect.
func connectThrough(ctx context.Context, through *url.URL, to string) (net.Conn, error) {
	address := through.Host
	if through.Port() == "" {
		address = net.JoinHostPort(through.Hostname(), map[string]string{"http": "80", "https": "443"}[through.Scheme])
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if through.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: through.Hostname()})
	}
	answered, err := askToConnect(conn, through, to)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return answered, nil
}

func askToConnect(conn net.Conn, through *url.URL, to string) (net.Conn, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: http.Header{}}
	if through.User != nil {
		password, _ := through.User.Password()
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(through.User.Username(), password)
		request.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	}
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", response.Status)
	}
	return &readAhead{conn, reader}, nil
}

// readAhead is a connection of which something was read already.
type readAhead struct {
	net.Conn
	reader *bufio.Reader
}

func (c *readAhead) Read(p []byte) (int, error) { return c.reader.Read(p) }
