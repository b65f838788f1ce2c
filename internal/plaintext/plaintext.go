// Package plaintext makes what a page, or an agent, says into something that a person can be shown: it stays on its
// line, moves no cursor, turns no text around, and does not pass for another word.
package plaintext

import (
	"strings"
	"unicode"
)

// Line returns a text on one line, without what cannot be seen. A word of letters that look alike in different
// alphabets, as a payee's with one Cyrillic letter, is marked.
func Line(text string) string {
	words := strings.Fields(Printable(strings.Join(strings.Fields(text), " ")))
	for i, word := range words {
		if isMixed(word) {
			words[i] = word + " (mixed alphabets)"
		}
	}
	return strings.Join(words, " ")
}

// Printable removes characters that cannot be seen: those that control a terminal, join or turn around texts, or have
// no width.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// alike are alphabets whose letters pass for one another.
var alike = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee}

// isMixed reports whether a word has letters of several alphabets whose letters look alike.
func isMixed(word string) bool {
	seen := -1
	for _, r := range word {
		for i, alphabet := range alike {
			if !unicode.Is(alphabet, r) {
				continue
			}
			if seen >= 0 && seen != i {
				return true
			}
			seen = i
		}
	}
	return false
}
