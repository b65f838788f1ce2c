package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

// labelled is a line of a corpus.
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

func (l *labelled) answer() detect.Answer {
	return detect.Answer{Text: l.Text, Tools: l.HasToolCalls, Task: l.Context}
}

// annotators are the files of those who wrote answers. The phrases were tuned on the
// first one's.
var annotators = [][]string{{"corpus", "later", "tuning"}, {"another"}, {"third"}, {"fourth"}, {"fifth"}, {"sixth"}, {"seventh"}, {"eighth"}, {"ninth"}, {"tenth"}, {"eleventh"},
	{"fourteenth"}, {"fifteenth"}, {"sixteenth"}, {"seventeenth"}, {"eighteenth"}, {"nineteenth"}, {"twentieth"}, {"twenty-first"}, {"twenty-second"}, {"twenty-third"}, {"twenty-fifth"}, {"twenty-sixth"},
	{"twenty-ninth"}, {"thirtieth"}, {"thirty-first"}, {"thirty-second"}}

// hardAnnotators were asked for what is hard: to ask without asking, and not to ask in words
// of asking; the eighteenth for what is unlike the usual.
var hardAnnotators = map[string]bool{"eighth": true, "ninth": true, "tenth": true, "eleventh": true, "eighteenth": true, "nineteenth": true, "twentieth": true}

func answersBy(t testing.TB, annotator int) []*example {
	t.Helper()
	var all []*example
	for _, name := range annotators[annotator] {
		for _, l := range read(t, name) {
			all = append(all, &example{labelled: l, annotator: annotator})
		}
	}
	return all
}

func read(t testing.TB, name string) []labelled {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	for d.More() {
		var l labelled
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(all)+1, err)
		}
		all = append(all, l)
	}
	return all
}

// The numbers of what is by no annotator: what was written to learn from.
const (
	lesson   = -1
	contrast = -2 // answers that are alike, and differ in whether they ask
)

var lessonFiles = []string{"answers", "sentences", "answers-en", "answers-eu", "answers-world", "answers-pairs"}

// lessons are short answers and sentences that were written to learn from. They
// are never measured on.
func lessons(t testing.TB) []*example {
	t.Helper()
	var all []*example
	for _, name := range lessonFiles {
		data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			mark, text, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok || mark == "#" {
				continue
			}
			e := &example{annotator: lesson, bare: name == "sentences"}
			if strings.HasPrefix(name, "answers-") {
				e.annotator = contrast
			}
			if task, rest, ok := strings.Cut(strings.TrimPrefix(text, "{"), "} "); ok && text[0] == '{' && !e.bare && task[0] != '"' {
				e.Context, text = task, rest
			}
			e.Text, e.Asking, e.HasToolCalls = strings.ReplaceAll(text, `\n`, "\n"), mark[0] == '+', mark[1:] == "t"
			all = append(all, e)
		}
	}
	return all
}

// everything is all that is learnt from, with its traits, annotator by annotator.
func everything(t testing.TB) []*example {
	t.Helper()
	var all []*example
	for i := range annotators {
		all = append(all, answersBy(t, i)...)
	}
	all = append(all, lessons(t)...)
	for _, e := range all {
		e.prepare()
	}
	return all
}

// sums are what the corpora were frozen at: a label that is changed after someone
// has learnt from it proves nothing. The held-out sets were never learnt from, nor read by
// anyone who chose what is learnt.
const (
	heldOut       = "held"
	heldOutSecond = "held-second"
	heldOutThird  = "held-third"
	heldOutFourth = "held-fourth"
	heldOutLong   = "held-long" // long answers
)

