package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

func open(t *testing.T, dir string) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func get(t *testing.T, st store.Store, id string) store.Run {
	t.Helper()
	run, err := st.Runs().Get(t.Context(), id)
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
	st := open(t, t.TempDir())
	r := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{page: "PAGE"})
	run := get(t, st, r.run.ID)
	if run.State != store.Running || run.Page != "PAGE" || run.Revision != 3 || len(run.Steps) != 0 || run.Process.PID != os.Getpid() || run.Process.Started.IsZero() {
		t.Errorf("at its beginning the record is %+v", run)
	}
	r.start(0)
	r.step(t.Context(), replayer.StepResult{Index: 0, Tool: "click", Effect: automation.Write, Matched: 1, Drift: 0.5})
	run = get(t, st, r.run.ID)
	if len(run.Steps) != 1 || run.Steps[0].Effect != automation.Write || run.Steps[0].Matched != 1 || run.Steps[0].Drift != 0.5 || run.Steps[0].Started.IsZero() {
		t.Errorf("after a step the record is %+v", run)
	}
	end := r.end(t.Context(), &replayer.Result{Steps: []replayer.StepResult{{Index: 0, Tool: "click"}}}, nil)
	if err := r.save(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	if run = get(t, st, r.run.ID); run.State != store.Done || run.Finished.IsZero() || run.Page != "PAGE" {
		t.Errorf("at its end the record is %+v", run)
	}
}

func TestAnotherAttemptGoesOnWithTheRecord(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	first := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{})
	stopped := &replayer.Error{Code: replayer.NotFound, Step: 1, Tool: "click", Resume: "r1.x"}
	earlier := first.end(t.Context(), &replayer.Result{
		Steps: []replayer.StepResult{{Index: 0, Tool: "navigate"}}, Drift: []replayer.Drift{{Step: 0, Score: 0.1}, {Step: 1, Score: 0.2}},
	}, stopped)
	earlier.Report = "/tmp/first.html"
	second := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{earlier: &earlier})
	if earlier.Resume != "r1.x" || second.run.ID != first.run.ID {
		t.Errorf("the token is %q, the second attempt's run %s of %s", earlier.Resume, second.run.ID, first.run.ID)
	}
	now := get(t, st, first.run.ID)
	if diff := cmp.Diff(map[int]store.Outcome{0: store.StepDone}, outcomes(now)); diff != "" || now.Resume != "" {
		t.Errorf("the second begins with %q (-want +got):\n%s", now.Resume, diff)
	}
	end := second.end(t.Context(), &replayer.Result{
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
	st := open(t, t.TempDir())
	first := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{page: "FIRST"})
	earlier := first.end(t.Context(), &replayer.Result{}, &replayer.Error{Code: replayer.Uncertain, Step: 0, Resume: "r1.x"})
	second := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{earlier: &earlier, page: "SECOND"})
	end := second.end(t.Context(), &replayer.Result{}, &replayer.Error{Code: replayer.Uncertain, Step: -1})
	if end.Resume != "r1.x" || end.Page != "FIRST" || end.State != store.Uncertain {
		t.Errorf("it is %s, and goes on with %q in %q", end.State, end.Resume, end.Page)
	}
}

