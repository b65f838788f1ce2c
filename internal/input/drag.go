package input

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

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
	e := mouseEvent{X: d.From.X, Y: d.From.Y, Modifiers: modifierBits(d.Modifiers), Type: "mouseMoved"}
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
	if d.Grabbed != nil {
		if ok, err := d.Grabbed(ctx); err != nil || !ok {
			return errors.Join(err, ErrNotGrabbed)
		}
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

func (d Drag) along(n int) (x, y float64) {
	part := float64(n) / dragMoves
	return d.From.X + (d.To.X-d.From.X)*part, d.From.Y + (d.To.Y-d.From.Y)*part
}

// native goes on in the browser's place, which gave us what is dragged.
func (d Drag) native(ctx context.Context, mouse *draggingMouse, intercepted <-chan json.RawMessage) error {
	var data json.RawMessage
	select {
	case data = <-intercepted:
	case <-ctx.Done():
		return context.Cause(ctx)
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
	mouse.at = time.Now() // what the browser drags has no time of ours
	return send("drop")
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
