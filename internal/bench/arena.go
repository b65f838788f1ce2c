package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
)

// client plays flows in a page that it keeps.
type client interface {
	// play calls done after each step.
	play(ctx context.Context, site string, fl flow, done func()) error
	messages() uint64 // sent so far
	close() error
}

// The names of the clients.
const (
	nameFloor     = "floor"
	nameFloorKeys = "floor by keys"
	nameUnheeded  = "floor by keys, unheeded"
	nameReprise   = "reprise"
	namePlain     = "reprise, plain CSS"
	nameKeys      = "reprise by keys"
	nameRod       = "rod"
)

// arena is a warm browser, a site, and the clients that are compared there: each
// has a connection of its own to the one endpoint, and a page of its own in a
// browser context of its own.
type arena struct {
	site    *demosite.Server
	browser *browser.Browser
	clients map[string]client
	flows   []flow
}

// The size of the window, that of a common laptop.
const width, height = 1280, 800

func newArena(ctx context.Context) (*arena, error) {
	site, err := demosite.Start(&demosite.Options{NoBanner: true})
	if err != nil {
		return nil, err
	}
	a := &arena{site: site, clients: map[string]client{}, flows: []flow{formFlow(), signInFlow(site.Accounts())}}
	a.browser, err = browser.Launch(ctx, &browser.Options{DebugPort: true, Width: width, Height: height})
	if err == nil {
		err = a.enter(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *arena) close() error {
	var errs []error
	for _, c := range a.clients {
		errs = append(errs, c.close())
	}
	if a.browser != nil {
		errs = append(errs, a.browser.Close())
	}
	return errors.Join(append(errs, a.site.Close())...)
}

// enter connects the clients and gives Reprise its automations.
func (a *arena) enter(ctx context.Context) error {
	endpoint := a.browser.Endpoint()
	for name, how := range map[string]typing{nameFloor: inserted, nameFloorKeys: byKeys, nameUnheeded: byKeysUnheeded} {
		c, err := newFloor(ctx, endpoint, how)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		a.clients[name] = c
	}
	c, err := newRod(ctx, endpoint)
	if err != nil {
		return fmt.Errorf("%s: %w", nameRod, err)
	}
	a.clients[nameRod] = c
	for _, name := range []string{nameReprise, namePlain, nameKeys} {
		if err := a.enterReprise(ctx, name, endpoint); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (a *arena) enterReprise(ctx context.Context, name, endpoint string) error {
	c, err := newReprise(ctx, endpoint, valuesFor(a.site.Accounts()))
	if err != nil {
		return err
	}
	a.clients[name] = c
	if name == nameReprise {
		return a.record(ctx, c)
	}
	for _, fl := range a.flows {
		doc, err := parsePlain(fl.name, a.site.URL)
		if err != nil {
			return err
		}
		if name == nameKeys {
			doc = withKeys(doc)
		}
		c.automations[fl.name] = doc
	}
	return nil
}

// record has the flows recorded on a page that is not played on.
func (a *arena) record(ctx context.Context, c *reprise) error {
	page, err := c.browser.NewPrivatePage(ctx, "")
	if err != nil {
		return err
	}
	if c.automations["form"], err = recordForm(ctx, page, a.site); err != nil {
		return err
	}
	if c.automations["sign-in"], err = recordSignIn(ctx, page, a.site); err != nil {
		return err
	}
	return page.Close(ctx)
}
