package input

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/target"
)

// Hand moves, presses, scrolls and types like one person, who is drawn from a seed.
// What it does takes a person's time. It does one thing at a time.
type Hand struct {
	mu      sync.Mutex
	persona *humanize.Persona
	at      map[*target.Page]humanize.Point // where the mouse is
}

// NewHand is the hand of a person. The same gestures in the same order are the same
// for one seed.
func NewHand(seed uint64) *Hand {
	return &Hand{persona: humanize.New(seed), at: map[*target.Page]humanize.Point{}}
}

// Aim is where in what can be seen of an element this person presses.
func (h *Hand) Aim(box humanize.Rect) Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Point(h.persona.Aim(box))
}

// MoveTo moves the mouse from where it is in a page to a point, which is in a box:
// what can be seen of the element. It returns when the page has handled the last move.
func (h *Hand) MoveTo(ctx context.Context, page *target.Page, to Point, box humanize.Rect, modifiers []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	from, err := h.where(ctx, page)
	if err != nil {
		return err
	}
	e := mouseEvent{Type: "mouseMoved", Modifiers: modifierBits(modifiers)}
	return h.follow(ctx, page, h.persona.Path(from, humanize.Point(to), box), e)
}

// follow sends moves and remembers the last that was sent.
func (h *Hand) follow(ctx context.Context, page *target.Page, moves []humanize.Move, e mouseEvent) error {
	view, err := viewOf(ctx, page)
	if err != nil {
		return err
	}
	var events []event
	for _, m := range inView(moves, view) {
		e.X, e.Y = float64(m.X), float64(m.Y)
		events = append(events, h.mouse(page, e, m.At, notOne))
	}
	return pace(ctx, page, events)
}

// mouse is an event of the mouse.
func (h *Hand) mouse(page *target.Page, e mouseEvent, at time.Duration, ends int) event {
	return event{
		at: at, method: "Input.dispatchMouseEvent", ends: ends,
		params: func(stamp float64) any { return timedMouse{e, stamp} },
		sent:   func() { h.at[page] = humanize.Point{X: e.X, Y: e.Y} },
	}
}

// timedMouse is an event of the mouse that says when it happened, in seconds since
// the epoch.
type timedMouse struct {
	mouseEvent
	Timestamp float64 `json:"timestamp"`
}

// where is the place of the mouse in a page; at first it lies somewhere in the
// middle of it.
func (h *Hand) where(ctx context.Context, page *target.Page) (humanize.Point, error) {
	if at, ok := h.at[page]; ok {
		return at, nil
	}
	view, err := viewOf(ctx, page)
	if err != nil {
		return humanize.Point{}, err
	}
	h.at[page] = h.persona.Aim(view)
	return h.at[page], nil
}

// viewOf is what a page's viewport shows.
func viewOf(ctx context.Context, page *target.Page) (humanize.Rect, error) {
	reply, err := page.Send("Page.getLayoutMetrics", nil).Wait(ctx)
	if err != nil {
		return humanize.Rect{}, err
	}
	var metrics struct {
		View struct {
			Width  float64 `json:"clientWidth"`
			Height float64 `json:"clientHeight"`
		} `json:"cssVisualViewport"`
	}
	err = json.Unmarshal(reply, &metrics)
	return humanize.Rect{Width: metrics.View.Width, Height: metrics.View.Height}, err
}

// inView leaves out the moves that a page is not told of, because the mouse has
// overshot the window. The last one stays.
func inView(moves []humanize.Move, view humanize.Rect) []humanize.Move {
	last := len(moves) - 1
	var told []humanize.Move
	for i, m := range moves {
		x, y := float64(m.X), float64(m.Y)
		if i == last || x >= 0 && y >= 0 && x < view.Width && y < view.Height {
			told = append(told, m)
		}
	}
	return told
}

// Press presses a button where the mouse is and holds it as this person does, and
// returns when the page has handled the last of it.
func (h *Hand) Press(ctx context.Context, page *target.Page, b Button) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, err := h.where(ctx, page)
	if err != nil {
		return err
	}
	if b.Name == "" {
		b.Name = "left"
	}
	e := mouseEvent{X: at.X, Y: at.Y, Modifiers: modifierBits(b.Modifiers), Button: b.Name}
	var events []event
	for n, press := range h.persona.Presses(b.Count) {
		e.ClickCount = n + 1
		e.Type, e.Buttons, e.Force = "mousePressed", buttonBits[b.Name], mouseForce
		events = append(events, h.mouse(page, e, press.Down, notOne))
		e.Type, e.Buttons, e.Force = "mouseReleased", 0, 0
		events = append(events, h.mouse(page, e, max(press.Up, press.Down+b.Hold), len(events)-1))
	}
	return pace(ctx, page, events)
}

// Wheel turns the wheel where the mouse is by about so many CSS pixels: by notches,
// and one at least.
func (h *Hand) Wheel(ctx context.Context, page *target.Page, dx, dy float64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, err := h.where(ctx, page)
	if err != nil {
		return err
	}
	var events []event
	for _, notch := range h.persona.Wheel(dx, dy) {
		turn := wheelEvent{"mouseWheel", at.X, at.Y, notch.DX, notch.DY, 0}
		events = append(events, event{at: notch.At, method: "Input.dispatchMouseEvent", ends: notOne, params: func(stamp float64) any {
			turn.Timestamp = stamp
			return turn
		}})
	}
	return pace(ctx, page, events)
}

type wheelEvent struct {
	Type      string  `json:"type"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	DX        float64 `json:"deltaX"`
	DY        float64 `json:"deltaY"`
	Timestamp float64 `json:"timestamp"`
}
