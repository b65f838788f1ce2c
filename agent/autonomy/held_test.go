package autonomy_test

import (
	"math"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// What was measured before these were tuned on. It may become better, not worse.
const (
	heldFound  = 119 // of 126 that ask
	heldWrong  = 4   // of 100 that do not
	laterFound = 35  // of 37
	laterWrong = 2   // of 39
)

// It was held apart until answers by another hand took its place, and says no
// more how well the guard does; see docs/adr/0017-autonomy-guard.md.
func TestThePartHeldApartIsJudgedAsMeasured(t *testing.T) {
	t.Parallel()
	s := measure(t, part(t, true), func(labelled, autonomy.Verdict) {})
	s.tell(t)
	if s.truePositive < heldFound || s.falsePositive > heldWrong {
		t.Errorf("it was measured to find %d and to be wrong about %d: %+v", heldFound, heldWrong, s)
	}
}

// These were written when the phrases were first thought to be done; they are
// tuned on, too, by now.
func TestWhatWasWrittenLaterIsJudgedAsMeasured(t *testing.T) {
	t.Parallel()
	s := measure(t, readLabelled(t, "testdata/later.jsonl"), func(labelled, autonomy.Verdict) {})
	s.tell(t)
	if s.truePositive < laterFound || s.falsePositive > laterWrong {
		t.Errorf("it was measured to find %d and to be wrong about %d: %+v", laterFound, laterWrong, s)
	}
}

func (s score) tell(t *testing.T) {
	t.Helper()
	low, high := wilson(s.truePositive, s.truePositive+s.falsePositive)
	t.Logf("precision %.3f (%.3f to %.3f)", s.precision(), low, high)
	low, high = wilson(s.truePositive, s.truePositive+s.falseNegative)
	t.Logf("recall %.3f (%.3f to %.3f)", s.recall(), low, high)
	t.Logf("%+v", s)
}

// wilson is the interval of 95 % for a share of n, by Wilson's score (1927).
func wilson(hits, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(hits)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return middle - half, middle + half
}
