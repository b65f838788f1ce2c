package autonomy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func judge(t *testing.T, text string) autonomy.Verdict {
	t.Helper()
	return analyzer(t).Judge(autonomy.Answer{Text: text})
}

func respond(t *testing.T, r *autonomy.AutoResponder, text string, history ...autonomy.Message) autonomy.Response {
	t.Helper()
	got, err := r.Respond(t.Context(), judge(t, text), history)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEachPushIsStrongerAndAfterThreeItIsReported(t *testing.T) {
	t.Parallel()
	r := autonomy.NewAutoResponder(autonomy.Task{}, nil)
	seen := map[string]bool{}
	for attempt := 1; attempt <= 3; attempt++ {
		got := respond(t, r, "Shall I sort the list?")
		if got.Action != autonomy.Continue || got.Attempt != attempt || seen[got.Text] || !strings.Contains(got.Text, "sort the list") {
			t.Fatalf("attempt %d: %+v", attempt, got)
		}
		seen[got.Text] = true
	}
	if got := respond(t, r, "Shall I sort the list?"); got.Action != autonomy.Report || got.Done {
		t.Errorf("the fourth: %+v", got)
	}
	if got := respond(t, r, "The rows are copied."); got.Action != autonomy.Pass {
		t.Errorf("%+v", got)
	}
	if got := respond(t, r, "Shall I sort the second list?"); got.Attempt != 1 {
		t.Errorf("what went on in between is not counted on: %+v", got)
	}
}

func TestNothingIsAnsweredThatOnlyAPersonMaySettle(t *testing.T) {
	t.Parallel()
	for text, topic := range map[string]autonomy.Topic{
		"It costs 40 euros. Shall I buy it?":                        autonomy.Payment,
		"Which password do you want me to use?":                     autonomy.Credentials,
		"Should I accept the terms of service?":                     autonomy.Consent,
		"Shall I run it?\n\n`rm -rf /srv`":                          autonomy.Destructive,
		"Soll ich die Bestellung bezahlen?":                         autonomy.Payment,
		"¿Quiere que borre las carpetas?":                           autonomy.Destructive,
		"同意しますか？":                                                   autonomy.Consent,
		"Two ways:\n\n1. Wait\n2. Drop the table\n\nWhich is best?": autonomy.Destructive,
	} {
		r := autonomy.NewAutoResponder(autonomy.Task{Instructions: "Pay for it, accept all, delete what is in the way."}, nil)
		if got := respond(t, r, text); got.Action != autonomy.NeedsPerson || got.Topic != topic {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestWithoutANextStepTheCriteriaAreLookedAt(t *testing.T) {
	t.Parallel()
	criterion := func(met bool, err error) autonomy.Criterion {
		return autonomy.Criterion{Text: "x", Met: func(context.Context) (bool, error) { return met, err }}
	}
	steps := "1. Open it\n2) Read it\n10. Close it"
	const unclear = "How do you feel about it?"
	for name, c := range map[string]struct {
		task    autonomy.Task
		history []autonomy.Message
		action  autonomy.Action
		text    string
		done    bool
	}{
		"met":             {task: autonomy.Task{Instructions: steps, Criteria: []autonomy.Criterion{criterion(true, nil)}}, action: autonomy.Report, text: "done", done: true},
		"one is not met":  {task: autonomy.Task{Instructions: steps, Criteria: []autonomy.Criterion{criterion(true, nil), criterion(false, nil)}}, action: autonomy.Continue, text: "step 1: Open it"},
		"cannot be seen":  {task: autonomy.Task{Instructions: steps, Criteria: []autonomy.Criterion{{Text: "x"}}}, action: autonomy.Continue, text: "step 1: Open it"},
		"steps are done":  {task: autonomy.Task{Instructions: steps}, history: []autonomy.Message{{Role: autonomy.Assistant, Text: "Step 1 is done, step 2, too."}}, action: autonomy.Continue, text: "step 10: Close it"},
		"not step 10":     {task: autonomy.Task{Instructions: steps}, history: []autonomy.Message{{Role: autonomy.User, Text: "step 2"}, {Role: autonomy.Assistant, Text: "Step 1"}}, action: autonomy.Continue, text: "step 2: Read it"},
		"of another book": {task: autonomy.Task{Instructions: steps}, history: []autonomy.Message{{Role: autonomy.Assistant, Text: "As in step 12 of the manual."}}, action: autonomy.Continue, text: "step 1: Open it"},
		"no step is left": {task: autonomy.Task{Instructions: steps}, history: []autonomy.Message{{Role: autonomy.Assistant, Text: "Schritt 10 ist fertig."}}, action: autonomy.Report, text: "no further step"},
		"no steps at all": {task: autonomy.Task{Instructions: "Open it."}, action: autonomy.Report, text: "no further step"},
		"a person's step": {task: autonomy.Task{Instructions: "1. Pay the bill"}, action: autonomy.NeedsPerson, text: "payment"},
	} {
		got := respond(t, autonomy.NewAutoResponder(c.task, nil), unclear, c.history...)
		if got.Action != c.action || !strings.Contains(got.Text, c.text) || got.Done != c.done {
			t.Errorf("%s: %+v", name, got)
		}
	}
	broken := errors.New("no page")
	r := autonomy.NewAutoResponder(autonomy.Task{Criteria: []autonomy.Criterion{criterion(false, broken)}}, nil)
	if _, err := r.Respond(t.Context(), judge(t, unclear), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestTheSameStepIsNotSentTwice(t *testing.T) {
	t.Parallel()
	r := autonomy.NewAutoResponder(autonomy.Task{Instructions: "1. Open it\n2. Read it"}, nil)
	for _, want := range []string{"step 1: Open it", "step 2: Read it", "no further step"} {
		if got := respond(t, r, "How do you feel about it?"); !strings.Contains(got.Text, want) {
			t.Errorf("%+v, not %s", got, want)
		}
	}
}

func TestNoAttemptsMeanNoAnswer(t *testing.T) {
	t.Parallel()
	r := autonomy.NewAutoResponder(autonomy.Task{}, &autonomy.Recovery{MaxAttempts: -1})
	if got := respond(t, r, "Shall I sort the list?"); got.Action != autonomy.Report {
		t.Errorf("%+v", got)
	}
}
