package autonomy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"unicode"
)

// corpusSum is what the corpus was frozen at, before the first pattern.
const corpusSum = "ce68c3bf47d31a5293f1920fba032355d287a04fda624f77f722898efb9b5a37"

const corpusFile = "testdata/corpus.jsonl"

// labelled is a line of the corpus.
type labelled struct {
	ID           string `json:"id"`
	Lang         string `json:"lang"`
	Style        string `json:"style"`
	Kind         string `json:"kind"`
	Asking       bool   `json:"asking"`
	Topic        string `json:"topic"`
	Likely       string `json:"likely"`
	Context      string `json:"context"`
	HasToolCalls bool   `json:"has_tool_calls"`
	Text         string `json:"text"`
}

// heldApart is the third that nothing was tuned on at first.
func heldApart(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()%3 == 0
}

func corpus(t testing.TB) []labelled { t.Helper(); return readLabelled(t, corpusFile) }

func readLabelled(t testing.TB, file string) []labelled {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	for d.More() {
		var l labelled
		if err := d.Decode(&l); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, l)
	}
	return all
}

func TestTheCorpusIsAsItWasFrozen(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != corpusSum {
		t.Errorf("%s has the sum %s, it was frozen at %s: a label that is changed after the patterns proves nothing", corpusFile, got, corpusSum)
	}
}

func TestTheCorpusIsWideEnough(t *testing.T) {
	t.Parallel()
	all := corpus(t)
	held, asking := 0, 0
	langs, kinds, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, l := range all {
		if ids[l.ID] || l.Text == "" {
			t.Errorf("%s: twice, or without a text", l.ID)
		}
		ids[l.ID] = true
		langs[l.Lang]++
		kinds[l.Kind]++
		if heldApart(l.ID) {
			held++
			if l.Asking {
				asking++
			}
		}
	}
	if len(all) < 600 || 3*held < len(all) || asking < 100 || held-asking < 100 {
		t.Errorf("%d answers, %d held apart, %d of these asking", len(all), held, asking)
	}
	if len(langs) < 15 || len(kinds) < 15 {
		t.Errorf("languages %v, kinds %v", langs, kinds)
	}
	for lang, n := range langs {
		if n < 15 {
			t.Errorf("%s: only %d answers", lang, n)
		}
	}
}

// Twins make a corpus look larger than it is, and leak from one part into the other.
func TestNoTwoAnswersOfTheCorpusAreNearlyTheSame(t *testing.T) {
	t.Parallel()
	all := corpus(t)
	sets := make([]map[string]bool, len(all))
	for i, l := range all {
		sets[i] = shingles(l.Text)
	}
	for i := range all {
		for j := range i {
			if s := similarity(sets[i], sets[j]); s > mostAlike {
				t.Errorf("%s and %s share %.0f%% of their shingles", all[i].ID, all[j].ID, 100*s)
			}
		}
	}
}

const (
	shingleRunes = 6   // about a word and its end, and most of a phrase in Chinese
	mostAlike    = 0.4 // a pair may differ in what decides: "as soon as you say so", "now"
)

// shingles are the pieces of a text, letters and digits only.
func shingles(text string) map[string]bool {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text))
	set := map[string]bool{}
	for i := 0; i+shingleRunes <= len(runes); i++ {
		set[string(runes[i:i+shingleRunes])] = true
	}
	if len(set) == 0 {
		set[string(runes)] = true
	}
	return set
}

// similarity is Jaccard's: what both have, of what either has.
func similarity(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
