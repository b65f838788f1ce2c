package autonomy

import (
	"math/bits"
	"unicode/utf8"
)

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
	kindPair     = 4
	kindFour     = 6
	kindStem     = 7
	kindClasses  = 20
	kindRule     = 21
	kindPlace    = 22
	kindFollows  = 30 // + twice the words, + 1 behind a question
	kindLength   = 50
	kindTask     = 60
	kindTaskRule = 62
	kindTopic    = 70

	kindConcept         = 80 // + 1 in a question
	kindConceptAnywhere = 82
	kindConceptBefore   = 90
	kindConceptBehind   = 91
	kindConceptDenied   = 93
	kindConceptWhole    = 94 // beside what is known of the answer
	kindTaskConcept     = 144
	kindTaskConceptRule = 145
	kindTaskStem        = 146
	kindTaskTwo         = 147
	kindTaskAsks        = 148
	kindTaskAsksRule    = 149
	kindReply           = 150
	kindReplyLength     = 151
	kindReplyAsks       = 152
	kindReplyTwo        = 153
	kindReplied         = 154
	kindReplyClasses    = 156
	kindStems           = 161
	kindBegins          = 174 // + 1 in a question
)

// hashed gives the number of a trait of a kind.
func hashed(a, kind uint32) uint32 {
	h := a*0x9E3779B1 ^ (kind+0x7F4A7C15)*0x85EBCA6B
	h ^= h >> 15
	h *= 0xC2B2AE35
	return namedTraits + h>>(32-hashBits)
}

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
		case held:
			to = append(to, token{word: tokenHeld, stem: tokenHeld, start: uint32(i), end: uint32(i + 1), mark: true})
		case '?', '!', ':', ',', ';', '(':
			to = append(to, token{word: uint32(c), stem: uint32(c), start: uint32(i), end: uint32(i + 1), mark: true})
		}
		i++
	}
	return to
}

// otherToken appends what begins with a letter that is not of ASCII, if that is a token,
// and gives the place behind it.
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
