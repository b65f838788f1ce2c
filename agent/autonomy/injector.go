package autonomy

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// ContextInjector keeps a task in sight of a model: its instructions and when it
// is done stand before the history, however much of that is cut, and are repeated
// every few messages.
type ContextInjector struct {
	task       Task
	prevention Prevention
}

// NewContextInjector returns an injector. Prevention may be nil: then the defaults hold.
func NewContextInjector(task Task, p *Prevention) *ContextInjector {
	if p == nil {
		p = &Prevention{}
	}
	return &ContextInjector{task: task, prevention: *p}
}

// Inject returns the messages to send in place of a history, which is left as it is.
// What was injected before is replaced. A call of a tool and its results are never
// torn apart: most models refuse such a history.
func (c *ContextInjector) Inject(history []Message) []Message {
	own := slices.DeleteFunc(slices.Clone(history), func(m Message) bool { return m.Added })
	systems := slices.IndexFunc(own, func(m Message) bool { return m.Role != System })
	if systems < 0 {
		systems = len(own)
	}
	out := slices.Clone(own[:systems])
	out = append(out, c.beginning()...)
	own = own[systems:]
	first := c.firstSent(own)
	if first > 0 && own[first].Role != User { // some models begin with a user's message only
		out = append(out, Message{Role: User, Text: c.task.reminder(), Added: true})
	}
	for i := first; i < len(own); i++ {
		out = append(out, own[i])
		if c.due(own, first, i) {
			out = append(out, Message{Role: User, Text: c.task.reminder(), Added: true})
		}
	}
	return out
}

// beginning is what stands before the history.
func (c *ContextInjector) beginning() []Message {
	text := SystemPrompt
	if c.prevention.NoSystemPrompt {
		text = ""
	}
	if briefing := c.task.briefing(); briefing != "" {
		if text != "" {
			text += "\n\n"
		}
		text += briefing
	}
	if text == "" {
		return nil
	}
	return []Message{{Role: System, Text: text, Added: true}}
}

// firstSent is the first message that is not cut. Results whose call is cut go too.
func (c *ContextInjector) firstSent(own []Message) int {
	keep := c.prevention.KeepMessages
	if keep <= 0 || keep >= len(own) {
		return 0
	}
	first := len(own) - keep
	for first < len(own) && own[first].Role == Tool {
		first++
	}
	if first == len(own) { // one call with more results than messages are left
		for first = len(own) - keep; first > 0 && own[first].Role == Tool; {
			first--
		}
	}
	return first
}

// due reports whether a reminder stands after a message. Its place depends on where in
// the whole history that is, so that what a model has cached stays as it was.
func (c *ContextInjector) due(own []Message, first, i int) bool {
	every := orElse(c.prevention.ReminderFrequency, DefaultReminderFrequency)
	if every < 0 || !resultsComplete(own, i) {
		return false
	}
	for j := i; j >= first; j-- {
		if (j+1)%every == 0 {
			return true
		}
		if j == first || resultsComplete(own, j-1) {
			return false // that one had its turn
		}
	}
	return false
}

// resultsComplete reports whether no result of a call is to come after a message.
func resultsComplete(own []Message, i int) bool {
	if i+1 < len(own) {
		return own[i+1].Role != Tool
	}
	return len(own[i].ToolCalls) == 0
}

// Task is what a model is to do.
type Task struct {
	Instructions string
	// Criteria are what holds when the task is done.
	Criteria []Criterion
}

// Criterion is one thing that holds when a task is done.
type Criterion struct {
	Text string
	// Met looks whether it holds, if not nil. What cannot be looked at counts as
	// not met.
	Met func(ctx context.Context) (bool, error)
}

// SystemPrompt are the sentences that make a model work without a person. They are put
// before the task, and are enough for most models.
const SystemPrompt = `You work autonomously. No one reads your answers while you work, so a question in prose is never answered.
Where something is not said, make a reasonable assumption, write down which, and go on.
Complete every step of the task. Report when all of it is done, not after a part of it.
Never ask in prose for a choice, a confirmation or leave to go on.
If a person is truly needed (to pay, to enter a password or a code, to give consent, or before something is destroyed that cannot be had again), call the tool request_human with the reason, and do not decide it yourself.`

// briefing is the task as it stands at the beginning.
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

// reminder is the task as it is repeated.
func (t *Task) reminder() string {
	const head = "Reminder: no one answers questions here. Assume what is reasonable, and complete every step."
	return strings.TrimSpace(head + "\n" + t.briefing())
}

// met reports whether all criteria hold. Without any that can be looked at, it is not known.
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
