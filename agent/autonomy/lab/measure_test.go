package lab

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

var (
	writeWeights = flag.Bool("write-weights", false, "learn the weights and write weights.bin")
	leaveOut     = flag.Bool("leave-out", false, "measure each annotator by weights that were learnt without them")
	showMissed   = flag.String("show-missed", "", "log what goes wrong with this annotator's answers when they are left out")
)

// asks reports whether an answer is held to ask.
func asks(r detect.Result) bool { return r.Confidence >= detect.DefaultThreshold }

// tally counts results.
type tally struct {
	found, wrong, missed, right   int
	person, seen, others, taken   int // of all that ask, however they are judged
	personFound, personSeenIfSeen int
}

func (c *tally) take(l *labelled, r detect.Result) {
	asks := asks(r)
	switch {
	case asks && l.Asking:
		c.found++
	case asks:
		c.wrong++
	case l.Asking:
		c.missed++
	default:
		c.right++
	}
	if !l.Asking {
		return
	}
	if l.Topic == detect.None {
		c.others++
		c.taken += one(r.Topic != detect.None)
		return
	}
	c.person++
	c.seen += one(r.Topic != detect.None)
	if asks {
		c.personFound++
		c.personSeenIfSeen += one(r.Topic != detect.None)
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

// What was learnt is known by heart, more or less: this is no measure of how well
// the guard does, only that the weights are those of this code and these corpora.
func TestWhatWasLearntIsJudgedRight(t *testing.T) {
	t.Parallel()
	d := detect.New(nil)
	for h := range annotators {
		var c tally
		for _, e := range answersBy(t, h) {
			c.take(&e.labelled, d.Detect(e.answer()))
		}
		t.Logf("%-8s %v", annotators[h][0], c)
		const least = 0.95
		if float64(c.found) < least*float64(c.found+c.wrong) || float64(c.found) < least*float64(c.found+c.missed) || float64(c.seen) < least*float64(c.person) {
			t.Errorf("%s: less than %.2f: %v", annotators[h][0], least, c)
		}
	}
}

const weightsFile = "../internal/detect/weights.bin"

// make guard-model writes them.
func TestTheWeightsAreThoseThatAreLearnt(t *testing.T) {
	if testing.Short() {
		t.Skip("learns for a second or two")
	}
	w := learnAll(everything(t)).Encode()
	if *writeWeights {
		if err := os.WriteFile(weightsFile, w, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	built, err := os.ReadFile(weightsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w, built) {
		t.Error("weights.bin is not what this code learns from these corpora: run make guard-model")
	}
}

// go test -run TestAnnotatorsWhoAreLeftOut -leave-out -v
func TestAnnotatorsWhoAreLeftOutAreJudgedByTheOthers(t *testing.T) {
	if !*leaveOut {
		t.Skip("learns once for each annotator: make bench-guard")
	}
	all := everything(t)
	tallies, longer := make([]tally, len(annotators)), make([]tally, len(annotators))
	var measuring sync.WaitGroup
	for h := range annotators {
		measuring.Go(func() {
			tallies[h], longer[h] = withoutAnnotator(t, all, h)
			t.Logf("%-8s %v", annotators[h][0], tallies[h])
		})
	}
	measuring.Wait()
	var usual, hard tally
	for h := 1; h < len(annotators); h++ { // what the first wrote is what the phrases were tuned on
		if hardAnnotators[annotators[h][0]] {
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
	for h := 1; h < len(annotators); h++ {
		long.add(longer[h])
	}
	t.Logf("lengthened: %v", long)
}

// withoutAnnotator judges an annotator's answers by weights that were learnt from all others.
func withoutAnnotator(t *testing.T, all []*example, h int) (c, longer tally) {
	var learnFrom []*example
	for _, e := range all {
		if e.annotator != h {
			learnFrom = append(learnFrom, e)
		}
	}
	d := detect.WithWeights(learnAll(learnFrom))
	for _, e := range all {
		if e.annotator != h {
			continue
		}
		r := d.Detect(e.answer())
		c.take(&e.labelled, r)
		if asks(r) != e.Asking && *showMissed == annotators[h][0] {
			t.Logf("%s %s %s asking %t, %.2f %v\n%s\n%s", e.ID, e.Lang, e.Kind, e.Asking, r.Confidence, r.Reasons, e.Context, e.Text)
		}
	}
	for _, e := range lengthened(all) {
		if e.annotator == h {
			longer.take(&e.labelled, d.Detect(e.answer()))
		}
	}
	return c, longer
}

// Answers that an annotator writes have fifty words or two hundred; those of an agent that reports on
// a day's work have many more, and ask or do not ask at their end. So some are lengthened, and
// judged, too. Learning from them helped them, and did more harm to the others.
const (
	lengthenedOneIn   = 3
	shortestReport    = 400 // what stands before them, in bytes
	doublingsOfLength = 4   // so that the longest is 6.4 kB
)

// lengthened returns some of the answers again, after reports of the same annotator in the same
// language that ask for nothing.
func lengthened(all []*example) (longer []*example) {
	type shelf struct {
		annotator int
		lang      string
	}
	reports := map[shelf][]string{}
	for _, e := range all {
		if at := (shelf{e.annotator, e.Lang}); e.reports() {
			reports[at] = append(reports[at], e.Text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, e := range all {
		from := reports[shelf{e.annotator, e.Lang}]
		if i%lengthenedOneIn != 0 || len(from) == 0 {
			continue
		}
		more := example{labelled: e.labelled, annotator: e.annotator}
		before := ""
		for size := int(shortestReport * math.Exp2(doublingsOfLength*random.Float64())); len(before) < size; {
			before += from[random.IntN(len(from))] + "\n\n"
		}
		more.Text = before + e.Text
		longer = append(longer, &more)
	}
	return longer
}

// reports reports whether an answer does nothing else.
func (e *example) reports() bool {
	return !e.Asking && !e.HasToolCalls && detect.OnlyReports(e.Text)
}

// What came out when the held-out sets were looked at last. It may become better; where it
// becomes worse, the test fails: each look is noted in docs/guard.md.
var measured = map[string]struct {
	found  int // of those that ask
	wrong  int // of those that do not
	person int // of those that need a person
}{
	heldOut:       {found: 185, wrong: 14, person: 68},
	heldOutSecond: {found: 189, wrong: 6, person: 70},
	heldOutThird:  {found: 191, wrong: 8, person: 71},
	heldOutFourth: {found: 195, wrong: 12, person: 72},
	heldOutLong:   {found: 75, wrong: 3, person: 28},
}

// It logs counts, and never a text, a name or the verdict on one.
func TestTheHeldOutSetsAreJudgedAsMeasured(t *testing.T) {
	d := detect.New(nil)
	for name, was := range measured {
		var c tally
		for _, l := range read(t, name) {
			c.take(&l, d.Detect(l.answer()))
		}
		t.Logf("%s: %v", name, c)
		if c.found < was.found || c.wrong > was.wrong || c.seen < was.person {
			t.Errorf("%s was measured to have %d found, %d wrong, and %d seen that need a person: %v", name, was.found, was.wrong, was.person, c)
		}
	}
}
