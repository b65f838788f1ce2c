package humanize

import (
	"math"
	"strings"
	"unicode"
)

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
// beside a letter. Only small letters go wrong, and to small letters: a field may
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

// isWord says whether a character is of a word.
func isWord(char rune) bool { return unicode.IsLetter(char) || unicode.IsDigit(char) }
