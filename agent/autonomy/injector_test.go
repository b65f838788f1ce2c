package autonomy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/agent/autonomy"
)

var errand = autonomy.Task{
	Instructions: "Order the toner.\n1. Find it\n2. Put it into the cart",
	Criteria:     []autonomy.Criterion{{Text: "the cart holds one toner"}},
}

// talk is a history of n messages: one of the user, then answers, every third of
// which calls a tool, with its result after it.
func talk(n int) []autonomy.Message {
	all := []autonomy.Message{{Role: autonomy.User, Text: "begin"}}
	for i := 1; len(all) < n; i++ {
		m := autonomy.Message{Role: autonomy.Assistant, Text: fmt.Sprint("answer ", i)}
		if i%3 != 0 {
			all = append(all, m)
			continue
		}
		m.ToolCalls = []string{"a", "b"}
		all = append(all, m, autonomy.Message{Role: autonomy.Tool, Text: "one"}, autonomy.Message{Role: autonomy.Tool, Text: "two"})
	}
	return all[:n]
}

func TestTheTaskStandsBeforeAHistoryThatIsCut(t *testing.T) {
	t.Parallel()
	in := autonomy.NewContextInjector(errand, &autonomy.Prevention{KeepMessages: 4})
	history := append([]autonomy.Message{{Role: autonomy.System, Text: "own"}}, talk(30)...)
	got := in.Inject(history)
	if got[0].Text != "own" || got[1].Role != autonomy.System || !strings.Contains(got[1].Text, "Order the toner.") ||
		!strings.Contains(got[1].Text, "- the cart holds one toner") || !strings.HasPrefix(got[1].Text, autonomy.SystemPrompt) {
		t.Errorf("%+v", got[:2])
	}
	if got[2].Role != autonomy.User || !got[2].Added {
		t.Errorf("a history that is cut begins with %+v", got[2])
	}
	if kept := own(got); len(kept) > 5 || len(kept) < 3 || kept[len(kept)-1].Text != history[30].Text {
		t.Errorf("%d messages are kept, up to %+v", len(kept)-1, kept[len(kept)-1])
	}
}

func TestTheTaskIsToldAgainEveryFewMessages(t *testing.T) {
	t.Parallel()
	for every, want := range map[int]int{0: 6, 5: 6, 10: 3, -1: 0} {
		in := autonomy.NewContextInjector(errand, &autonomy.Prevention{ReminderFrequency: every})
		reminders := 0
		for _, m := range in.Inject(talk(31)) {
			if m.Added && m.Role == autonomy.User {
				reminders++
				if !strings.Contains(m.Text, "Order the toner.") {
					t.Errorf("a reminder without the task: %s", m.Text)
				}
			}
		}
		if reminders != want {
			t.Errorf("every %d: %d reminders in 31 messages, not %d", every, reminders, want)
		}
	}
}

// Models refuse a result without its call, a call without its result, and a
// message between the two.
func TestACallAndItsResultsAreNeverTornApart(t *testing.T) {
	t.Parallel()
	for n := 1; n < 25; n++ {
		for keep := range 12 {
			for every := 1; every < 7; every++ {
				in := autonomy.NewContextInjector(errand, &autonomy.Prevention{ReminderFrequency: every, KeepMessages: keep})
				got := in.Inject(talk(n))
				for i, m := range got {
					if m.Role == autonomy.Tool && got[i-1].Role != autonomy.Tool && len(got[i-1].ToolCalls) == 0 {
						t.Fatalf("%d messages, %d kept, every %d: a result after %+v", n, keep, every, got[i-1])
					}
				}
			}
		}
	}
}

func TestInjectingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	in := autonomy.NewContextInjector(errand, &autonomy.Prevention{ReminderFrequency: 3})
	history := talk(20)
	before := append([]autonomy.Message(nil), history...)
	once := in.Inject(history)
	if diff := cmp.Diff(once, in.Inject(once)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, history); diff != "" {
		t.Errorf("the history itself was changed: %s", diff)
	}
	// What a model has cached of a shorter history must stand in the longer one.
	longer := in.Inject(talk(24))
	if diff := cmp.Diff(in.Inject(talk(18)), longer[:len(in.Inject(talk(18)))]); diff != "" {
		t.Error(diff)
	}
}

func TestNothingToSayIsNotSaid(t *testing.T) {
	t.Parallel()
	in := autonomy.NewContextInjector(autonomy.Task{}, &autonomy.Prevention{NoSystemPrompt: true})
	if got := in.Inject(talk(3)); len(got) != 3 {
		t.Errorf("%+v", got)
	}
	if got := in.Inject(nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func own(all []autonomy.Message) []autonomy.Message {
	var kept []autonomy.Message
	for _, m := range all {
		if !m.Added {
			kept = append(kept, m)
		}
	}
	return kept
}