var sums = map[string]string{
	"corpus":        "ce68c3bf47d31a5293f1920fba032355d287a04fda624f77f722898efb9b5a37", // before the first pattern
	"another":       "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259",
	"third":         "1a948b149578976c8659da91270cdc802ae5ef99c1f847c7fda4a96b0f4c8f98",
	"fourth":        "4552139b8c55baa509e372c40223d9594197fad68aa3bb7585b3d12958d8afc5",
	"fifth":         "4c35bc46482cac10854f03f5450b78ef5432da4120145c80043fa442bb75dd33",
	"sixth":         "f97145d3fbf65c85711398a4f058dc63a72f7225ecd4f62aa2f0d667904fc026",
	"seventh":       "231bbbd182b177007e21f1b3f7ad8732ace562d3b8de6c27611719583965792d",
	"eighth":        "ce61b6033f6a53685132d1bb36c35165127b1439e972e8989708dd18ba8563c7",
	"ninth":         "df761f1420bb6ea0406cd7c5f1a1d6a5ae164ee6375d4f9d89edd27a388bc81c",
	"tenth":         "476a2b9fac9a8a4b6afadf9d924377f8b70dcc0c773d8a79c7de18db5706c75c",
	"eleventh":      "d102afbfa51f25756d00462bcd2d4afd0e3a681df77341b8741af8d043946007",
	"fourteenth":    "bbd6e10cb6c904120f7333913f921a1b1b750b00fdf417ec9c06b57adbb58727",
	"fifteenth":     "665de22eaca44545b2a5e4623ab6131244690ddbe2a610bbbd367a86b6b141fc",
	"sixteenth":     "19a69501aa543b3069f63098ca4d5617419e7d689e2aa88c6fc35b741ea8ef12",
	"seventeenth":   "720d97d318a0711765bd5adddd07d864caaf96e547f90303c9f3aed61b7b9d7f",
	"eighteenth":    "b26ad1b61e726841342cde3b41885b96ee8dd904ce677c113ecb323ed99dbcca",
	"nineteenth":    "9d66a0121f1a0f027f97eedf55d308695357d7d6a9c9b707bcf7cfecc0096a96",
	"twentieth":     "1c53b934f54d4fd0978ddc2e58e15cdd644bd39cfe69aed3d3a2b98bbaaad44e",
	"twenty-first":  "caf47f0edca00396ec785a0bb5ab0bbbf873a4adda94dae73801c1a7d01f044e",
	"twenty-second": "d600342d1638ad1f776f93c3f5a19b40d4751bd8e37d108cd988a37d09536f66",
	"twenty-third":  "95d9c896506eb4353d107baf3bb761314eebc112828d59e02685c8dc1f603efc",
	"twenty-fifth":  "32a37d5449b9063a16b107931efc7a7b88e1dc75fe37d61394cb5845a1be55dc",
	"twenty-sixth":  "8fe70539e913bc9990af9e01bf8036460cab3b1848cd0f6391fdb84f41d1fa2d",
	"twenty-ninth":  "3396be25f91583c41a7919d1d45d54f28cb91b5e58abcd7fe6502f72e3a35874",
	"thirtieth":     "00894a475610ac82c98a5135a8e35ff4f0ca7027d4f7f395b4526c6fabb42d3a",
	"thirty-first":  "a21e1768735bcd43534b5f0f0e6c9f4fc28128e9a371f369f8fe3706b08d12d1",
	"thirty-second": "8e2c6a11b4ac45cc0ac52c2d804ae75c081543b87c8803c48327596e7cad71d4",
	heldOut:         "249ea6b2cf65b0c15b9717d55fcb33f135d6845eb16dd9c49e0426e2c73270cd",
	heldOutSecond:   "8502797648e4e4d7c5718ebc937e4a764b05e0851c2da49e6177e9b35e928e72",
	heldOutFourth:   "7a5c8819b9d1767d513b7d76380d455e07d47aca524d0ae26ca9f370dccdafbd",
	heldOutLong:     "e0d629bea94c71ac12f5568e37565976932f132079b8e039258a7f7de48043eb",
	heldOutThird:    "147405225104bbb4bfac5873ea1b9b5e3a13a90fbe91889c7d81f3cbc3e55ee9",
}

func TestTheCorporaAreAsTheyWereFrozen(t *testing.T) {
	t.Parallel()
	for name, want := range sums {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s.jsonl has the sum %s, it was frozen at %q", name, got, want)
		}
	}
}

// wasHeldOut reports whether an answer of the first corpus is of the third that nothing was
// tuned on at first.
func wasHeldOut(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()%3 == 0
}

func TestTheCorpusIsWideEnough(t *testing.T) {
	t.Parallel()
	all := read(t, "corpus")
	held, asking := 0, 0
	langs, kinds, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, l := range all {
		if ids[l.ID] || l.Text == "" {
			t.Errorf("%s: twice, or without a text", l.ID)
		}
		ids[l.ID] = true
		langs[l.Lang]++
		kinds[l.Kind]++
		if wasHeldOut(l.ID) {
			held++
			if l.Asking {
				asking++
			}
		}
	}
	if len(all) < 600 || 3*held < len(all) || asking < 100 || held-asking < 100 {
		t.Errorf("%d answers, %d held out, %d of these asking", len(all), held, asking)
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
	all := read(t, "corpus")
	sets := make([]map[string]bool, len(all))
	for i, l := range all {
		sets[i] = shingles(l.Text)
	}
	for i := range all {
		for j := range i {
			if s := similarity(sets[i], sets[j]); s > maxAlike {
				t.Errorf("%s and %s share %.0f%% of their shingles", all[i].ID, all[j].ID, 100*s)
			}
		}
	}
}

const (
	shingleRunes = 6   // about a word and its end, and most of a phrase in Chinese
	maxAlike     = 0.4 // a pair may differ in what decides: "as soon as you say so", "now"
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
