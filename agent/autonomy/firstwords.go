package autonomy

import (
	"math"
	"unicode/utf8"
)

// bitset holds some of many numbers: where it does not hold one, nothing needs to be looked
// for. Now and then it holds one too many, which does no harm.
type bitset [1 << bitsetBits / 64]uint64

const bitsetBits = 16 // so few stay in the cache

// bitOf is where the bit of a number is.
func bitOf(hash uint32) uint32 { return hash * 0x9E3779B1 >> (32 - bitsetBits) }

func (s *bitset) set(hash uint32) {
	bit := bitOf(hash)
	s[bit/64] |= 1 << (bit % 64)
}

func (s *bitset) has(hash uint32) bool { return s.at(bitOf(hash))&1 != 0 }

// at has the bit at a place as its lowest.
func (s *bitset) at(bit uint32) uint64 { return s[bit/64] >> (bit % 64) }

// firstWords are what phrases begin with: two words, or one by itself. Most of a text begins
// none, and is known by its hashes to begin none.
type firstWords struct{ bitset }

const (
	ofRoot      = asPrefix   // keeps roots apart from stems
	ofBeginning = 0x27D4EB2F // and what is shorter than both
)

// has is whether one of the bits is set of what a phrase may begin with.
func (f *firstWords) has(two, stem, root, short, part uint32) bool {
	return (f.at(two)|f.at(stem)|f.at(root)|f.at(short)|f.at(part))&1 != 0
}

// beginning is a number for the first two letters of a word.
func beginning(word []byte) uint32 {
	if len(word) > 1 && word[0] < utf8.RuneSelf && word[1] < utf8.RuneSelf {
		return uint32(word[0])<<8 ^ uint32(word[1]) ^ ofBeginning
	}
	first, size := runeAt(word, 0)
	second := rune(0)
	if size < len(word) {
		second, _ = runeAt(word, size)
	}
	return uint32(first)<<8 ^ uint32(second) ^ ofBeginning
}

// add takes in a phrase; open is whether a word may go on behind it.
func (f *firstWords) add(key []byte, open bool) {
	words := tokens(nil, key)
	if len(words) == 0 || words[0].start > 0 {
		return
	}
	first := &words[0]
	switch {
	case len(words) > 1 && sameStem(key, &words[1], open):
		f.set(join(first.stem, words[1].stem))
	case int(first.end) < len(key) || sameStem(key, first, open):
		f.set(first.stem)
	case utf8.RuneCount(key) > 1:
		f.set(hashOfBeginning(first, key))
	default: // any word may be meant
		for i := range f.bitset {
			f.bitset[i] = math.MaxUint64
		}
	}
}

// hashOfBeginning is one of the three hashes of each word that begins like this one: that of
// its stem, its root, or its first two letters.
func hashOfBeginning(t *token, word []byte) uint32 {
	switch {
	case t.stem != tokenDigit && utf8.RuneCount(word) >= stemLength:
		return t.stem
	case t.root != 0:
		return t.root ^ ofRoot
	}
	return beginning(word)
}

// sameStem is whether a text that begins with a phrase has the same stem there as this word
// of it has.
func sameStem(key []byte, t *token, open bool) bool {
	if int(t.end) < len(key) {
		return key[t.end] != '\''
	}
	return !open || t.mark || t.wide || t.stem != tokenDigit && utf8.RuneCount(key[t.start:t.end]) >= stemLength
}
