package input

import (
	"context"

	"github.com/go-reprise/reprise/internal/target"
)

// Move moves the mouse to a point of the page's viewport, and returns when the page
// has handled it.
func Move(ctx context.Context, page *target.Page, x, y float64, modifiers []string) error {
	e := mouseEvent{X: x, Y: y, Modifiers: modifierBits(modifiers), Type: "mouseMoved"}
	_, err := page.Send("Input.dispatchMouseEvent", e).Wait(ctx)
	return err
}

// Wheel turns the wheel over a point of the page's viewport, by CSS pixels, and
// returns when the page has handled it.
func Wheel(ctx context.Context, page *target.Page, x, y, dx, dy float64) error {
	_, err := page.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy}).Wait(ctx)
	return err
}
