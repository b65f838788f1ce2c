package input

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/target"
)

// grip is how much of an element is grasped, in px: where exactly is not known.
const grip = 16

// Drag drags with the left button, from a point to another within a box: what can be
// seen of where it goes. It returns when the page has handled the end of it.
func (h *Hand) Drag(ctx context.Context, page *target.Page, d Drag, box humanize.Rect) error {
	around := humanize.Rect{X: d.From.X - grip/2, Y: d.From.Y - grip/2, Width: grip, Height: grip}
	if err := h.MoveTo(ctx, page, d.From, around, d.Modifiers); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	intercepted, stop := interceptDrags(page)
	defer stop()
	hold := mouseEvent{X: h.at[page].X, Y: h.at[page].Y, Modifiers: modifierBits(d.Modifiers), Button: "left", Buttons: buttonBits["left"], Force: mouseForce}
	down := hold
	down.Type, down.ClickCount = "mousePressed", 1
	pressed := false
	press := h.mouse(page, down, h.persona.Presses(1)[0].Down, notOne)
	press.sent = func() { pressed = true }
	err := pace(ctx, page, []event{press})
	if !pressed {
		return err
	}
	if hold.Type = "mouseMoved"; err == nil {
		err = h.pull(ctx, page, d, hold, h.persona.DragPath(h.at[page], humanize.Point(d.To), box), intercepted)
	}
	up := mouseEvent{Type: "mouseReleased", X: h.at[page].X, Y: h.at[page].Y, Modifiers: hold.Modifiers, Button: "left", ClickCount: 1}
	return errors.Join(err, h.release(ctx, page, up))
}

// release lets the button go, as soon as the hand is sure of where it is, or at once
// where the gesture has ended.
func (h *Hand) release(ctx context.Context, page *target.Page, up mouseEvent) error {
	var dwell time.Duration
	if ctx.Err() == nil {
		dwell = h.persona.Presses(1)[0].Down
	}
	return pace(context.WithoutCancel(ctx), page, []event{h.mouse(page, up, dwell, notOne)})
}

// pull moves with the button down. The first moves tell whether the browser drags in
// the page's place.
func (h *Hand) pull(ctx context.Context, page *target.Page, d Drag, hold mouseEvent, moves []humanize.Move, intercepted <-chan json.RawMessage) error {
	if d.Grabbed != nil {
		if ok, err := d.Grabbed(ctx); err != nil || !ok {
			return errors.Join(err, ErrNotGrabbed)
		}
	}
	if d.Native == nil {
		return h.follow(ctx, page, moves, hold)
	}
	first := startOf(moves, d.From)
	if err := h.follow(ctx, page, moves[:first], hold); err != nil {
		return err
	}
	native, err := d.Native(ctx)
	if err != nil || !native {
		return errors.Join(err, h.follow(ctx, page, since(moves, first), hold))
	}
	select {
	case data := <-intercepted:
		return h.carry(ctx, page, since(moves, first), hold, data)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dragSlop is how far a mouse goes before every browser has noticed a drag, in px.
const dragSlop = 12

// startOf counts the moves up to the first by which a drag is noticed.
func startOf(moves []humanize.Move, from Point) int {
	for i, m := range moves {
		if max(m.X-int(from.X), int(from.X)-m.X, m.Y-int(from.Y), int(from.Y)-m.Y) > dragSlop {
			return i + 1
		}
	}
	return len(moves)
}

// since are the moves from one on, counted from the time of the one before.
func since(moves []humanize.Move, first int) []humanize.Move {
	var later []humanize.Move
	for _, m := range moves[first:] {
		m.At -= moves[first-1].At
		later = append(later, m)
	}
	return later
}

// carry goes on in the browser's place, which gave us what is dragged.
func (h *Hand) carry(ctx context.Context, page *target.Page, moves []humanize.Move, hold mouseEvent, data json.RawMessage) error {
	kind := "dragEnter"
	var events []event
	add := func(kind string, at time.Duration, x, y float64) {
		params := map[string]any{"type": kind, "x": x, "y": y, "data": data, "modifiers": hold.Modifiers}
		events = append(events, event{
			at: at, method: "Input.dispatchDragEvent", ends: notOne,
			params: func(float64) any { return params },
			sent:   func() { h.at[page] = humanize.Point{X: x, Y: y} },
		})
	}
	x, y, at := h.at[page].X, h.at[page].Y, time.Duration(0)
	view, err := viewOf(ctx, page)
	if err != nil {
		return err
	}
	for _, m := range inView(moves, view) {
		x, y, at = float64(m.X), float64(m.Y), m.At
		add(kind, at, x, y)
		kind = "dragOver"
	}
	if kind == "dragEnter" { // it was a short way
		add(kind, at, x, y)
		add("dragOver", at, x, y)
	}
	add("drop", at+h.persona.Presses(1)[0].Down, x, y)
	return pace(ctx, page, events)
}
