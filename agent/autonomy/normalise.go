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
	if r < utf8.RuneSelf {
		return wordByte[r]
	}
	if r >= 'а' && r <= 'я' || r >= 0x4E00 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4 {
		return true // the most there is of; the tables are slow
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
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
			switch plain := folded[c]; plain {
			case 0:
			case ' ':
				if len(to) > 0 && to[len(to)-1] != ' ' {
					to = append(to, ' ')
				}
			default:
				to = append(to, plain)
			}
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
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
	case r >= 'а' && r <= 'я', r >= 'ß' && r <= 'ö', r >= 0x3040 && r < 0xA000, r >= 0xAC00 && r < 0xD7A4:
		return r
	case r >= 'А' && r <= 'Я':
		return r + ('а' - 'А')
	}
	return unicode.ToLower(r)
}

func wordEnds(b []byte, at int) bool {
	if at >= len(b) {
		return true
	}
	r, _ := utf8.DecodeRune(b[at:])
	return !inWord(r)
}
