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
	"another":  "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259",
	"third":    "1a948b149578976c8659da91270cdc802ae5ef99c1f847c7fda4a96b0f4c8f98",
	"fourth":   "4552139b8c55baa509e372c40223d9594197fad68aa3bb7585b3d12958d8afc5",
	"fifth":    "4c35bc46482cac10854f03f5450b78ef5432da4120145c80043fa442bb75dd33",
	"sixth":    "f97145d3fbf65c85711398a4f058dc63a72f7225ecd4f62aa2f0d667904fc026",
	"seventh":  "231bbbd182b177007e21f1b3f7ad8732ace562d3b8de6c27611719583965792d",
	"eighth":   "ce61b6033f6a53685132d1bb36c35165127b1439e972e8989708dd18ba8563c7",
	"ninth":    "df761f1420bb6ea0406cd7c5f1a1d6a5ae164ee6375d4f9d89edd27a388bc81c",
	"tenth":    "476a2b9fac9a8a4b6afadf9d924377f8b70dcc0c773d8a79c7de18db5706c75c",
	"eleventh": "d102afbfa51f25756d00462bcd2d4afd0e3a681df77341b8741af8d043946007",
	heldHand:   "249ea6b2cf65b0c15b9717d55fcb33f135d6845eb16dd9c49e0426e2c73270cd",
}

func TestTheCorporaAreAsTheyWereFrozen(t *testing.T) {
	t.Parallel()
	for name, want := range sums {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
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
	heldFound  = 177 // of those that ask
	heldWrong  = 18  // of those that do not
	heldPerson = 66  // of those that need a person
)

// It tells counts, and never a text, a name or the verdict on one. When it was
// looked at, and what came out, is in docs/adr/0017-autonomy-guard.md.
func TestTheHeldHandIsJudgedAsMeasured(t *testing.T) {
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
