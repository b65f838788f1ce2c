package humanize

// typist writes down which keys a text takes.
type typist struct {
	p     *Persona
	keys  []Key
	now   float64        // ms, when the last key went down
	at    spot           // of the last key
	of    [thumb + 1]int // the last key of each finger, -1 where there is none
	last  int            // the last key, beside Shift; -1 where there is none
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

// slip presses a key beside the one that was meant and perhaps goes on for a letter
// or two, then sees it and takes all of it back.
func (t *typist) slip(rest []rune) {
	beside := neighbours[rest[0]]
	t.press(rune(beside[t.p.rand.IntN(len(beside))]))
	wrong := 1
	for wrong < len(rest) && wrong <= mostUnseen && neighbours[rest[wrong]] != "" && t.p.chance(unseen) {
		t.press(rest[wrong])
		wrong++
	}
	pause := t.p.spread(noticeMedian, noticeSpread, noticeLeast, noticeMost)
	for range wrong {
		t.down("Backspace", backspace, pause)
		pause = 0
	}
}

// down lets a key go down after the last one, and settles how long that one stays.
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
