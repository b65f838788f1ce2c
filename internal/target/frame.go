package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

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

// Frame is a page's document or one embedded in it, wherever it is rendered.
type Frame struct {
	page *Page
	id   string

	// Guarded by the tree.
	parent      *Frame
	session     string
	url         string
	loaders     map[string]bool // of the documents that it has had
	documents   int             // that it has had since it was watched
	navigations []string        // the addresses that it went to, those within a document included
	asked       string          // the page's reason for the navigation under way
	world       world
	gone        bool
}

// world is the isolated world of the current document.
type world struct {
	context int    // execution context; 0 is none yet
	token   string // by which the script knows that a call is for it
	loaded  bool   // the script is there
}

func newFrame(p *Page, id string) *Frame {
	return &Frame{page: p, id: id, loaders: map[string]bool{}}
}

// ID is the browser's name for the frame.
func (f *Frame) ID() string { return f.id }

// Page is the page that the frame is in.
func (f *Frame) Page() *Page { return f.page }

// Parent is the frame that holds this one, nil for a page's main frame.
func (f *Frame) Parent() *Frame {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.parent
}

// URL is the address of the frame's document.
func (f *Frame) URL() string {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.url
}

// Mark is a place in the history of a frame.
type Mark struct{ navigations, documents int }

// Mark notes where the frame's history stands, for Since and Left.
func (f *Frame) Mark() Mark {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return Mark{len(f.navigations), f.documents}
}

// Left reports whether the frame got another document since the mark, or is gone.
func (f *Frame) Left(m Mark) bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.gone || f.page.closed || f.documents > m.documents
}

// WaitURL returns when the frame has gone, after the mark, to an address that
// satisfies ok. The mark that it gives is right behind that address.
func (f *Frame) WaitURL(ctx context.Context, m Mark, ok func(url string) bool) (Mark, error) {
	reached := m
	err := f.page.tree.Wait(ctx, func() (bool, error) {
		for i := m.navigations; i < len(f.navigations); i++ {
			if ok(f.navigations[i]) {
				reached = Mark{i + 1, f.documents}
				return true, nil
			}
		}
		return false, f.err()
	})
	return reached, err
}

// WaitAt returns when the frame is at an address that satisfies ok.
func (f *Frame) WaitAt(ctx context.Context, ok func(url string) bool) error {
	return f.page.tree.Wait(ctx, func() (bool, error) { return ok(f.url), f.err() })
}

// WaitOr returns when cond holds, or when the frame got another document since
// the mark or is gone: left. cond runs with the tree locked.
func (f *Frame) WaitOr(ctx context.Context, m Mark, cond func() bool) (left bool, err error) {
	err = f.page.tree.Wait(ctx, func() (bool, error) {
		left = f.gone || f.documents > m.documents
		return cond() || left, f.page.err()
	})
	return left, err
}

// longestSettling bounds the wait for a navigation that was asked for: some are
// never begun, and nothing says so (another program's links, a 204).
const longestSettling = 5 * time.Second

// Settled returns when no navigation that the page has asked for is under way,
// in the frame or in those around it. What is done next is then done in the
// document that it led to.
func (f *Frame) Settled(ctx context.Context) error {
	f.page.tree.mu.Lock()
	pending := f.pending()
	f.page.tree.mu.Unlock()
	if !pending {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, longestSettling, errUnsettled)
	defer cancel()
	err := f.page.tree.Wait(bounded, func() (bool, error) { return !f.pending(), f.page.err() })
	if errors.Is(err, errUnsettled) {
		return nil
	}
	return err
}

var errUnsettled = errors.New("a navigation that was asked for did not happen")

func (f *Frame) pending() bool {
	for at := f; at != nil; at = at.parent {
		if at.asked != "" && !at.gone {
			return true
		}
	}
	return false
}

// Gone reports whether the frame was removed.
func (f *Frame) Gone() bool {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	return f.gone || f.page.closed
}

