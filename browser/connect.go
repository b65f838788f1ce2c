package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// ConnectError is an endpoint that could not be reached.
type ConnectError struct {
	Endpoint string // scheme and host only: the rest can hold a key
	Err      error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("connecting to the browser at %s: %v; it must run there with --remote-debugging-port, "+
		"and the endpoint be http://host:port or ws://host:port/devtools/browser/…", e.Endpoint, e.Err)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// Connect takes control of a browser that is running: ws:// or wss:// is its
// endpoint, http://host:port one that tells it at /json/version. Close ends the
// connection and leaves the browser running. ctx bounds the connecting only.
// What fails is told by a *ConnectError.
func Connect(ctx context.Context, endpoint string, o *Options) (*Browser, error) {
	o = o.orDefaults()
	if err := o.Page.Check(); err != nil {
		return nil, err
	}
	slow := fmt.Errorf("it did not answer within %v", o.StartTimeout)
	ctx, cancel := load.WithTimeoutCause(ctx, o.StartTimeout, slow)
	defer cancel()
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return nil, &ConnectError{Endpoint: "?", Err: errors.New("this is not an address")}
	}
	b, err := connect(ctx, u, o, target.Contexts{})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &ConnectError{Endpoint: weburl.Origin(u), Err: withoutAddress(err)}
	}
	return b, nil
}

// connect connects to a browser, which has these contexts already.
func connect(ctx context.Context, u *url.URL, o *Options, have target.Contexts) (*Browser, error) {
	socket, err := socketOf(ctx, u)
	if err != nil {
		return nil, err
	}
	if strings.Contains(socket.Path, "/devtools/page/") {
		return nil, errors.New("this is the endpoint of one page, not of the browser")
	}
	transport, err := cdp.DialWebSocket(ctx, socket.String())
	if err != nil {
		return nil, err
	}
	network := gatesFor(socket, o)
	network.Keep, network.Contexts = o.KeepContexts, have
	b, err := attach(ctx, transport, o, network)
	if err != nil {
		return nil, err
	}
	b.endpoint = socket.String()
	b.refuseEndpoint()
	b.reopen = func(ctx context.Context, have target.Contexts) (*Browser, error) {
		again, err := connect(ctx, u, o, have)
		if err != nil {
			return nil, &ConnectError{Endpoint: weburl.Origin(u), Err: withoutAddress(err)}
		}
		again.contexts = maps.Clone(b.contexts)
		return again, nil
	}
	return b, nil
}

// gatesFor are those of a browser that is connected to: one on another machine reaches
// none here, and one behind a forwarded port or in a container only looks as if it did.
func gatesFor(socket *url.URL, o *Options) target.Options {
	if o.AnyNetwork {
		return target.Options{}
	}
	away := func() {
		o.Logger.Warn("pages may go anywhere: the browser is on another machine, and reaches no gate on this one")
	}
	if !weburl.IsLocalEndpoint(socket.Hostname()) {
		away()
		return target.Options{Away: true}
	}
	return target.Options{Rules: o.rules(), OutOfReach: away}
}

// refuseEndpoint keeps pages from where the browser itself is controlled.
func (b *Browser) refuseEndpoint() {
	if u, err := url.Parse(b.endpoint); err == nil && u.Port() != "" {
		b.Refuse(u.Host)
	}
}

// withoutAddress drops the address, which can hold a key, from an error of HTTP.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// maxVersionReply bounds what /json/version may say, maxQuoted what is told of it.
const (
	maxVersionReply = 64 << 10
	maxQuoted       = 120
)

// socketOf returns the WebSocket address of an endpoint.
func socketOf(ctx context.Context, u *url.URL) (*url.URL, error) {
	switch u.Scheme {
	case "ws", "wss":
		return u, nil
	case "http", "https":
		return askVersion(ctx, u)
	}
	return nil, fmt.Errorf("the scheme %q is not one of ws, wss, http and https", u.Scheme)
}

// askVersion asks a browser for its WebSocket address.
func askVersion(ctx context.Context, u *url.URL) (*url.URL, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("json/version").String(), nil)
	if err != nil {
		return nil, err
	}
	request.Close = true // it is asked once
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxVersionReply))
	if err != nil {
		return nil, err
	}
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if json.Unmarshal(body, &version) != nil || version.URL == "" {
		return nil, fmt.Errorf("/json/version answered %s and names no browser: %q", response.Status, body[:min(len(body), maxQuoted)])
	}
	socket, err := url.Parse(version.URL)
	if err != nil {
		return nil, errors.New("/json/version names an address that cannot be read")
	}
	return reachable(socket, u), nil
}

// reachable is the address of a browser as it is seen from here: one behind a
// forwarded port names itself by its own loopback address.
func reachable(socket, asked *url.URL) *url.URL {
	if weburl.IsLocalEndpoint(socket.Hostname()) && socket.Host != asked.Host {
		moved := *socket
		moved.Host = asked.Host
		if asked.Scheme == "https" {
			moved.Scheme = "wss"
		}
		return &moved
	}
	return socket
}
