package humanize

import (
	"math"
	"strings"
	"time"
	"unicode"
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
	rolls  float64 // part of the keys that are held down for the next
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

// Type returns the keys that write a text into an empty field, with slips that are
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

// mistaken reports whether a character may go wrong: within a word of small letters, so
// that taking it back takes nothing else.
func mistaken(chars []rune, i int) bool {
	return neighbours[chars[i]] != "" && (i == 0 || neighbours[chars[i-1]] != "")
}

// Chord returns the keys of one key that is pressed with others held, such as "Control".
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

// typist writes down which keys a text takes.
type typist struct {
	p     *Persona
	keys  []Key
	now   float64        // ms, when the last key went down
	at    spot           // of the last key
	of    [thumb + 1]int // the last key of each finger, -1 where there is none
	last  int            // the last key, Shift excepted; -1 where there is none
	shift int            // the Shift that is down, -1 where none is
	word  bool           // the last character was of a word
}

// press presses the key of a character.
func (t *typist) press(char rune) {
	pause := 0.0
	if t.word && !isWord(char) {
		pause = t.p.spread(wordPause, wordPauseSpread, 0, wordPauseMost)
	}
	t.word = isWord(char)
	name := string(char)
	if char == '\n' {
		name = "Enter"
	}
	t.down(name, spots[char], pause)
}

// slip presses a key next to the one that was meant and perhaps goes on for a letter
// or two, then sees it and takes all of it back.
func (t *typist) slip(rest []rune) {
	near := neighbours[rest[0]]
	t.press(rune(near[t.p.rand.IntN(len(near))]))
	wrong := 1
	for wrong < len(rest) && wrong <= maxUnseen && neighbours[rest[wrong]] != "" && t.p.chance(unseen) {
		t.press(rest[wrong])
		wrong++
	}
	pause := t.p.spread(noticeMedian, noticeSpread, noticeLeast, noticeMost)
	for range wrong {
		t.down("Backspace", backspace, pause)
		pause = 0
	}
}

// down lets a key go down after the last one, and decides how long that one stays.
func (t *typist) down(name string, at spot, pause float64) {
	gap := t.gap(at) + pause
	if at.shift && t.shift < 0 {
		gap += t.holdShift(gap, at)
	} else if !at.shift {
		t.letShift(t.now + gap*t.p.between(shiftOffFirst, shiftOffLast))
	}
	t.now += gap
	t.roll(gap, at)
	if same := t.of[at.finger]; same >= 0 { // one finger, one key
		key := &t.keys[same]
		key.Up = min(key.Up, milliseconds(t.now-releaseGap))
	}
	hold := t.p.spread(t.p.typing.hold, keyHoldWithin, keyHoldLeast, keyHoldMost)
	t.last, t.of[at.finger], t.at = len(t.keys), len(t.keys), at
	t.keys = append(t.keys, Key{Name: name, Down: milliseconds(t.now), Up: milliseconds(t.now + hold)})
}

// roll keeps the last key down until this one is, as fast hands do.
func (t *typist) roll(gap float64, at spot) {
	if t.last >= 0 && at.finger != t.at.finger && gap < rollLast && t.p.chance(t.p.typing.rolls) {
		key := &t.keys[t.last]
		key.Up = max(key.Up, milliseconds(t.now+t.p.spread(rollMedian, rollSpread, rollLeast, rollLast)))
	}
}

// gap is the time from the last key to the next: hands take turns fast, one finger
// has a way to go.
func (t *typist) gap(at spot) float64 {
	typing := t.p.typing
	gap := t.p.spread(typing.gap, gapSpread, gapLeast, gapMost)
	switch {
	case t.last < 0 || t.at.finger == thumb || at.finger == thumb:
		return gap
	case at == t.at:
		return gap * sameKey
	case at.finger == t.at.finger:
		return gap + sameFinger
	case at.left() != t.at.left():
		return gap * otherHand
	}
	return gap
}

// holdShift presses Shift on the way to a key, and says how much longer that takes.
func (t *typist) holdShift(gap float64, at spot) (longer float64) {
	longer = t.p.spread(shiftMedian, shiftSpread, shiftLeast, shiftMost)
	t.shift = len(t.keys)
	down := t.now + gap*t.p.between(shiftOffFirst, shiftOffLast)
	t.keys = append(t.keys, Key{Name: "Shift", Right: t.p.typing.shifts && at.left(), Down: milliseconds(down)})
	return longer
}

// letShift lets Shift go where it is held.
func (t *typist) letShift(at float64) {
	if t.shift >= 0 {
		t.keys[t.shift].Up = milliseconds(at)
		t.shift = -1
	}
}

// insert puts in the characters that no key writes, and says how many they are.
func (t *typist) insert(rest []rune) int {
	n := 1
	for n < len(rest) {
		if _, ok := spots[rest[n]]; ok {
			break
		}
		n++
	}
	gap := t.p.spread(insertMedian, insertSpread, insertLeast, insertMost)
	t.letShift(t.now + gap*t.p.between(shiftOffFirst, shiftOffLast))
	t.now += gap
	at := milliseconds(t.now)
	t.keys = append(t.keys, Key{Name: string(rest[:n]), Insert: true, Down: at, Up: at})
	t.last, t.word = -1, isWord(rest[n-1])
	return n
}

// spot is where a key lies on a US keyboard, in widths of a key, and the finger that
// presses it: 0 to 3 of the left hand from the little one on, 4 to 7 of the right
// from the index on, 8 a thumb.
type spot struct {
	x, y   float64
	finger int
	shift  bool
}

const thumb = 8

// rows are the keys from the top with what they write without and with Shift, and
// how far each row is to the right of the first.
var rows = []struct {
	plain, shifted string
	fingers        string
	offset         float64
}{
	{"`1234567890-=", "~!@#$%^&*()_+", "0001233445677", 0},
	{"qwertyuiop[]\\", "QWERTYUIOP{}|", "0123344567777", 1.5},
	{"asdfghjkl;'", "ASDFGHJKL:\"", "01233445677", 1.75},
	{"zxcvbnm,./", "ZXCVBNM<>?", "0123344567", 2.25},
}

// spots are the keys of the characters that have one; neighbours are the letters
// next to a letter. Only small letters go wrong, and to small letters: a field may
// refuse other characters where it takes these, and one that is not there cannot be
// taken back.
var spots, neighbours = layOut()

func layOut() (spots map[rune]spot, neighbours map[rune]string) {
	spots = map[rune]spot{' ': {x: 6, y: 4, finger: thumb}, '\n': {x: 13.5, y: 2, finger: 7}}
	for y, row := range rows {
		for x, char := range row.plain {
			finger := int(row.fingers[x] - '0')
			spots[char] = spot{float64(x) + row.offset, float64(y), finger, false}
			spots[rune(row.shifted[x])] = spot{float64(x) + row.offset, float64(y), finger, true}
		}
	}
	neighbours = map[rune]string{}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for _, char := range letters {
		neighbours[char] = strings.Map(func(other rune) rune {
			if a, b := spots[char], spots[other]; other != char && math.Hypot(a.x-b.x, a.y-b.y) < 1.3 {
				return other
			}
			return -1
		}, letters)
	}
	return spots, neighbours
}

func (s spot) left() bool { return s.finger <= 3 }

// backspace is where the key of that name lies.
var backspace = spot{x: 13.5, y: 0, finger: 7}

// isWord reports whether a character is of a word.
func isWord(char rune) bool { return unicode.IsLetter(char) || unicode.IsDigit(char) }
