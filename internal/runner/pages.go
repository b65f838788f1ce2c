package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
)

// PrivatePages opens for each run a page that shares nothing with others, and closes it
// after the run. It opens one browser for all, when the first run needs it, and another
// where that is lost. Close it.
type PrivatePages struct {
	Browser func(context.Context) (*browser.Browser, error)
	// Held notes the pages of a browser that was connected to, so that another process closes those
	// that this one leaves. Default: nothing is noted.
	Held *Browsers
	// Warn is told of pages that could not be closed. Default: no one.
	Warn func(error)

	mu      sync.Mutex
	browser *browser.Browser
	noted   map[string]string // records of pages, by page
}

const (
	// closeTimeout bounds the closing of a page after its run.
	closeTimeout = 5 * time.Second
	// ReconnectTimeout bounds an attempt at another connection.
	ReconnectTimeout = 15 * time.Second
)

// Open opens a page. An earlier one was closed with its run.
func (p *PrivatePages) Open(ctx context.Context, login *Login, _ string) (*browser.Page, func(), error) {
	b, err := p.Start(ctx)
	if err != nil {
		return nil, nil, err
	}
	page, err := login.NewPage(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	if err := p.note(ctx, page); err != nil {
		return nil, nil, errors.Join(err, page.Close(context.WithoutCancel(ctx)))
	}
	return page, p.release(ctx, page), nil
}

// note notes a page that outlives this process.
func (p *PrivatePages) note(ctx context.Context, page *browser.Page) error {
	origin, connected := weburl.OriginOf(page.Browser().Endpoint())
	if p.Held == nil || !connected || page.ContextID() == "" {
		return nil
	}
	id, err := p.Held.Note(ctx, store.Browser{Kind: store.KindEndpoint, Session: origin, Context: page.ContextID(), Page: page.ID()})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noted == nil {
		p.noted = map[string]string{}
	}
	p.noted[page.ID()] = id
	return nil
}

// forget takes the note of a page back, unless it is not closed.
func (p *PrivatePages) forget(ctx context.Context, page *browser.Page, closed bool) {
	p.mu.Lock()
	id := p.noted[page.ID()]
	delete(p.noted, page.ID())
	p.mu.Unlock()
	switch {
	case id == "":
	case closed:
		p.Held.Forget(ctx, id)
	default:
		p.Held.Leave(id)
	}
}

// Reconnect connects again, unless that was done for another run, and finds the page.
func (p *PrivatePages) Reconnect(ctx context.Context, lost *browser.Page) (*browser.Page, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bounded, cancel := load.WithTimeout(ctx, ReconnectTimeout)
	defer cancel()
	if p.browser == lost.Browser() {
		again, err := p.browser.Reconnect(bounded)
		if err != nil {
			return nil, nil, err
		}
		p.browser = again
	}
	page, err := p.browser.Page(bounded, lost.ID())
	if err != nil {
		return nil, nil, err
	}
	return page, p.release(ctx, page), nil
}

// release returns what closes a page after its run.
func (p *PrivatePages) release(ctx context.Context, page *browser.Page) func() {
	return func() {
		closing, cancel := load.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		err := page.Close(closing)
		p.forget(closing, page, err == nil)
		if err != nil && page.Browser().Err() == nil && p.Warn != nil {
			p.Warn(err)
		}
	}
}

// Start returns the browser, which it opens if there is none.
func (p *PrivatePages) Start(ctx context.Context) (*browser.Browser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser != nil && p.browser.Err() == nil {
		return p.browser, nil
	}
	if p.browser != nil { // other runs may have pages in it
		if again, err := p.browser.Reconnect(ctx); err == nil {
			p.browser = again
			return again, nil
		}
		_ = p.browser.Close() // what is left of it is of no importance
	}
	var err error
	p.browser, err = p.Browser(ctx)
	return p.browser, err
}

// Close closes the browser, if there is one.
func (p *PrivatePages) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser == nil {
		return nil
	}
	return p.browser.Close()
}
