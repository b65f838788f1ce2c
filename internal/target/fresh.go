package target

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/load"
)

// Chrome sends a request again on its own, a POST too, when the connection that it went
// over had been used before and ends without an answer: the server may have closed it
// meanwhile, and may as well have done what it was asked
// (net/http/http_network_transaction.cc, ShouldResendRequest). Only a request on a
// connection of its own is sent once. There is no protocol command for that; the page
// for the network's internals can close the connections that lie idle.
const internals = "chrome://net-internals/#sockets"

// closesIdle is done when the network has done it: the page's messages are worked on in
// their order, and the second one is answered.
const closesIdle = `import("chrome://resources/js/cr.js").then(({sendWithPromise}) => {
	chrome.send("closeIdleSockets");
	return sendWithPromise("hstsQuery", "done.invalid").then(() => true);
})`

// closing has the network do it, by the page that can.
var closing = map[string]any{"expression": closesIdle, "awaitPromise": true}

// CloseIdle closes the connections that lie idle in a browser context, "" for the browser's own.
func (t *Tree) CloseIdle(ctx context.Context, contextID string) error {
	closer, err := t.closer(ctx, contextID)
	if err != nil {
		return err
	}
	return t.ask(ctx, closer, "Runtime.evaluate", closing, nil)
}

// Fresh has a page's requests that may change something go over connections of their
// own, so that the browser sends none of them twice.
type Fresh struct {
	page  *Page
	since uint64 // births: pages that it has opened later belong to it
}

// FreshConnections begins that. Stop it.
func (p *Page) FreshConnections(ctx context.Context) (*Fresh, error) {
	closer, err := p.tree.closer(ctx, p.context)
	if err != nil {
		return nil, err
	}
	f := &Fresh{page: p, since: births.Load()}
	var begun bool
	p.tree.Do(func() {
		begun = p.intercepts()
		p.fresh++
		p.closer = closer
	})
	if begun {
		return f, nil
	}
	if err := p.intercept(ctx); err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

// maxLoading bounds the wait for what documents are made of: some never have all.
const maxLoading = 2 * time.Second

var errLoading = errors.New("the page still loads")

// Loaded waits until the page's documents are whole, for as long as that may take: a
// connection over which a part of one has just come would lie idle again, after all such
// have been closed.
func (p *Page) Loaded(ctx context.Context) error {
	return p.loaded(ctx, maxLoading, func() bool {
		for _, f := range p.frames {
			if f.loading && !f.gone {
				return false
			}
		}
		return true
	})
}

// Loaded waits until the frame's document is whole, or has had its time for it.
func (f *Frame) Loaded(ctx context.Context, atMost time.Duration) error {
	return f.page.loaded(ctx, atMost, func() bool { return !f.loading || f.gone })
}

func (p *Page) loaded(ctx context.Context, atMost time.Duration, whole func() bool) error {
	bounded, cancel := load.WithTimeoutCause(ctx, atMost, errLoading)
	defer cancel()
	err := p.tree.Wait(bounded, func() (bool, error) { return whole(), p.err() })
	if errors.Is(err, errLoading) {
		return nil
	}
	return err
}

// Stop ends it.
func (f *Fresh) Stop() {
	var over []*Page
	f.page.tree.Do(func() {
		for _, of := range f.page.family(f.since) {
			if of.fresh--; !of.intercepts() {
				over = append(over, of)
			}
		}
	})
	for _, of := range over {
		of.pauseRequests()
	}
}

// closers are the sessions of the pages that close connections, by browser context.
type closers struct {
	sync.Mutex
	sessions map[string]closerPage
	failed   map[string]error // the last that could not be opened
}

// closerPage is such a page, and the session that speaks to it.
type closerPage struct{ target, session string }

// closeCloser closes the page of a browser context that is about to end: it is not
// closed with that.
func (t *Tree) closeCloser(ctx context.Context, contextID string) {
	t.closers.Lock()
	defer t.closers.Unlock()
	if known, open := t.closers.sessions[contextID]; open {
		delete(t.closers.sessions, contextID)
		_ = t.ask(ctx, "", "Target.closeTarget", map[string]any{"targetId": known.target}, nil) // it may be gone
	}
}

// closer returns the session of a page that can close idle connections, in a browser
// context. No one sees it, and it ends with this connection.
func (t *Tree) closer(ctx context.Context, contextID string) (string, error) {
	t.closers.Lock()
	defer t.closers.Unlock()
	if err := t.closers.failed[contextID]; err != nil {
		return "", err
	}
	if known, open := t.closers.sessions[contextID]; open && t.ask(ctx, known.session, "Runtime.evaluate", map[string]any{"expression": "0"}, nil) == nil {
		return known.session, nil
	}
	page, err := t.openCloser(ctx, contextID)
	if err != nil {
		err = fmt.Errorf("opening the page that closes connections: %w", err)
		if ctx.Err() == nil && t.client.Err() == nil {
			t.closers.failed = map[string]error{contextID: err} // it will not be otherwise
		}
		return "", err
	}
	if t.closers.sessions == nil {
		t.closers.sessions = map[string]closerPage{}
	}
	t.closers.sessions[contextID] = page
	return page.session, nil
}

func (t *Tree) openCloser(ctx context.Context, contextID string) (page closerPage, err error) {
	params := map[string]any{"url": "about:blank", "background": true, "hidden": true}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		return page, err
	}
	defer func() {
		if err != nil {
			t.client.Send("", "Target.closeTarget", map[string]any{"targetId": made.TargetID})
		}
	}()
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := t.ask(ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return page, err
	}
	var went struct {
		Error string `json:"errorText"`
	}
	if err := t.ask(ctx, attached.SessionID, "Page.navigate", map[string]any{"url": internals}, &went); err != nil {
		return page, err
	}
	if went.Error != "" {
		return page, errors.New(went.Error)
	}
	var closed struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	if err := t.ask(ctx, attached.SessionID, "Runtime.evaluate", map[string]any{"expression": closesIdle, "awaitPromise": true}, &closed); err != nil {
		return page, err
	}
	if !closed.Result.Value {
		return page, errors.New("the page does not do it in this browser")
	}
	return closerPage{made.TargetID, attached.SessionID}, nil
}
