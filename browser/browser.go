// Package browser launches or connects to Chrome and opens pages in it. It never
// downloads a browser, keeps site isolation on, and leaves no process or profile
// behind, also when the program that launched it was killed.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-rod/rod"
	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"github.com/go-rod/stealth"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/keeper"
	"github.com/go-reprise/reprise/internal/target"
)

// ErrDisconnected is the error of what is asked of a browser that has ended, was closed,
// or cannot be reached any more. Test for it with errors.Is.
var ErrDisconnected = cdp.ErrClosed

// Other ways in which what is asked of a tab ends.
var (
	// ErrPageClosed: the tab was closed.
	ErrPageClosed = target.ErrClosed
	// ErrPageCrashed: its renderer crashed. Navigating makes it good again.
	ErrPageCrashed = cdp.ErrCrashed
)

// NavigationError is an address that could not be loaded, and Chrome's reason. Where the
// rules of the browser refuse it, its Err is a *RefusedError.
type NavigationError = target.NavigationError

// RefusedError is a connection that the rules of the browser do not allow.
type RefusedError = gate.Refused

// Browser is a Chrome under control. Its methods may be called from any
// goroutine.
type Browser struct {
	client   *cdp.Client
	tree     *target.Tree
	process  *process // nil when it was not launched here
	endpoint string
	headed   bool        // of one that was launched
	rules    *gate.Rules // where pages may go, nil for anywhere
	gate     *gate.Gate  // of a launched browser's own context
	page     *PageOptions
	version  string // of one that was launched
	rod      rodSeam
	keeper   *keeper.Client // of one that Keep started

	mu       sync.Mutex
	contexts map[string]bool // its own, in which a page is isolated
	// reopen connects again; nil where that cannot be.
	reopen func(ctx context.Context, have target.Contexts) (*Browser, error)

	session    SessionInfo  // of one that a provider opened
	endSession func() error // of one that OpenSession opened

	closeOnce sync.Once
	closeErr  error
}

// attach takes hold of the pages of a browser. network has what is known of its gates.
func attach(ctx context.Context, t cdp.Transport, o *Options, network target.Options) (*Browser, error) {
	return attachWithin(ctx, t, "", o, network)
}

// attachWithin is attach through a browser session of this connection's own.
func attachWithin(ctx context.Context, t cdp.Transport, root string, o *Options, network target.Options) (*Browser, error) {
	client := cdp.NewWithin(t, root)
	if o.Stealth {
		network.Script = stealth.JS
	}
	tree, err := target.New(ctx, client, &network)
	if err != nil {
		return nil, errors.Join(o.Page.refused(err), client.Close())
	}
	return &Browser{client: client, tree: tree, rules: network.Rules, gate: network.Gate, page: o.Page, contexts: map[string]bool{}}, nil
}

// Refuse has no page reach these addresses (host:port) from now on, by whatever name: for
// where the program that drives the browser is itself reached. A browser with
// Options.AnyNetwork, and pages that were in a browser before Connect, are not held to it.
func (b *Browser) Refuse(addresses ...string) {
	if b.rules != nil {
		b.rules.Refuse(addresses...)
	}
}

// NewPage opens a tab at an address ("" is a blank one) and returns when its
// document has begun. In a browser that was connected to, with Options.Page, it is
// ErrSharedContext.
func (b *Browser) NewPage(ctx context.Context, url string) (*Page, error) {
	if b.page != nil && b.process == nil && b.keeper == nil {
		return nil, ErrSharedContext
	}
	return b.open(ctx, url, &target.OpenOptions{})
}

// NewIsolatedPage opens a tab that shares cookies and storage with no other but
// those that it opens. Closing it forgets them.
func (b *Browser) NewIsolatedPage(ctx context.Context, url string) (*Page, error) {
	return b.NewPageWith(ctx, url, nil)
}

