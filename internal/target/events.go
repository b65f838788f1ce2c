package target

import (
	"encoding/json"

	"github.com/go-reprise/reprise/internal/cdp"
)

type targetInfo struct {
	TargetID         string `json:"targetId"`
	Type             string `json:"type"`
	URL              string `json:"url"`
	OpenerID         string `json:"openerId"`
	BrowserContextID string `json:"browserContextId"`
	ParentFrameID    string `json:"parentFrameId"`
}

type frameInfo struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId"`
	LoaderID string `json:"loaderId"`
	URL      string `json:"url"`
	Fragment string `json:"urlFragment"`
}

// handlers say what an event changes. They run in the browser's order on the
// goroutine that reads, with the tree locked: they may send, and never wait.
var handlers = map[string]func(*Tree, *session, json.RawMessage){
	"Target.attachedToTarget":       (*Tree).onAttached,
	"Target.detachedFromTarget":     (*Tree).onDetached,
	"Inspector.targetCrashed":       (*Tree).onCrashed,
	"Page.frameAttached":            (*Tree).onFrameAttached,
	"Page.frameDetached":            (*Tree).onFrameDetached,
	"Page.frameNavigated":           (*Tree).onFrameNavigated,
	"Page.frameRequestedNavigation": (*Tree).onFrameRequested,
	"Page.frameStoppedLoading":      (*Tree).onStopped,
	"Page.documentOpened":           (*Tree).onDocumentOpened,
	"Page.navigatedWithinDocument":  (*Tree).onWithinDocument,
	"Page.javascriptDialogOpening":  (*Tree).onDialog,
	"Page.windowOpen":               (*Tree).onWindowOpen,
	"Runtime.bindingCalled":         (*Tree).onMessage,
}

func (t *Tree) onEvent(e cdp.Event) {
	handle := handlers[e.Method]
	if handle == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[e.SessionID]
	if s == nil && e.SessionID != "" {
		return // a session of rod's, or one that has just ended
	}
	handle(t, s, e.Params)
}

func (t *Tree) onAttached(parent *session, params json.RawMessage) {
	var e struct {
		SessionID string     `json:"sessionId"`
		Info      targetInfo `json:"targetInfo"`
		Waiting   bool       `json:"waitingForDebugger"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	switch {
	case e.Info.Type == "page" && t.pages[e.Info.TargetID] == nil:
		t.attachPage(e.SessionID, e.Info)
	case e.Info.Type == "iframe" && parent != nil:
		t.attachFrame(parent, e.SessionID, e.Info)
	}
	if e.Waiting {
		t.client.Send(e.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	}
	t.change()
}

func (t *Tree) attachPage(sessionID string, info targetInfo) {
	p := newPage(t, sessionID, info)
	t.pages[p.id] = p
	t.sessions[sessionID] = &session{id: sessionID, page: p, worlds: map[int]*Frame{}}
	if opener := t.openerOf(info); opener != nil {
		p.opener = opener
		p.recording = opener.recording
		p.watchers, p.dialogs = opener.watchers, opener.dialogs
		p.prepare(sessionID)
		opener.popups = append(opener.popups, p)
		for _, w := range p.watchers {
			w.Opened(p)
		}
	}
}

// openerOf finds the page in use that a new one was opened by. A noopener window
// names none; then it is the page that has just asked for such a window.
func (t *Tree) openerOf(info targetInfo) *Page {
	if p := t.pages[info.OpenerID]; p != nil {
		if p.active {
			return p
		}
		return nil
	}
	for _, p := range t.pages {
		if p.active && p.context == info.BrowserContextID && p.windows > 0 {
			p.windows--
			return p
		}
	}
	return nil
}

func (t *Tree) attachFrame(parent *session, sessionID string, info targetInfo) {
	p := parent.page
	t.sessions[sessionID] = &session{id: sessionID, page: p, worlds: map[int]*Frame{}}
	f := p.frame(info.TargetID, info.ParentFrameID)
	f.move(sessionID)
	f.url = info.URL
	p.prepare(sessionID)
}

func (t *Tree) onDetached(_ *session, params json.RawMessage) {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	s := t.sessions[e.SessionID]
	if s == nil {
		return
	}
	delete(t.sessions, e.SessionID)
	if s.id == s.page.session {
		s.page.closed = true
		delete(t.pages, s.page.id)
	}
	t.change()
}

func (t *Tree) onCrashed(s *session, _ json.RawMessage) {
	if s == nil {
		return
	}
	if s.id == s.page.session {
		s.page.crashed = true
	}
	t.change()
}

func (t *Tree) onFrameAttached(s *session, params json.RawMessage) {
	var e struct {
		FrameID       string `json:"frameId"`
		ParentFrameID string `json:"parentFrameId"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	f := s.page.frame(e.FrameID, e.ParentFrameID)
	if f.session == "" {
		f.session = s.id
	}
	s.page.install(f)
	t.change()
}

func (t *Tree) onFrameDetached(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
		Reason  string `json:"reason"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil || e.Reason == "swap" {
		return
	}
	s.page.remove(e.FrameID)
	t.change()
}

func (t *Tree) onFrameNavigated(s *session, params json.RawMessage) {
	var e struct {
		Frame frameInfo `json:"frame"`
		Type  string    `json:"type"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	p := s.page
	f := p.frame(e.Frame.ID, e.Frame.ParentID)
	p.removeChildren(f)
	f.move(s.id)
	f.documents++
	f.url = e.Frame.URL + e.Frame.Fragment
	f.loaders[e.Frame.LoaderID] = true
	if f.parent == nil {
		p.crashed = false
	}
	p.navigated(f, Navigation{URL: f.url, Asked: f.asked, Restored: e.Type == "BackForwardCacheRestore"})
	f.asked = ""
	p.install(f)
	t.change()
}

func (t *Tree) onFrameRequested(s *session, params json.RawMessage) {
	var e struct {
		FrameID     string `json:"frameId"`
		Reason      string `json:"reason"`
		Disposition string `json:"disposition"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil || e.Disposition != "currentTab" {
		return
	}
	if f := s.page.frames[e.FrameID]; f != nil {
		f.asked = e.Reason
	}
}

// onStopped ends a navigation that came to nothing: a download, an empty reply.
func (t *Tree) onStopped(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	if f := s.page.frames[e.FrameID]; f != nil && f.asked != "" {
		f.asked = ""
		t.change()
	}
}

func (t *Tree) onDocumentOpened(s *session, params json.RawMessage) {
	var e struct {
		Frame frameInfo `json:"frame"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	f := s.page.frame(e.Frame.ID, e.Frame.ParentID)
	f.url = e.Frame.URL + e.Frame.Fragment
	s.page.install(f)
	t.change()
}

func (t *Tree) onWithinDocument(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	f := s.page.frames[e.FrameID]
	if f == nil {
		return
	}
	f.url, f.asked = e.URL, ""
	s.page.navigated(f, Navigation{URL: e.URL, Within: true})
	t.change()
}

func (t *Tree) onWindowOpen(s *session, _ json.RawMessage) {
	if s != nil {
		s.page.windows++
	}
}

func (t *Tree) onMessage(s *session, params json.RawMessage) {
	var e struct {
		Name    string `json:"name"`
		Payload string `json:"payload"`
		Context int    `json:"executionContextId"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil || e.Name != bindingName {
		return
	}
	f := s.worlds[e.Context]
	if f == nil {
		return
	}
	s.page.heard(f, json.RawMessage(e.Payload))
	t.change()
}
