package target

import (
	"context"
	"strings"
)

// Frame is a page's document or one embedded in it, wherever it is rendered.
type Frame struct {
	page *Page
	id   string

	// Guarded by the tree.
	parent  string // its id; it may not be known yet, as where a tree is read from its leaves
	session string
	url     string
	loader  string // of its document, where that was there before
	history history
	world   world
	gone    bool
	loading bool // what its document is made of
	unheard bool // its document has told nothing yet

	asked     string // the page's reason for the navigation under way
	unstarted int    // navigations that it asked for and that have not started
	heading   string // where the last of them goes, until one has come or ended
	failed    string // the address that its document stands for, where that could not be loaded
	sought    bool   // the request of the navigation under way has reached the browser
}

// ID is the browser's name for the frame.
func (f *Frame) ID() string { return f.id }

// Page is the page that the frame is in.
func (f *Frame) Page() *Page { return f.page }

// Parent is the frame that holds this one, nil for a page's main frame.
func (f *Frame) Parent() *Frame {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.up()
}

// Apart reports whether the frame is in another process than the page's main document:
// what happens in the one is told independently of the other.
func (f *Frame) Apart() bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.session != f.page.main.session
}

// Tasks waits until the frame's document has done what it had to do by now: two tasks of
// its own. It does not come back in a frame that may run no scripts.
func (f *Frame) Tasks(ctx context.Context) error {
	w, err := f.enter(ctx)
	if err != nil {
		return err
	}
	const tasks = "new Promise(done => setTimeout(() => setTimeout(done)))"
	return f.explain(w, f.page.tree.ask(ctx, w.session, "Runtime.evaluate", byValue.with(map[string]any{"expression": tasks, "contextId": w.context}), nil))
}

func (f *Frame) up() *Frame {
	if f == f.page.main {
		return nil
	}
	if parent := f.page.frames[f.parent]; parent != nil {
		return parent
	}
	return f.page.main
}

// URL is the address of the frame's document.
func (f *Frame) URL() string {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.url
}

// Gone reports whether the frame was removed.
func (f *Frame) Gone() bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.gone || f.page.closed
}

// Address is the address that says whose document this is: a frame without one
// of its own (about:blank, srcdoc) belongs to the document around it, unless it
// lives in another process: then another site has put it there.
func (f *Frame) Address() string {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	at := f
	for at.url == "" || strings.HasPrefix(at.url, "about:") { // "" while its first document is on its way
		parent := at.up()
		if parent == nil || parent.session != at.session {
			break
		}
		at = parent
	}
	return at.url
}

func (f *Frame) err() error {
	if f.gone {
		return ErrNavigated
	}
	return f.page.err()
}

// move notes that the frame's document is another one, or rendered elsewhere.
func (f *Frame) move(sessionID string) {
	f.dropWorld()
	f.session = sessionID
}

func (f *Frame) dropWorld() {
	if s := f.page.tree.sessions[f.session]; s != nil && s.worlds[f.world.context] == f {
		delete(s.worlds, f.world.context)
	}
	f.world = world{}
}

// frame gives the page's frame of that id, made where it is not known.
func (p *Page) frame(id, parentID string) *Frame {
	f := p.frames[id]
	if f == nil {
		f = &Frame{page: p, id: id}
		p.frames[id] = f
	}
	if parentID != "" {
		f.parent = parentID
	}
	return f
}

// remove drops a frame and those within it.
func (p *Page) remove(id string) {
	f := p.frames[id]
	if f == nil || f == p.main {
		return
	}
	p.dropChildren(f, false)
	f.dropWorld()
	p.tree.dropSession(f)
	f.gone = true
	delete(p.frames, id)
}

// dropSession ends the session of a frame that had one of its own. Chrome does so
// itself, but not always where the frame had only just begun.
func (t *Tree) dropSession(f *Frame) {
	s := t.sessions[f.session]
	if s == nil || s.root != f.id {
		return
	}
	delete(t.sessions, s.id)
	t.client.Send(s.parent, "Target.detachFromTarget", map[string]any{"sessionId": s.id})
}
