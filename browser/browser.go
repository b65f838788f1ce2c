package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/go-rod/rod"
	"github.com/go-rod/stealth"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

// ErrLost is the error of what is asked of a browser that has ended or cannot be
// reached any more.
var ErrLost = cdp.ErrClosed

// Browser is a Chrome under control.
type Browser struct {
	client   *cdp.Client
	tree     *target.Tree
	process  *process // nil when it was not launched here
	endpoint string

	rodOnce sync.Once
	rod     *rod.Browser
	rodErr  error

	closeOnce sync.Once
	closeErr  error
}

// Launch starts an installed Chrome or Chromium. Close it. ctx bounds the start
// only.
func Launch(ctx context.Context, o *Options) (*Browser, error) {
	o = o.orDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	path, err := Find(o)
	if err != nil {
		return nil, err
	}
	version, err := Version(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := newProfile(o.ProfileDir)
	if err != nil {
		return nil, err
	}
	proc, pipe, err := start(path, flags(o, p.dir, version), o.Env, p)
	if err != nil {
		return nil, errors.Join(&StartError{Path: path, Err: err}, p.remove())
	}
	o.Logger.Debug("browser started", "path", path, "version", version, "profile", p.dir)
	b, err := attach(ctx, pipe, o)
	if err == nil && o.DebugPort {
		b.endpoint, err = proc.stderr.find(ctx, "DevTools listening on ", proc.exited)
	}
	if err != nil {
		proc.kill()
		return nil, errors.Join(&StartError{Path: path, Stderr: proc.stderr.String(), Err: err}, proc.end())
	}
	b.process = proc
	return b, nil
}

// ConnectError is an endpoint that could not be reached.
type ConnectError struct {
	Endpoint string // without its query: that can hold a key
	Err      error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("connecting to the browser at %s: %v: is it running there, started with --remote-debugging-port?", e.Endpoint, e.Err)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// Connect takes control of a browser that is running: ws:// or wss:// is its
// endpoint, http://host:port one that tells it at /json/version. Close ends the
// connection and leaves the browser running. ctx bounds the connecting only.
func Connect(ctx context.Context, endpoint string, o *Options) (*Browser, error) {
	o = o.orDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	address, err := socketOf(ctx, endpoint)
	if err != nil {
		return nil, &ConnectError{Endpoint: withoutQuery(endpoint), Err: err}
	}
	socket, err := cdp.DialWebSocket(ctx, address)
	if err != nil {
		return nil, &ConnectError{Endpoint: withoutQuery(endpoint), Err: err}
	}
	b, err := attach(ctx, socket, o)
	if err != nil {
		return nil, &ConnectError{Endpoint: withoutQuery(endpoint), Err: err}
	}
	b.endpoint = address
	return b, nil
}

// maxVersionReply bounds what /json/version may say.
const maxVersionReply = 64 << 10

// socketOf gives the WebSocket address of an endpoint.
func socketOf(ctx context.Context, endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", errors.New("not an address: it must be ws://…, wss://… or http://host:port")
	}
	switch u.Scheme {
	case "ws", "wss":
		return endpoint, nil
	case "http", "https":
	default:
		return "", fmt.Errorf("the scheme %q is not one of ws, wss and http", u.Scheme)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/json/version"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			return "", op
		}
		return "", err
	}
	defer response.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxVersionReply)).Decode(&version)
	if response.StatusCode != http.StatusOK || err != nil || version.URL == "" {
		return "", fmt.Errorf("/json/version answered %s and names no endpoint: this is no browser", response.Status)
	}
	return version.URL, nil
}

func withoutQuery(endpoint string) string {
	address, _, _ := strings.Cut(endpoint, "?")
	return address
}

// attach takes hold of the pages of a browser.
func attach(ctx context.Context, t cdp.Transport, o *Options) (*Browser, error) {
	client := cdp.New(t)
	script := ""
	if o.Stealth {
		script = stealth.JS
	}
	tree, err := target.New(ctx, client, &target.Options{Script: script})
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return &Browser{client: client, tree: tree}, nil
}

// NewPage opens a tab at an address ("" is a blank one) and returns when its
// document has begun.
func (b *Browser) NewPage(ctx context.Context, url string) (*Page, error) {
	return b.open(ctx, url, "")
}

// NewPrivatePage opens a tab that shares cookies and storage with no other but
// those that it opens. Closing it forgets them.
func (b *Browser) NewPrivatePage(ctx context.Context, url string) (*Page, error) {
	id, err := b.tree.NewContext(ctx)
	if err != nil {
		return nil, err
	}
	p, err := b.open(ctx, url, id)
	if err != nil {
		return nil, errors.Join(err, b.tree.CloseContext(context.WithoutCancel(ctx), id))
	}
	p.private = true
	return p, nil
}

func (b *Browser) open(ctx context.Context, url, contextID string) (*Page, error) {
	p, err := b.tree.Open(ctx, url, &target.OpenOptions{ContextID: contextID})
	if err != nil {
		return nil, err
	}
	return &Page{browser: b, target: p}, nil
}

// Pages are the open tabs, those that were there first before the others.
func (b *Browser) Pages(ctx context.Context) ([]*Page, error) {
	open, err := b.tree.Pages(ctx)
	pages := make([]*Page, len(open))
	for i, p := range open {
		pages[i] = &Page{browser: b, target: p}
	}
	return pages, err
}

// Endpoint is the WebSocket address of the browser, "" when it has none.
func (b *Browser) Endpoint() string { return b.endpoint }

// Done is closed when the browser has ended or was lost.
func (b *Browser) Done() <-chan struct{} { return b.client.Done() }

// Err says why the browser was lost, nil while it is there.
func (b *Browser) Err() error { return b.client.Err() }

// Close ends a browser that Launch started, with its processes and its fresh
// profile; one that was connected to is left running. It may be called again.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		if b.process != nil {
			b.client.Send("", "Browser.close", nil)
			b.process.wait(closeTimeout)
		}
		b.closeErr = b.client.Close()
		b.tree.Close()
		if b.process != nil {
			b.closeErr = errors.Join(b.closeErr, b.process.end())
		}
	})
	return b.closeErr
}

// connectRod makes rod's browser over the same connection, when it is asked for.
func (b *Browser) connectRod() (*rod.Browser, error) {
	b.rodOnce.Do(func() {
		b.rod = rod.New().Client(b.client).NoDefaultDevice()
		b.rodErr = b.rod.Connect()
	})
	return b.rod, b.rodErr
}