func TestAnUncertainRunSaysWhichStepIsInDoubt(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	r := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{})
	journal := newJournal(st, nil)
	for _, step := range []int{0, 1} {
		if err := journal.Begin(t.Context(), r.run.ID, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Resolve(t.Context(), r.run.ID, 0, true); err != nil {
		t.Fatal(err)
	}
	if err := journal.Begin(t.Context(), r.run.ID, 1); !errors.Is(err, replayer.ErrAlreadySent) {
		t.Errorf("what was sent before gives %v, want replayer.ErrAlreadySent", err)
	}
	result := &replayer.Result{Steps: []replayer.StepResult{{Index: 0, Tool: "click"}, {Index: 1, Tool: "click"}}}
	end := r.end(t.Context(), result, &replayer.Error{Code: replayer.Uncertain, Step: 2, Tool: "waitForNav"})
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
	r := begin(t.Context(), &Runner{Store: open(t, dir)}, flow(), recordOptions{})
	var where *store.PathError
	if err := r.save(t.Context(), r.end(t.Context(), &replayer.Result{}, nil)); !errors.As(err, &where) {
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
	by := *ThisProcess()
	by.PID, by.Started = child.Process.Pid, time.Now()
	run := store.Run{State: store.Running, Process: &by}
	if Lost(run) {
		t.Error("it is lost while it is performed")
	}
	reused, elsewhere, over, mine := by, by, run, store.Run{State: store.Running, Process: ThisProcess()}
	reused.Started, elsewhere.Host, over.State = by.Started.Add(-time.Hour), "another", store.Done
	if !Lost(store.Run{State: store.Running, Process: &reused}) {
		t.Error("it is not lost where another process has its number")
	}
	if err := errors.Join(child.Process.Kill(), in.Close()); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if !Lost(run) {
		t.Error("it is not lost after its process has gone")
	}
	for what, r := range map[string]store.Run{
		"another machine's": {State: store.Running, Process: &elsewhere}, "one that has ended": over, "one of ours": mine, "one of no one": {State: store.Running},
	} {
		if Lost(r) {
			t.Errorf("%s is lost", what)
		}
	}
}

func ExampleLost() {
	fmt.Println(Lost(store.Run{State: store.Running, Process: ThisProcess()}))
	// Output: false
}

func TestARecordSaysThatItsRunWaits(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir())
	r := begin(t.Context(), &Runner{Store: st}, flow(), recordOptions{})
	for waits, want := range map[bool]store.RunState{true: store.WaitingForPerson, false: store.Running} {
		r.wait(t.Context(), waits)
		if run := get(t, st, r.run.ID); run.State != want {
			t.Errorf("where it waits %v it is %s, want %s", waits, run.State, want)
		}
	}
}

func flow() *automation.Automation {
	return &automation.Automation{Name: "flow", Match: automation.Scope{Account: "ada"}, Revision: 3}
}

func TestARunThatWentWellIsDone(t *testing.T) {
	t.Parallel()
	started := time.Now()
	got := RecordOf(flow(), &replayer.Result{Started: started, Steps: []replayer.StepResult{
		{Index: 0, Tool: "click", Intent: "go", Selector: selectors.Path{{Kind: selectors.CSS, Body: "#go"}}, Duration: replayer.Duration(time.Second)},
		{Index: 1, Tool: "click", Skipped: "optional, and not there"},
		{Index: 2, Tool: "run", Steps: []replayer.StepResult{{Index: 0, Tool: "navigate"}}},
	}}, nil)
	want := store.Run{
		ID: got.ID, Automation: "flow", Account: "ada", Revision: 3, State: store.Done, Started: started, Finished: got.Finished,
		Steps: []store.RunStep{
			{Index: 0, Tool: "click", Intent: "go", Outcome: store.StepDone, Selector: "#go", Duration: time.Second},
			{Index: 1, Tool: "click", Outcome: store.StepSkipped, Skipped: "optional, and not there"},
			{Index: 2, Tool: "run", Outcome: store.StepDone, Steps: []store.RunStep{{Index: 0, Tool: "navigate", Outcome: store.StepDone}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the record (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

func TestARunThatFailedSaysWhereAndWhy(t *testing.T) {
	t.Parallel()
	result := &replayer.Result{Steps: []replayer.StepResult{{Index: 0, Tool: "navigate"}}}
	for _, test := range []struct {
		err   error
		state store.RunState
		code  string
		steps int
	}{
		{fmt.Errorf("wrapped: %w", &replayer.Error{Code: replayer.NotFound, Step: 1, Tool: "click"}), store.Failed, "gone", 2},
		{&replayer.Error{Code: replayer.Cancelled, Step: 1, Tool: "click"}, store.Cancelled, "cancelled", 2},
		{&replayer.Error{Code: replayer.Uncertain, Step: 1, Tool: "waitForNav"}, store.Uncertain, "uncertain", 2},
		{&replayer.Error{Code: replayer.InvalidValue, Step: -1}, store.Failed, "invalid_value", 1},
		{errors.New("of another kind"), store.Failed, "", 1},
	} {
		got := RecordOf(flow(), result, test.err)
		if got.State != test.state || got.Code != test.code || len(got.Steps) != test.steps {
			t.Errorf("%v gives %s %q with %d steps, want %s %q with %d", test.err, got.State, got.Code, len(got.Steps), test.state, test.code, test.steps)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%v: %v", test.err, err)
		}
	}
	within := RecordOf(flow(), result, &replayer.Error{Code: replayer.NotFound, Step: 1, Tool: "run", Steps: []replayer.StepResult{{Index: 0, Tool: "click", Effect: automation.Commit}}})
	if last := within.Steps[1]; last.Outcome != store.StepFailed || len(last.Steps) != 1 || last.Steps[0].Outcome != store.StepDone || last.Steps[0].Effect != automation.Commit {
		t.Errorf("a step that failed within another automation is stored as %+v, want what was done before it", last)
	}
	if got := RecordOf(flow(), nil, errors.New("before it began")); got.Validate() != nil || len(got.Steps) != 0 {
		t.Errorf("without a result the record is %+v", got)
	}
}

func TestDriftIsKeptAndProposedByARunThatWentWellOnly(t *testing.T) {
	t.Parallel()
	css := func(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }
	a := flow()
	a.Match.URLs = []string{"shop.example"}
	a.Steps = []automation.Step{{Tool: "click", Selector: css("#old")}}
	result := &replayer.Result{Drift: []replayer.Drift{{
		Score: 0.5, Healed: true, Confidence: 0.9, Lost: []selectors.Path{css("#old")}, Proposed: automation.Step{Tool: "click", Selector: css("#new")},
	}}}
	got := RecordOf(a, result, nil)
	if err := got.Validate(); err != nil || got.Proposal == nil || got.Proposal.Steps[0].Selector.String() != "#new" || got.Proposal.Revision != 3 {
		t.Errorf("a run that went well proposes %+v, %v", got.Proposal, err)
	}
	want := []store.Drift{{Score: 0.5, Healed: true, Confidence: 0.9, Lost: []string{"#old"}}}
	if diff := cmp.Diff(want, got.Drift); diff != "" {
		t.Errorf("the drift (-want +got):\n%s", diff)
	}
	refused := &replayer.Error{Code: replayer.Changed, Step: 0, Tool: "click", Considered: []replayer.Candidate{{Element: "a.b", Weight: 1.5, For: []string{"tag"}, Against: []string{"label"}}}}
	got = RecordOf(a, result, refused)
	if got.Proposal != nil || len(got.Drift) != 1 {
		t.Errorf("a run that failed proposes %v, and has drift %v", got.Proposal, got.Drift)
	}
	passedOver := []store.Candidate{{Element: "a.b", Weight: 1.5, For: []string{"tag"}, Against: []string{"label"}}}
	if diff := cmp.Diff(passedOver, got.Steps[0].Considered); diff != "" || got.Code != "changed" {
		t.Errorf("the code is %s, what was considered (-want +got):\n%s", got.Code, diff)
	}
}

func ExampleRecordOf() {
	run := RecordOf(&automation.Automation{Name: "flow"}, &replayer.Result{}, &replayer.Error{Code: replayer.NotFound, Step: 0, Tool: "click"})
	fmt.Println(run.State, run.Code, run.Steps[0].Outcome)
	// Output: failed gone failed
}
