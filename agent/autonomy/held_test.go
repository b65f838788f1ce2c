package autonomy_test

import (
	"math"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// wilson is the interval of 95 % for a share of n, by Wilson's score (1927).
func wilson(hits, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(hits)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return middle - half, middle + half
}

// It tells no text and no label: nothing is to be tuned on what it says.
func TestThePartHeldApartIsJudgedAsMeasured(t *testing.T) {
	t.Parallel()
	s := measure(t, true, func(labelled, autonomy.Verdict) {})
	low, high := wilson(s.truePositive, s.truePositive+s.falsePositive)
	t.Logf("precision %.3f (%.3f to %.3f)", s.precision(), low, high)
	low, high = wilson(s.truePositive, s.truePositive+s.falseNegative)
	t.Logf("recall %.3f (%.3f to %.3f)", s.recall(), low, high)
	t.Logf("%+v", s)
}
