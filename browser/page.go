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

// URL is the address of the document in the tab. For a tab that was open before
// Connect it is that of the last call of Pages, until something is done with it.
func (p *Page) URL() string { return p.target.URL() }

// Navigate goes to an address and returns when its document has begun, before all
// of it has loaded. An address that cannot be loaded is a *NavigationError; a
// download is none, and leaves the document as it was.
func (p *Page) Navigate(ctx context.Context, url string) error { return p.target.Navigate(ctx, url) }

// WaitURL returns when the tab is at an address that satisfies ok, or has been
// there for a moment since the call. It ends with ErrPageClosed, ErrPageCrashed or
// ErrLost when that can no longer happen.
func (p *Page) WaitURL(ctx context.Context, ok func(url string) bool) error {
	main := p.Target().Main()
	if err := p.Err(); err != nil {
		return err
	}
	mark, url := main.Mark(), main.URL()
	for !ok(url) { // not inside a wait, which holds the tree: ok may ask the tab
		var err error
		mark, err = main.WaitURL(ctx, mark, func(next string) bool {
			url = next
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Done is closed when the tab was closed, or its browser was closed or lost.
func (p *Page) Done() <-chan struct{} { return p.target.Done() }

// Err says why the tab can no longer be used: ErrPageClosed, also where Close of
// the browser closed it, ErrPageCrashed (until it is navigated) or ErrLost. It is
// nil while it can.
func (p *Page) Err() error { return p.target.Err() }

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
// page's own world. What rod navigates to is not named by the caller: at a private address it
// is refused (Options.AllowPrivateNetwork), so begin with Navigate.
func (p *Page) Rod() *rod.Page {
	page, err := p.browser.rod.page(p.browser.client, p.target.ID())
	if err != nil {
		return lostPage(p.target.ID(), err)
	}
	return page
}
