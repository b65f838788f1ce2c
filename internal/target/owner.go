package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Between a frame and the element that holds it, in the document around it.

// Holder is the element that holds a frame.
type Holder struct {
	parent *Frame
	world  placed
	object string // the element, in that world
	// Inert says that the frame may run no scripts: then no timer runs in it, not even
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

// ready gives the frame's world with the script in it.
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

// owner gives the element that holds the frame, as an object in the world w.
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

// inPage gives an element as an object of the page's own world: the listeners of
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
