package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-reprise/reprise/internal/cdp"
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
	from      string // where the last that has started goes, before any redirect
	heading   string // where the last of them goes, until one has come or ended
	failed    string // the address that its document stands for, where that could not be loaded
	vain      bool   // the last came to nothing, or to a download that is not told yet
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

// frame returns the page's frame of that id, made where it is not known.
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

// Between a frame and the element that holds it, in the document around it.

// Holder is the element that holds a frame.
type Holder struct {
	parent *Frame
	world  placed
	object string // the element, in that world
	// Inert reports that the frame may run no scripts: then no timer runs in it, not even
	// one of ours.
	Inert bool
}

// Call calls a function of the page script, in the parent's world, with the element as
// its first argument. ErrNavigated says that the parent's document went away.
func (h *Holder) Call(ctx context.Context, out any, function string, args ...any) error {
	return h.parent.callOn(ctx, h.world, h.object, out, function, args)
}

// CallOnOwner is Holder.Call for whatever element holds this frame now.
func (f *Frame) CallOnOwner(ctx context.Context, out any, function string, args ...any) error {
	parent := f.Parent()
	if parent == nil {
		return errors.New("a page's main frame has no element")
	}
	w, err := parent.ready(ctx)
	if err != nil {
		return err
	}
	object, err := f.owner(ctx, w)
	if err != nil {
		return parent.explain(w, err)
	}
	return parent.callOn(ctx, w, object, out, function, args)
}

// ready returns the frame's world with the script in it.
func (f *Frame) ready(ctx context.Context) (placed, error) {
	if w, err := f.enter(ctx); err != nil || w.loaded {
		return w, err
	}
	if err := f.Call(ctx, nil, "flush"); err != nil {
		return placed{}, err
	}
	return f.enter(ctx)
}

// callOn calls a function of the page script with an object of the world w as its
// first argument.
func (f *Frame) callOn(ctx context.Context, w placed, object string, out any, function string, args []any) error {
	data, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return fmt.Errorf("calling %s: %w", function, err)
	}
	declaration := fmt.Sprintf("function(){return __reprise.call(%q,%q,this,...%s)}", w.token, function, data)
	reply, err := f.page.tree.client.Call(ctx, w.session, "Runtime.callFunctionOn", map[string]any{
		"objectId": object, "functionDeclaration": declaration, "awaitPromise": true, "returnByValue": true, "silent": true,
	})
	if err != nil {
		return f.explain(w, err)
	}
	return f.decode(w, reply, out)
}

// owner returns the element that holds the frame, as an object in the world w.
func (f *Frame) owner(ctx context.Context, w placed) (objectID string, err error) {
	t := f.page.tree
	var node struct {
		BackendNodeID int `json:"backendNodeId"`
	}
	if err := t.ask(ctx, w.session, "DOM.getFrameOwner", map[string]any{"frameId": f.id}, &node); err != nil {
		return "", err
	}
	var resolved struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	err = t.ask(ctx, w.session, "DOM.resolveNode", map[string]any{"backendNodeId": node.BackendNodeID, "executionContextId": w.context}, &resolved)
	return resolved.Object.ObjectID, err
}

// ErrNoFrame: the element that was asked for is not there, or holds no frame.
var ErrNoFrame = errors.New("there is no such frame")

// Child calls a function of the page script that gives an element, and returns
// the frame that this element holds.
func (f *Frame) Child(ctx context.Context, function string, args ...any) (*Frame, *Holder, error) {
	w, err := f.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	el, err := f.element(ctx, w, function, args)
	if err == nil && el.FrameID == "" {
		err = ErrNoFrame
	}
	if err != nil {
		return nil, nil, f.explain(w, err)
	}
	var child *Frame
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		child = f.page.frames[el.FrameID]
		return child != nil, f.err()
	})
	return child, &Holder{parent: f, world: w, object: el.object, Inert: el.inert()}, err
}

