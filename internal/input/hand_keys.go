package input

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/target"
)

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
	if _, shifted := placeOf(name); shifted && modifierBits(modifiers)&shiftBit == 0 {
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
		switch bit := modifierBits([]string{s.key.Name}); {
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
	if modifierBits([]string{s.key.Name}) != 0 {
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
		if bits&modifierBits([]string{name}) != 0 {
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
