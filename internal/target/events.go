package target

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
)

// What the browser tells changes the tree here, an event a function.

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
	Failed   string `json:"unreachableUrl"`
}

// handlers say what an event changes. They run in the browser's order on the
// goroutine that reads, with the tree locked: they may send, and never wait.
var handlers = map[string]func(*Tree, *session, json.RawMessage){
	"Target.attachedToTarget":            (*Tree).onAttached,
	"Target.detachedFromTarget":          (*Tree).onDetached,
	"Inspector.targetCrashed":            (*Tree).onCrashed,
	"Fetch.requestPaused":                (*Tree).onPaused,
	"Network.requestWillBeSentExtraInfo": (*Tree).onHeaders,
	"Network.responseReceived":           (*Tree).onAnswer,
	"Network.loadingFinished":            (*Tree).onRead,
	"Network.loadingFailed":              (*Tree).onRead,
	"Page.frameAttached":                 (*Tree).onFrameAttached,
	"Page.frameDetached":                 (*Tree).onFrameDetached,
	"Page.frameNavigated":                (*Tree).onFrameNavigated,
	"Page.frameRequestedNavigation":      (*Tree).onFrameRequested,
	"Page.frameStartedNavigating":        (*Tree).onFrameStarted,
	"Page.frameStartedLoading":           (*Tree).onLoading,
	"Page.frameStoppedLoading":           (*Tree).onStopped,
	"Page.documentOpened":                (*Tree).onDocumentOpened,
	"Page.navigatedWithinDocument":       (*Tree).onWithinDocument,
	"Page.javascriptDialogOpening":       (*Tree).onDialog,
	"Page.javascriptDialogClosed":        (*Tree).onDialogClosed,
	"Page.downloadWillBegin":             (*Tree).onDownload,
	"Page.screencastFrame":               (*Tree).onScreencastFrame,
	"Page.fileChooserOpened":             (*Tree).onFileChooser,
	"Browser.downloadProgress":           (*Tree).onProgress,
	"Runtime.bindingCalled":              (*Tree).onMessage,
	"Overlay.inspectNodeRequested":       (*Tree).onPointed,
	"Overlay.inspectModeCanceled":        (*Tree).onNotPointed,
}

func (t *Tree) onEvent(e cdp.Event) {
	handle := handlers[e.Method]
	if handle == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[e.SessionID]
	if _, is := t.workers[e.SessionID]; is && e.Method == "Fetch.requestPaused" {
		t.onWorkerPaused(e.SessionID, e.Params)
		return
	}
	if contextID, is := t.emulations.workers[e.SessionID]; (is || t.dedicated[e.SessionID] != nil) && e.Method == "Target.attachedToTarget" {
		t.onNested(contextID, t.dedicated[e.SessionID], e.Params)
		return
	}
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
		t.attachFrame(parent, e.SessionID, e.Info, e.Waiting)
	case isShared(e.Info) && parent == nil: // a page's session attaches service workers again
		t.attachWorker(e.SessionID, e.Info)
		t.emulateIn(e.SessionID, e.Info.BrowserContextID)
	case e.Info.Type == "worker" && parent != nil:
		t.attachDedicated(e.SessionID, parent)
	}
	if e.Waiting {
		t.client.Send(e.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	}
	t.change()
}

// attachDedicated has a worker that has not begun emulate, and tell of its requests: they are its page's.
func (t *Tree) attachDedicated(sessionID string, of *session) {
	t.dedicated[sessionID] = of
	t.emulateIn(sessionID, of.page.context)
	if of.page.traffic > 0 {
		of.page.watchTraffic(sessionID)
	}
	t.client.Send(sessionID, "Target.setAutoAttach", autoAttach())
}

// watched is the session of the page, or the frame, that has a request of the session; nil for another's.
func (t *Tree) watched(sessionID string) *session {
	if of := t.dedicated[sessionID]; of != nil {
		return of
	}
	return t.sessions[sessionID]
}

