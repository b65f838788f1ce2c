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
	for _, part := range []bool{false, true} {
		var right, needed, called, spared int
		for _, l := range corpus(t) {
			if heldApart(l.ID) != part || !l.Asking {
				continue
			}
			v := a.Judge(l.answer())
			switch {
			case l.Topic == "none" && v.Topic == autonomy.None:
				spared++
			case l.Topic == "none":
				called++
				if *showMisses && !part {
					t.Logf("%s: %s\n%s", l.ID, v.Topic, l.Text)
				}
			default:
				needed++
				if v.Topic != autonomy.None {
					right++
				} else if *showMisses && !part {
					t.Logf("%s: missed %s\n%s", l.ID, l.Topic, l.Text)
				}
			}
		}
		t.Logf("held apart %t: of %d that need a person %d are seen; of %d others %d are handed to one, too", part, needed, right, called+spared, called)
	}
}
