package autonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// sums are what the corpora were frozen at: a label that is changed after somebody
// has learnt from it proves nothing. The held hands were never learnt from, nor read by
// anybody who chose what is learnt.
const (
	heldHand       = "held"
	heldSecondHand = "held-second"
)

var sums = map[string]string{
	"another":      "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259",
	"third":        "1a948b149578976c8659da91270cdc802ae5ef99c1f847c7fda4a96b0f4c8f98",
	"fourth":       "4552139b8c55baa509e372c40223d9594197fad68aa3bb7585b3d12958d8afc5",
	"fifth":        "4c35bc46482cac10854f03f5450b78ef5432da4120145c80043fa442bb75dd33",
	"sixth":        "f97145d3fbf65c85711398a4f058dc63a72f7225ecd4f62aa2f0d667904fc026",
	"seventh":      "231bbbd182b177007e21f1b3f7ad8732ace562d3b8de6c27611719583965792d",
	"eighth":       "ce61b6033f6a53685132d1bb36c35165127b1439e972e8989708dd18ba8563c7",
	"ninth":        "df761f1420bb6ea0406cd7c5f1a1d6a5ae164ee6375d4f9d89edd27a388bc81c",
	"tenth":        "476a2b9fac9a8a4b6afadf9d924377f8b70dcc0c773d8a79c7de18db5706c75c",
	"eleventh":     "d102afbfa51f25756d00462bcd2d4afd0e3a681df77341b8741af8d043946007",
	heldHand:       "249ea6b2cf65b0c15b9717d55fcb33f135d6845eb16dd9c49e0426e2c73270cd",
	heldSecondHand: "8502797648e4e4d7c5718ebc937e4a764b05e0851c2da49e6177e9b35e928e72",
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

// What came out when the held hands were looked at last. It may become better, not worse;
// each look is in docs/adr/0017-autonomy-guard.md.
var measured = map[string]struct {
	found  int // of those that ask
	wrong  int // of those that do not
	person int // of those that need a person
}{
	heldHand:       {found: 181, wrong: 22, person: 67},
	heldSecondHand: {found: 191, wrong: 15, person: 68},
}

// It tells counts, and never a text, a name or the verdict on one.
func TestTheHeldHandIsJudgedAsMeasured(t *testing.T) {
	a, err := NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, was := range measured {
		var c tally
		for _, e := range readHand(t, name) {
			c.take(&e.labelled, a.Judge(e.answer()))
		}
		t.Logf("%s: %v", name, c)
		if c.found < was.found || c.wrong > was.wrong || c.seen < was.person {
			t.Errorf("%s was measured to have %d found, %d wrong, and %d seen that need a person: %v", name, was.found, was.wrong, was.person, c)
		}
	}
}
