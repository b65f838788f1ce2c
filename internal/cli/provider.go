package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// browserName is what --browser, the environment or the settings file names: local, a service that
// rents browsers out, or the endpoint of one that runs.
func (a *app) browserName() string { return a.config.Browser.Provider }

// launches reports whether the browser is started on this machine.
func (a *app) launches() bool { return a.browserName() == providers.LocalName }

// rents reports whether the browser is a service's.
func (a *app) rents() bool { return providers.IsService(a.browserName()) }

// endpoint is the browser that runs already, "" for one that is launched or rented.
func (a *app) endpoint() string {
	if a.launches() || a.rents() {
		return ""
	}
	return a.browserName()
}

// provider is where browsers are opened.
func (a *app) provider() (browser.Provider, error) { return a.providerOf(a.browserName()) }

func (a *app) providerOf(name string) (browser.Provider, error) {
	p, err := providers.New(name, &providers.Options{Key: a.providerKey(name), LiveView: a.liveView, Logger: a.logger()})
	if errors.Is(err, providers.ErrUnknown) {
		return nil, failure.Usagef("--browser: %v", err)
	}
	return p, err
}

// openBrowser opens the browser that was named. Its Close ends it, if it is not one that was
// there before.
func (a *app) openBrowser(ctx context.Context, o *browser.Options) (*browser.Browser, error) {
	p, err := a.provider()
	if err != nil {
		return nil, err
	}
	if o.Page, err = a.pageOptions(ctx); err != nil {
		return nil, err
	}
	o.Logger = a.logger()
	b, session, err := browser.OpenSession(ctx, p, &browser.SessionOptions{Browser: o, Region: a.config.Browser.Region, BlockAds: a.config.Browser.BlockAds})
	if err != nil || session.Viewer == nil {
		return b, err
	}
	view, err := session.Viewer(ctx)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	// The user has asked for it by --live-view, and it goes to no log.
	a.say("live view; anyone who has this link has the browser: %s", view.Reveal())
	return b, nil
}

// checkSeen refuses what needs someone to see the browser, where no one would.
func (a *app) checkSeen() error {
	if a.rents() && !a.liveView {
		return failure.Usagef("no one sees a browser at %s: use one on this machine, or --live-view, by which anyone who has the link has the browser", a.browserName())
	}
	return nil
}

// providerKeyField is the name of a service's key in the vault.
const providerKeyField = "api_key"

// providerKey returns where the key of a service is looked for: in the environment, then in the
// vault, sealed. It is looked for once, when it is first needed.
func (a *app) providerKey(service string) func(context.Context) (automation.Secret, error) {
	if !providers.IsService(service) {
		return nil
	}
	var mu sync.Mutex
	var key automation.Secret
	return func(ctx context.Context) (automation.Secret, error) {
		mu.Lock()
		defer mu.Unlock()
		if key.Reveal() != "" {
			return key, nil
		}
		found, err := a.findProviderKey(ctx, service)
		if err == nil {
			key = found
		}
		return found, err
	}
}

func (a *app) findProviderKey(ctx context.Context, service string) (automation.Secret, error) {
	if env := os.Getenv(providers.KeyEnv(service)); env != "" {
		return automation.NewSecret(env)
	}
	return a.vaultKey(ctx, service, providers.BaseURL(service), providerKeyField, providers.KeyEnv(service))
}

// vaultKey returns a key that a service at an address is called with, from the vault. Env is where it may be, too.
func (a *app) vaultKey(ctx context.Context, service, address, field, env string) (automation.Secret, error) {
	api, err := url.Parse(address)
	if err != nil {
		return automation.Secret{}, errors.New("the address of its API cannot be read")
	}
	asks := &automation.Automation{Name: service, Match: automation.Scope{URLs: []string{api.Scheme + "://" + api.Host}},
		Variables: []byte(`{"type": "object", "properties": {"` + field + `": {"type": "string", "writeOnly": true}}}`)}
	var key automation.Secret
	err = a.withSafe(ctx, func(_ store.Store, safe *sealed.SecretStore) error {
		values, err := safe.Values(ctx, asks, sealed.Scope{})
		if err != nil {
			return err
		}
		value, err := values.Value(ctx, field)
		key, _ = value.(automation.Secret)
		return err
	})
	if errors.Is(err, automation.ErrNoValue) {
		err = fmt.Errorf("there is no key in $%s, nor in the vault (reprise credential set %s --origin %s --field %s)", env, service, asks.Match.URLs[0], field)
	}
	return key, err
}
