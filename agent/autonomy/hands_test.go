package autonomy

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	writeWeights = flag.Bool("write-weights", false, "learn the weights and write weights.bin")
	leaveOut     = flag.Bool("leave-out", false, "measure each hand by weights that were learnt without it")
	showHand     = flag.String("show-hand", "", "tell what goes wrong with this hand's answers when it is left out")
)

// labelled is a line of a corpus.
type labelled struct {
	ID           string `json:"id"`
	Lang         string `json:"lang"`
	Kind         string `json:"kind"`
	Asking       bool   `json:"asking"`
	Topic        string `json:"topic"`
	Context      string `json:"context"`
	HasToolCalls bool   `json:"has_tool_calls"`
	Text         string `json:"text"`
}

func (l *labelled) answer() Answer {
	answer := Answer{Text: l.Text, Task: l.Context}
	if l.HasToolCalls {
		answer.ToolCalls = []string{"click"}
	}
	return answer
}

// hands are the files of those who wrote answers. The phrases were tuned on the
// first one's.
var hands = [][]string{{"corpus", "later", "tuning"}, {"another"}, {"third"}, {"fourth"}, {"fifth"}, {"sixth"}, {"seventh"}, {"eighth"}, {"ninth"}, {"tenth"}, {"eleventh"},
	{"fourteenth"}, {"fifteenth"}, {"sixteenth"}, {"seventeenth"}, {"eighteenth"}, {"nineteenth"}, {"twentieth"}, {"twenty-first"}, {"twenty-second"}, {"twenty-third"}, {"twenty-fifth"}, {"twenty-sixth"},
	{"twenty-ninth"}, {"thirtieth"}, {"thirty-first"}, {"thirty-second"}}

// hardHands were asked for what is hard: to ask without asking, and not to ask in words
// of asking; the eighteenth for what is unlike the usual.
var hardHands = map[string]bool{"eighth": true, "ninth": true, "tenth": true, "eleventh": true, "eighteenth": true, "nineteenth": true, "twentieth": true}

func answersBy(t testing.TB, hand int) []*example {
	t.Helper()
	var all []*example
	for _, name := range hands[hand] {
		all = append(all, readHand(t, name)...)
	}
	for _, e := range all {
		e.hand = hand
	}
	return all
}

