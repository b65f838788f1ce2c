package autonomy

import (
	"unicode"
	"unicode/utf8"
)

// unspaced scripts put no space between words, or hang endings on them.
func unspaced(r rune) bool {
	return r >= 0x3040 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4 || r >= 0xF900 && r < 0xFB00
}

func inWord(r rune) bool {
	if uint32(r) < tabled {
		return wordRunes[r/64]&(1<<(r%64)) != 0
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// tabled are the characters that are looked up: each of a text is, more than once, and
// the tables of package unicode are searched.
const tabled = 0x10000

// wordRunes has a bit for each character of a word: a letter, a mark of one, or a digit.
var wordRunes = func() (t [tabled / 64]uint64) {
	for _, kind := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.Nd} {
		for _, in := range kind.R16 {
			for r := uint32(in.Lo); r <= uint32(in.Hi); r += uint32(in.Stride) {
				t[r/64] |= 1 << (r % 64)
			}
		}
	}
	return t
}()

// runeAt is utf8.DecodeRune, faster for what there is most of: two bytes, and three but
// where not all of these are letters.
func runeAt(b []byte, i int) (rune, int) {
	const more, mark = 0xC0, 0x80 // of a byte that goes on
	c := b[i]
	switch {
	case c >= 0xC2 && c < 0xE0 && i+1 < len(b) && b[i+1]&more == mark:
		return rune(c&0x1F)<<6 | rune(b[i+1]&0x3F), 2
	case c > 0xE0 && c < 0xED && i+2 < len(b) && b[i+1]&more == mark && b[i+2]&more == mark:
		return rune(c&0x0F)<<12 | rune(b[i+1]&0x3F)<<6 | rune(b[i+2]&0x3F), 3
	}
	return utf8.DecodeRune(b[i:])
}

// folded is what becomes of each ASCII character: 0 is nothing.
var folded = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) | 0x20
		case c == '*' || c == '`':
		case c == '\t' || c == '\n' || c == '\r' || c == '_' || c == held || c == tagged:
			t[c] = ' '
		default:
			t[c] = byte(c)
		}
	}
	return t
}()

// wordByte is whether a byte is an ASCII character of a word.
var wordByte = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = isASCIILetter(byte(c)) || c >= '0' && c <= '9'
	}
	return t
}()

// normalise gives a text in lower case, in the room of another, with one kind of apostrophe, without
// marks of emphasis, and with one space for each run of white space.
func normalise(to, b []byte) []byte {
	to = to[:0]
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			i++
			switch plain := folded[c]; {
			case plain > ' ':
				to = append(to, plain)
			case plain == ' ':
				if len(to) > 0 && to[len(to)-1] != ' ' {
					to = append(to, ' ')
				}
			case plain != 0:
				to = append(to, plain)
			}
			continue
		}
		r, size := runeAt(b, i)
		i += size
		switch r {
		case '’', 'ʼ':
			to = append(to, '\'')
		case '\u00a0', '\u202f', '\u3000':
			if len(to) > 0 && to[len(to)-1] != ' ' {
				to = append(to, ' ')
			}
		default:
			to = utf8.AppendRune(to, lower(r))
		}
	}
	return to
}

// lower is unicode.ToLower, faster for what there is most of.
func lower(r rune) rune {
	switch {
	case r < rune(len(lowered)):
		return rune(lowered[r])
	case r < 0x10A0, r >= 0x3040 && r < 0xA000, r >= 0xAC00 && r < 0xD7A4:
		return r // scripts of one case: from Hebrew to Burmese, and those of the East
	}
	return unicode.ToLower(r)
}

// lowered are the characters before those in lower case.
var lowered = func() (t [0x590]uint16) {
	for r := range t {
		t[r] = uint16(unicode.ToLower(rune(r)))
	}
	return t
}()

func wordEnds(b []byte, at int) bool {
	if at >= len(b) {
		return true
	}
	r, _ := runeAt(b, at)
	return !inWord(r)
}
