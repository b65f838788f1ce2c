package browser

import (
	"context"
	"errors"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/internal/target"
)

// Page is a tab.
type Page struct {
	browser *Browser
	target  *target.Page
	private bool // alone in a browser context, which ends with it
}

// ID is the browser's name for the tab.
func (p *Page) ID() string { return p.target.ID() }

// URL is the address of the document in the tab.
func (p *Page) URL() string { return p.target.URL() }

// Navigate goes to an address and returns when its document has begun.
func (p *Page) Navigate(ctx context.Context, url string) error { return p.target.Navigate(ctx, url) }

// Close closes the tab and returns when it is gone.
func (p *Page) Close(ctx context.Context) error {
	err := p.target.Close(ctx)
	if p.private {
		err = errors.Join(err, p.browser.tree.CloseContext(ctx, p.target.ContextID()))
	}
	return err
}

// Browser is the browser that the tab is in.
func (p *Page) Browser() *Browser { return p.browser }

// Target is the tab as Reprise's own packages use it.
func (p *Page) Target() *target.Page { return p.target }

// Rod is the tab for a program's own rod code, over the same connection. It is
// nil when the browser is lost or the tab was closed. What rod does a page can
// see, as it works in the page's own world.
func (p *Page) Rod() *rod.Page {
	b, err := p.browser.connectRod()
	if err != nil {
		return nil
	}
	page, err := b.PageFromTarget(proto.TargetTargetID(p.target.ID()))
	if err != nil {
		return nil
	}
	return page
}
