package autonomy

import (
	"context"
	"fmt"
	"strings"
)

// SystemPrompt are the sentences that tell a model to work by itself. They are put
// before the task, and are enough for most models.
const SystemPrompt = `You work autonomously. Nobody reads your answers while you work, so a question in prose is never answered.
Where something is not said, make a reasonable assumption, write down which, and go on.
Complete every step of the task. Report when all of it is done, not after a part of it.
Never ask in prose for a choice, a confirmation or leave to go on.
If a person is truly needed (to pay, to enter a password or a code, to give consent, or before something is destroyed that cannot be had again), call the tool request_human with the reason, and do not decide it yourself.`

// Task is what a model was told to do.
type Task struct {
	Instructions string
	// Criteria say when the task is done.
	Criteria []Criterion
}

// Criterion is one thing that holds when a task is done.
type Criterion struct {
	Text string
	// Met looks whether it holds, if not nil. What cannot be looked at counts as
	// not met.
	Met func(ctx context.Context) (bool, error)
}

// briefing is the task as it is told at the beginning.
func (t *Task) briefing() string {
	var b strings.Builder
	if t.Instructions != "" {
		fmt.Fprintf(&b, "The task:\n%s\n", strings.TrimSpace(t.Instructions))
	}
	if len(t.Criteria) > 0 {
		b.WriteString("\nIt is done when:\n")
		for _, c := range t.Criteria {
			fmt.Fprintf(&b, "- %s\n", c.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// reminder is the task as it is told again.
func (t *Task) reminder() string {
	const head = "Reminder: nobody answers questions here. Assume what is reasonable, and complete every step."
	return strings.TrimSpace(head + "\n" + t.briefing())
}

// met is whether all criteria hold. Without any that can be looked at, it is not known.
func (t *Task) met(ctx context.Context) (bool, error) {
	for _, c := range t.Criteria {
		if c.Met == nil {
			return false, nil
		}
		if ok, err := c.Met(ctx); err != nil || !ok {
			return false, err
		}
	}
	return len(t.Criteria) > 0, nil
}
