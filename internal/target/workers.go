package target

import (
	"encoding/json"
	"strings"
)

// Service workers and shared workers belong to no page: several of a browser context share
// them, and what they ask for is in no page's session. Their requests are paused for the
// pages of their context, and judged as one of these pages'. A dedicated worker's requests
// are those of its page.

// isShared reports whether a target is such a worker, and not one of an extension.
func isShared(info targetInfo) bool {
	return (info.Type == "service_worker" || info.Type == "shared_worker") && strings.HasPrefix(info.URL, "http")
}

// attachWorker pauses the requests of a worker that has not begun. The tree is locked.
func (t *Tree) attachWorker(sessionID string, info targetInfo) {
	t.workers[sessionID] = info.BrowserContextID
	if patterns := t.pausedIn(info.BrowserContextID); patterns != nil {
		t.client.Send(sessionID, "Fetch.enable", patterns)
	}
}

// pausedIn says which requests of a browser context's workers are paused, nil for none.
func (t *Tree) pausedIn(context string) map[string]any {
	var patterns map[string]any
	for _, p := range t.pages {
		switch {
		case p.context != context:
		case p.leaks != nil:
			return allRequests
		case p.holding != nil:
			patterns = mayCarry
		}
	}
	return patterns
}

// onWorkerPaused fails, holds or lets go what a worker asks for.
func (t *Tree) onWorkerPaused(sessionID string, params json.RawMessage) {
	var e pausedEvent
	if json.Unmarshal(params, &e) != nil {
		return
	}
	for _, p := range t.pages {
		if p.context == t.workers[sessionID] && p.carriesAway(&e, sessionID) {
			return
		}
	}
	if !onlyReads(e.Request.Method) {
		for _, p := range t.pages {
			if p.context == t.workers[sessionID] && p.holding != nil && p.holding.holds(e.request(p, sessionID)) {
				return
			}
		}
	}
	t.client.Send(sessionID, "Fetch.continueRequest", map[string]any{"requestId": e.RequestID})
}
