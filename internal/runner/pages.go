package runner

import (
	"context"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
)

// PrivatePages opens for each run a page that shares nothing with others, and closes it
// after the run. It opens one browser for all, when the first run needs it, and another
// where that is lost. Close it.
type PrivatePages struct {
	Browser func(context.Context) (*browser.Browser, error)
	// Warn is told of pages that could not be closed. Default: no one.
	Warn func(error)

	mu      sync.Mutex
	browser *browser.Browser
}

// closeTimeout bounds the closing of a page after its run.
const closeTimeout = 5 * time.Second

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
	return page, func() {
		closing, cancel := load.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := page.Close(closing); err != nil && b.Err() == nil && p.Warn != nil {
			p.Warn(err)
		}
	}, nil
}

// Start returns the browser, which it opens if there is none.
func (p *PrivatePages) Start(ctx context.Context) (*browser.Browser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser != nil && p.browser.Err() == nil {
		return p.browser, nil
	}
	if p.browser != nil {
		_ = p.browser.Close() // it is lost: what is left of it is of no importance
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
