package detect

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
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
	if again := w.Encode(); !bytes.Equal(again, weightsFile) {
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
	if got := w.confidence(w.From); math.Abs(got-DefaultThreshold) > 1e-9 {
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
	d := New(nil)
	answers := someAnswers(t)
	alone := make([]Result, len(answers))
	for i, answer := range answers {
		alone[i] = d.detect(new(reading), answer)
	}
	var judges sync.WaitGroup
	for first := range 4 {
		judges.Go(func() {
			for n := range answers {
				i := (n*7 + first*101) % len(answers)
				if diff := cmp.Diff(alone[i], d.Detect(answers[i])); diff != "" {
					t.Errorf("%q is judged otherwise after another: %s", answers[i].Text, diff)
				}
			}
		})
	}
	judges.Wait()
}

// someAnswers are those of the guard's regression set.
func someAnswers(t *testing.T) []Answer {
	t.Helper()
	data, err := os.ReadFile("../../testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []Answer
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var line struct {
			Text, Context string
			HasToolCalls  bool `json:"has_tool_calls"`
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		all = append(all, Answer{Text: line.Text, Tools: line.HasToolCalls, Task: line.Context})
	}
	return all
}