// onNested lets a worker begin that another has started, which may be of a page.
func (t *Tree) onNested(contextID string, of *session, params json.RawMessage) {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	if of != nil {
		t.attachDedicated(e.SessionID, of)
	} else {
		t.emulateIn(e.SessionID, contextID)
	}
	t.client.Send(e.SessionID, "Runtime.runIfWaitingForDebugger", nil)
}

func (t *Tree) attachPage(sessionID string, info targetInfo) {
	p := newPage(t, sessionID, info)
	p.asking = t.open[p.id]
	delete(t.open, p.id)
	t.pages[p.id] = p
	t.sessions[sessionID] = &session{id: sessionID, page: p, root: p.id, worlds: map[int]*Frame{}, early: map[int][]string{}}
	p.emulate(sessionID)
	if opener := t.openerOf(info); opener != nil {
		p.opener = opener
		p.recording, p.pointing = opener.recording, opener.pointing
		p.place = opener.place
		p.watchers, p.dialogs = opener.watchers, opener.dialogs
		p.traffic, p.fresh, p.closer, p.holding, p.leaks = opener.traffic, opener.fresh, opener.closer, opener.holding, opener.leaks
		p.prepare(sessionID)
		p.survey(sessionID) // a tab opened with Ctrl may be there already
		opener.popups = append(opener.popups, p)
		for _, w := range p.watchers {
			w.Opened(p)
		}
	}
}

// newTabTimeout is how long after a person asked for a link in a new tab that
// tab may come.
const newTabTimeout = 2 * time.Second

// openerOf finds the page in use that a new one was opened by. Chrome names it,
// also for noopener windows, unless a person opened a link with Ctrl, Shift or
// the middle button: then a tab without an address follows the page's telling of
// the click.
func (t *Tree) openerOf(info targetInfo) *Page {
	if info.OpenerID != "" {
		if p := t.pages[info.OpenerID]; p != nil && p.active {
			return p
		}
		return nil
	}
	if info.URL != "" {
		return nil // another program's
	}
	for _, p := range t.pages {
		if p.context == info.BrowserContextID && time.Since(p.newTab) < newTabTimeout {
			p.newTab = time.Time{}
			return p
		}
	}
	return nil
}

