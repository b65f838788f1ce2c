package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/page"
)

const (
	// worldName names the isolated world; the page cannot see it.
	worldName = "reprise"
	// bindingName is the function by which the script in a world is heard.
	bindingName = "__repriseSend"
)

// ErrNavigated is the error of a call whose document went away under it: ask
// again, the next document may have the answer.
var ErrNavigated = errors.New("the document was left")

// world is the isolated world of the current document.
type world struct {
	context int    // execution context; 0 is none yet
	token   string // by which the script knows that a call is for it
	loaded  bool   // the script is there
	loading bool   // or on its way
}

// Call calls a function of the page script in the frame's own world and decodes
// what it gives into out. ErrNavigated says that the document went away.
func (f *Frame) Call(ctx context.Context, out any, function string, args ...any) error {
	return f.call(ctx, nil, out, function, args)
}

// CallAt is Call for the document that was there at the mark: in another one
// nothing is called, and ErrNavigated says so.
func (f *Frame) CallAt(ctx context.Context, m Mark, out any, function string, args ...any) error {
	return f.call(ctx, &m, out, function, args)
}

func (f *Frame) call(ctx context.Context, m *Mark, out any, function string, args []any) error {
	w, err := f.enterAt(ctx, m)
	if err != nil {
		return err
	}
	return f.callIn(ctx, w, out, function, args)
}

func (f *Frame) callIn(ctx context.Context, w placed, out any, function string, args []any) error {
	reply, err := f.askIn(ctx, w, byValue, function, args)
	if err != nil {
		return f.explain(w, err)
	}
	return f.decode(w, reply, out)
}

// way is how a function of the script is called: by which name, and how what it gives
// comes back.
type way struct {
	name    string
	returns map[string]any
}

var (
	byValue = way{"call", map[string]any{"returnByValue": true}}
	// byHandle is for functions that give an element, which is described besides.
	byHandle = way{"element", map[string]any{"serializationOptions": map[string]any{
		"serialization": "deep", "additionalParameters": map[string]any{"maxNodeDepth": 0},
	}}}
)

// with adds how the result is to be returned to a command's parameters.
func (how way) with(params map[string]any) map[string]any {
	maps.Copy(params, how.returns)
	params["awaitPromise"], params["silent"] = true, true
	return params
}

// askIn calls a function in a world, which gets the script where it has none yet.
func (f *Frame) askIn(ctx context.Context, w placed, how way, function string, args []any) (json.RawMessage, error) {
	loaded, err := f.turn(ctx, w)
	if err != nil {
		return nil, err
	}
	if loaded {
		return f.evaluate(ctx, w, how, function, args)
	}
	return f.load(ctx, w, how, function, args)
}

// turn waits while someone else puts the script into a world. It reports false where the
// caller is to do so.
func (f *Frame) turn(ctx context.Context, w placed) (loaded bool, err error) {
	if w.loaded {
		return true, nil
	}
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		if f.world.token != w.token {
			return false, ErrNavigated
		}
		loaded = f.world.loaded
		mine := !loaded && !f.world.loading
		f.world.loading = f.world.loading || mine
		return loaded || mine, f.err()
	})
	return loaded, err
}

func invocation(w placed, how way, function string, args []any) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "__reprise.%s(%q,%q", how.name, w.token, function)
	for _, arg := range args {
		data, err := json.Marshal(arg)
		if err != nil {
			return "", fmt.Errorf("calling %s: %w", function, err)
		}
		b.WriteByte(',')
		b.Write(data)
	}
	b.WriteByte(')')
	return b.String(), nil
}

// placed is a world together with the session that it is reached by.
type placed struct {
	world
	session string
}

// enter returns the frame's world, made where the document has none yet.
func (f *Frame) enter(ctx context.Context) (placed, error) { return f.enterAt(ctx, nil) }

