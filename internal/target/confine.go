package target

import (
	"context"
	"slices"
)

// Confine fails, unsent, each request of the page, of its frames and dedicated workers and
// of the pages that it opens, for which leaks returns true: of every kind, also what only
// reads. Leaks is called with the tree locked, so it must be quick and call nothing of the
// tree. A page has one such function, the last, as long as it lives.
func (p *Page) Confine(ctx context.Context, leaks func(*Request) bool) error {
	var already bool
	p.tree.Do(func() { already, p.leaks = p.leaks != nil, leaks })
	if already {
		return nil
	}
	return p.intercept(ctx)
}

// What is paused, besides mayCarry: every request, and none.
var (
	allRequests = map[string]any{"patterns": []map[string]any{{}}}
	noRequests  = map[string]any{"patterns": []map[string]any{{"urlPattern": "none:"}}}
)

// paused says which requests are paused. The tree is locked.
func (p *Page) paused() map[string]any {
	switch {
	case p.leaks != nil:
		return allRequests
	case p.intercepts():
		return mayCarry
	}
	return noRequests
}

// carriesAway fails a request that would carry something away; false where it would not.
func (p *Page) carriesAway(e *pausedEvent, session string) bool {
	if p.leaks == nil {
		return false
	}
	r := e.request(p, session)
	for name, value := range e.Request.Headers {
		r.Headers = append(r.Headers, name+": "+value)
	}
	slices.Sort(r.Headers)
	if !p.leaks(r) {
		return false
	}
	p.tree.client.Send(session, "Fetch.failRequest", map[string]any{"requestId": e.RequestID, "errorReason": "BlockedByClient"})
	return true
}
