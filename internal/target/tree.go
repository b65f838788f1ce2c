// Package target keeps the live tree of what a browser shows: its pages, their
// frames wherever those are rendered, and in each document an isolated world
// in which Reprise's script runs, unseen by the page.
//
// One mechanism finds everything: the browser attaches each new page and each
// out-of-process frame to this connection before its first script runs, and
// holds it until it was prepared.
package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
)

// ErrClosed is the error of what is asked of a page that was closed.
var ErrClosed = errors.New("the page was closed")

// Options of a Tree. The zero value works.
type Options struct {
	// Script runs in each document's own world before the page's scripts.
	// Default: none, as whatever runs there can be found by the page.
	Script string
	// Rules say where pages may go: each browser context that NewContext makes gets a gate
	// of its own. Default: pages go wherever the browser itself lets them.
	Rules *gate.Rules
	// Gate is that of the browser's own context. It stays the caller's. Default: none.
	Gate *gate.Gate
	// OutOfReach is called where the browser does not reach gates on this machine's loopback,
	// as from another machine or container: it has none then. Default: that it does is
	// taken for granted.
	OutOfReach func()
	// Away says that the browser is on another machine, and reaches no gates. Default: false.
	Away bool
	// Emulation is that of the browser's own context, where all pages in it are the caller's.
	// Default: none.
	Emulation *Emulation
	// Keep has browser contexts that NewContext makes stay when the connection ends. Default:
	// they end with it.
	Keep bool
	// Sockets are where gates listen in a browser that outlives this process. Default: there are
	// none.
	Sockets Sockets
	// Contexts are the browser contexts that it has already. The tree closes their gates, once there
	// is one. Default: there are none.
	Contexts Contexts
	// Dialogs are open, and were before this connection. Default: there are none.
	Dialogs []OpenDialog
}

// OpenDialog is a dialog that was open before the connection, and the session that answers it.
type OpenDialog struct {
	Dialog
	PageID, Session string
}

// Tree is the pages and frames of one browser.
type Tree struct {
	client *cdp.Client
	script string
	keep   bool // browser contexts outlive the connection
	unhook func()

	mu            sync.Mutex
	pages         map[string]*Page    // by target
	sessions      map[string]*session // by session
	workers       map[string]string   // the browser contexts of service and shared workers, by session
	open          map[string]*dialog  // that were before the connection, by page
	dialogs       int                 // how many have opened since
	tokens        int                 // of worlds, so far
	changed       chan struct{}       // closed and replaced whenever anything here changes
	closed        bool
	secretOrigins []string // where secrets were typed
	jobs          sync.WaitGroup
	closers       closers
	gates         gates
	emulations    emulations
	saving        saving
	run           func(job func(context.Context)) // with a context that ends when the tree closes
	cancel        func()
}

// session is a way to speak to one renderer's part of a page.
type session struct {
	id       string
	parent   string // session, "" for a page's
	page     *Page
	root     string           // the frame that it is of
	worlds   map[int]*Frame   // by execution context
	early    map[int][]string // what was heard of worlds whose frame is not known yet
	recorder *script          // nil while nothing is recorded
	learner  *script          // what became known of secrets since; nil for nothing
}

// attachFilter is what the tree wants to hear of: pages, frames and workers. What is not
// attached, and waits, would never start.
var attachFilter = []map[string]any{
	{"type": "browser", "exclude": true}, {"type": "browser_ui", "exclude": true}, {"type": "tab", "exclude": true}, {},
}

func autoAttach() map[string]any {
	return map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": attachFilter}
}

