package target

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrNotPointed: the person has given up pointing at something.
var ErrNotPointed = errors.New("nothing was pointed at")

// pointing is a press that is to show an element, and not to press it.
type pointing struct {
	at  *spot // nil until the press has come
	err error
}

// spot is a node, as the session knows it in which it was pressed.
type spot struct {
	session string
	node    int // backend id
}

// Point waits until the person presses something in the page, or in one that it has
// opened, and calls a function of the page script with it, in the frame where it
// is. The browser itself keeps the press: no page hears of the pointer, not even
// that it moves. The element below it is lit up by the browser, too, in no document.
// ErrNotPointed says that Escape was pressed there instead.
func (p *Page) Point(ctx context.Context, out any, function string, args ...any) (*Frame, error) {
	t, at := p.tree, &pointing{}
	t.Do(func() { p.aim(at) })
	p.tellAim(ctx, at, true)
	err := t.Wait(ctx, func() (bool, error) {
		if at.err != nil || p.err() != nil {
			return false, errors.Join(at.err, p.err())
		}
		return at.at != nil, nil
	})
	p.rest(context.WithoutCancel(ctx), at)
	if err != nil {
		return nil, err
	}
	return p.look(ctx, at, out, function, args)
}

// aim has the next press in the page and those it opened point. The tree is locked.
func (p *Page) aim(at *pointing) {
	p.pointing = at
	for id, s := range p.tree.sessions {
		if s.page == p {
			p.point(id)
		}
	}
	for _, popup := range p.popups {
		popup.aim(at)
	}
}

// lit is how what would be pointed at is shown.
var lit = map[string]any{"contentColor": rgba(79, 110, 247, 0.28), "borderColor": rgba(79, 110, 247, 0.9), "paddingColor": rgba(79, 110, 247, 0.28)}

func rgba(r, g, b int, a float64) map[string]any {
	return map[string]any{"r": r, "g": g, "b": b, "a": a}
}

// point has a session point, where its page does. The tree is locked.
func (p *Page) point(sessionID string) {
	if p.pointing == nil {
		return
	}
	c := p.tree.client
	c.Send(sessionID, "DOM.enable", nil) // the overlay asks for it
	c.Send(sessionID, "Overlay.enable", nil)
	c.Send(sessionID, "Overlay.setInspectMode", map[string]any{"mode": "searchForNode", "highlightConfig": lit})
}

// rest has presses be presses again.
func (p *Page) rest(ctx context.Context, at *pointing) {
	t := p.tree
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
	p.tellAim(ctx, at, false)
	t.Do(func() {
		for _, other := range t.pages {
			if other.pointing == at {
				other.pointing = nil
			}
		}
	})
}

// tellAim tells the documents that Escape is not theirs meanwhile. One that does not
// answer, as it shows a dialog, is not waited for.
func (p *Page) tellAim(ctx context.Context, at *pointing, on bool) {
	var frames []*Frame
	p.tree.Do(func() {
		for _, page := range p.tree.pages {
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
func (p *Page) look(ctx context.Context, at *pointing, out any, function string, args []any) (*Frame, error) {
	var frames []*Frame
	p.tree.Do(func() {
		if s := p.tree.sessions[at.at.session]; s != nil {
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
