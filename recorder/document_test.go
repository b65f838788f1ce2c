package recorder

import (
	"testing"

	"github.com/go-reprise/reprise/automation"
)

func TestTheEffectOfAStepIsThatOfWhatItSetsOff(t *testing.T) {
	t.Parallel()
	pay, next, note, link := button("pay"), button("next"), field("note"), &element{id: "l", tag: "a", role: "link", label: "More", candidates: css("#l"), url: "https://example.com/"}
	pay.label, next.label, note.label = "Pay 12 €", "Next", "Send to"
	for name, test := range map[string]struct {
		events [][]event
		want   []automation.Effect
	}{
		"a press that commits":                    {[][]event{pressed(pay, 1)}, []automation.Effect{automation.Commit}},
		"a press that may do anything":            {[][]event{pressed(next, 1)}, []automation.Effect{automation.Write}},
		"a press that sends a form":               {[][]event{pressed(next, 1), led("formSubmissionPost")}, []automation.Effect{automation.Write, ""}},
		"a press that asks with a form":           {[][]event{pressed(next, 1), led("formSubmissionGet")}, []automation.Effect{automation.Read, ""}},
		"a link":                                  {[][]event{pressed(link, 1), led("anchorClick")}, []automation.Effect{automation.Read, ""}},
		"a link that is a button in all but name": {[][]event{pressed(link, 1), led("formSubmissionPost")}, []automation.Effect{automation.Write, ""}},
		"typing, whatever the field is called":    {[][]event{typed(note, "Ada")}, []automation.Effect{automation.Read}},
		"Enter that presses the button to pay":    {[][]event{typed(note, "Ada"), keyed(note, "Enter"), byKey(pay)}, []automation.Effect{automation.Read, automation.Commit}},
		"Enter that searches":                     {[][]event{typed(note, "Ada"), keyed(note, "Enter"), led("formSubmissionGet")}, []automation.Effect{automation.Read, automation.Read, ""}},
		"Enter that may do anything":              {[][]event{typed(note, "Ada"), keyed(note, "Enter")}, []automation.Effect{automation.Read, automation.Write}},
		"an address":                              {[][]event{addressBar("https://example.com/")}, []automation.Effect{automation.Read}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []automation.Effect
			for _, en := range merge(test.events...).entries {
				got = append(got, en.effectOf())
			}
			if len(got) != len(test.want) {
				t.Fatalf("effects %q, want %q", got, test.want)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("step %d: %q, want %q", i, got[i], test.want[i])
				}
			}
		})
	}
}

// led is a navigation that the page asked for, for a reason.
func led(reason string) []event {
	return []event{{kind: navigation, url: "https://example.com/two", asked: true, reason: reason}}
}