func readHand(t testing.TB, name string) []*example {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*example
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		e := &example{}
		if err := d.Decode(&e.labelled); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// The numbers of what is by no hand: what was written to learn from.
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
			e := &example{hand: lesson, bare: name == "sentences"}
			if strings.HasPrefix(name, "answers-") {
				e.hand = contrast
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

// everything is all that is learnt from, with its traits, hand by hand.
func everything(t testing.TB) []*example {
	t.Helper()
	a := &Analyzer{phrases: builtIn(), learnt: &weights{}}
	var all []*example
	for h := range hands {
		all = append(all, answersBy(t, h)...)
	}
	all = append(all, lessons(t)...)
	for _, e := range all {
		e.prepare(a)
	}
	return all
}

// Answers that a hand writes have fifty words or two hundred; those of an agent that reports on
// a day's work have many more, and ask or do not ask at their end. So some are lengthened, and
// judged, too. Learning from them helped them, and did more harm to the others.
const (
	lengthenedOneIn   = 3
	shortestReport    = 400 // what stands before them, in bytes
	doublingsOfLength = 4   // so that the longest is 6.4 kB
)

// lengthened gives some of the answers once more, behind reports of the same hand in the same
// language that ask for nothing.
func lengthened(a *Analyzer, all []*example) (longer []*example) {
	type shelf struct {
		hand int
		lang string
	}
	reports := map[shelf][]string{}
	for _, e := range all {
		if at := (shelf{e.hand, e.Lang}); e.reports(a) {
			reports[at] = append(reports[at], e.Text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, e := range all {
		from := reports[shelf{e.hand, e.Lang}]
		if i%lengthenedOneIn != 0 || len(from) == 0 {
			continue
		}
		more := example{labelled: e.labelled, hand: e.hand}
		before := ""
		for size := int(shortestReport * math.Exp2(doublingsOfLength*random.Float64())); len(before) < size; {
			before += from[random.IntN(len(from))] + "\n\n"
		}
		more.Text = before + e.Text
		longer = append(longer, &more)
	}
	return longer
}

// reports is whether an answer does nothing else.
func (e *example) reports(a *Analyzer) bool {
	if e.Asking || e.HasToolCalls {
		return false
	}
	r := new(reading)
	a.read(r, Answer{Text: e.Text})
	return !slices.ContainsFunc(r.all, func(s sentence) bool { return s.question || s.rule != "" && s.rule != Closing })
}

// learnAll gives the weights for answers, and then those for topics.
func learnAll(all []*example) *weights {
	l := learnWeights(all)
	w := l.weights()
	var asked []topicExample
	for _, e := range all {
		if !e.Asking || e.hand < 0 {
			continue
		}
		_, shares := l.score(e)
		top := 0
		for i := range shares {
			if shares[i] > shares[top] {
				top = i
			}
		}
		if len(e.spans) > 0 {
			near, said := around(e.Text, e.spans[top]), pieces{}
			for _, text := range []string{e.Text[e.spans[top].Start:e.spans[top].End], e.Text[near.Start:near.End], e.Context} {
				said.take(builtIn(), text)
			}
			asked = append(asked, topicExample{Topic(e.Topic), said.traits})
		}
	}
	w.topics = learnTopics(asked)
	return w
}

// tally counts verdicts.
type tally struct {
	found, wrong, missed, right   int
	person, seen, others, taken   int // of all that ask, however they are judged
	personFound, personSeenIfSeen int
}

func (c *tally) take(l *labelled, v Verdict) {
	switch {
	case v.Asking && l.Asking:
		c.found++
	case v.Asking:
		c.wrong++
	case l.Asking:
		c.missed++
	default:
		c.right++
	}
	if !l.Asking {
		return
	}
	if l.Topic == string(None) {
		c.others++
		c.taken += int(bit(v.Topic != None))
		return
	}
	c.person++
	c.seen += int(bit(v.Topic != None))
	if v.Asking {
		c.personFound++
		c.personSeenIfSeen += int(bit(v.Topic != None))
	}
}

func (c *tally) add(o tally) {
	c.found, c.wrong, c.missed, c.right = c.found+o.found, c.wrong+o.wrong, c.missed+o.missed, c.right+o.right
	c.person, c.seen, c.others, c.taken = c.person+o.person, c.seen+o.seen, c.others+o.others, c.taken+o.taken
	c.personFound, c.personSeenIfSeen = c.personFound+o.personFound, c.personSeenIfSeen+o.personSeenIfSeen
}

func (c tally) String() string {
	return fmt.Sprintf("precision %s, recall %s; needs a person: seen %s (%d of %d where it is seen to ask), others taken for it %d of %d",
		share(c.found, c.found+c.wrong), share(c.found, c.found+c.missed), share(c.seen, c.person), c.personSeenIfSeen, c.personFound, c.taken, c.others)
}

// share is a part of a whole with Wilson's interval of 95 %.
func share(hits, n int) string {
	const z = 1.959964
	p, m := float64(hits)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return fmt.Sprintf("%.3f (%.3f–%.3f) %d/%d", p, middle-half, middle+half, hits, n)
}

// go test ./agent/autonomy -run TestHandsThatAreLeftOut -leave-out -v
func TestHandsThatAreLeftOutAreJudgedByTheOthers(t *testing.T) {
	if !*leaveOut {
		t.Skip("learns once for each hand: make bench-guard")
	}
	all := everything(t)
	tallies, longer := make([]tally, len(hands)), make([]tally, len(hands))
	var measuring sync.WaitGroup
	for h := range hands {
		measuring.Go(func() {
			tallies[h], longer[h] = leftOutHand(t, all, h)
			t.Logf("%-8s %v", hands[h][0], tallies[h])
		})
	}
	measuring.Wait()
	var usual, hard tally
	for h := 1; h < len(hands); h++ { // what the first wrote is what the phrases were tuned on
		if hardHands[hands[h][0]] {
			hard.add(tallies[h])
		} else {
			usual.add(tallies[h])
		}
	}
	t.Logf("as they come: %v", usual)
	t.Logf("hard on purpose: %v", hard)
	usual.add(hard)
	t.Logf("together: %v", usual)
	var long tally
	for h := 1; h < len(hands); h++ {
		long.add(longer[h])
	}
	t.Logf("lengthened: %v", long)
}

// leftOutHand judges a hand's answers by weights that were learnt from all others.
func leftOutHand(t *testing.T, all []*example, h int) (c, longer tally) {
	var learnFrom []*example
	for _, e := range all {
		if e.hand != h {
			learnFrom = append(learnFrom, e)
		}
	}
	a := &Analyzer{threshold: DefaultThreshold, phrases: builtIn(), learnt: learnAll(learnFrom)}
	for _, e := range all {
		if e.hand != h {
			continue
		}
		v := a.Judge(e.answer())
		c.take(&e.labelled, v)
		if v.Asking != e.Asking && *showHand == hands[h][0] {
			t.Logf("%s %s %s asking %t, %.2f %v\n%s\n%s", e.ID, e.Lang, e.Kind, e.Asking, v.Confidence, v.Reasons, e.Context, e.Text)
		}
	}
	for _, e := range lengthened(a, all) {
		if e.hand == h {
			longer.take(&e.labelled, a.Judge(e.answer()))
		}
	}
	return c, longer
}

// What was learnt is known by heart, more or less: this says nothing of how well
// the guard does, only that the weights are those of this code and these corpora.
func TestWhatWasLearntIsJudgedRight(t *testing.T) {
	t.Parallel()
	a, err := NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for h := range hands {
		var c tally
		for _, e := range answersBy(t, h) {
			c.take(&e.labelled, a.Judge(e.answer()))
		}
		t.Logf("%-8s %v", hands[h][0], c)
		const least = 0.95
		if float64(c.found) < least*float64(c.found+c.wrong) || float64(c.found) < least*float64(c.found+c.missed) || float64(c.seen) < least*float64(c.person) {
			t.Errorf("%s: less than %.2f: %v", hands[h][0], least, c)
		}
	}
}

// make guard-model writes them.
func TestTheWeightsAreThoseThatAreLearnt(t *testing.T) {
	if testing.Short() {
		t.Skip("learns for a second or two")
	}
	w := learnAll(everything(t)).encode()
	if *writeWeights {
		if err := os.WriteFile("weights.bin", w, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(w, weightsFile) {
		t.Error("weights.bin is not what this code learns from these corpora: run make guard-model")
	}
}
