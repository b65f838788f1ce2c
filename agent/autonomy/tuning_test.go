package autonomy_test

import (
	"flag"
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

// measure judges one part of the corpus, and calls missed for what goes wrong.
func measure(t testing.TB, held bool, missed func(labelled, autonomy.Verdict)) score {
	t.Helper()
	a, err := autonomy.NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	var s score
	for _, l := range corpus(t) {
		if heldApart(l.ID) != held {
			continue
		}
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
	s := measure(t, false, func(l labelled, v autonomy.Verdict) {
		if *showMisses {
			t.Logf("%s %s asking %t, confidence %.2f, %v\n%s", l.ID, l.Kind, l.Asking, v.Confidence, v.Reasons, l.Text)
		}
	})
	t.Logf("precision %.3f, recall %.3f: %+v", s.precision(), s.recall(), s)
	if s.precision() < 0.97 || s.recall() < 0.97 {
		t.Errorf("precision %.3f, recall %.3f", s.precision(), s.recall())
	}
}
