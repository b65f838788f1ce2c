package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// look is evaluated for each step.
//
//go:embed floor.js
var look string

// floor is the least that a client can do: one evaluate and one burst of input
// events for each step, over a bare WebSocket. It records nothing, heals
// nothing, checks no scope and reports nothing.
type floor struct {
	wire    *wire
	session string
	typing  typing
	apart   string // the session of the frame that is of another site, once one is known
}

// typing is how text is put in.
type typing int

const (
	inserted typing = iota
	// byKeys presses a key for each character, and waits until the page has dealt
	// with it before it presses the next: the page may move the focus.
	byKeys
	// byKeysUnheeded sends all keys of a text at once, whatever the page does.
	byKeysUnheeded
)

func newFloor(ctx context.Context, endpoint string, how typing) (*floor, error) {
	w, err := dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	f := &floor{wire: w, typing: how}
	if err := f.open(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return f, nil
}

// open opens a page in a context of its own.
func (f *floor) open(ctx context.Context) error {
	var made struct {
		BrowserContextID string `json:"browserContextId"`
		TargetID         string `json:"targetId"`
		SessionID        string `json:"sessionId"`
	}
	if err := f.wire.ask(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true}, &made); err != nil {
		return err
	}
	params := map[string]any{"url": "about:blank", "browserContextId": made.BrowserContextID}
	if err := f.wire.ask(ctx, "", "Target.createTarget", params, &made); err != nil {
		return err
	}
	params = map[string]any{"targetId": made.TargetID, "flatten": true}
	if err := f.wire.ask(ctx, "", "Target.attachToTarget", params, &made); err != nil {
		return err
	}
	f.session = made.SessionID
	params = map[string]any{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false}
	if err := f.wire.ask(ctx, f.session, "Target.setAutoAttach", params, nil); err != nil {
		return err
	}
	return f.wire.ask(ctx, f.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
}

func (f *floor) messages() uint64 { return f.wire.count() }
func (f *floor) close() error     { return f.wire.Close() }

func (f *floor) play(ctx context.Context, site string, s script, done func()) error {
	for i, one := range s.Steps {
		if err := f.step(ctx, site, s.Scripted, one); err != nil {
			return fmt.Errorf("step %d, %s %s: %w", i, one.Do, one.CSS, err)
		}
		done()
	}
	return nil
}

func (f *floor) step(ctx context.Context, site string, scripted bool, s step) error {
	if s.Do == goTo {
		f.forget()
		return f.wire.ask(ctx, f.session, "Page.navigate", map[string]any{"url": site + s.Text}, nil)
	}
	session, err := f.sessionOf(ctx, s)
	if err != nil {
		return err
	}
	x, y, err := f.find(ctx, session, scripted, s)
	switch {
	case err != nil:
		return err
	case s.Do == press || s.Do == tick:
		return f.press(ctx, session, x, y)
	case s.Do == fill && !s.inside():
		return f.fill(ctx, session, s.Text)
	}
	return nil
}

// inside reports whether the page itself inserts the text. The browser inserts where it knows
// the focus to be, and learns only later that it went from one frame to another.
func (s step) inside() bool { return s.Host != "" || len(s.Frames) > 0 }

// sessionOf is that of the process that draws the element.
func (f *floor) sessionOf(ctx context.Context, s step) (string, error) {
	if !s.Cross {
		return f.session, nil
	}
	err := f.await(ctx)
	return f.apart, err
}

// forget drops the frames of the document that is left.
func (f *floor) forget() {
	f.apart = ""
	for len(f.wire.attached) > 0 {
		<-f.wire.attached
	}
}

// await waits for the frame that is of another site.
func (f *floor) await(ctx context.Context) error {
	if f.apart != "" {
		return nil
	}
	select {
	case f.apart = <-f.wire.attached:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// find evaluates look; a document that is left meanwhile is followed by the next.
func (f *floor) find(ctx context.Context, session string, scripted bool, s step) (x, y float64, err error) {
	data, err := json.Marshal(struct {
		step
		Scripted bool `json:"scripted"`
		Inside   bool `json:"inside"`
	}{s, scripted, s.inside()})
	if err != nil {
		return 0, 0, err
	}
	params := map[string]any{
		"expression": fmt.Sprintf("(%s)(%s)", look, data), "awaitPromise": true, "returnByValue": true, "silent": true,
	}
	var found struct {
		Result    struct{ Value *struct{ X, Y float64 } }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	for {
		err := f.wire.ask(ctx, session, "Runtime.evaluate", params, &found)
		if left(err) {
			continue
		}
		if err == nil && found.Result.Value == nil {
			err = fmt.Errorf("the page answered with an exception: %s", found.Exception)
		}
		if err != nil {
			return 0, 0, err
		}
		return found.Result.Value.X, found.Result.Value.Y, nil
	}
}

// left reports whether the document was left while it was asked.
func left(err error) bool {
	var r refusal
	return errors.As(err, &r) && (strings.Contains(string(r), "context") || strings.Contains(string(r), "navigated"))
}

// burst sends input events one after the other and waits for the last.
func (f *floor) burst(ctx context.Context, session, method string, events ...map[string]any) error {
	var last <-chan answer
	var err error
	for _, e := range events {
		if last, err = f.wire.send(ctx, session, method, e); err != nil {
			return err
		}
	}
	return f.wire.wait(ctx, last, method, nil)
}

func (f *floor) press(ctx context.Context, session string, x, y float64) error {
	return f.burst(ctx, session, "Input.dispatchMouseEvent",
		map[string]any{"type": "mouseMoved", "x": x, "y": y},
		map[string]any{"type": "mousePressed", "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1},
		map[string]any{"type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1},
	)
}

func (f *floor) fill(ctx context.Context, session, text string) error {
	if f.typing == inserted {
		return f.wire.ask(ctx, session, "Input.insertText", map[string]any{"text": text}, nil)
	}
	var waiting []map[string]any
	for _, r := range text {
		waiting = append(waiting, keyDown(r), keyUp(r))
		if f.typing == byKeysUnheeded && len(waiting) < 2*utf8.RuneCountInString(text) {
			continue
		}
		if err := f.burst(ctx, session, "Input.dispatchKeyEvent", waiting...); err != nil {
			return err
		}
		waiting = nil
	}
	return nil
}

func keyDown(r rune) map[string]any {
	return map[string]any{"type": "keyDown", "key": string(r), "text": string(r), "unmodifiedText": string(r)}
}

func keyUp(r rune) map[string]any {
	return map[string]any{"type": "keyUp", "key": string(r)}
}
