package detect

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// join makes one number of two, in their order.
func join(a, b uint32) uint32 { return (a*31+b)*0x01000193 ^ b>>7 }

// token is a word, a letter of a script without spaces, or a mark.
type token struct {
	word, stem, root uint32 // the root is 0 for short ones
	start, end       uint32 // where it stands in its sentence
	script           uint8  // of its last letter, by its place in scripts; 0 is one of many languages
	wide             bool   // of a script without spaces
	mark             bool   // it is none of a word
	parts            bool   // there is an apostrophe in it
}

const (
	hashStart  = 0x811C9DC5 // FNV-1a's
	hashPrime  = 0x01000193
	stemLength = 5 // letters: where most endings begin
	rootLength = 4 // of words that two sentences have in common

	tokenStart = 0x11111111
	tokenEnd   = 0x22222222
	tokenHeld  = 0x33333333
	tokenDigit = 0x44444444
)

// tokens appends all tokens of a normalised text.
func tokens(to []token, b []byte) []token {
	for i := 0; i < len(b); {
		c := b[i]
		if c >= utf8.RuneSelf {
			to, i = otherToken(to, b, i)
			continue
		}
		if wordByte[c] {
			to = append(to, token{})
			i = to[len(to)-1].read(b, i)
			continue
		}
		switch c {
		case blanked:
			to = append(to, token{word: tokenHeld, stem: tokenHeld, start: uint32(i), end: uint32(i + 1), mark: true})
		case '?', '!', ':', ',', ';', '(':
			to = append(to, token{word: uint32(c), stem: uint32(c), start: uint32(i), end: uint32(i + 1), mark: true})
		}
		i++
	}
	return to
}

// otherToken appends what begins with a letter that is not of ASCII, if that is a token,
// and returns the place after it.
func otherToken(to []token, b []byte, i int) ([]token, int) {
	r, size := runeAt(b, i)
	t := token{start: uint32(i), end: uint32(i + size), script: scriptOf(r)}
	switch {
	case unspaced(r):
		t.word, t.wide, t.mark = uint32(r)*0x9E3779B1, true, !inWord(r)
		t.stem = t.word
	case inWord(r):
		to = append(to, token{})
		return to, to[len(to)-1].read(b, i)
	case r == '？' || r == '؟' || r == '！' || r == '：':
		t.word, t.stem, t.mark = uint32(r), uint32(r), true
	default:
		return to, i + size
	}
	return append(to, t), i + size
}

// read takes in a word; an apostrophe may stand in it. All numbers are one word.
func (t *token) read(b []byte, i int) int {
	t.start = uint32(i)
	hash, stem, root := uint32(hashStart), uint32(0), uint32(0)
	last, seen := rune(0), rune(0) // the last letter; the bits of all
	for n := 1; i < len(b); n++ {
		r, size := rune(b[i]), 1
		if !wordByte[b[i]] {
			if r, size = wordRune(b, i); size == 0 {
				break
			}
			t.parts = t.parts || r == '\''
		}
		i += size
		last, seen = r, seen|r
		hash = (hash ^ uint32(r)) * hashPrime
		if n == rootLength {
			root = hash
		}
		if n <= stemLength {
			stem = hash
		}
	}
	const noDigit = '@' // nor an apostrophe: all letters are above
	if seen < noDigit {
		hash, stem, root = tokenDigit, tokenDigit, 0
	} else if last >= utf8.RuneSelf {
		t.script = scriptOf(last)
	}
	t.word, t.stem, t.root, t.end = hash, stem, root, uint32(i)
	return i
}

// wordRune is a letter of a word that is not of ASCII, or an apostrophe in it; of no
// bytes where the word ends.
func wordRune(b []byte, i int) (rune, int) {
	if b[i] < utf8.RuneSelf {
		if b[i] == '\'' && i+1 < len(b) && wordByte[b[i+1]] {
			return '\'', 1
		}
		return 0, 0
	}
	r, size := runeAt(b, i)
	if unspaced(r) || !inWord(r) {
		return 0, 0
	}
	return r, size
}

// roots is a set of beginnings of words. Now and then it holds one too many, which
// does no harm.
type roots [8]uint64

// collect adds the words of a text.
func (r *roots) collect(words []token) {
	for i := range words {
		if h := words[i].root; h != 0 {
			r[h>>29] |= 1 << (h >> 20 & 63)
		}
	}
}

// common is how many are in both.
func (r *roots) common(other *roots) int {
	n := 0
	for i := range r {
		n += bits.OnesCount64(r[i] & other[i])
	}
	return n
}

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
		case c == '\t' || c == '\n' || c == '\r' || c == '_' || c == blanked || c == tagged:
			t[c] = ' '
		default:
			t[c] = byte(c)
		}
	}
	return t
}()

// wordByte marks the bytes that are ASCII characters of a word.
var wordByte = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = isASCIILetter(byte(c)) || c >= '0' && c <= '9'
	}
	return t
}()

// normalise returns a text in lower case, in the room of another, with one kind of apostrophe, without
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
