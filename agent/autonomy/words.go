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
	kindThree    = 5
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
	wide             bool   // of a script without spaces
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
	t, _, at, ok := nextSensed(b, i, nil)
	return t, at, ok
}

// nextSensed also gives what the beginnings of the token say, if a lexicon is given.
func nextSensed(b []byte, i int, x *lexicon) (token, concepts, int, bool) {
	for i < len(b) {
		c := b[i]
		if c < utf8.RuneSelf {
			if wordByte[c] {
				t, says, at := word(b, i, x)
				return t, says, at, true
			}
			i++
			switch c {
			case held:
				return token{word: tokenHeld, stem: tokenHeld}, 0, i, true
			case '?', '!', ':', ',', ';', '(':
				return token{word: uint32(c), stem: uint32(c)}, 0, i, true
			}
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case unspaced(r):
			return token{word: uint32(r) * 0x9E3779B1, wide: true}, 0, i + size, true
		case inWord(r):
			t, says, at := word(b, i, x)
			return t, says, at, true
		}
		i += size
		switch r {
		case '？', '؟', '！', '：':
			return token{word: uint32(r), stem: uint32(r)}, 0, i, true
		}
	}
	return token{}, 0, i, false
}

// word reads a word; an apostrophe may stand in it, and what is behind it says
// something by itself. All numbers are one word.
func word(b []byte, i int, x *lexicon) (token, concepts, int) {
	t, n, letters := token{word: hashStart}, 0, false
	part, says := uint32(hashStart), concepts(0) // behind the last apostrophe
	for i < len(b) {
		r, size := rune(b[i]), 1
		if !wordByte[b[i]] {
			if r, size = wordRune(b, i); size == 0 {
				break
			}
		}
		i += size
		letters = letters || r > '9'
		t.word = (t.word ^ uint32(r)) * hashPrime
		switch n++; n {
		case rootLength:
			t.root = t.word
		case stemLength:
			t.stem = t.word
		}
		if x == nil {
			continue
		}
		part = (part ^ uint32(r)) * hashPrime
		if n > 1 {
			says |= x.prefixed(part)
		}
		if r == '\'' {
			says |= x.whole(part)
			part = hashStart
		}
	}
	if x != nil && part != t.word {
		says |= x.whole(part)
	}
	switch {
	case !letters:
		return token{word: tokenDigit, stem: tokenDigit}, says, i
	case n < stemLength:
		t.stem = t.word
	}
	return t, says, i
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
	r, size := utf8.DecodeRune(b[i:])
	if unspaced(r) || !inWord(r) {
		return 0, 0
	}
	return r, size
}

// tokens appends all tokens of a normalised text.
func tokens(to []token, b []byte) []token {
	for i := 0; ; {
		t, at, ok := nextToken(b, i)
		if !ok {
			return to
		}
		to, i = append(to, t), at
	}
}

// sensed does so, too, and tells what the words say together.
func sensed(to []token, b []byte, x *lexicon) ([]token, sense) {
	var s listener
	for i := 0; ; {
		t, says, at, ok := nextSensed(b, i, x)
		if !ok {
			return to, s.sense
		}
		s.take(x, t.word, says)
		to, i = append(to, t), at
	}
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
