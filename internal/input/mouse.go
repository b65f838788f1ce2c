package input

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/internal/target"
)

// Button says what is pressed. The zero value is a single press of the left
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
	e := mouseEvent{X: x, Y: y, Modifiers: modifierBits(b.Modifiers), Type: "mouseMoved"}
	last := page.Send("Input.dispatchMouseEvent", e)
	e.Button = b.Name
	for n := 1; n <= max(b.Count, 1); n++ {
		e.ClickCount = n
		e.Type, e.Buttons, e.Force = "mousePressed", buttonBits[b.Name], mouseForce
		page.Send("Input.dispatchMouseEvent", e)
		held := b.hold(ctx)
		e.Type, e.Buttons, e.Force = "mouseReleased", 0, 0
		last = page.Send("Input.dispatchMouseEvent", e)
		if held != nil {
			return held // let go
		}
	}
	_, err := last.Wait(ctx)
	return err
}

// hold returns when the button has been down for long enough.
func (b Button) hold(ctx context.Context) error {
	if b.Hold <= 0 {
		return nil
	}
	timer := time.NewTimer(b.Hold)
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

func modifierBits(names []string) int {
	bits := 0
	for _, name := range names {
		bits |= map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8, "ControlOrMeta": controlOrMeta}[name]
	}
	return bits
}
