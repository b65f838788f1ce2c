package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Between a frame and the element that holds it, in the document around it.

// CallOnOwner calls a function of the page script, in the parent's world, with
// the element that holds this frame as its first argument.
func (f *Frame) CallOnOwner(ctx context.Context, out any, function string, args ...any) error {
	parent := f.Parent()
	if parent == nil {
		return errors.New("a page's main frame has no element")
	}
	if err := parent.Call(ctx, nil, "flush"); err != nil { // the world is there, and has the script
		return err
	}
	w, err := parent.enter(ctx)
	if err != nil {
		return err
	}
	object, err := f.owner(ctx, w)
	if err != nil {
		return parent.explain(w, err)
	}
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("calling %s: %w", function, err)
	}
	declaration := fmt.Sprintf("function(){return __reprise.call(%q,%q,this,...%s)}", w.token, function, data)
	reply, err := f.page.tree.client.Call(ctx, w.session, "Runtime.callFunctionOn", map[string]any{
		"objectId": object, "functionDeclaration": declaration, "awaitPromise": true, "returnByValue": true, "silent": true,
	})
	if err != nil {
		return parent.explain(w, err)
	}
	return parent.decode(w, reply, out)
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
func (f *Frame) Child(ctx context.Context, function string, args ...any) (*Frame, error) {
	if err := f.Call(ctx, nil, "flush"); err != nil { // the world is there, and has the script
		return nil, err
	}
	w, err := f.enter(ctx)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", function, err)
	}
	id, err := f.frameOf(ctx, w, fmt.Sprintf("__reprise.element(%q,%q,...%s)", w.token, function, data))
	if err != nil {
		return nil, f.explain(w, err)
	}
	var child *Frame
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		child = f.page.frames[id]
		return child != nil, f.err()
	})
	return child, err
}

// frameOf gives the id of the frame that the element of an expression holds.
func (f *Frame) frameOf(ctx context.Context, w placed, expression string) (string, error) {
	var element struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err := f.page.tree.ask(ctx, w.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "contextId": w.context, "awaitPromise": true, "silent": true,
	}, &element)
	if err != nil {
		return "", err
	}
	if element.Result.ObjectID == "" || element.Exception != nil {
		return "", ErrNoFrame
	}
	var described struct {
		Node struct {
			FrameID string `json:"frameId"`
		} `json:"node"`
	}
	err = f.page.tree.ask(ctx, w.session, "DOM.describeNode", map[string]any{"objectId": element.Result.ObjectID}, &described)
	if err == nil && described.Node.FrameID == "" {
		err = ErrNoFrame
	}
	return described.Node.FrameID, err
}
