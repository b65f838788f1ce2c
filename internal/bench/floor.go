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
	return f.wire.ask(ctx, f.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
}

func (f *floor) messages() uint64 { return f.wire.count() }
func (f *floor) close() error     { return f.wire.Close() }

func (f *floor) play(ctx context.Context, site string, fl flow, done func()) error {
	for i, s := range fl.steps {
		if err := f.step(ctx, site, fl.scripted, s); err != nil {
			return fmt.Errorf("step %d, %s %s: %w", i, s.Do, s.CSS, err)
		}
		done()
	}
	return nil
}

func (f *floor) step(ctx context.Context, site string, scripted bool, s step) error {
	if s.Do == goTo {
		return f.wire.ask(ctx, f.session, "Page.navigate", map[string]any{"url": site + s.Text}, nil)
	}
	x, y, err := f.find(ctx, scripted, s)
	switch {
	case err != nil:
		return err
	case s.Do == press:
		return f.press(ctx, x, y)
	case s.Do == fill:
		return f.fill(ctx, s.Text)
	}
	return nil
}

// find evaluates look; a document that is left meanwhile is followed by the next.
func (f *floor) find(ctx context.Context, scripted bool, s step) (x, y float64, err error) {
	data, err := json.Marshal(struct {
		step
		Scripted bool `json:"scripted"`
	}{s, scripted})
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
		err := f.wire.ask(ctx, f.session, "Runtime.evaluate", params, &found)
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

// burst sends input events one behind the other and waits for the last.
func (f *floor) burst(ctx context.Context, method string, events ...map[string]any) error {
	var last <-chan answer
	var err error
	for _, e := range events {
		if last, err = f.wire.send(ctx, f.session, method, e); err != nil {
			return err
		}
	}
	return f.wire.wait(ctx, last, method, nil)
}

func (f *floor) press(ctx context.Context, x, y float64) error {
	return f.burst(ctx, "Input.dispatchMouseEvent",
		map[string]any{"type": "mouseMoved", "x": x, "y": y},
		map[string]any{"type": "mousePressed", "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1},
		map[string]any{"type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1},
	)
}

func (f *floor) fill(ctx context.Context, text string) error {
	if f.typing == inserted {
		return f.wire.ask(ctx, f.session, "Input.insertText", map[string]any{"text": text}, nil)
	}
	var waiting []map[string]any
	for _, r := range text {
		waiting = append(waiting, keyDown(r), keyUp(r))
		if f.typing == byKeysUnheeded && len(waiting) < 2*utf8.RuneCountInString(text) {
			continue
		}
		if err := f.burst(ctx, "Input.dispatchKeyEvent", waiting...); err != nil {
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
