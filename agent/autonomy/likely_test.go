package autonomy_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func TestWhatWouldBeDoneIsNamedWhereTheAnswerOffersIt(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	named, all := 0, 0
	for _, l := range corpus(t) {
		if l.Likely == "" || heldApart(l.ID) {
			continue
		}
		all++
		v := a.Judge(l.answer())
		if sharesAWord(v.Likely, l.Likely) {
			named++
		} else if *showMisses {
			t.Logf("%s: %q, labelled %q\n%s", l.ID, v.Likely, l.Likely, l.Text)
		}
	}
	t.Logf("%d of %d", named, all)
	if named*2 < all {
		t.Errorf("of %d answers that offer something only %d are said to", all, named)
	}
}

// sharesAWord looks for one of four letters or more.
func sharesAWord(a, b string) bool {
	for _, word := range strings.Fields(strings.ToLower(b)) {
		if len(word) > 3 && strings.Contains(strings.ToLower(a), word) {
			return true
		}
	}
	return false
}

func TestTheOfferOrTheFirstOptionIsWhatItWouldDo(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for text, want := range map[string]string{
		"The plan is ready. Shall I copy the rows now?":       "copy the rows now",
		"Two ways:\n\n1. Wait\n2. Try again\n\nWhich one?":    "Wait",
		"I need to know:\n\n1. Your birthday\n2. Your street": "",
		"Who is the treasurer?":                               "",
		"Soll ich die Datei löschen?":                         "die datei löschen",
	} {
		if got := a.Judge(autonomy.Answer{Text: text}).Likely; got != want {
			t.Errorf("%q, not %q: %s", got, want, text)
		}
	}
}

// A topic that is missed may spend somebody's money, so the net is wide.
func TestWhatOnlyAPersonMaySettleIsSeenAsThat(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, held := range []bool{false, true} {
		var seen, needed, wrongly, others int
		for _, l := range part(t, held) {
			v := a.Judge(l.answer())
			switch found := v.Topic != autonomy.None; {
			case !l.Asking:
			case l.Topic != "none":
				needed++
				seen += one(found)
			default:
				others++
				wrongly += one(found)
			}
		}
		t.Logf("held apart %t: %d of %d that need a person are seen, and %d of %d others taken for such", held, seen, needed, wrongly, others)
		if least := map[bool]int{false: needed, true: topicsHeld}[held]; seen < least {
			t.Errorf("held apart %t: only %d of %d that need a person are seen, it was %d", held, seen, needed, least)
		}
		if 10*wrongly > 2*others {
			t.Errorf("held apart %t: %d of %d others are taken for what needs a person", held, wrongly, others)
		}
	}
}

// topicsHeld is what was measured on the part held apart.
const topicsHeld = 26 // of 29

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
