package autonomy

import (
	"bytes"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeightsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	w, err := decodeWeights(weightsFile)
	if err != nil {
		t.Fatal(err)
	}
	if again := w.encode(); !bytes.Equal(again, weightsFile) {
		t.Error("what was read is written otherwise")
	}
	for name, b := range map[string][]byte{"nothing": nil, "cut": weightsFile[:len(weightsFile)-1], "other": append([]byte{1}, weightsFile[1:]...)} {
		if _, err := decodeWeights(b); err == nil {
			t.Errorf("%s was taken for weights", name)
		}
	}
}

// Who sets a threshold of their own relies on these.
func TestTheConfidenceIsTheThresholdWhereAnAnswerBeginsToAsk(t *testing.T) {
	t.Parallel()
	w := learnt()
	if got := w.confidence(w.from); math.Abs(got-DefaultThreshold) > 1e-9 {
		t.Errorf("%v", got)
	}
	for _, sure := range []float64{0.02, 0.5, 0.8, 0.9} {
		if got := w.confidence(w.sumFor(sure)); math.Abs(got-sure) > 1e-9 {
			t.Errorf("%v, not %v", got, sure)
		}
	}
	for _, sum := range []float64{math.Inf(-1), -1e9, 1e9, math.Inf(1)} {
		if got := w.confidence(sum); !(got >= 0 && got <= surest) {
			t.Errorf("%v of %v", got, sum)
		}
	}
}

func TestTheOwnExponentialIsTheExponential(t *testing.T) {
	t.Parallel()
	for x := -59.0; x < 59; x += 0.37 {
		if got, want := sameExp(x), math.Exp(x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("exp(%v) is %v, not %v", x, want, got)
		}
		if y := math.Exp(x / 10); math.Abs(sameLog(y)-x/10) > 1e-12 {
			t.Errorf("log(%v) is %v, not %v", y, x/10, sameLog(y))
		}
	}
}

func TestWordsAreFoundInEveryScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"don't stop": 2, "it's 3 o'clock": 3, "a, b?": 4, "用哪个？": 4, "что делать": 2, "어느 쪽": 3, " ' ": 0, "": 0,
	} {
		if got := tokens(nil, []byte(text)); len(got) != want {
			t.Errorf("%q: %d, not %d", text, len(got), want)
		}
	}
	one, other := tokens(nil, []byte("approval")), tokens(nil, []byte("approves"))
	if one[0].word == other[0].word || one[0].stem != other[0].stem || one[0].root != other[0].root {
		t.Errorf("%+v, %+v", one, other)
	}
}

func TestAnswersThatAreJudgedAtOnceSayNothingOfOneAnother(t *testing.T) {
	t.Parallel()
	a, err := NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := readHand(t, "fourteenth")
	alone := make([]Verdict, len(answers))
	for i, e := range answers {
		alone[i] = a.judge(new(reading), e.answer())
	}
	var judges sync.WaitGroup
	for first := range 4 {
		judges.Go(func() {
			for n := range answers {
				i := (n*7 + first*101) % len(answers)
				if diff := cmp.Diff(alone[i], a.Judge(answers[i].answer())); diff != "" {
					t.Errorf("%s is judged otherwise behind another: %s", answers[i].ID, diff)
				}
			}
		})
	}
	judges.Wait()
}
