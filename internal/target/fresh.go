package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Chrome sends a request again by itself, a POST too, when the connection that it went
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

// Fresh has a page's requests that may change something go over connections of their
// own, so that the browser sends none of them twice.
type Fresh struct {
	page   *Page
	closer string // session that closes connections
	remove func()
}

// FreshConnections begins that. Stop it.
func (p *Page) FreshConnections(ctx context.Context) (*Fresh, error) {
	closer, err := p.tree.closer(ctx, p.context)
	if err != nil {
		return nil, err
	}
	f := &Fresh{page: p, closer: closer}
	f.remove = p.tree.client.OnEvent(f.onEvent)
	for _, call := range p.sendAll("Fetch.enable", nil) {
		if _, err := call.Wait(ctx); err != nil {
			f.Stop()
			return nil, err
		}
	}
	return f, nil
}

// sendAll sends a command to each session of the page.
func (p *Page) sendAll(method string, params any) []*cdp.Call {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	var calls []*cdp.Call
	for _, s := range p.tree.sessions {
		if s.page == p {
			calls = append(calls, p.tree.client.Send(s.id, method, params))
		}
	}
	return calls
}

// Stop ends it; what is held up goes on.
func (f *Fresh) Stop() {
	f.page.sendAll("Fetch.disable", nil)
	f.remove()
}

func (f *Fresh) onEvent(e cdp.Event) {
	var paused struct {
		RequestID string `json:"requestId"`
		Request   struct {
			Method string `json:"method"`
		} `json:"request"`
	}
	if e.Method != "Fetch.requestPaused" || json.Unmarshal(e.Params, &paused) != nil {
		return
	}
	t := f.page.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[e.SessionID]; s == nil || s.page != f.page {
		return
	}
	goOn := func() {
		t.client.Send(e.SessionID, "Fetch.continueRequest", map[string]any{"requestId": paused.RequestID})
	}
	if paused.Request.Method == "GET" || paused.Request.Method == "HEAD" || paused.Request.Method == "OPTIONS" {
		goOn()
		return
	}
	closing := t.client.Send(f.closer, "Runtime.evaluate", map[string]any{"expression": closesIdle, "awaitPromise": true})
	t.job(func(ctx context.Context) {
		_, _ = closing.Wait(ctx) // without it the request is sent as ever
		goOn()
	})
}

// closers are the sessions of the pages that close connections, by browser context.
type closers struct {
	sync.Mutex
	sessions map[string]string
}

// closer gives the session of a page that can close idle connections, in a browser
// context. Nobody sees it, and it ends with this connection.
func (t *Tree) closer(ctx context.Context, contextID string) (string, error) {
	t.closers.Lock()
	defer t.closers.Unlock()
	if known := t.closers.sessions[contextID]; known != "" && t.ask(ctx, known, "Runtime.evaluate", map[string]any{"expression": "0"}, nil) == nil {
		return known, nil
	}
	session, err := t.openCloser(ctx, contextID)
	if err != nil {
		return "", fmt.Errorf("opening the page that closes connections: %w", err)
	}
	if t.closers.sessions == nil {
		t.closers.sessions = map[string]string{}
	}
	t.closers.sessions[contextID] = session
	return session, nil
}

func (t *Tree) openCloser(ctx context.Context, contextID string) (string, error) {
	params := map[string]any{"url": "about:blank", "background": true, "hidden": true}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		return "", err
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := t.ask(ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached); err != nil {
		return "", err
	}
	var went struct {
		Error string `json:"errorText"`
	}
	if err := t.ask(ctx, attached.SessionID, "Page.navigate", map[string]any{"url": internals}, &went); err != nil {
		return "", err
	}
	if went.Error != "" {
		return "", errors.New(went.Error)
	}
	var closed struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	if err := t.ask(ctx, attached.SessionID, "Runtime.evaluate", map[string]any{"expression": closesIdle, "awaitPromise": true}, &closed); err != nil {
		return "", err
	}
	if !closed.Result.Value {
		return "", errors.New("the page does not do it in this browser")
	}
	return attached.SessionID, nil
}
