package runner_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

func flow() *automation.Automation {
	return &automation.Automation{Name: "flow", Match: automation.Scope{Account: "ada"}, Revision: 3}
}

func TestARunThatWentWellIsDone(t *testing.T) {
	t.Parallel()
	started := time.Now()
	got := runner.Of(flow(), &replayer.Result{Started: started, Steps: []replayer.StepResult{
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
		{fmt.Errorf("wrapped: %w", &replayer.Error{Code: replayer.Gone, Step: 1, Tool: "click"}), store.Failed, "gone", 2},
		{&replayer.Error{Code: replayer.Cancelled, Step: 1, Tool: "click"}, store.Cancelled, "cancelled", 2},
		{&replayer.Error{Code: replayer.Uncertain, Step: 1, Tool: "waitForNav"}, store.Uncertain, "uncertain", 2},
		{&replayer.Error{Code: replayer.InvalidValue, Step: -1}, store.Failed, "invalid_value", 1},
		{errors.New("of another kind"), store.Failed, "", 1},
	} {
		got := runner.Of(flow(), result, test.err)
		if got.State != test.state || got.Code != test.code || len(got.Steps) != test.steps {
			t.Errorf("%v gives %s %q with %d steps, want %s %q with %d", test.err, got.State, got.Code, len(got.Steps), test.state, test.code, test.steps)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%v: %v", test.err, err)
		}
	}
	within := runner.Of(flow(), result, &replayer.Error{Code: replayer.Gone, Step: 1, Tool: "run", Steps: []replayer.StepResult{{Index: 0, Tool: "click", Effect: automation.Commit}}})
	if last := within.Steps[1]; last.Outcome != store.StepFailed || len(last.Steps) != 1 || last.Steps[0].Outcome != store.StepDone || last.Steps[0].Effect != automation.Commit {
		t.Errorf("a step that failed within another automation is kept as %+v, want what was done before it", last)
	}
	if got := runner.Of(flow(), nil, errors.New("before it began")); got.Validate() != nil || len(got.Steps) != 0 {
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
	got := runner.Of(a, result, nil)
	if err := got.Validate(); err != nil || got.Proposal == nil || got.Proposal.Steps[0].Selector.String() != "#new" || got.Proposal.Revision != 3 {
		t.Errorf("a run that went well proposes %+v, %v", got.Proposal, err)
	}
	want := []store.Drift{{Score: 0.5, Healed: true, Confidence: 0.9, Lost: []string{"#old"}}}
	if diff := cmp.Diff(want, got.Drift); diff != "" {
		t.Errorf("the drift (-want +got):\n%s", diff)
	}
	refused := &replayer.Error{Code: replayer.Changed, Step: 0, Tool: "click", Considered: []replayer.Considered{{Element: "a.b", Weight: 1.5, For: []string{"tag"}, Against: []string{"label"}}}}
	got = runner.Of(a, result, refused)
	if got.Proposal != nil || len(got.Drift) != 1 {
		t.Errorf("a run that failed proposes %v, and has drift %v", got.Proposal, got.Drift)
	}
	passedOver := []store.Considered{{Element: "a.b", Weight: 1.5, For: []string{"tag"}, Against: []string{"label"}}}
	if diff := cmp.Diff(passedOver, got.Steps[0].Considered); diff != "" || got.Code != "changed" {
		t.Errorf("the code is %s, what was considered (-want +got):\n%s", got.Code, diff)
	}
}

func ExampleOf() {
	run := runner.Of(&automation.Automation{Name: "flow"}, &replayer.Result{}, &replayer.Error{Code: replayer.Gone, Step: 0, Tool: "click"})
	fmt.Println(run.State, run.Code, run.Steps[0].Outcome)
	// Output: failed gone failed
}
