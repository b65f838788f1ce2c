package autonomy_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// anotherFile was written by another hand, that had seen neither the corpus nor
// the phrases. anotherSum is what it was frozen at before it was first measured.
const (
	anotherFile = "testdata/another.jsonl"
	anotherSum  = "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259"
)

func TestWhatAnotherHandWroteIsAsItWasFrozen(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(anotherFile)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != anotherSum {
		t.Errorf("%s has the sum %s, it was frozen at %s", anotherFile, got, anotherSum)
	}
}

// What came out when it was last looked at. It may become better, not worse.
const (
	anotherFound  = 153 // of 182 that ask
	anotherWrong  = 12  // of 191 that do not
	anotherPerson = 57  // of 66 that a person has to settle
)

// It tells counts, and never a text, a name or the verdict on one: nobody is to
// tune on it. When it was looked at, and what came out, is in
// docs/adr/0017-autonomy-guard.md.
func TestWhatAnotherHandWroteIsJudgedAsMeasured(t *testing.T) {
	t.Parallel()
	all := readLabelled(t, anotherFile)
	s := measure(t, all, func(labelled, autonomy.Verdict) {})
	s.tell(t)
	topics := topicsOf(t, all)
	topics.tell(t)
	if s.truePositive < anotherFound || s.falsePositive > anotherWrong || topics.seen < anotherPerson {
		t.Errorf("it was measured to find %d, to be wrong about %d, and to see %d that need a person: %+v, %+v",
			anotherFound, anotherWrong, anotherPerson, s, topics)
	}
}

// topicScore counts how often a person is needed for what is asked, and is seen to be.
type topicScore struct{ needed, seen, notNeeded, wrong int }

func topicsOf(t testing.TB, all []labelled) topicScore {
	t.Helper()
	a := analyzer(t)
	var s topicScore
	for _, l := range all {
		if !l.Asking {
			continue
		}
		person := a.Judge(l.answer()).Topic != autonomy.None
		switch needed := l.Topic != string(autonomy.None); {
		case needed && person:
			s.needed, s.seen = s.needed+1, s.seen+1
		case needed:
			s.needed++
		case person:
			s.notNeeded, s.wrong = s.notNeeded+1, s.wrong+1
		default:
			s.notNeeded++
		}
	}
	return s
}

func (s topicScore) tell(t *testing.T) {
	t.Helper()
	low, high := wilson(s.seen, s.needed)
	t.Logf("topics: recall %.3f (%.3f to %.3f)", float64(s.seen)/float64(s.needed), low, high)
	t.Logf("%+v", s)
}