// element calls a function of the page script that gives an element of the world w.
func (f *Frame) element(ctx context.Context, w placed, function string, args []any) (element, error) {
	reply, err := f.askIn(ctx, w, byHandle, function, args)
	if err != nil {
		return element{}, err
	}
	var answer struct {
		Result struct {
			ObjectID string `json:"objectId"`
			Deep     struct {
				Value element `json:"value"`
			} `json:"deepSerializedValue"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return element{}, fmt.Errorf("reading what the page script gave: %w", err)
	}
	if answer.Result.ObjectID == "" || answer.Exception != nil {
		return element{}, ErrNoFrame
	}
	el := answer.Result.Deep.Value
	el.object = answer.Result.ObjectID
	return el, nil
}

// element is an element of a page, as the browser describes it.
type element struct {
	FrameID       string            `json:"frameId"` // that it holds
	Attributes    map[string]string `json:"attributes"`
	BackendNodeID int               `json:"backendNodeId"`

	object string
}

// inert reports whether the element keeps its frame from running scripts.
func (el element) inert() bool {
	allowed, sandboxed := el.Attributes["sandbox"]
	return sandboxed && !slices.ContainsFunc(strings.Fields(allowed), func(token string) bool { return strings.EqualFold(token, "allow-scripts") })
}

// Listens reports whether the page listens to one of the types of event right at
// the element that a function of the page script gives.
func (f *Frame) Listens(ctx context.Context, types []string, function string, args ...any) (bool, error) {
	w, err := f.enter(ctx)
	if err != nil {
		return false, err
	}
	el, err := f.element(ctx, w, function, args)
	if err != nil {
		return false, f.explain(w, err)
	}
	object, err := f.inPage(ctx, w, el)
	if err != nil {
		return false, f.explain(w, err)
	}
	type listener struct {
		Type string `json:"type"`
	}
	var found struct {
		Listeners []listener `json:"listeners"`
	}
	if err := f.page.tree.ask(ctx, w.session, "DOMDebugger.getEventListeners", map[string]any{"objectId": object}, &found); err != nil {
		return false, f.explain(w, err)
	}
	return slices.ContainsFunc(found.Listeners, func(l listener) bool { return slices.Contains(types, l.Type) }), nil
}

// inPage returns an element as an object of the page's own world: the listeners of
// a world are shown only to itself. Nothing runs there.
func (f *Frame) inPage(ctx context.Context, w placed, el element) (string, error) {
	var resolved struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	err := f.page.tree.ask(ctx, w.session, "DOM.resolveNode", map[string]any{"backendNodeId": el.BackendNodeID}, &resolved)
	return resolved.Object.ObjectID, err
}

// Closed shadow roots: no script can see them, and the protocol can.

// hostsAsked is what the page script says when it wants to know of elements
// whether they have one.
const hostsAsked = `{"type":"hosts"}`

// giveRoots hands the page script the closed shadow roots of the elements that
// it asks about.
func (f *Frame) giveRoots(ctx context.Context) error {
	if err := f.Call(ctx, nil, "flush"); err != nil { // the world knows that it is meant
		return err
	}
	w, err := f.enter(ctx)
	if err != nil {
		return err
	}
	g := giver{f: f, w: w, group: fmt.Sprint("roots ", answers.Add(1))}
	defer f.page.tree.client.Send(w.session, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": g.group})
	asked, hosts, err := g.hosts(ctx)
	if err != nil {
		return f.explain(w, err)
	}
	return f.explain(w, g.give(ctx, asked, hosts))
}

// giver is one answer.
type giver struct {
	f     *Frame
	w     placed
	group string // of the objects that it holds, and no other answer
}

var answers atomic.Uint64

type object struct {
	ID string `json:"objectId"`
}

func (g giver) ask(ctx context.Context, method string, params map[string]any, out any) error {
	return g.f.page.tree.ask(ctx, g.w.session, method, params, out)
}

// hosts are the elements that are asked about: as one list, and each.
func (g giver) hosts(ctx context.Context) (list object, each []object, err error) {
	var asked struct {
		Result    object          `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err = g.ask(ctx, "Runtime.evaluate", map[string]any{
		"expression": "__reprise.element(" + strconv.Quote(g.w.token) + `,"hosts")`, "contextId": g.w.context, "objectGroup": g.group, "silent": true,
	}, &asked)
	if err != nil {
		return object{}, nil, err
	}
	if asked.Exception != nil {
		return object{}, nil, ErrNavigated
	}
	var held struct {
		Properties []struct {
			Name  string `json:"name"`
			Value object `json:"value"`
		} `json:"result"`
	}
	err = g.ask(ctx, "Runtime.getProperties", map[string]any{"objectId": asked.Result.ID, "ownProperties": true}, &held)
	for _, p := range held.Properties {
		if i, err := strconv.Atoi(p.Name); err == nil && i == len(each) {
			each = append(each, p.Value)
		}
	}
	return asked.Result, each, err
}

// give finds the roots and hands them over, with the indices of their hosts.
func (g giver) give(ctx context.Context, asked object, hosts []object) error {
	if len(hosts) == 0 {
		return nil
	}
	nodes, err := g.closedRoots(ctx, hosts)
	if err != nil {
		return err
	}
	at, roots := []int{}, []any{}
	for i, call := range g.resolve(nodes) {
		var resolved struct {
			Object object `json:"object"`
		}
		if call == nil || read(ctx, call, &resolved) != nil {
			continue // it has none, or has gone meanwhile
		}
		at = append(at, i)
		roots = append(roots, resolved.Object)
	}
	arguments := append([]any{argument{g.w.token}, argument{at}}, roots...)
	reply, err := g.f.page.tree.client.Call(ctx, g.w.session, "Runtime.callFunctionOn", map[string]any{
		"objectId":            asked.ID,
		"functionDeclaration": `function(token, at, ...roots) { return __reprise.call(token, "adoptRoots", this, at, roots) }`,
		"arguments":           arguments, "returnByValue": true, "silent": true,
	})
	if err != nil {
		return err
	}
	return g.f.decode(g.w, reply, nil)
}

// closedRoots returns the node of each host's closed root, 0 where there is none.
// The browser's own roots, as those of fields, stay its own.
func (g giver) closedRoots(ctx context.Context, hosts []object) ([]int, error) {
	calls := make([]*cdp.Call, len(hosts))
	for i, host := range hosts {
		calls[i] = g.f.page.tree.client.Send(g.w.session, "DOM.describeNode", map[string]any{"objectId": host.ID})
	}
	nodes := make([]int, len(hosts))
	for i, call := range calls {
		var described struct {
			Node struct {
				Roots []struct {
					Node int    `json:"backendNodeId"`
					Type string `json:"shadowRootType"`
				} `json:"shadowRoots"`
			} `json:"node"`
		}
		if err := read(ctx, call, &described); err != nil {
			return nil, err
		}
		for _, root := range described.Node.Roots {
			if root.Type == "closed" {
				nodes[i] = root.Node
			}
		}
	}
	return nodes, nil
}

// resolve asks for nodes as objects in the script's world; nil where there is no node.
func (g giver) resolve(nodes []int) []*cdp.Call {
	calls := make([]*cdp.Call, len(nodes))
	for i, node := range nodes {
		if node != 0 {
			calls[i] = g.f.page.tree.client.Send(g.w.session, "DOM.resolveNode", map[string]any{
				"backendNodeId": node, "executionContextId": g.w.context, "objectGroup": g.group,
			})
		}
	}
	return calls
}

// read waits for a reply and decodes it.
func read(ctx context.Context, call *cdp.Call, out any) error {
	reply, err := call.Wait(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(reply, out)
}