// NewPageWith opens a tab as NewIsolatedPage does, with options that hold for it and for the
// pages that it opens. Nil is Options.Page. What cannot be had is a *PageOptionError.
func (b *Browser) NewPageWith(ctx context.Context, url string, o *PageOptions) (*Page, error) {
	if o == nil {
		o = b.page
	}
	e, err := b.emulation(ctx, o)
	if err != nil {
		return nil, err
	}
	id, err := b.tree.NewContext(ctx, e)
	if err != nil {
		return nil, o.refused(err)
	}
	p, err := b.openPrivate(ctx, url, &target.OpenOptions{ContextID: id, Window: o != nil && o.Window})
	return p, o.refused(err)
}

// NewWindow opens a window of its own, in addition to those that are there. It shares cookies
// and storage with no other, and closing it forgets them.
func (b *Browser) NewWindow(ctx context.Context, url string) (*Page, error) {
	o := PageOptions{}
	if b.page != nil {
		o = *b.page
	}
	o.Window = true
	return b.NewPageWith(ctx, url, &o)
}

func (b *Browser) openPrivate(ctx context.Context, url string, o *target.OpenOptions) (*Page, error) {
	p, err := b.open(ctx, url, o)
	if err != nil {
		return nil, errors.Join(err, b.tree.CloseContext(context.WithoutCancel(ctx), o.ContextID))
	}
	p.private = true
	b.mu.Lock()
	defer b.mu.Unlock()
	b.contexts[o.ContextID] = true
	return p, nil
}

func (b *Browser) open(ctx context.Context, url string, o *target.OpenOptions) (*Page, error) {
	p, err := b.tree.Open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return &Page{browser: b, target: p}, nil
}

// Pages are the open tabs, in the order in which they were first seen; which of
// those that a browser had before Connect is older is not known. Two calls give
// different values for one tab: compare their IDs.
func (b *Browser) Pages(ctx context.Context) ([]*Page, error) {
	open, err := b.tree.Pages(ctx)
	pages := make([]*Page, len(open))
	for i, p := range open {
		pages[i] = b.handle(p)
	}
	return pages, err
}

// CloseContext closes a browser context with its tabs, as an isolated tab is in one
// (Page.ContextID): for what another connection has left. That it is not there is no error.
func (b *Browser) CloseContext(ctx context.Context, id string) error {
	err := b.tree.CloseContext(ctx, id)
	var refused *cdp.Error
	if errors.As(err, &refused) { // the browser says so of one that it does not have
		return nil
	}
	return err
}

// handle returns a tab that is open. Where it is alone in a browser context of this browser's own,
// closing it closes that.
func (b *Browser) handle(p *target.Page) *Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Page{browser: b, target: p, private: b.contexts[p.ContextID()] && !p.HasOpener()}
}

// Endpoint is the WebSocket address of the browser, "" when it has none. Who
// knows it controls the browser.
func (b *Browser) Endpoint() string { return b.endpoint }

// Session describes the session that a provider opened the browser for: when it ends, and where
// it is found again. It is the zero SessionInfo of a browser that no provider opened.
func (b *Browser) Session() SessionInfo { return b.session }

// HasWindow reports whether the browser shows its pages to someone: not where it
// runs headless, and not where it does not say.
func (b *Browser) HasWindow(ctx context.Context) bool {
	if b.process != nil || b.keeper != nil {
		return b.headed
	}
	reply, err := b.client.Call(ctx, "", "SystemInfo.getInfo", nil)
	var info struct {
		CommandLine string `json:"commandLine"`
	}
	return err == nil && json.Unmarshal(reply, &info) == nil && info.CommandLine != "" && !strings.Contains(info.CommandLine, "--headless")
}

// Done is closed when the browser was closed or lost.
func (b *Browser) Done() <-chan struct{} { return b.client.Done() }

// Err returns why the browser is lost; it is ErrLost, with the cause where it was
// not Close. It is nil while the browser is there.
func (b *Browser) Err() error {
	err := b.client.Err()
	if err == nil || b.process == nil {
		return err
	}
	select {
	case <-b.process.exited:
		return fmt.Errorf("%w: the browser: %s", err, b.process.state)
	default:
		return err
	}
}

