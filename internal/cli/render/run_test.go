package render

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestARunIsToldWithItsSteps(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	run := store.Run{
		ID: "01kb00000000000000000000a0", Automation: "order", Revision: 4, State: store.Uncertain, Started: began, Finished: began.Add(1500 * time.Millisecond),
		Code: "uncertain", Reason: "what follows was not seen", Report: "/tmp/r.html",
		Steps: []store.RunStep{
			{Index: 0, Tool: "run", Outcome: store.StepDone, Duration: 20 * time.Millisecond, Steps: []store.RunStep{
				{Index: 0, Tool: "navigate", Outcome: store.StepDone, Duration: 10 * time.Millisecond},
				{Index: 1, Tool: "click", Outcome: store.StepDone, Selector: "#in"},
			}},
			{Index: 1, Tool: "click", Outcome: store.StepSkipped, Skipped: "optional, and not there"},
			{Index: 2, Tool: "click", Intent: "pay", Outcome: store.StepUncertain, Effect: automation.Commit, Selector: "#now", Matched: 2, Code: "uncertain"},
		},
		Drift: []store.Drift{{Step: 2, Score: 0.4, Confidence: 0.999}},
		Guard: &store.GuardCounts{Answers: 12, Asking: 3, Continued: 2, NeedsPerson: 1},
	}
	text := RunOf(store.RunSummary{Run: run}, false).WithSent(map[int]bool{4: false, 2: true}).Text(Style{})
	want := `order  01kb00000000000000000000a0
  state     uncertain
  account   any
  revision  4
  began     2026-03-01 12:00:00
  took      1.5s
  report    /tmp/r.html
  why       uncertain: what follows was not seen
  sent      step 3, done
            step 5, what became of it is not known: find out, and play with --resume and --settled
  agent     asked in 3 of 12 answers, 2 told to go on, 1 handed to a person
  ✓  1   run       20ms
  ✓ 1.1  navigate  10ms
  ✓ 1.2  click     0s    #in
  -  2   click     0s          skipped: optional, and not there
  ?  3   click     0s    #now  pay; commits; found by an alternative; drift 0.40, confidence 0.99; uncertain
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
}

func TestARunThatHasNotEndedSaysSo(t *testing.T) {
	t.Parallel()
	if got := []string{Took(time.Now(), time.Time{}), When(time.Time{}), RunState(store.Running, true), RunState(store.WaitingForPerson, false)}; cmp.Diff([]string{"-", "-", "process died without recording a result", "waiting for person"}, got) != "" {
		t.Errorf("it says %q", got)
	}
}

func TestManyRunsAreALineEachWhereNoOneWatches(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	m := NewMany(&b, Style{}, nil, 2)
	m.Begin()
	m.Begin()
	m.Ended(1, false, "row 2 failed\x1b[2J")
	m.Break()
	m.Ended(0, true, "row 1 done")
	m.End()
	want := "  ✗ run 2 of 2: row 2 failed [2J\n  ✓ run 1 of 2: row 1 done\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("it says (-want +got):\n%s", diff)
	}
}

func TestManyRunsAreOneLineThatChangesOnATerminal(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	m := NewMany(&b, Style{}, func() int { return 80 }, 3)
	m.Begin()
	m.Begin()
	m.Ended(0, true, "row 1 done")
	m.Ended(1, false, "row 2 failed")
	m.End()
	const erase = "\r\x1b[K"
	want := "  0 of 3 done, 0 failed, 1 at work" + erase + "  0 of 3 done, 0 failed, 2 at work" + erase + "  1 of 3 done, 0 failed, 1 at work" +
		erase + "  ✗ run 2 of 3: row 2 failed\n" + "  1 of 3 done, 1 failed, 0 at work" + erase
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("it says (-want +got):\n%s", diff)
	}
}

func TestAQuestionBreaksTheLineOfAStep(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := NewPlaying(&b, Style{}, func() int { return 80 }, played)
	p.Break()
	p.Start(0, played[0])
	p.Break()
	b.WriteString("Do it? y\n")
	p.Step(replayer.StepResult{Index: 0})
	want := "  … step 1 of 3: navigate http://localhost/\nDo it? y\n  ✓ step 1 of 3: navigate http://localhost/  0s\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("it says (-want +got):\n%s", diff)
	}
}
