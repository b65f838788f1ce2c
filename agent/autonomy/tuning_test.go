package autonomy_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

var showMisses = flag.Bool("misses", false, "tell what goes wrong in the part of the corpus that is for tuning")

// score counts how verdicts and labels agree.
type score struct{ truePositive, falsePositive, falseNegative, trueNegative int }

func (s score) precision() float64 {
	return float64(s.truePositive) / float64(s.truePositive+s.falsePositive)
}

func (s score) recall() float64 {
	return float64(s.truePositive) / float64(s.truePositive+s.falseNegative)
}

// part is the third of the corpus that is held apart, or the rest of it.
func part(t testing.TB, held bool) []labelled {
	t.Helper()
	return slices.DeleteFunc(corpus(t), func(l labelled) bool { return heldApart(l.ID) != held })
}

// tunedOn is what the phrases are tuned on. The third that was held apart is spent:
// there is one by another hand.
func tunedOn(t testing.TB) []labelled {
	t.Helper()
	all := corpus(t)
	all = append(all, readLabelled(t, "testdata/later.jsonl")...)
	return append(all, readLabelled(t, "testdata/tuning.jsonl")...)
}

// measure judges answers, and calls missed for what goes wrong.
func measure(t testing.TB, all []labelled, missed func(labelled, autonomy.Verdict)) score {
	t.Helper()
	a := analyzer(t)
	var s score
	for _, l := range all {
		v := a.Judge(l.answer())
		switch {
		case v.Asking && l.Asking:
			s.truePositive++
		case v.Asking:
			s.falsePositive++
		case l.Asking:
			s.falseNegative++
		default:
			s.trueNegative++
		}
		if v.Asking != l.Asking {
			missed(l, v)
		}
	}
	return s
}

func (l labelled) answer() autonomy.Answer {
	answer := autonomy.Answer{Text: l.Text, Task: l.Context}
	if l.HasToolCalls {
		answer.ToolCalls = []string{"click"}
	}
	return answer
}

// go test ./agent/autonomy -run TestWhatIsTunedOn -misses -v
func TestWhatIsTunedOnIsJudgedRight(t *testing.T) {
	t.Parallel()
	s := measure(t, tunedOn(t), func(l labelled, v autonomy.Verdict) {
		if *showMisses {
			t.Logf("%s %s asking %t, confidence %.2f, %v\n%s", l.ID, l.Kind, l.Asking, v.Confidence, v.Reasons, l.Text)
		}
	})
	t.Logf("precision %.3f, recall %.3f: %+v", s.precision(), s.recall(), s)
	if s.precision() < 0.97 || s.recall() < 0.97 {
		t.Errorf("precision %.3f, recall %.3f", s.precision(), s.recall())
	}
}
