package humanize

import (
	"math"
	"strings"
	"time"
)

// Key is a key that is pressed and let go, counted from the beginning of the gesture.
// Keys come in the order in which they go down; the next may do so before the last
// one is up.
type Key struct {
	// Name is that of KeyboardEvent.key: a character, or "Enter", "Backspace", "Shift".
	// Of a text that no key writes, it is the text.
	Name     string
	Right    bool // of the two Shift keys
	Insert   bool // Name has no key and is put in as text, at Down
	Down, Up time.Duration
}

// typing is how a person types.
type typing struct {
	gap    float64 // ms from key to key, median
	hold   float64 // ms, median
	slips  float64 // part of the letters that go wrong
	rolls  float64 // part of the keys that are kept down for the next
	shifts bool    // both Shift keys are used
}

func (p *Persona) drawTyping() typing {
	wpm := min(max(p.normal(wordsMean, wordsSpread), wordsLeast), wordsMost)
	fast := 1 / (1 + math.Exp(-(wpm-rollMiddle)/rollWidth))
	return typing{
		gap:    60_000 / (wpm * lettersAWord) * gapMedian,
		hold:   p.spread(keyHoldMedian, keyHoldBetween, keyHoldLeast, keyHoldMost) - fast*fastHold,
		slips:  p.spread(slipMedian, slipSpread, 0, slipMost),
		rolls:  rollMost * fast,
		shifts: p.chance(bothShifts),
	}
}

// Type gives the keys that write a text into an empty field, with slips that are
// noticed and taken back: what the field holds in the end is the text.
func (p *Persona) Type(text string) []Key { return p.typed(text, p.typing.slips) }

// TypeExactly is Type without a slip, for a field that counts or judges each key.
func (p *Persona) TypeExactly(text string) []Key { return p.typed(text, 0) }

func (p *Persona) typed(text string, slips float64) []Key {
	p.next()
	chars := plain(text)
	t := typist{p: p, shift: -1, last: -1, keys: make([]Key, 0, len(chars)+len(chars)/4)}
	for i := range t.of {
		t.of[i] = -1
	}
	for i := 0; i < len(chars); {
		if _, ok := spots[chars[i]]; !ok {
			i += t.insert(chars[i:])
			continue
		}
		if mistaken(chars, i) && p.chance(slips) {
			t.slip(chars[i:])
		}
		t.press(chars[i])
		i++
	}
	t.letShift(t.now + p.typing.hold)
	return t.keys
}

// plain is a text as a field takes it: every end of a line is one character.
func plain(text string) []rune {
	return []rune(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// mistaken says whether a character may go wrong: within a word of small letters, so
// that taking it back takes nothing else.
func mistaken(chars []rune, i int) bool {
	return neighbours[chars[i]] != "" && (i == 0 || neighbours[chars[i-1]] != "")
}

// Chord gives the keys of one key that is pressed with others held, such as "Control".
func (p *Persona) Chord(name string, held ...string) []Key {
	p.next()
	var keys []Key
	at := 0.0
	for _, name := range held {
		keys = append(keys, Key{Name: name, Down: milliseconds(at)})
		at += p.spread(shiftMedian, shiftSpread, shiftLeast, shiftMost)
	}
	up := at + p.spread(p.typing.hold, keyHoldWithin, keyHoldLeast, keyHoldMost)
	for i := len(keys) - 1; i >= 0; i-- { // the last that went down is the first up
		keys[i].Up = milliseconds(up + releaseGap*float64(len(keys)-i))
	}
	return append(keys, Key{Name: name, Down: milliseconds(at), Up: milliseconds(up)})
}
