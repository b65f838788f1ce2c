package target

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-reprise/reprise/internal/cdp"
)

// ErrNotPointed: the person has given up pointing at something.
var ErrNotPointed = errors.New("nothing was pointed at")

// Aim is a press to come that is to show an element, and not to press it.
type Aim struct {
	page *Page
	at   *spot // nil until the press has come
	err  error
}

// spot is a node, as the session knows it in which it was pressed.
type spot struct {
	session string
	node    int    // backend id
	frame   *Frame // where the browser did not take the press, but the page script
}

// What the page script says of a press, or of Escape, that the browser let through.
const (
	aimed   = `{"type":"aimed"}`
	escaped = `{"type":"escaped"}`
)

// Aim has the next press in the page, or in one that it has opened, point at what is
// below it. The browser itself keeps the press: no page hears of the pointer, not even
// that it moves. What is below it is lit up by the browser, too, in no document. It
// returns when that is so; Point tells of the press, and must be called.
func (p *Page) Aim(ctx context.Context) *Aim {
	at := &Aim{page: p}
	var asked []*cdp.Call
	p.tree.Do(func() { asked = p.aim(at) })
	for _, call := range asked {
		_, _ = call.Wait(ctx) // a frame that is gone is not pointed at
	}
	at.tell(ctx, true)
	return at
}

// Point waits for the press, and calls a function of the page script with what it
// points at, in its frame. ErrNotPointed says that Escape was pressed there instead.
func (at *Aim) Point(ctx context.Context, out any, function string, args ...any) (*Frame, error) {
	p := at.page
	err := p.tree.Wait(ctx, func() (bool, error) {
		if at.err != nil || p.err() != nil {
			return false, errors.Join(at.err, p.err())
		}
		return at.at != nil, nil
	})
	at.rest(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	return at.look(ctx, out, function, args)
}

// aim has the next press in the page and those it opened point. The tree is locked.
func (p *Page) aim(at *Aim) (asked []*cdp.Call) {
	p.pointing = at
	for id, s := range p.tree.sessions {
		if s.page == p {
			asked = append(asked, p.point(id))
		}
	}
	for _, popup := range p.popups {
		asked = append(asked, popup.aim(at)...)
	}
	return asked
}

// lit is how what would be pointed at is shown.
var lit = map[string]any{"contentColor": rgba(79, 110, 247, 0.28), "borderColor": rgba(79, 110, 247, 0.9), "paddingColor": rgba(79, 110, 247, 0.28)}

func rgba(r, g, b int, a float64) map[string]any {
	return map[string]any{"r": r, "g": g, "b": b, "a": a}
}

// point has a session point, where its page does. The tree is locked.
func (p *Page) point(sessionID string) *cdp.Call {
	if p.pointing == nil {
		return nil
	}
	c := p.tree.client
	c.Send(sessionID, "DOM.enable", nil) // the overlay asks for it
	c.Send(sessionID, "Overlay.enable", nil)
	return c.Send(sessionID, "Overlay.setInspectMode", map[string]any{"mode": "searchForNode", "highlightConfig": lit})
}

// rest has presses be presses again.
func (at *Aim) rest(ctx context.Context) {
	t := at.page.tree
	t.Do(func() {
		for id, s := range t.sessions {
			if s.page.pointing != at {
				continue
			}
			t.client.Send(id, "Overlay.setInspectMode", map[string]any{"mode": "none", "highlightConfig": lit})
			t.client.Send(id, "Overlay.disable", nil)
			t.client.Send(id, "DOM.disable", nil)
		}
	})
	at.tell(ctx, false)
	t.Do(func() {
		for _, other := range t.pages {
			if other.pointing == at {
				other.pointing = nil
			}
		}
	})
}

// tell notifies the documents that Escape is not theirs meanwhile. One that does not
// answer, as it shows a dialog, is not waited for.
func (at *Aim) tell(ctx context.Context, on bool) {
	var frames []*Frame
	t := at.page.tree
	t.Do(func() {
		for _, page := range t.pages {
			if page.pointing == at && page.asking == nil {
				frames = append(frames, page.liveFrames()...)
			}
		}
	})
	for _, f := range frames {
		_ = f.Call(ctx, nil, "aim", on) // one that is gone has no keys
	}
}

func (t *Tree) onPointed(s *session, params json.RawMessage) {
	var e struct {
		Node int `json:"backendNodeId"`
	}
	if s == nil || s.page.pointing == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	if at := s.page.pointing; at.at == nil {
		at.at = &spot{session: s.id, node: e.Node}
	}
	t.change()
}

// pointedAt takes what the page script says. The tree is locked.
func (f *Frame) pointedAt(err error) {
	at := f.page.pointing
	if at == nil || at.at != nil {
		return
	}
	if at.err = err; err == nil {
		at.at = &spot{session: f.session, frame: f}
	}
	f.page.tree.change()
}

func (t *Tree) onNotPointed(s *session, _ json.RawMessage) {
	if s == nil || s.page.pointing == nil {
		return
	}
	if at := s.page.pointing; at.at == nil {
		at.err = ErrNotPointed
	}
	t.change()
}

// look calls the function in the frame that the node is in. A session can be of
// several frames, and does not say which.
func (at *Aim) look(ctx context.Context, out any, function string, args []any) (*Frame, error) {
	if f := at.at.frame; f != nil {
		return f, f.Call(ctx, out, "aimedAt", args...)
	}
	var frames []*Frame
	t := at.page.tree
	t.Do(func() {
		if s := t.sessions[at.at.session]; s != nil {
			for _, f := range s.page.liveFrames() {
				if f.session == s.id {
					frames = append(frames, f)
				}
			}
		}
	})
	for _, f := range frames {
		var told json.RawMessage
		if err := f.lookAt(ctx, at.at.node, &told, function, args); err != nil || len(told) == 0 || string(told) == "null" {
			continue // it is of another frame
		}
		return f, json.Unmarshal(told, out)
	}
	return nil, ErrNavigated
}

func (f *Frame) lookAt(ctx context.Context, node int, out any, function string, args []any) error {
	if err := f.Call(ctx, nil, "flush"); err != nil { // the world is there, and has the script
		return err
	}
	w, err := f.enter(ctx)
	if err != nil {
		return err
	}
	var resolved struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	err = f.page.tree.ask(ctx, w.session, "DOM.resolveNode", map[string]any{"backendNodeId": node, "executionContextId": w.context}, &resolved)
	if err != nil {
		return err
	}
	return f.callOn(ctx, w, resolved.Object.ObjectID, out, function, args)
}
