package runner_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func open(t *testing.T, dir string) store.Store {
	t.Helper()
	kept, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	return kept
}

func get(t *testing.T, kept store.Store, id string) store.Run {
	t.Helper()
	run, err := kept.Runs().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// outcomes are those of the steps, by index.
func outcomes(run store.Run) map[int]store.Outcome {
	all := map[int]store.Outcome{}
	for _, s := range run.Steps {
		all[s.Index] = s.Outcome
	}
	return all
}

func TestTheRecordIsThereFromTheBeginningAndAfterEachStep(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	r := runner.Begin(t.Context(), kept, flow(), runner.Options{Page: "PAGE"})
	run := get(t, kept, r.ID())
	if run.State != store.Running || run.Page != "PAGE" || run.Revision != 3 || len(run.Steps) != 0 || run.Process.PID != os.Getpid() || run.Process.Started.IsZero() {
		t.Errorf("at its beginning the record is %+v", run)
	}
	r.Start(0)
	r.Step(t.Context(), replayer.StepResult{Index: 0, Tool: "click", Effect: automation.Write, Matched: 1, Drift: 0.5})
	run = get(t, kept, r.ID())
	if len(run.Steps) != 1 || run.Steps[0].Effect != automation.Write || run.Steps[0].Matched != 1 || run.Steps[0].Drift != 0.5 || run.Steps[0].Started.IsZero() {
		t.Errorf("after a step the record is %+v", run)
	}
	end := r.End(t.Context(), &replayer.Result{Steps: []replayer.StepResult{{Index: 0, Tool: "click"}}}, nil)
	if err := r.Keep(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	if run = get(t, kept, r.ID()); run.State != store.Done || run.Finished.IsZero() || run.Page != "PAGE" {
		t.Errorf("at its end the record is %+v", run)
	}
}

func TestAnotherAttemptGoesOnWithTheRecord(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	first := runner.Begin(t.Context(), kept, flow(), runner.Options{})
	stopped := &replayer.Error{Code: replayer.Gone, Step: 1, Tool: "click", Resume: "r1.x"}
	earlier := first.End(t.Context(), &replayer.Result{
		Steps: []replayer.StepResult{{Index: 0, Tool: "navigate"}}, Drift: []replayer.Drift{{Step: 0, Score: 0.1}, {Step: 1, Score: 0.2}},
	}, stopped)
	earlier.Report = "/tmp/first.html"
	second := runner.Begin(t.Context(), kept, flow(), runner.Options{Earlier: &earlier})
	if earlier.Resume != "r1.x" || second.ID() != first.ID() {
		t.Errorf("the token is %q, the second attempt's run %s of %s", earlier.Resume, second.ID(), first.ID())
	}
	now := get(t, kept, first.ID())
	if diff := cmp.Diff(map[int]store.Outcome{0: store.StepDone}, outcomes(now)); diff != "" || now.Resume != "" {
		t.Errorf("the second begins with %q (-want +got):\n%s", now.Resume, diff)
	}
	end := second.End(t.Context(), &replayer.Result{
		Steps: []replayer.StepResult{{Index: 1, Tool: "click"}, {Index: 2, Tool: "click", Skipped: "so"}}, Drift: []replayer.Drift{{Step: 1, Score: 0.3}},
	}, nil)
	if diff := cmp.Diff([]store.Drift{{Step: 0, Score: 0.1}, {Step: 1, Score: 0.3}}, end.Drift); diff != "" || end.Report != "/tmp/first.html" {
		t.Errorf("the report is %q, the drift (-want +got):\n%s", end.Report, diff)
	}
	want := map[int]store.Outcome{0: store.StepDone, 1: store.StepDone, 2: store.StepSkipped}
	if diff := cmp.Diff(want, outcomes(end)); diff != "" || !end.Started.Equal(earlier.Started) {
		t.Errorf("the second ends with (-want +got):\n%s", diff)
	}
}

func TestAnAttemptThatDidNothingCanBeGoneOnWithAsBefore(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	first := runner.Begin(t.Context(), kept, flow(), runner.Options{Page: "FIRST"})
	earlier := first.End(t.Context(), &replayer.Result{}, &replayer.Error{Code: replayer.Uncertain, Step: 0, Resume: "r1.x"})
	second := runner.Begin(t.Context(), kept, flow(), runner.Options{Earlier: &earlier, Page: "SECOND"})
	end := second.End(t.Context(), &replayer.Result{}, &replayer.Error{Code: replayer.Uncertain, Step: -1})
	if end.Resume != "r1.x" || end.Page != "FIRST" || end.State != store.Uncertain {
		t.Errorf("it is %s, and goes on with %q in %q", end.State, end.Resume, end.Page)
	}
}

func TestAnUncertainRunSaysWhichStepIsInDoubt(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	r := runner.Begin(t.Context(), kept, flow(), runner.Options{})
	journal := runner.Journal(kept)
	for _, step := range []int{0, 1} {
		if err := journal.Sending(t.Context(), r.ID(), step); err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Settled(t.Context(), r.ID(), 0, true); err != nil {
		t.Fatal(err)
	}
	if err := journal.Sending(t.Context(), r.ID(), 1); !errors.Is(err, replayer.ErrSent) {
		t.Errorf("what was sent before gives %v, want replayer.ErrSent", err)
	}
	result := &replayer.Result{Steps: []replayer.StepResult{{Index: 0, Tool: "click"}, {Index: 1, Tool: "click"}}}
	end := r.End(t.Context(), result, &replayer.Error{Code: replayer.Uncertain, Step: 2, Tool: "waitForNav"})
	want := map[int]store.Outcome{0: store.StepDone, 1: store.StepUncertain, 2: store.StepUncertain}
	if diff := cmp.Diff(want, outcomes(end)); diff != "" || end.State != store.Uncertain || end.Steps[1].Effect != automation.Commit {
		t.Errorf("it is %s (-want +got):\n%s", end.State, diff)
	}
}

func TestARecordThatCannotBeKeptIsToldOfAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/runs", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner.Begin(t.Context(), open(t, dir), flow(), runner.Options{})
	var where *store.PathError
	if err := r.Keep(t.Context(), r.End(t.Context(), &replayer.Result{}, nil)); !errors.As(err, &where) {
		t.Errorf("Keep gives %v, want a PathError", err)
	}
}

func TestARunWhoseProcessHasGoneIsLost(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), "cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	by := *runner.Self()
	by.PID, by.Started = child.Process.Pid, time.Now()
	run := store.Run{State: store.Running, Process: &by}
	if runner.Lost(run) {
		t.Error("it is lost while it is performed")
	}
	reused, elsewhere, over, mine := by, by, run, store.Run{State: store.Running, Process: runner.Self()}
	reused.Started, elsewhere.Host, over.State = by.Started.Add(-time.Hour), "another", store.Done
	if !runner.Lost(store.Run{State: store.Running, Process: &reused}) {
		t.Error("it is not lost where another process has its number")
	}
	if err := errors.Join(child.Process.Kill(), in.Close()); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if !runner.Lost(run) {
		t.Error("it is not lost after its process has gone")
	}
	for what, r := range map[string]store.Run{
		"another machine's": {State: store.Running, Process: &elsewhere}, "one that has ended": over, "one of ours": mine, "one of nobody": {State: store.Running},
	} {
		if runner.Lost(r) {
			t.Errorf("%s is lost", what)
		}
	}
}

func ExampleLost() {
	fmt.Println(runner.Lost(store.Run{State: store.Running, Process: runner.Self()}))
	// Output: false
}

func TestARecordSaysThatItsRunWaits(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	r := runner.Begin(t.Context(), kept, flow(), runner.Options{})
	for waits, want := range map[bool]store.RunState{true: store.WaitingForPerson, false: store.Running} {
		r.Wait(t.Context(), waits)
		if run := get(t, kept, r.ID()); run.State != want {
			t.Errorf("where it waits %v it is %s, want %s", waits, run.State, want)
		}
	}
}
