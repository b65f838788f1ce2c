package autonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// sums are what the corpora were frozen at: a label that is changed after somebody
// has learnt from it proves nothing. heldHand was never learnt from, nor read by
// anybody who chose what is learnt.
const heldHand = "held"

var sums = map[string]string{
	"another": "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259",
	heldHand:  "", // to be filled in when it is put here
}

func TestTheCorporaAreAsTheyWereFrozen(t *testing.T) {
	t.Parallel()
	for name, want := range sums {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if os.IsNotExist(err) && want == "" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s.jsonl has the sum %s, it was frozen at %q", name, got, want)
		}
	}
}

// What came out when the held hand was measured. It may become better, not worse.
const (
	heldFound  = 0   // of those that ask
	heldWrong  = 999 // of those that do not
	heldPerson = 0   // of those that need a person
)

// It tells counts, and never a text, a name or the verdict on one. When it was
// looked at, and what came out, is in docs/adr/0017-autonomy-guard.md.
func TestTheHeldHandIsJudgedAsMeasured(t *testing.T) {
	if _, err := os.Stat(filepath.Join("testdata", heldHand+".jsonl")); os.IsNotExist(err) {
		t.Skip("there is no testdata/held.jsonl")
	}
	a, err := NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	var c tally
	for _, e := range readHand(t, heldHand) {
		c.take(&e.labelled, a.Judge(e.answer()))
	}
	t.Logf("%v", c)
	if c.found < heldFound || c.wrong > heldWrong || c.seen < heldPerson {
		t.Errorf("it was measured to find %d, to be wrong about %d, and to see %d that need a person: %v", heldFound, heldWrong, heldPerson, c)
	}
}
