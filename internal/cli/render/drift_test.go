package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestDriftIsToldInALine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		drift []replayer.Drift
		want  string
	}{
		{nil, ""},
		{[]replayer.Drift{{Score: 0.2}}, "1 step has drifted (0.20): it still works."},
		{[]replayer.Drift{{Score: 0.2}, {Score: 0.434}, {Score: 0.1}}, "3 steps have drifted (worst 0.43): they still work."},
	} {
		if got := Drifted(test.drift); got != test.want {
			t.Errorf("%v reads %q, want %q", test.drift, got, test.want)
		}
	}
}

func TestAComparisonIsWordsAndNoHashes(t *testing.T) {
	t.Parallel()
	before := &automation.Automation{Name: "shop", Steps: []automation.Step{
		{Tool: "click", Selector: css("#a"), Intent: "buy"}, {Tool: "keypress", Key: "Tab"}, {Tool: "click", Selector: css("#c\x1b[2J")},
	}}
	after := &automation.Automation{Name: "shop", Steps: []automation.Step{
		{Tool: "click", Selector: css(".a"), Intent: "buy"}, {Tool: "click", Selector: css("#c")}, {Tool: "keypress", Key: "Enter"},
	}}
	hash := json.RawMessage(`{"own":{"id":"0a1b"}}`)
	c := Comparison{Old: before, New: after, Changes: []automation.Change{
		{Op: automation.Changed, Path: "description", Step: -1, Old: json.RawMessage(`"Buy\n<tea>"`), New: json.RawMessage(`"Buy"`)},
		{Op: automation.Changed, Path: "steps[0].selector", Step: 0, Old: json.RawMessage(`"#a"`), New: json.RawMessage(`["x-a",".a"]`)},
		{Op: automation.Added, Path: "steps[0].alternatives[1]", Step: 0, New: json.RawMessage(`"text/A"`)},
		{Op: automation.Changed, Path: "steps[0].fingerprint", Step: 0, Old: hash, New: hash},
		{Op: automation.Removed, Path: "steps[1]", Step: 1, Old: json.RawMessage(`{"tool":"keypress","key":"Tab"}`)},
		{Op: automation.Changed, Path: "steps[1].selector", Step: 1, Old: json.RawMessage(`"#c\u001b[2J"`), New: json.RawMessage(`"#c"`)},
		{Op: automation.Added, Path: "steps[2]", Step: 2, New: json.RawMessage(`{"tool":"keypress","key":"Enter"}`)},
	}, Drift: []store.Drift{{Step: 0, Score: 0.434, Healed: true, Confidence: 0.999, Lost: []string{"#a", "aria/A"}}}}
	want := `the document
  - description: Buy <tea>
  + description: Buy

step 1 of 3: buy: click #a
  drift 0.43, confidence 0.99, healed: its own selector no longer fits
  lost: #a, aria/A
  - selector: #a
  + selector: x-a >>> .a
  + alternatives: text/A
  ~ evidence renewed

step 2 was removed
  - keypress Tab

step 2 of 3: click #c
  - selector: #c [2J
  + selector: #c

step 3 is new
  + keypress Enter
`
	var b strings.Builder
	if err := c.Write(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the comparison (-want +got):\n%s", diff)
	}
	b.Reset()
	if err := c.Write(&b, Coloured()); err != nil || !strings.Contains(b.String(), "\x1b[31m  - selector: #a\x1b[0m\n\x1b[32m  + selector") {
		t.Errorf("in colour: %v, %q", err, b.String())
	}
}

func TestARefusalSaysWhatCameClosest(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	Failure(&b, Style{}, &automation.Automation{Name: "flow", Steps: played}, &replayer.Error{
		Code: replayer.Changed, Step: 2, Tool: "click", Reason: "it is not surely the same",
		Considered: []replayer.Candidate{
			{Element: "button.pay", Weight: 2.5, For: []string{"tag", "place"}, Against: []string{"label", "new-feature"}},
			{Element: "a#x\x1b"}, {Element: "b"}, {Element: "i"}, {Element: "u"},
		},
	})
	want := `✗ step 3 of 3: click #go
  changed: it is not surely the same
  what came closest:
    button.pay
      for it:     its kind of element, its place
      against it: what it is called, new-feature
    a#x 
      for it:     nothing
      against it: nothing that it shows; but too little speaks for it, or as much for another
`
	if got := b.String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "    and 2 more\n  Nothing was done to it.") {
		t.Errorf("the failure reads (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestAHealedStepIsMarked(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := NewPlaying(&b, Style{}, nil, played)
	p.Step(replayer.StepResult{Index: 1, Matched: 2, Selector: css(".banner")})
	p.Step(replayer.StepResult{Index: 2, Matched: -1})
	want := `  ✓ step 2 of 3: click #banner  0s, healed: found by .banner
  ✓ step 3 of 3: go on: click #go  0s, healed: matched by fingerprint
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func ExampleDrifted() {
	fmt.Println(Drifted([]replayer.Drift{{Step: 1, Score: 0.43, Healed: true}}))
	// Output: 1 step has drifted (0.43): it still works.
}
