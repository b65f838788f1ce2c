package browser

import (
	"context"
	"errors"
	"sync"

	"github.com/go-rod/rod"

	"github.com/go-reprise/reprise/internal/target"
)

// Page is a tab.
type Page struct {
	browser  *Browser
	target   *target.Page
	private  bool // alone in a browser context, which ends with it
	disposed sync.Once
}

// ID is the browser's name for the tab.
func (p *Page) ID() string { return p.target.ID() }

// URL is the address of the document in the tab.
func (p *Page) URL() string { return p.target.URL() }

// Navigate goes to an address and returns when its document has begun.
func (p *Page) Navigate(ctx context.Context, url string) error { return p.target.Navigate(ctx, url) }

// WaitURL returns when the tab is at an address that satisfies ok, which must
// return soon. It ends with ErrPageClosed or ErrLost when there is none any more.
func (p *Page) WaitURL(ctx context.Context, ok func(url string) bool) error {
	return p.target.Main().WaitAt(ctx, ok)
}

// Close closes the tab and returns when it is gone. It may be called again.
func (p *Page) Close(ctx context.Context) error {
	err := p.target.Close(ctx)
	if p.private {
		p.disposed.Do(func() {
			err = errors.Join(err, p.browser.tree.CloseContext(ctx, p.target.ContextID()))
		})
	}
	return err
}

// Browser is the browser that the tab is in.
func (p *Page) Browser() *Browser { return p.browser }

// Target is the tab as Reprise's own packages use it; a tab that was open before
// is taken into use.
func (p *Page) Target() *target.Page {
	p.target.Use()
	return p.target
}

// Rod is the tab for a program's own rod code, over the same connection. It is
// never nil: when the browser is lost or the tab was closed, each call on it
// returns that error. A page can see what rod does in it, as rod works in the
// page's own world.
func (p *Page) Rod() *rod.Page {
	page, err := p.browser.rod.page(p.browser.client, p.target.ID())
	if err != nil {
		return lostPage(p.target.ID(), err)
	}
	return page
}
