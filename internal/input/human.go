package input

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
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
	e := mouseEvent{Type: "mouseMoved", Modifiers: ModifierBits(modifiers)}
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
	e := mouseEvent{X: at.X, Y: at.Y, Modifiers: ModifierBits(b.Modifiers), Button: b.Name}
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
	hold := mouseEvent{X: h.at[page].X, Y: h.at[page].Y, Modifiers: ModifierBits(d.Modifiers), Button: "left", Buttons: buttonBits["left"], Force: mouseForce}
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
	if err := d.grab(ctx); err != nil {
		return err
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
	data, err := d.dragged(ctx, intercepted)
	if err != nil {
		return err
	}
	return h.carry(ctx, page, since(moves, first), hold, data)
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

// Writing is a text that is typed where the focus is.
type Writing struct {
	Text string
	// Exactly has no key go wrong: for a field that counts or judges each key, and for
	// a secret. Default: keys go wrong at times and are taken back.
	Exactly bool
	// Before is asked before each key goes down, and before a text that no key writes;
	// its error ends the typing and is returned. Default: nothing is asked.
	Before func(context.Context) error
}

// Type types a text with this person's rhythm, and returns when the page has handled
// the last key.
func (h *Hand) Type(ctx context.Context, page *target.Page, w Writing) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	plan := h.persona.Type
	if w.Exactly {
		plan = h.persona.TypeExactly
	}
	return pace(ctx, page, keyEvents(plan(w.Text), w.Before))
}

// PressKey presses a key, named as in KeyboardEvent.key, for as long as this person
// does, with the modifiers held before it goes down and until it is up.
func (h *Hand) PressKey(ctx context.Context, page *target.Page, name string, modifiers []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, shifted := placeOf(name); shifted && ModifierBits(modifiers)&shiftBit == 0 {
		modifiers = append(slices.Clone(modifiers), "Shift")
	}
	return pace(ctx, page, keyEvents(h.persona.Chord(name, held(modifiers)...), nil))
}

// held are the keys of modifiers, by the names of keys.
func held(modifiers []string) []string {
	keys := slices.Clone(modifiers)
	for i, name := range keys {
		if name == "ControlOrMeta" {
			keys[i] = map[int]string{2: "Control", 4: "Meta"}[controlOrMeta]
		}
	}
	return keys
}

// stroke is a key that goes down or up.
type stroke struct {
	key  humanize.Key
	at   time.Duration
	down bool
	of   int // the index of the key
}

// keyEvents are the events of keys in the order of time.
func keyEvents(keys []humanize.Key, before func(context.Context) error) []event {
	var strokes []stroke
	for i, key := range keys {
		strokes = append(strokes, stroke{key, key.Down, true, i})
		if !key.Insert {
			strokes = append(strokes, stroke{key, key.Up, false, i})
		}
	}
	slices.SortStableFunc(strokes, func(a, b stroke) int { return int(a.at - b.at) })
	downs := make([]int, len(keys)) // the events in which keys go down
	modifiers := 0
	var events []event
	for n, s := range strokes {
		e := event{at: s.at, method: "Input.dispatchKeyEvent", ends: notOne}
		switch bit := ModifierBits([]string{s.key.Name}); {
		case s.down:
			e.before = before
			modifiers |= bit
			downs[s.of] = n
		default:
			e.ends = downs[s.of]
			modifiers &^= bit
		}
		e.params = s.params(modifiers)
		if s.key.Insert {
			e.method = "Input.insertText"
		}
		events = append(events, e)
	}
	return events
}

// params are what is sent of a key, with the modifiers that are down.
func (s stroke) params(modifiers int) func(stamp float64) any {
	if s.key.Insert {
		return func(float64) any { return map[string]string{"text": s.key.Name} }
	}
	e := timedKey{keyInput: keyEvent(s.key.Name, modifierNames(modifiers))}
	e.Modifiers = modifiers
	e.Type = "keyUp"
	switch {
	case !s.down:
		// A key that outlasts Shift comes up without it, and the other way round.
		e.Key, e.Text, e.UnmodifiedText, e.Commands = shiftedTo(s.key.Name, modifiers&shiftBit != 0), "", "", nil
	case e.Text != "":
		e.Type = "keyDown"
	default:
		e.Type = "rawKeyDown"
	}
	if ModifierBits([]string{s.key.Name}) != 0 {
		e.Location = keyLeft
		if s.key.Right {
			e.Location, e.Code = keyRight, strings.Replace(e.Code, "Left", "Right", 1)
		}
	}
	return func(stamp float64) any {
		e.Timestamp = stamp
		return e
	}
}

// timedKey is a key that says when it was pressed, in seconds since the epoch, and
// which of two alike it is.
type timedKey struct {
	keyInput
	Location  int     `json:"location,omitempty"`
	Timestamp float64 `json:"timestamp"`
}

// Of KeyboardEvent.location.
const keyLeft, keyRight = 1, 2

func modifierNames(bits int) []string {
	var names []string
	for _, name := range []string{"Alt", "Control", "Meta", "Shift"} {
		if bits&ModifierBits([]string{name}) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// shiftedTo is the name of a character's key with Shift, or without.
func shiftedTo(name string, shift bool) string {
	if len(name) != 1 {
		return name
	}
	for pair := range signs {
		if strings.Contains(pair, name) && len(pair) == 2 {
			return map[bool]string{false: pair[:1], true: pair[1:]}[shift]
		}
	}
	if shift {
		return strings.ToUpper(name)
	}
	return strings.ToLower(name)
}

// event is one that is sent at its time.
type event struct {
	at     time.Duration // from the beginning of the gesture
	method string
	params func(stamp float64) any     // stamp is when it happens, in seconds since the epoch
	ends   int                         // the index of what it lets go of, -1 where it is none of these
	before func(context.Context) error // its error ends the gesture; may be nil
	sent   func()                      // is told that it was; may be nil
}

// notOne is the index of no event.
const notOne = -1

// pace sends the events of a gesture, each at its time and none because of a reply,
// and returns when the page has handled the last. A gesture that is cut short lets go
// of what it holds.
func pace(ctx context.Context, page *target.Page, events []event) error {
	if len(events) == 0 {
		return nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	begun := time.Now()
	send := func(e event, at time.Time) *cdp.Call {
		if e.sent != nil {
			e.sent()
		}
		return page.Send(e.method, e.params(stampOf(at)))
	}
	var last *cdp.Call
	for i, e := range events {
		at := begun.Add(e.at)
		timer.Reset(time.Until(at))
		err := await(ctx, page, timer, e)
		if err != nil {
			for _, rest := range events[i:] {
				if rest.ends != notOne && rest.ends < i {
					send(rest, time.Now())
				}
			}
			return err
		}
		last = send(e, at)
	}
	_, err := last.Wait(ctx)
	return err
}

// stampOf is a time as events tell it, in seconds since the epoch.
func stampOf(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// await returns when an event is due and may be sent.
func await(ctx context.Context, page *target.Page, timer *time.Timer, e event) error {
	select {
	case <-timer.C:
	case <-page.Done():
		return page.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if e.before == nil {
		return nil
	}
	return e.before(ctx)
}
