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
	dedicated     map[string]*session // the sessions of the pages whose dedicated workers these are, by session
	workers       map[string]string   // the browser contexts of service and shared workers, by session
	open          map[string]*dialog  // that were before the connection, by page
	dialogs       int                 // how many have opened since
	tokens        int                 // of worlds, so far
	changed       chan struct{}       // closed and replaced whenever anything here changes
	closed        bool
	secretOrigins []string // where secrets were typed
	jobs          sync.WaitGroup
	closers       closers
	reads         map[string]*reads // by browser context
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
		dedicated:  map[string]*session{},
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
		o.Gate.SetPlaces(func(ctx context.Context) (gate.Places, error) { return t.places(ctx, "") })
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
	t.Do(func() {
		delete(t.emulations.of, id)
		delete(t.reads, id)
	})
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