func (t *Tree) attachFrame(parent *session, sessionID string, info targetInfo, waiting bool) {
	p := parent.page
	t.sessions[sessionID] = &session{id: sessionID, parent: parent.id, page: p, root: info.TargetID, worlds: map[int]*Frame{}, early: map[int][]string{}}
	f := p.frame(info.TargetID, info.ParentFrameID)
	f.move(sessionID)
	f.url = info.URL
	p.emulate(sessionID)
	p.prepare(sessionID)
	if p.cast != nil {
		t.client.Send(sessionID, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": true})
	}
	p.shape++
	if !waiting { // it was there before
		p.survey(sessionID)
	}
}

func (t *Tree) onDetached(_ *session, params json.RawMessage) {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	delete(t.workers, e.SessionID)
	delete(t.dedicated, e.SessionID)
	delete(t.emulations.workers, e.SessionID)
	s := t.sessions[e.SessionID]
	if s == nil {
		return
	}
	delete(t.sessions, e.SessionID)
	maps.DeleteFunc(t.dedicated, func(_ string, of *session) bool { return of == s })
	if s.id == s.page.session {
		t.forget(s.page)
	}
	t.emulateAgain(s.page.context)
	t.change()
}

// forget drops a page that was closed, with the sessions of frames that no one
// tells the end of.
func (t *Tree) forget(p *Page) {
	if n := len(p.main.history.places); n > 0 && time.Since(p.main.history.places[n-1].at) < quickestAct {
		p.main.unheard = false // it has closed itself, as the answer to a form in a popup does
	}
	p.main.ended()
	p.closed = true
	close(p.done)
	delete(t.pages, p.id)
	for id, s := range t.sessions {
		if s.page == p {
			delete(t.sessions, id)
		}
	}
}

func (t *Tree) onCrashed(s *session, _ json.RawMessage) {
	if s == nil {
		return
	}
	if s.id == s.page.session {
		s.page.crashed = true
		for _, w := range s.page.watchers {
			if w, is := w.(CrashWatcher); is {
				w.Crashed(s.page)
			}
		}
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
	s.page.shape++
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
	s.page.shape++
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
	restored := e.Type == "BackForwardCacheRestore"
	p.dropChildren(f, restored)
	f.replaced()
	f.move(s.id)
	if s.root == f.id {
		clear(s.early)                                                                                   // of the worlds that were there: they have told what they could
		t.forgetReads(p.context, e.Frame.LoaderID, func(session string) bool { return session == s.id }) // what the last document asked for ends with it
	}
	f.history.documents++
	f.url = e.Frame.URL + e.Frame.Fragment
	f.began()
	f.failed = e.Frame.Failed
	if f == p.main {
		p.crashed = false
		p.arrived()
	}
	p.navigated(f, Navigation{URL: f.url, From: f.from, Asked: f.asked, Restored: restored}, e.Frame.LoaderID)
	f.asked, f.from, f.unstarted, f.heading, f.vain = "", "", 0, "", false
	p.shape++
	p.install(f)
	if restored {
		p.survey(s.id) // no event reports the frames that came back with it
	}
	t.change()
}

// dropChildren removes the frames that were in a frame's last document. Those of
// another process that come back with a document from the cache are attached
// before it is told of: they stay.
func (p *Page) dropChildren(parent *Frame, restored bool) {
	for id, f := range p.frames {
		back := restored && f.session != parent.session && p.tree.sessions[f.session] != nil
		if f != p.main && f.parent == parent.id && !back {
			p.remove(id)
		}
	}
}

func (t *Tree) onFrameRequested(s *session, params json.RawMessage) {
	var e struct {
		FrameID     string `json:"frameId"`
		Reason      string `json:"reason"`
		Disposition string `json:"disposition"`
		URL         string `json:"url"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	switch f := s.page.frames[e.FrameID]; {
	case e.Disposition == "newTab" || e.Disposition == "newWindow":
		s.page.newTab = time.Now()
	case e.Disposition == "currentTab" && f != nil:
		f.asked, f.sought, f.vain = e.Reason, false, false
		f.unstarted++
		if f == s.page.main {
			f.heading = e.URL
			s.page.heads(e.URL)
		}
	}
}

func (t *Tree) onFrameStarted(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
		Type    string `json:"navigationType"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil || e.Type == "sameDocument" {
		return
	}
	f := s.page.frames[e.FrameID]
	if f == nil {
		return
	}
	f.from = e.URL
	if f.unstarted > 0 {
		f.unstarted--
	}
}

func (t *Tree) onLoading(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	if f := s.page.frames[e.FrameID]; f != nil {
		f.loading = true
	}
}

// onStopped notes that a frame has all that its document is made of. It ends a
// navigation that came to nothing: a download, an empty reply, but not one that has
// taken its place and is still to start.
func (t *Tree) onStopped(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	f := s.page.frames[e.FrameID]
	if f == nil {
		return
	}
	f.loading = false
	if f.unstarted == 0 {
		f.vain = f.vain || f.asked != ""
		f.asked, f.heading = "", ""
	}
	t.change()
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
	f.url = e.URL // a navigation that was asked for goes on
	s.page.navigated(f, Navigation{URL: e.URL, Within: true}, "")
	t.change()
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
	if f := s.worlds[e.Context]; f != nil {
		f.heard(e.Payload)
	} else if s.page.recording != nil {
		s.early[e.Context] = append(s.early[e.Context], e.Payload)
	}
}