// Close ends a browser that Launch or Keep started, with its processes and its fresh
// profile, or that OpenSession opened; one that was connected to is left running, with
// its pages. It may be called again, and takes some seconds at most.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		if b.keeper != nil {
			b.closeErr = b.let(true)
			return
		}
		b.tree.FailHeld() // the browser would let it go
		if b.process != nil {
			b.client.Send("", "Browser.close", nil)
			b.process.wait(closeTimeout)
		}
		b.closeErr = b.client.Close()
		b.tree.Close()
		if b.process != nil {
			b.closeErr = errors.Join(b.closeErr, b.process.end())
		}
		if b.gate != nil {
			b.closeErr = errors.Join(b.closeErr, b.gate.Close())
		}
		if b.endSession != nil {
			b.closeErr = errors.Join(b.closeErr, b.endSession())
		}
	})
	return b.closeErr
}

// Page is a tab.
type Page struct {
	browser  *Browser
	target   *target.Page
	private  bool // alone in a browser context, which ends with it
	disposed sync.Once
}

// ID is the browser's name for the tab.
func (p *Page) ID() string { return p.target.ID() }

// ContextID is the browser's name for the browser context of an isolated tab, "" for one that is in
// none of its own.
func (p *Page) ContextID() string {
	if !p.private {
		return ""
	}
	return p.target.ContextID()
}

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

// Err returns why the tab can no longer be used: ErrPageClosed, also where Close of
// the browser closed it, ErrPageCrashed (until it is navigated) or ErrLost. It is
// nil while it can.
func (p *Page) Err() error { return p.target.Err() }

// Close closes the tab and returns when it is gone. It may be called again.
func (p *Page) Close(ctx context.Context) error {
	err := p.target.Close(ctx)
	if p.private {
		p.disposed.Do(func() {
			id := p.target.ContextID()
			p.browser.mu.Lock()
			open := p.browser.contexts[id]
			delete(p.browser.contexts, id)
			p.browser.mu.Unlock()
			if open {
				err = errors.Join(err, p.browser.tree.CloseContext(ctx, id))
			}
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

// rodSeam makes rod's browser over the same connection, when it is asked for.
type rodSeam struct {
	mu      sync.Mutex
	browser *rod.Browser
}

func (s *rodSeam) page(client *cdp.Client, id string) (*rod.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.browser == nil {
		b := rodOver(client)
		if err := b.Connect(); err != nil {
			return nil, err
		}
		s.browser = b
	}
	return s.browser.PageFromTarget(proto.TargetTargetID(id))
}

// rodOver is a rod browser that changes nothing on its own and prints nothing:
// what rod takes from its -rod flag is turned off, as its trace prints what is
// typed.
func rodOver(client rod.CDPClient) *rod.Browser {
	return rod.New().Client(client).NoDefaultDevice().ControlURL("").Monitor("").Trace(false)
}

// lostPage is a rod page whose every call returns err.
func lostPage(id string, err error) *rod.Page {
	b := rodOver(&lostClient{err: err})
	if b.Connect() != nil { // what lostClient answers is enough for this
		return nil
	}
	p, failed := b.PageFromTarget(proto.TargetTargetID(id))
	if failed != nil {
		return nil
	}
	return p
}

// lostClient is a connection to a browser that is not there.
type lostClient struct{ err error }

func (c *lostClient) Event() <-chan *rodcdp.Event {
	none := make(chan *rodcdp.Event)
	close(none)
	return none
}

// Call answers what rod asks to make a page, and nothing else.
func (c *lostClient) Call(_ context.Context, _, method string, _ any) ([]byte, error) {
	switch method {
	case "Target.setDiscoverTargets":
		return []byte(`{}`), nil
	case "Target.attachToTarget":
		return []byte(`{"sessionId":"lost"}`), nil
	}
	return nil, fmt.Errorf("%s: %w", method, c.err)
}