// Address is the address that says whose document this is: a frame without one
// of its own (about:blank, srcdoc) belongs to the document that made it.
func (f *Frame) Address() string {
	f.page.tree.mu.Lock()
	defer f.page.tree.mu.Unlock()
	at := f
	for at.parent != nil && strings.HasPrefix(at.url, "about:") {
		at = at.parent
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
		f = newFrame(p, id)
		p.frames[id] = f
	}
	if f.parent == nil && f != p.main {
		if f.parent = p.frames[parentID]; f.parent == nil {
			f.parent = p.main
		}
	}
	return f
}

// remove drops a frame and those within it.
func (p *Page) remove(id string) {
	f := p.frames[id]
	if f == nil || f == p.main {
		return
	}
	p.removeChildren(f)
	f.dropWorld()
	f.gone = true
	delete(p.frames, id)
}

func (p *Page) removeChildren(parent *Frame) {
	for id, f := range p.frames {
		if f.parent == parent {
			p.remove(id)
		}
	}
}

// Call calls a function of the page script in the frame's own world and decodes
// what it gives into out. ErrNavigated says that the document went away.
func (f *Frame) Call(ctx context.Context, out any, function string, args ...any) error {
	w, err := f.enter(ctx)
	if err != nil {
		return err
	}
	expression, err := invocation(w, function, args)
	if err != nil {
		return err
	}
	reply, err := f.evaluate(w, expression).Wait(ctx)
	if err != nil {
		return f.explain(w, err)
	}
	f.entered(w)
	return f.decode(w, reply, out)
}

func invocation(w placed, function string, args []any) (string, error) {
	var b strings.Builder
	if !w.loaded {
		b.WriteString(page.Script)
		fmt.Fprintf(&b, "\n__reprise.adopt(%q);\n", w.token)
	}
	fmt.Fprintf(&b, "__reprise.call(%q,%q", w.token, function)
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

// enter gives the frame's world, made where the document has none yet.
func (f *Frame) enter(ctx context.Context) (placed, error) {
	t := f.page.tree
	t.mu.Lock()
	if err := f.err(); err != nil {
		t.mu.Unlock()
		return placed{}, err
	}
	if f.world.context != 0 {
		defer t.mu.Unlock()
		return placed{f.world, f.session}, nil
	}
	session, documents := f.session, f.documents
	asked := t.client.Send(session, "Page.createIsolatedWorld", map[string]any{"frameId": f.id, "worldName": worldName})
	t.mu.Unlock()
	reply, err := asked.Wait(ctx)
	if err != nil {
		return placed{}, f.explain(placed{session: session}, err)
	}
	var made struct {
		Context int `json:"executionContextId"`
	}
	if err := json.Unmarshal(reply, &made); err != nil {
		return placed{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.documents != documents || f.session != session {
		return placed{}, ErrNavigated
	}
	f.settle(made.Context)
	return placed{f.world, f.session}, nil
}

// settle notes a new world and lays the way by which it is heard.
func (f *Frame) settle(context int) {
	t := f.page.tree
	if f.world.context == context {
		return
	}
	f.dropWorld()
	t.tokens++
	f.world = world{context: context, token: fmt.Sprint(t.tokens)}
	if s := t.sessions[f.session]; s != nil {
		s.worlds[context] = f
	}
	t.client.Send(f.session, "Runtime.addBinding", map[string]any{"name": bindingName, "executionContextId": context})
}

// entered notes that a world has the script.
func (f *Frame) entered(w placed) {
	t := f.page.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.world.token == w.token {
		f.world.loaded = true
	}
}

func (f *Frame) evaluate(w placed, expression string) *cdp.Call {
	return f.page.tree.client.Send(w.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "contextId": w.context, "awaitPromise": true, "returnByValue": true, "silent": true,
	})
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

// exception tells a failure of the script from a call that reached another
// document than it was meant for.
func (f *Frame) exception(w placed, text, description string) error {
	if strings.Contains(description, "stale world") || strings.Contains(description, "__reprise is not defined") {
		return f.explain(w, &cdp.Error{Method: "Runtime.evaluate", Code: -32000, Message: "Cannot find context with specified id"})
	}
	return fmt.Errorf("the page script failed: %s %s", text, description)
}
