package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// reading is a text in a view: its characters, and the bytes of the text that each
// comes from.
type reading struct {
	points   []rune
	from, to []int
}

func read(text string, v view) reading {
	is := reading{points: make([]rune, 0, len(text)), from: make([]int, 0, len(text)), to: make([]int, 0, len(text))}
	for at, r := range text {
		end := at + utf8.RuneLen(r)
		if r == utf8.RuneError {
			end = at + 1
		}
		if r < utf8.RuneSelf {
			if c, counts := readASCII(r, v); counts {
				is.points, is.from, is.to = append(is.points, c), append(is.from, at), append(is.to, end)
			}
			continue
		}
		for _, c := range strings.ToLower(norm.NFKC.String(string(r))) { // full-width and mathematical letters are letters
			if plain, is := lookAlikes[c]; is {
				c = plain
			}
			if counts(c, v) {
				is.points, is.from, is.to = append(is.points, c), append(is.from, at), append(is.to, end)
			}
		}
	}
	return is
}

// lookAlikes are letters of other scripts that look like Latin ones. The page script has
// the same list.
var lookAlikes = pairs("аaвbсcԁdеeһhіiјjкkмmнhоoрpѕsтtуyхxαaεeιiκkνvοoρpτtυuχx")

func pairs(text string) map[rune]rune {
	runes, all := []rune(text), map[rune]rune{}
	for i := 0; i < len(runes); i += 2 {
		all[runes[i]] = runes[i+1]
	}
	return all
}

func readASCII(r rune, v view) (rune, bool) {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A', true
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return r, true
	}
	return r, v == joined && r > ' ' && r != 0x7f
}

// counts reports whether a character is one of the view.
func counts(c rune, v view) bool {
	if v == folded {
		return unicode.IsLetter(c) || unicode.Is(unicode.Nd, c)
	}
	return !unicode.IsSpace(c) && !unicode.Is(unicode.Cc, c) && !unicode.Is(unicode.Cf, c) && !unicode.Is(unicode.Mn, c)
}
