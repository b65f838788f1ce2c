// Package input sends what a mouse and a keyboard send: raw events of the
// browser's input pipeline, in one burst for each gesture.
package input

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

// Button describes what is pressed. The zero value is a single press of the left
// button.
type Button struct {
	Name      string        // "left", "middle" or "right"
	Count     int           // 2 is a double click
	Modifiers []string      // "Alt", "Control", "Meta", "Shift"
	Hold      time.Duration // how long it is down at least; 0 is a press
}

// mouseForce is the pressure that a mouse reports while a button is down
// (https://www.w3.org/TR/pointerevents3/#dom-pointerevent-pressure).
const mouseForce = 0.5

// Press moves the mouse to a point of the page's viewport and presses there, in
// one burst, and returns when the page has handled the last of it.
func Press(ctx context.Context, page *target.Page, x, y float64, b Button) error {
	if b.Name == "" {
		b.Name = "left"
	}
	e := mouseEvent{X: x, Y: y, Modifiers: ModifierBits(b.Modifiers), Type: "mouseMoved"}
	last := page.Send("Input.dispatchMouseEvent", e)
	e.Button = b.Name
	for n := 1; n <= max(b.Count, 1); n++ {
		e.ClickCount = n
		e.Type, e.Buttons, e.Force = "mousePressed", buttonBits[b.Name], mouseForce
		pressed := page.Send("Input.dispatchMouseEvent", e)
		held := b.hold(ctx, pressed)
		e.Type, e.Buttons, e.Force = "mouseReleased", 0, 0
		last = page.Send("Input.dispatchMouseEvent", e)
		if held != nil {
			return held // let go
		}
	}
	_, err := last.Wait(ctx)
	return err
}