// New takes hold of a browser's pages. They are left as they are until they are
// opened or asked for. The client stays the caller's.
func New(ctx context.Context, client *cdp.Client, o *Options) (*Tree, error) {
	if o == nil {
		o = &Options{}
	}
	t := &Tree{
		client:     client,
		script:     o.Script,
		keep:       o.Keep,
		pages:      map[string]*Page{},
		sessions:   map[string]*session{},
		workers:    map[string]string{},
		open:       map[string]*dialog{},
		changed:    make(chan struct{}),
		saving:     saving{users: map[string]int{}, progress: map[string]DownloadProgress{}},
		gates:      gates{rules: o.Rules, own: o.Gate, outOfReach: o.OutOfReach, away: o.Away, of: map[string]*gate.Gate{}, sockets: o.Sockets},
		emulations: emulations{own: o.Emulation, of: map[string]*Emulation{}, workers: map[string]string{}},
	}
	for id, g := range o.Contexts.Gates {
		t.setGate(id, g)
	}
	maps.Copy(t.emulations.of, o.Contexts.Emulations)
	for _, d := range o.Dialogs {
		t.open[d.PageID] = &dialog{Dialog: d.Dialog, session: d.Session}
	}
	if o.Emulation != nil {
		o.Emulation.Configure(o.Gate)
	}
	if o.Gate != nil {
		o.Gate.SetPlaces(func(ctx context.Context) ([]string, error) { return t.places(ctx, "") })
	}
	jobs, cancel := context.WithCancel(context.Background())
	t.run = func(job func(context.Context)) { t.jobs.Go(func() { job(jobs) }) }
	t.cancel = cancel
	t.run(t.lose)
	t.unhook = client.OnEvent(t.onEvent)
	if err := t.begin(ctx, o); err != nil {
		t.LeaveGates()
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Tree) begin(ctx context.Context, o *Options) error {
	if _, err := t.client.Call(ctx, "", "Target.setAutoAttach", autoAttach()); err != nil {
		return fmt.Errorf("watching the browser's pages: %w", err)
	}
	if o.Emulation == nil {
		return nil
	}
	if err := t.noteGate(ctx, "", o.Gate); err != nil {
		return err
	}
	return t.emulateContext(ctx, "", o.Emulation)
}

// Client is the connection below the tree.
func (t *Tree) Client() *cdp.Client { return t.client }

// Close stops watching and waits for what the tree began. The pages stay open.
func (t *Tree) Close() {
	t.FailHeld()
	t.unhook()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.cancel()
	t.jobs.Wait()
	t.removeSaved()
	t.closeGates()
}

// lose notes the end of the connection: no event does.
func (t *Tree) lose(ctx context.Context) {
	select {
	case <-t.client.Done():
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pages {
		close(p.done)
	}
	clear(t.pages)
	clear(t.sessions)
}

// job has work done that waits for replies, which those who hold the lock must
// not. The tree is locked.
func (t *Tree) job(work func(context.Context)) {
	if !t.closed {
		t.run(work)
	}
}

// OpenOptions say where a new page goes. The zero value works.
type OpenOptions struct {
	// ContextID is the browser context, as from NewContext. Default: the browser's own.
	ContextID string
	// Window has the page open in a window of its own. Default: a tab.
	Window bool
}

// NewContext makes a browser context: pages in it share cookies and storage with
// one another and with no one else. They emulate what e says, nil for nothing.
func (t *Tree) NewContext(ctx context.Context, e *Emulation) (string, error) {
	opened, err := t.openGateFor(ctx, e)
	if err != nil {
		return "", err
	}
	id, err := t.contextBehind(ctx, opened)
	if err != nil {
		return "", err
	}
	t.Do(func() { t.emulations.of[id] = e })
	if e != nil {
		if err := t.emulateContext(ctx, id, e); err != nil {
			return "", errors.Join(err, t.CloseContext(context.WithoutCancel(ctx), id))
		}
	}
	return id, nil
}

// contextBehind makes a browser context with a gate, or nil for none.
func (t *Tree) contextBehind(ctx context.Context, g *gate.Gate) (string, error) {
	params := map[string]any{"disposeOnDetach": !t.keep}
	if g != nil {
		params["proxyServer"], params["proxyBypassList"] = g.Proxy(), gate.Bypass
	}
	var made struct {
		BrowserContextID string `json:"browserContextId"`
	}
	if err := t.ask(ctx, "", "Target.createBrowserContext", params, &made); err != nil {
		if g != nil {
			err = errors.Join(err, g.Close())
		}
		return "", err
	}
	t.setGate(made.BrowserContextID, g)
	return made.BrowserContextID, t.noteGate(ctx, made.BrowserContextID, g)
}

// CloseContext closes a browser context with all its pages.
func (t *Tree) CloseContext(ctx context.Context, id string) error {
	t.closeCloser(ctx, id)
	err := t.ask(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": id}, nil)
	t.Do(func() { delete(t.emulations.of, id) })
	return errors.Join(err, t.closeGate(ctx, id))
}

// Open opens a page at an address ("" is a blank page) and returns when its
// document is there, not when all of it has loaded.
func (t *Tree) Open(ctx context.Context, url string, o *OpenOptions) (*Page, error) {
	params := map[string]any{"url": "about:blank"}
	if o != nil && o.ContextID != "" {
		params["browserContextId"] = o.ContextID
	}
	if o != nil && o.Window {
		params["newWindow"] = true
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := t.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		return nil, fmt.Errorf("opening a page: %w", err)
	}
	p, err := t.page(ctx, made.TargetID)
	if err != nil {
		return nil, err
	}
	if err := p.emulated(ctx); err != nil {
		return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	if url != "" && url != "about:blank" {
		if err := p.Navigate(ctx, url); err != nil {
			return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
		}
	}
	return p, nil
}

// Page returns an open page, taken into use: its frames are known, unless a dialog keeps it from
// telling. Where there is none, the error is ErrClosed.
func (t *Tree) Page(ctx context.Context, id string) (*Page, error) {
	open, err := t.Pages(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(open, func(p *Page) bool { return p.id == id }) {
		return nil, fmt.Errorf("the page %s: %w", id, ErrClosed)
	}
	return t.page(ctx, id)
}

// page waits for a target to be attached, and takes its page into use.
func (t *Tree) page(ctx context.Context, id string) (*Page, error) {
	var p *Page
	err := t.Wait(ctx, func() (bool, error) {
		p = t.pages[id]
		return p != nil, nil
	})
	if err != nil {
		return nil, err
	}
	p.Use()
	// Chrome loses a navigation that comes before the page has begun to run.
	return p, t.Wait(ctx, func() (bool, error) { return p.surveyed || p.asking != nil, p.err() })
}

// Pages are the open pages, oldest first. Those that were open before this
// connection are as they were: Use takes one into use.
func (t *Tree) Pages(ctx context.Context) ([]*Page, error) {
	var open struct {
		Infos []targetInfo `json:"targetInfos"`
	}
	if err := t.ask(ctx, "", "Target.getTargets", map[string]any{"filter": attachFilter}, &open); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var pages []*Page
	for _, info := range open.Infos {
		p := t.pages[info.TargetID]
		if p == nil {
			continue // a frame, or closed just now
		}
		if !p.active && info.URL != "" {
			p.main.url = info.URL // no event tells
		}
		pages = append(pages, p)
	}
	sortByAge(pages)
	return pages, nil
}

// Wait returns when cond holds; cond runs with the tree locked, whenever
// something in it has changed. An error of cond, the end of ctx (its cause) or
// of the connection ends the wait.
func (t *Tree) Wait(ctx context.Context, cond func() (bool, error)) error {
	for {
		t.mu.Lock()
		ok, err := cond()
		changed := t.changed
		t.mu.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.client.Done():
			return t.client.Err()
		}
	}
}

// Do runs f with the tree locked, as watchers are.
func (t *Tree) Do(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// change wakes those who wait that something is different. The tree is locked.
func (t *Tree) change() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// ask sends a command, waits, and decodes the reply into out, which may be nil.
func (t *Tree) ask(ctx context.Context, session, method string, params, out any) error {
	reply, err := t.client.Call(ctx, session, method, params)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(reply, out)
}

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
	"Target.attachedToTarget":       (*Tree).onAttached,
	"Target.detachedFromTarget":     (*Tree).onDetached,
	"Inspector.targetCrashed":       (*Tree).onCrashed,
	"Fetch.requestPaused":           (*Tree).onPaused,
	"Page.frameAttached":            (*Tree).onFrameAttached,
	"Page.frameDetached":            (*Tree).onFrameDetached,
	"Page.frameNavigated":           (*Tree).onFrameNavigated,
	"Page.frameRequestedNavigation": (*Tree).onFrameRequested,
	"Page.frameStartedNavigating":   (*Tree).onFrameStarted,
	"Page.frameStartedLoading":      (*Tree).onLoading,
	"Page.frameStoppedLoading":      (*Tree).onStopped,
	"Page.documentOpened":           (*Tree).onDocumentOpened,
	"Page.navigatedWithinDocument":  (*Tree).onWithinDocument,
	"Page.javascriptDialogOpening":  (*Tree).onDialog,
	"Page.javascriptDialogClosed":   (*Tree).onDialogClosed,
	"Page.downloadWillBegin":        (*Tree).onDownload,
	"Page.screencastFrame":          (*Tree).onScreencastFrame,
	"Page.fileChooserOpened":        (*Tree).onFileChooser,
	"Browser.downloadProgress":      (*Tree).onProgress,
	"Runtime.bindingCalled":         (*Tree).onMessage,
	"Overlay.inspectNodeRequested":  (*Tree).onPointed,
	"Overlay.inspectModeCanceled":   (*Tree).onNotPointed,
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
	if contextID, is := t.emulations.workers[e.SessionID]; is && e.Method == "Target.attachedToTarget" {
		t.onNested(contextID, e.Params)
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
		t.emulateIn(e.SessionID, parent.page.context)
	}
	if e.Waiting {
		t.client.Send(e.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	}
	t.change()
}

// onNested lets a worker begin that another has started.
func (t *Tree) onNested(contextID string, params json.RawMessage) {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &e) == nil {
		t.emulateIn(e.SessionID, contextID)
		t.client.Send(e.SessionID, "Runtime.runIfWaitingForDebugger", nil)
	}
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
	delete(t.emulations.workers, e.SessionID)
	s := t.sessions[e.SessionID]
	if s == nil {
		return
	}
	delete(t.sessions, e.SessionID)
	if s.id == s.page.session {
		t.forget(s.page)
	}
	t.emulateAgain(s.page.context)
	t.change()
}

// forget drops a page that was closed, with the sessions of frames that no one
// tells the end of.
func (t *Tree) forget(p *Page) {
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
		clear(s.early) // of the worlds that were there: they have told what they could
	}
	f.history.documents++
	f.url = e.Frame.URL + e.Frame.Fragment
	f.began()
	f.failed = e.Frame.Failed
	if f == p.main {
		p.crashed = false
		p.arrived()
	}
	p.navigated(f, Navigation{URL: f.url, Asked: f.asked, Restored: restored}, e.Frame.LoaderID)
	f.asked, f.unstarted, f.heading, f.vain = "", 0, "", false
	p.shape++
	p.install(f)
	if restored {
		p.survey(s.id) // no one tells of the frames that came back with it
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
		Type    string `json:"navigationType"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil || e.Type == "sameDocument" {
		return
	}
	if f := s.page.frames[e.FrameID]; f != nil && f.unstarted > 0 {
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
