package autonomy

import "unicode/utf8"

// What a sentence says is given to the weights as numbers: below namedTraits what
// has a name (traits.go), above them words and their neighbours, hashed.
const (
	namedTraits  = 1024
	hashBits     = 17 // more of them gained nothing on hands that were left out
	hashedTraits = 1 << hashBits
)

// Kinds of hashed traits: the same word is something else as a question's first one.
const (
	kindWord     = 1 // + 1 in a question
	kindAlone    = 3
	kindPair     = 4
	kindThree    = 5
	kindFour     = 6
	kindStem     = 7
	kindStemPair = 8
	kindClasses  = 20
	kindRule     = 21
	kindPlace    = 22
	kindFollows  = 30 // + twice the words, + 1 behind a question
	kindLength   = 50
	kindTask     = 60
	kindTaskRule = 62
	kindTopic    = 70
)

// hashed gives the number of a trait of a kind.
func hashed(a, kind uint32) uint32 {
	h := a*0x9E3779B1 ^ (kind+0x7F4A7C15)*0x85EBCA6B
	h ^= h >> 15
	h *= 0xC2B2AE35
	h ^= h >> 13
	return namedTraits + h>>(32-hashBits)
}

// join makes one number of two, in their order.
func join(a, b uint32) uint32 { return (a*31+b)*0x01000193 ^ b>>7 }

// token is a word, a letter of a script without spaces, or a mark.
type token struct {
	word, stem uint32
	letters    int
	wide       bool // of a script without spaces
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

// nextToken reads on from i. It gives the place behind the token, and no token at
// the end.
func nextToken(b []byte, i int) (token, int, bool) {
	for i < len(b) {
		c := b[i]
		if c < utf8.RuneSelf {
			if wordByte[c] {
				t, at := word(b, i)
				return t, at, true
			}
			i++
			switch c {
			case held:
				return token{word: tokenHeld, stem: tokenHeld}, i, true
			case '?', '!', ':', ',', ';', '(':
				return token{word: uint32(c), stem: uint32(c)}, i, true
			}
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case unspaced(r):
			return token{word: uint32(r) * 0x9E3779B1, wide: true}, i + size, true
		case inWord(r):
			t, at := word(b, i)
			return t, at, true
		}
		i += size
		switch r {
		case '？', '؟', '！', '：':
			return token{word: uint32(r), stem: uint32(r)}, i, true
		}
	}
	return token{}, i, false
}

// word reads a word; an apostrophe may stand in it. All numbers are one word.
func word(b []byte, i int) (token, int) {
	h, stem, n, digits := uint32(hashStart), uint32(0), 0, true
	for i < len(b) {
		c := b[i]
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(b[i:])
			if unspaced(r) || !inWord(r) {
				break
			}
		} else if !wordByte[c] && !(c == '\'' && i+1 < len(b) && b[i+1] < utf8.RuneSelf && wordByte[b[i+1]]) {
			break
		}
		digits = digits && r >= '0' && r <= '9'
		h = (h ^ uint32(r)) * hashPrime
		i += size
		if n++; n == stemLength {
			stem = h
		}
	}
	switch {
	case digits:
		return token{word: tokenDigit, stem: tokenDigit}, i
	case n < stemLength:
		stem = h
	}
	return token{word: h, stem: stem, letters: n}, i
}

// wording appends what the words of a normalised sentence say: each by itself, with
// its neighbours, and by how it begins.
func wording(to []uint32, b []byte, asked uint32) []uint32 {
	one, two, three := uint32(tokenStart), uint32(0), uint32(0) // the words before, the last first
	stem := uint32(tokenStart)
	for i := 0; ; {
		t, at, ok := nextToken(b, i)
		if !ok {
			break
		}
		i = at
		pair := join(one, t.word)
		to = append(to, hashed(t.word, kindAlone), hashed(t.word, kindWord+asked), hashed(pair, kindPair))
		if two != 0 {
			to = append(to, hashed(join(join(two, one), t.word), kindThree))
		}
		switch {
		case !t.wide:
			to = append(to, hashed(t.stem, kindStem), hashed(join(stem, t.stem), kindStemPair))
		case three != 0:
			to = append(to, hashed(join(join(join(three, two), one), t.word), kindFour))
		}
		three, two, one, stem = two, one, t.word, t.stem
	}
	return append(to, hashed(join(one, tokenEnd), kindPair), hashed(join(join(two, one), tokenEnd), kindThree))
}

// wordsBehind is how many words of the next sentence are looked at: an answer to a
// question shows in them.
const wordsBehind = 3

// following appends how the next sentence begins.
func following(to []uint32, b []byte, asked uint32, length uint32) []uint32 {
	h := uint32(hashStart)
	for i, n := 0, uint32(1); n <= wordsBehind; n++ {
		t, at, ok := nextToken(b, i)
		if !ok {
			break
		}
		i = at
		h = join(h, t.word)
		to = append(to, hashed(h, kindFollows+2*n+asked))
	}
	return append(to, hashed(length, kindLength+asked))
}

// roots is a set of beginnings of words. Now and then it holds one too many, which
// does no harm.
type roots [8]uint64

// collect adds the words of a normalised text. It says how many were in other.
func (r *roots) collect(b []byte, other *roots) int {
	common := 0
	for i := 0; i < len(b); {
		h, n := uint32(hashStart), 0
		for i < len(b) {
			c, size := rune(b[i]), 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeRune(b[i:])
			}
			i += size
			if !inWord(c) || unspaced(c) {
				break
			}
			if n++; n <= rootLength {
				h = (h ^ uint32(c)) * hashPrime
			}
		}
		if n < rootLength {
			continue
		}
		at, bit := h>>29, uint64(1)<<(h>>20&63)
		if r[at]&bit == 0 && other[at]&bit != 0 {
			common++
		}
		r[at] |= bit
	}
	return common
}