// hold returns when the button has been down for long enough, from when the page knows that it is.
func (b Button) hold(ctx context.Context, pressed *cdp.Call) error {
	if b.Hold <= 0 {
		return nil
	}
	if _, err := pressed.Wait(ctx); err != nil {
		return err
	}
	return pause(ctx, b.Hold)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type mouseEvent struct {
	Type       string  `json:"type"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Modifiers  int     `json:"modifiers,omitempty"`
	Button     string  `json:"button,omitempty"`
	Buttons    int     `json:"buttons"`
	ClickCount int     `json:"clickCount,omitempty"`
	Force      float64 `json:"force,omitempty"`
}

var buttonBits = map[string]int{"left": 1, "right": 2, "middle": 4}

// ModifierBits are the modifiers as the DevTools protocol has them.
func ModifierBits(names []string) int {
	bits := 0
	for _, name := range names {
		bits |= map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8, "ControlOrMeta": controlOrMeta}[name]
	}
	return bits
}

// Move moves the mouse to a point of the page's viewport, and returns when the page
// has handled it.
func Move(ctx context.Context, page *target.Page, x, y float64, modifiers []string) error {
	e := mouseEvent{X: x, Y: y, Modifiers: ModifierBits(modifiers), Type: "mouseMoved"}
	_, err := page.Send("Input.dispatchMouseEvent", e).Wait(ctx)
	return err
}

// Wheel turns the wheel over a point of the page's viewport, by CSS pixels, and
// returns when the page has handled it.
func Wheel(ctx context.Context, page *target.Page, x, y, dx, dy float64) error {
	_, err := page.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy}).Wait(ctx)
	return err
}

// keyInput is a key as Input.dispatchKeyEvent takes it.
type keyInput struct {
	Type           string   `json:"type"`
	Modifiers      int      `json:"modifiers,omitempty"`
	Key            string   `json:"key"`
	Code           string   `json:"code,omitempty"`
	KeyCode        int      `json:"windowsVirtualKeyCode,omitempty"`
	Text           string   `json:"text,omitempty"`
	UnmodifiedText string   `json:"unmodifiedText,omitempty"`
	Commands       []string `json:"commands,omitempty"`
}

// place is where a key is on a US keyboard: its code and its Windows virtual key
// (https://www.w3.org/TR/uievents-code/).
type place struct {
	code    string
	keyCode int
}

var namedKeys = map[string]place{
	"Enter": {"Enter", 13}, "Tab": {"Tab", 9}, "Escape": {"Escape", 27}, "Backspace": {"Backspace", 8}, "Delete": {"Delete", 46},
	"ArrowLeft": {"ArrowLeft", 37}, "ArrowUp": {"ArrowUp", 38}, "ArrowRight": {"ArrowRight", 39}, "ArrowDown": {"ArrowDown", 40},
	"Home": {"Home", 36}, "End": {"End", 35}, "PageUp": {"PageUp", 33}, "PageDown": {"PageDown", 34}, "Insert": {"Insert", 45},
	"Shift": {"ShiftLeft", 16}, "Control": {"ControlLeft", 17}, "Alt": {"AltLeft", 18}, "Meta": {"MetaLeft", 91},
	"F1": {"F1", 112}, "F2": {"F2", 113}, "F3": {"F3", 114}, "F4": {"F4", 115}, "F5": {"F5", 116}, "F6": {"F6", 117},
	"F7": {"F7", 118}, "F8": {"F8", 119}, "F9": {"F9", 120}, "F10": {"F10", 121}, "F11": {"F11", 122}, "F12": {"F12", 123},
	"ContextMenu": {"ContextMenu", 93}, "Pause": {"Pause", 19}, "CapsLock": {"CapsLock", 20},
}

// signs are the printable keys other than letters and digits: without and with Shift.
var signs = map[string]place{
	" ": {"Space", 32}, "-_": {"Minus", 189}, "=+": {"Equal", 187}, "[{": {"BracketLeft", 219}, "]}": {"BracketRight", 221},
	"\\|": {"Backslash", 220}, ";:": {"Semicolon", 186}, "'\"": {"Quote", 222}, "`~": {"Backquote", 192}, ",<": {"Comma", 188},
	".>": {"Period", 190}, "/?": {"Slash", 191},
	"1!": {"Digit1", 49}, "2@": {"Digit2", 50}, "3#": {"Digit3", 51}, "4$": {"Digit4", 52}, "5%": {"Digit5", 53},
	"6^": {"Digit6", 54}, "7&": {"Digit7", 55}, "8*": {"Digit8", 56}, "9(": {"Digit9", 57}, "0)": {"Digit0", 48},
}

// controlOrMeta is the modifier of a platform's own shortcuts.
var controlOrMeta = map[bool]int{false: 2, true: 4}[runtime.GOOS == "darwin"]

// editing are the commands of a platform's shortcuts, which the browser runs and
// not the page.
var editing = map[string]string{"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}

const (
	shiftBit    = 8
	commandBits = 1 | 2 | 4 // Alt, Control, Meta: the key writes nothing
)

// PressKey sends a key down and up in one burst, and returns when the page has
// handled both. The name is that of KeyboardEvent.key.
func PressKey(ctx context.Context, page *target.Page, name string, modifiers []string) error {
	event := keyEvent(name, modifiers)
	event.Type = "rawKeyDown"
	if event.Text != "" {
		event.Type = "keyDown"
	}
	page.Send("Input.dispatchKeyEvent", event)
	event.Type, event.Text, event.UnmodifiedText, event.Commands = "keyUp", "", "", nil
	_, err := page.Send("Input.dispatchKeyEvent", event).Wait(ctx)
	return err
}

// keyEvent is what pressing a key sends.
func keyEvent(name string, modifiers []string) keyInput {
	e := keyInput{Key: name, Modifiers: ModifierBits(modifiers)}
	at, named := namedKeys[name]
	if !named {
		var shifted bool
		at, shifted = placeOf(name)
		if shifted {
			e.Modifiers |= shiftBit
		}
		e.Text = name
	}
	if name == "Enter" {
		e.Text = "\r"
	}
	e.Code, e.KeyCode = at.code, at.keyCode
	if e.Modifiers&commandBits != 0 {
		e.Text = ""
		if command := editing[name]; command != "" && e.Modifiers == controlOrMeta {
			e.Commands = []string{command}
		}
	}
	e.UnmodifiedText = e.Text
	return e
}

// placeOf finds a character on the keyboard; one that is not there has no place,
// and comes as text alone.
func placeOf(char string) (at place, shifted bool) {
	runes := []rune(char)
	if len(runes) == 1 && runes[0] < unicode.MaxASCII && unicode.IsLetter(runes[0]) {
		upper := unicode.ToUpper(runes[0])
		return place{"Key" + string(upper), int(upper)}, runes[0] == upper
	}
	for pair, at := range signs {
		if i := strings.Index(pair, char); i >= 0 && char != "" {
			return at, i > 0
		}
	}
	return place{}, false
}

// dragCopy is the operation of what comes from outside the browser
// (https://chromedevtools.github.io/devtools-protocol/tot/Input/#type-DragData).
const dragCopy = 1

// DropFiles drops files on a point of the page's viewport, and returns when the page
// has handled it.
func DropFiles(ctx context.Context, page *target.Page, x, y float64, paths []string) error {
	data := map[string]any{"items": []any{}, "files": paths, "dragOperationsMask": dragCopy}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		_, err := page.Send("Input.dispatchDragEvent", map[string]any{"type": kind, "x": x, "y": y, "data": data}).Wait(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Point is one of a page's viewport.
type Point struct{ X, Y float64 }

// Drag is a drag with the left button: from a point, to another.
type Drag struct {
	From, To  Point
	Modifiers []string
	// Grabbed is asked when the button is down; false lets go again. Default: it is
	// dragged.
	Grabbed func(context.Context) (bool, error)
	// Native is asked when the mouse has moved a little: whether the browser itself
	// drags now, which it does with what HTML says is draggable.
	Native func(context.Context) (bool, error)
	// May is asked what the browser would drop, a text for each of its types; an error lets go
	// before it is over the end. Default: it is dropped.
	May func(texts []string) error
}

// ErrNotGrabbed: there was nothing to drag at the point, as Grabbed said.
var ErrNotGrabbed = errors.New("it was not grabbed")

const (
	dragMoves = 12 // on the way, so that what lies there notices
	dragStart = 3  // of them, after which every page and browser has noticed

	// dragPace is the most that an event is said to have come after the one before, as from
	// a mouse of 125 Hz: on a page that takes long for each, a short drag would be a long press.
	dragPace = 8 * time.Millisecond
)

// draggingMouse is a mouse with its button down, and the clock that its events go by.
type draggingMouse struct {
	mouseEvent
	page *target.Page
	at   time.Time
}

// send sends what the mouse does now, and waits until the page has handled it.
func (m *draggingMouse) send(ctx context.Context) error {
	if paced := m.at.Add(dragPace); paced.Before(time.Now()) {
		m.at = paced
	} else {
		m.at = time.Now()
	}
	_, err := m.page.Send("Input.dispatchMouseEvent", timedMouse{m.mouseEvent, stampOf(m.at)}).Wait(ctx)
	return err
}

// Do drags, and returns when the page has handled the end of it.
func (d Drag) Do(ctx context.Context, page *target.Page) error {
	intercepted, stop := interceptDrags(page)
	defer stop()
	e := mouseEvent{Modifiers: ModifierBits(d.Modifiers), Type: "mouseMoved"}
	e.X, e.Y = d.along(0)
	mouse := &draggingMouse{e, page, time.Now()}
	if err := mouse.send(ctx); err != nil {
		return err
	}
	mouse.Type, mouse.Button, mouse.Buttons, mouse.ClickCount, mouse.Force = "mousePressed", "left", buttonBits["left"], 1, mouseForce
	if err := mouse.send(ctx); err != nil {
		return err
	}
	err := d.move(ctx, mouse, intercepted)
	mouse.Type, mouse.Buttons, mouse.ClickCount, mouse.Force = "mouseReleased", 0, 1, 0
	return errors.Join(err, mouse.send(context.WithoutCancel(ctx)))
}

func (d Drag) move(ctx context.Context, mouse *draggingMouse, intercepted <-chan json.RawMessage) error {
	if err := d.grab(ctx); err != nil {
		return err
	}
	mouse.Type, mouse.ClickCount = "mouseMoved", 0
	for n := 1; n <= dragMoves; n++ {
		mouse.X, mouse.Y = d.along(n)
		if err := mouse.send(ctx); err != nil {
			return err
		}
		if n != dragStart || d.Native == nil {
			continue
		}
		if native, err := d.Native(ctx); err != nil || native {
			return errors.Join(err, d.native(ctx, mouse, intercepted))
		}
	}
	return nil
}

// grabHold is how long something is held before it is moved: lists that tell a drag from a press by that wait a quarter of a second
// at most, by their libraries' own advice, and a long press is one from half a second on.
const grabHold = 300 * time.Millisecond

// grab holds what the press was on, which the page has heard of.
func (d Drag) grab(ctx context.Context) error {
	if d.Grabbed != nil {
		if ok, err := d.Grabbed(ctx); err != nil || !ok {
			return errors.Join(err, ErrNotGrabbed)
		}
	}
	return pause(ctx, grabHold)
}

// along is a point of the way, in whole pixels: from a part of one Chrome selects no text.
func (d Drag) along(n int) (x, y float64) {
	part := float64(n) / dragMoves
	return math.Round(d.From.X + (d.To.X-d.From.X)*part), math.Round(d.From.Y + (d.To.Y-d.From.Y)*part)
}

// native goes on in the browser's place, which gave us what is dragged.
func (d Drag) native(ctx context.Context, mouse *draggingMouse, intercepted <-chan json.RawMessage) error {
	data, err := d.dragged(ctx, intercepted)
	if err != nil {
		return err
	}
	send := func(kind string) error {
		params := map[string]any{"type": kind, "x": mouse.X, "y": mouse.Y, "data": data, "modifiers": mouse.Modifiers}
		_, err := mouse.page.Send("Input.dispatchDragEvent", params).Wait(ctx)
		return err
	}
	if err := send("dragEnter"); err != nil {
		return err
	}
	for n := dragStart; n <= dragMoves; n++ {
		mouse.X, mouse.Y = d.along(n)
		if err := send("dragOver"); err != nil {
			return err
		}
	}
	if err := errors.Join(pause(ctx, restOver), send("dragOver")); err != nil {
		return err
	}
	mouse.at = time.Now() // what the browser drags has no time of ours
	return send("drop")
}

// restOver is how long what is dragged rests where it is dropped, of which the browser then tells the page again: a list that
// makes way for it does so only once what it has moved before has come to rest.
const restOver = 200 * time.Millisecond

// dragged returns what the browser would drop, if it may be.
func (d Drag) dragged(ctx context.Context, intercepted <-chan json.RawMessage) (json.RawMessage, error) {
	select {
	case data := <-intercepted:
		if d.May == nil {
			return data, nil
		}
		var said struct{ Items []struct{ Data string } }
		if err := json.Unmarshal(data, &said); err != nil {
			return nil, err
		}
		var texts []string
		for _, item := range said.Items {
			texts = append(texts, item.Data)
		}
		return data, d.May(texts)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// interceptDrags has the browser hand over what it would drag.
func interceptDrags(page *target.Page) (data <-chan json.RawMessage, stop func()) {
	dragged := make(chan json.RawMessage, 1)
	remove := page.Tree().Client().OnEvent(func(e cdp.Event) {
		var began struct {
			Data json.RawMessage `json:"data"`
		}
		if e.Method == "Input.dragIntercepted" && e.SessionID == page.Session() && json.Unmarshal(e.Params, &began) == nil {
			select {
			case dragged <- began.Data:
			default:
			}
		}
	})
	page.Send("Input.setInterceptDrags", map[string]any{"enabled": true})
	return dragged, func() {
		page.Send("Input.setInterceptDrags", map[string]any{"enabled": false})
		remove()
	}
}