// enterAt is enter for the document that was there at the mark, if any.
func (f *Frame) enterAt(ctx context.Context, m *Mark) (placed, error) {
	t := f.page.tree
	var w placed
	var documents int
	var asked *cdp.Call
	err := t.Wait(ctx, func() (bool, error) {
		if f.err() != nil || t.sessions[f.session] == nil { // between two processes
			return false, f.err()
		}
		if m != nil && m.documents != f.history.documents {
			return false, ErrNavigated
		}
		w, documents = placed{f.world, f.session}, f.history.documents
		if w.context == 0 {
			asked = t.client.Send(w.session, "Page.createIsolatedWorld", map[string]any{"frameId": f.id, "worldName": worldName})
			f.bind(w.session)
		}
		return true, nil
	})
	if err != nil || asked == nil {
		return w, err
	}
	reply, err := asked.Wait(ctx)
	if err != nil {
		return placed{}, f.explain(w, err)
	}
	var made struct {
		Context int `json:"executionContextId"`
	}
	if err := json.Unmarshal(reply, &made); err != nil {
		return placed{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.history.documents != documents || f.session != w.session {
		return placed{}, ErrNavigated
	}
	f.settle(made.Context)
	return placed{f.world, f.session}, nil
}

// settle notes a new world.
func (f *Frame) settle(context int) {
	t := f.page.tree
	if f.world.context == context {
		return
	}
	f.dropWorld()
	t.tokens++
	f.world = world{context: context, token: fmt.Sprint(t.tokens)}
	s := t.sessions[f.session]
	if s == nil {
		return
	}
	s.worlds[context] = f
	early := s.early[context] // by a binding that was meant for another world
	delete(s.early, context)
	for _, payload := range early {
		f.heard(payload)
	}
}

// bind has the worlds of our name in a session's process heard, the one that was just
// asked for among them. The tree is locked.
func (f *Frame) bind(session string) {
	f.page.tree.client.Send(session, "Runtime.addBinding", map[string]any{"name": bindingName, "executionContextName": worldName})
}

// loader puts the script into a world and calls a function of it. It is the same
// text for every document, as Chrome keeps what it has compiled of a text: what
// differs comes as arguments.
//
// The number of a context is not enough to say where: a document that has come meanwhile,
// in another process, may use it too, for the page's own world. Only a world of our name
// has the binding.
var loader = `function() {
"use strict";
if (typeof ` + bindingName + ` !== "function") throw new Error("stale world");
` + page.Script + `
const [how, ...given] = arguments; __reprise.adopt(given[0]); return __reprise[how](...given);
}`

// load puts the script into a world and calls a function of it.
func (f *Frame) load(ctx context.Context, w placed, how way, function string, args []any) (json.RawMessage, error) {
	t := f.page.tree
	given := []any{argument{how.name}, argument{w.token}, argument{function}}
	for _, arg := range args {
		given = append(given, argument{arg})
	}
	t.mu.Lock()
	if f.world.token != w.token {
		t.mu.Unlock()
		return nil, ErrNavigated
	}
	f.world.loading, f.world.loaded = false, true // what is called from now on comes after it
	t.change()
	loading := t.client.Send(w.session, "Runtime.callFunctionOn", how.with(map[string]any{
		"executionContextId": w.context, "functionDeclaration": loader, "arguments": given,
	}))
	t.mu.Unlock()
	return loading.Wait(ctx)
}

// argument is a value that is handed to a function.
type argument struct {
	Value any `json:"value"`
}

// evaluate calls a function of the script in a world that has it.
func (f *Frame) evaluate(ctx context.Context, w placed, how way, function string, args []any) (json.RawMessage, error) {
	code, err := invocation(w, how, function, args)
	if err != nil {
		return nil, err
	}
	return f.page.tree.client.Call(ctx, w.session, "Runtime.evaluate", how.with(map[string]any{"expression": code, "contextId": w.context}))
}

// IsLeft reports whether err says that the document which was asked was left
// meanwhile: ask the next.
func IsLeft(err error) bool {
	return errors.Is(err, ErrNavigated) || cdp.IsContextGone(err)
}

// explain turns the churn of a page that navigates into ErrNavigated, and
// forgets a world that is no more.
func (f *Frame) explain(w placed, err error) error {
	gone := cdp.IsContextGone(err) || cdp.IsFrameGone(err) || errors.Is(err, cdp.ErrSessionGone)
	if !gone {
		return err
	}
	t := f.page.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.context != 0 && f.world.token == w.token {
		f.dropWorld()
	}
	if err := f.page.err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNavigated, err)
}

// decode reads the reply of an evaluation.
func (f *Frame) decode(w placed, reply json.RawMessage, out any) error {
	var answer struct {
		Result struct {
			Value struct {
				Value json.RawMessage `json:"value"`
			} `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return fmt.Errorf("reading what the page script said: %w", err)
	}
	if e := answer.Exception; e != nil {
		return f.exception(w, e.Text, e.Exception.Description)
	}
	if out == nil || len(answer.Result.Value.Value) == 0 {
		return nil
	}
	return json.Unmarshal(answer.Result.Value.Value, out)
}

// exception distinguishes a failure of the script from a call that reached another
// document than it was meant for.
func (f *Frame) exception(w placed, text, description string) error {
	if strings.Contains(description, "stale world") || strings.Contains(description, "__reprise is not defined") {
		return f.explain(w, &cdp.Error{Method: "Runtime.evaluate", Code: -32000, Message: "Cannot find context with specified id"})
	}
	return fmt.Errorf("the page script failed: %s %s", text, description)
}

// SetFiles puts files into a field for them, as a person's choice does: the field that
// a function of the page script gives, in the document that was there at the mark.
func (f *Frame) SetFiles(ctx context.Context, m Mark, paths []string, function string, args ...any) error {
	w, err := f.enterAt(ctx, &m)
	if err != nil {
		return err
	}
	el, err := f.element(ctx, w, function, args)
	if err != nil {
		return f.explain(w, err)
	}
	return f.explain(w, f.page.tree.ask(ctx, w.session, "DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": el.object}, nil))
}
