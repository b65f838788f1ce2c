package plaintext_test

import (
	"testing"

	"github.com/go-reprise/reprise/internal/plaintext"
)

func TestALineShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Meadow Water":                    "Meadow Water",
		"Meadow Water\nAmount: 1,00 €":    "Meadow Water Amount: 1,00 €",
		"a\u2028b\u2029c\u0085d\vf":       "a b c d f",
		"\x1b[2K\x1b[1;1HPaid":            "[2K[1;1HPaid",
		"Mea\u200bdow\u00ad W\u2060ater":  "Meadow Water",
		"\u202eretaW wodaeM\u202c":        "retaW wodaeM",
		"\u2066Alice\u2069\u061c":         "Alice",
		"M\u0435adow Water":               "M\u0435adow (mixed alphabets) Water", // Cyrillic е
		"\u0391lice":                      "\u0391lice (mixed alphabets)",        // Greek Α
		"Київводоканал, Ltd":              "Київводоканал, Ltd",
		"Δήμος Αθηναίων 12 €":             "Δήμος Αθηναίων 12 €",
		"東京ガス Tokyo-Gas":                  "東京ガス Tokyo-Gas",
		"\U000e0041\ufe0fAlice\x00\ufffe": "\ufe0fAlice",
	} {
		if got := plaintext.Line(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
