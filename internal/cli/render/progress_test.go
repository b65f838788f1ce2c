package render

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

var played = []automation.Step{
	{Tool: "navigate", URL: "http://localhost/"},
	{Tool: "click", Selector: css("#banner"), Optional: true},
	{Tool: "click", Selector: css("#go"), Intent: "go on"},
}

func play(p *Playing) {
	p.Start(0, played[0])
	p.Step(replayer.StepResult{Index: 0, Duration: replayer.Duration(1234567 * time.Nanosecond)})
	p.Start(1, played[1])
	p.Step(replayer.StepResult{Index: 1, Skipped: "optional, and not there"})
	p.Start(2, played[2])
	p.End(&replayer.Error{Code: replayer.NotFound, Step: 2})
}

func TestProgressIsALineForEachStep(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	play(NewPlaying(&b, Style{}, nil, played))
	want := `  ✓ step 1 of 3: navigate http://localhost/  1ms
  - step 2 of 3: click #banner  skipped: optional, and not there
  ✗ step 3 of 3: go on: click #go
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestOnATerminalAStepIsShownWhileItRuns(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	play(NewPlaying(&b, Coloured(), func() int { return 80 }, played))
	got := b.String()
	if !strings.Contains(got, "… \x1b[2mstep 1 of 3: \x1b[0mnavigate http://localhost/\r\x1b[K  \x1b[32m✓\x1b[0m") {
		t.Errorf("the first step is not shown and then ticked off: %q", got)
	}
	if !strings.HasSuffix(got, "go on: click #go\n") {
		t.Errorf("the line of the step that failed does not end: %q", got)
	}
}

func TestAFailureSaysWhatWasTriedAndWhatToDo(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	a := &automation.Automation{Name: "flow", Steps: played}
	Failure(&b, Style{}, a, &replayer.Error{
		Code: replayer.Ambiguous, Step: 2, Tool: "click", Intent: "go on", Reason: "multiple elements match",
		Tried: []replayer.Attempt{
			{Selector: css("#go"), Count: 3, Visible: 2}, {Selector: css("#gone")},
			{Selector: css("#off"), Count: 1}, {Selector: css("#other"), Count: 1, Visible: 1, Why: "it is another kind"},
		},
	})
	want := `✗ step 3 of 3: click #go
  to go on
  ambiguous: multiple elements match
  what was tried:
    #go                                       names 3 elements, 2 can be seen
    #gone                                     names nothing
    #off                                      names one element, which cannot be seen
    #other                                    names one element (it is another kind)
  Look at the page with --headed, and replace the selector of the step in its document (` + "`reprise edit NAME`" + `)
  with one that names one element.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the failure (-want +got):\n%s", diff)
	}
	b.Reset()
	Failure(&b, Style{}, a, &replayer.Error{Code: replayer.OutOfScope, Step: -1, Reason: "it is elsewhere"})
	if !strings.HasPrefix(b.String(), "✗ flow was not played\n  out_of_scope: it is elsewhere\n") {
		t.Errorf("a failure before the first step reads %q", b.String())
	}
}

// Each code has its advice but cancelled, where there is nothing to do.
func TestEachKindOfFailureHasAdvice(t *testing.T) {
	t.Parallel()
	for _, code := range []replayer.Code{
		replayer.NotFound, replayer.Ambiguous, replayer.NotActionable, replayer.OutOfScope, replayer.InvalidValue,
		replayer.Timeout, replayer.Refused, replayer.BrowserLost, replayer.Changed,
		replayer.NavigationFailed,
	} {
		if advice[code] == "" {
			t.Errorf("nothing is said about what to do when a run ends with %s", code)
		}
	}
}
