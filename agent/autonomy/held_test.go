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
	heldThirdHand  = "held-third"
	heldFourthHand = "held-fourth"
	heldLongHand   = "held-long" // long answers
)

var sums = map[string]string{
	"another":       "30cdb92eef1fb8f38ac67ad0bd3482617449c7cd38d1ef18f3f635466e8ce259",
	"third":         "1a948b149578976c8659da91270cdc802ae5ef99c1f847c7fda4a96b0f4c8f98",
	"fourth":        "4552139b8c55baa509e372c40223d9594197fad68aa3bb7585b3d12958d8afc5",
	"fifth":         "4c35bc46482cac10854f03f5450b78ef5432da4120145c80043fa442bb75dd33",
	"sixth":         "f97145d3fbf65c85711398a4f058dc63a72f7225ecd4f62aa2f0d667904fc026",
	"seventh":       "231bbbd182b177007e21f1b3f7ad8732ace562d3b8de6c27611719583965792d",
	"eighth":        "ce61b6033f6a53685132d1bb36c35165127b1439e972e8989708dd18ba8563c7",
	"ninth":         "df761f1420bb6ea0406cd7c5f1a1d6a5ae164ee6375d4f9d89edd27a388bc81c",
	"tenth":         "476a2b9fac9a8a4b6afadf9d924377f8b70dcc0c773d8a79c7de18db5706c75c",
	"eleventh":      "d102afbfa51f25756d00462bcd2d4afd0e3a681df77341b8741af8d043946007",
	"fourteenth":    "bbd6e10cb6c904120f7333913f921a1b1b750b00fdf417ec9c06b57adbb58727",
	"fifteenth":     "665de22eaca44545b2a5e4623ab6131244690ddbe2a610bbbd367a86b6b141fc",
	"sixteenth":     "19a69501aa543b3069f63098ca4d5617419e7d689e2aa88c6fc35b741ea8ef12",
	"seventeenth":   "720d97d318a0711765bd5adddd07d864caaf96e547f90303c9f3aed61b7b9d7f",
	"eighteenth":    "b26ad1b61e726841342cde3b41885b96ee8dd904ce677c113ecb323ed99dbcca",
	"nineteenth":    "9d66a0121f1a0f027f97eedf55d308695357d7d6a9c9b707bcf7cfecc0096a96",
	"twentieth":     "1c53b934f54d4fd0978ddc2e58e15cdd644bd39cfe69aed3d3a2b98bbaaad44e",
	"twenty-first":  "caf47f0edca00396ec785a0bb5ab0bbbf873a4adda94dae73801c1a7d01f044e",
	"twenty-second": "d600342d1638ad1f776f93c3f5a19b40d4751bd8e37d108cd988a37d09536f66",
	"twenty-third":  "95d9c896506eb4353d107baf3bb761314eebc112828d59e02685c8dc1f603efc",
	"twenty-fifth":  "32a37d5449b9063a16b107931efc7a7b88e1dc75fe37d61394cb5845a1be55dc",
	"twenty-sixth":  "8fe70539e913bc9990af9e01bf8036460cab3b1848cd0f6391fdb84f41d1fa2d",
	"twenty-ninth":  "3396be25f91583c41a7919d1d45d54f28cb91b5e58abcd7fe6502f72e3a35874",
	"thirtieth":     "00894a475610ac82c98a5135a8e35ff4f0ca7027d4f7f395b4526c6fabb42d3a",
	"thirty-first":  "a21e1768735bcd43534b5f0f0e6c9f4fc28128e9a371f369f8fe3706b08d12d1",
	"thirty-second": "8e2c6a11b4ac45cc0ac52c2d804ae75c081543b87c8803c48327596e7cad71d4",
	heldHand:        "249ea6b2cf65b0c15b9717d55fcb33f135d6845eb16dd9c49e0426e2c73270cd",
	heldSecondHand:  "8502797648e4e4d7c5718ebc937e4a764b05e0851c2da49e6177e9b35e928e72",
	heldFourthHand:  "7a5c8819b9d1767d513b7d76380d455e07d47aca524d0ae26ca9f370dccdafbd",
	heldLongHand:    "e0d629bea94c71ac12f5568e37565976932f132079b8e039258a7f7de48043eb",
	heldThirdHand:   "147405225104bbb4bfac5873ea1b9b5e3a13a90fbe91889c7d81f3cbc3e55ee9",
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

// What came out when the held hands were looked at last. It may become better; where it
// becomes worse, that is told: each look is in docs/adr/0017-autonomy-guard.md.
var measured = map[string]struct {
	found  int // of those that ask
	wrong  int // of those that do not
	person int // of those that need a person
}{
	heldHand:       {found: 185, wrong: 14, person: 68},
	heldSecondHand: {found: 189, wrong: 6, person: 70},
	heldThirdHand:  {found: 191, wrong: 8, person: 71},
	heldFourthHand: {found: 195, wrong: 12, person: 72},
	heldLongHand:   {found: 75, wrong: 3, person: 28},
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
