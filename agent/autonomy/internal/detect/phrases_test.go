package detect

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
)

// Most words are known by their hashes to begin no phrase. That must never pass one over:
// what is found is what a search finds that looks for each phrase at each letter.
func TestNoPhraseIsPassedOver(t *testing.T) {
	t.Parallel()
	comparesSearches(t, map[string][]string{"halt": {"say when"}, "ask": {"kindly advise*", "'tis", "*zz*", "pls"}, "wait": {"ab*", "warte auf*", "«bitte", "you"}})
	comparesSearches(t, map[string][]string{"ask": {"q*"}}) // no hash is known of one letter
}

func comparesSearches(t *testing.T, own map[string][]string) {
	t.Helper()
	p := builtInAnd(own)
	answers := someAnswers(t)
	random := rand.New(rand.NewPCG(1, 2))
	odd := []string{"don't", "l'été", "d'accord", "qu'est-ce", "you're", "'tis", "q", "abz", "zzz", "pls.", "確認you", "・", "२", "10'", "«bitte", "kindly advised", "you", "o'clock's", "say when's"}
	for i, language := range languages {
		all := gathered(languages[i:i+1], own)
		for range 40 {
			text := []byte(answers[random.IntN(len(answers))].Text)
			for range 6 {
				at := random.IntN(len(text) + 1)
				text = slices.Insert(text, at, []byte(" "+odd[random.IntN(len(odd))]+" ")...)
			}
			b := normalise(nil, text[:min(len(text), 400)])
			var s search
			got := s.over(p, 1<<i).find(b, tokens(nil, b), nil)
			if want := slowly(all, b); got != want {
				t.Fatalf("%s: %+v, not %+v: %q", language, got, want, b)
			}
		}
	}
}

// slowly looks for each phrase at each letter.
func slowly(all *tries, b []byte) (h hit) {
	inside, begun := false, false
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if !inside || !inWord(r) {
			for key, ends := range all.words.added {
				h.take(b, at, key, ends, begun)
			}
		}
		for key, ends := range all.anywhere.added {
			h.take(b, at, key, ends, begun)
		}
		inside = inWord(r)
		begun = begun || inside
		at += size
	}
	return h
}

func (h *hit) take(b []byte, at int, key string, ends []end, begun bool) {
	if !bytes.HasPrefix(b[at:], []byte(key)) {
		return
	}
	for _, e := range ends {
		if e.first && begun || !e.open && !wordEnds(b, at+len(key)) {
			continue
		}
		h.classes |= e.class
		h.own = h.own || e.own
		if !begun {
			h.begins |= e.class
		}
	}
}
