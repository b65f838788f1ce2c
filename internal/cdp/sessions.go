package cdp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Methods of the events that begin and end sessions.
const (
	attached       = "Target.attachedToTarget"
	detached       = "Target.detachedFromTarget"
	targetCrashed  = "Target.targetCrashed"    // to whoever discovers targets
	selfCrashed    = "Inspector.targetCrashed" // to the session itself
	reloaded       = "Inspector.targetReloadedAfterCrash"
	frameNavigated = "Page.frameNavigated"
)

// sessions knows every session that the browser told of. Chrome does not
// answer the calls of a session that ends or crashes; the client does.
type sessions map[string]session

type session struct{ parent, target string }

// beginSession keeps a session that begins. One to a page that is known to have
// crashed begins crashed: it is told of the crash much later or never.
func (c *Client) beginSession(e Event) {
	if e.Method != attached {
		return
	}
	var p struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			TargetID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if json.Unmarshal(e.Params, &p) != nil || p.SessionID == "" {
		return
	}
	c.mu.Lock()
	for _, sibling := range c.sessions.of(p.TargetInfo.TargetID) {
		if c.crashed[sibling] {
			c.crashed[p.SessionID] = true
		}
	}
	c.mu.Unlock()
	c.sessions[p.SessionID] = session{parent: e.SessionID, target: p.TargetInfo.TargetID}
}

// family is the session and those that were attached through it, which end
// with it.
func (s sessions) family(id string) []string {
	all := []string{id}
	for i := 0; i < len(all); i++ {
		for child, of := range s {
			if of.parent == all[i] && child != all[i] {
				all = append(all, child)
			}
		}
	}
	return all
}

func (s sessions) of(target string) []string {
	if target == "" {
		return nil
	}
	var all []string
	for id, of := range s {
		if of.target == target {
			all = append(all, id)
		}
	}
	return all
}

// followSessions fails what can no longer be answered. It runs after the
// event's handlers: who gets the error finds the event handled.
func (c *Client) followSessions(e Event) {
	switch e.Method {
	case detached:
		var p struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(e.Params, &p) == nil && p.SessionID != "" {
			c.detach(p.SessionID)
		}
	case selfCrashed:
		c.crash(e.SessionID)
	case targetCrashed:
		var p struct {
			TargetID string `json:"targetId"`
		}
		if json.Unmarshal(e.Params, &p) == nil {
			c.crash(c.sessions.of(p.TargetID)...)
		}
	case reloaded, frameNavigated:
		c.revive(e.SessionID)
	}
}

func (c *Client) detach(id string) {
	gone := c.sessions.family(id)
	c.failSessions(gone, ErrSessionGone, func() {
		for _, s := range gone {
			delete(c.crashed, s)
		}
	})
	for _, s := range gone {
		delete(c.sessions, s)
	}
}

// crash may be told twice of one crash, and must not fail the navigation that
// was sent in between.
func (c *Client) crash(ids ...string) {
	c.mu.Lock()
	ids = slices.DeleteFunc(ids, func(s string) bool { return c.crashed[s] })
	c.mu.Unlock()
	c.failSessions(ids, ErrCrashed, func() {
		for _, s := range ids {
			c.crashed[s] = true
		}
	})
}

func (c *Client) revive(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.crashed, id)
}

// failSessions gives err to the calls in flight of the sessions; mark runs with
// the lock held.
func (c *Client) failSessions(ids []string, err error, mark func()) {
	in := make(map[string]bool, len(ids))
	for _, id := range ids {
		in[id] = true
	}
	var calls []*Call
	c.mu.Lock()
	mark()
	for id, call := range c.pending {
		if in[call.sessionID] {
			calls = append(calls, call)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, call := range calls {
		call.finish(nil, fmt.Errorf("%s: %w", call.method, err))
	}
}

// revives reports whether a command can still be answered after a crash: the
// browser process does these, and a navigation starts a new renderer.
func revives(method string) bool {
	switch method {
	case "Page.navigate", "Page.reload", "Page.close", "Page.navigateToHistoryEntry":
		return true
	}
	return strings.HasPrefix(method, "Target.")
}
