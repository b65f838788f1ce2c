package providers

import (
	"context"
	"fmt"
	"net/url"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/weburl"
)

// endpoint is a browser that runs, anyone may have started it: it has one session, which is not
// this program's to end. Its ID is the scheme and host of the endpoint, as the rest can hold a key.
type endpoint struct {
	address automation.Secret
	id      string
}

func newEndpoint(address string) (browser.Provider, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: the address of the browser cannot be read", ErrUnknown)
	}
	secret, err := automation.NewSecret(address)
	return &endpoint{secret, weburl.Origin(u)}, err
}

func (e *endpoint) Name() string { return "endpoint" }

func (e *endpoint) Capabilities() browser.Capabilities { return browser.Capabilities{} }

func (e *endpoint) info() browser.SessionInfo {
	return browser.SessionInfo{Provider: e.Name(), ID: e.id}
}

// Open connects, as whether the browser is there shows only then.
func (e *endpoint) Open(ctx context.Context, o *browser.SessionOptions) (*browser.Session, error) {
	if o == nil {
		o = &browser.SessionOptions{}
	}
	if err := check(e, o); err != nil {
		return nil, err
	}
	return e.connect(ctx, o.Browser)
}

func (e *endpoint) connect(ctx context.Context, o *browser.Options) (*browser.Session, error) {
	b, err := browser.Connect(ctx, e.address.Reveal(), o)
	if err != nil {
		return nil, err
	}
	return &browser.Session{SessionInfo: e.info(), Endpoint: e.address, Browser: b}, nil
}

func (e *endpoint) Attach(ctx context.Context, id string) (*browser.Session, error) {
	if id != e.id {
		return nil, &browser.ProviderError{Provider: e.Name(), Op: "attaching to a session", Code: browser.ProviderNotFound}
	}
	return e.connect(ctx, nil)
}

func (e *endpoint) List(context.Context) ([]browser.SessionInfo, error) {
	return []browser.SessionInfo{e.info()}, nil
}

// Close leaves the browser running: it was there before.
func (e *endpoint) Close(context.Context, string) error { return nil }
