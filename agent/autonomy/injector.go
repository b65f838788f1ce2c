package autonomy

import "slices"

// ContextInjector keeps a task in sight of a model: its instructions and when it
// is done stand before the history, however much of that is cut, and are told
// again every few messages.
type ContextInjector struct {
	task       Task
	prevention Prevention
}

// NewContextInjector makes an injector. Prevention may be nil: then the defaults hold.
func NewContextInjector(task Task, p *Prevention) *ContextInjector {
	if p == nil {
		p = &Prevention{}
	}
	return &ContextInjector{task: task, prevention: *p}
}

// Inject gives the messages to send in place of a history, which is left as it is.
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
	first := c.firstKept(own)
	if first > 0 && own[first].Role != User { // some models begin with nobody else
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

// firstKept is the first message that is not cut. Results whose call is cut go too.
func (c *ContextInjector) firstKept(own []Message) int {
	keep := c.prevention.KeepMessages
	if keep <= 0 || keep >= len(own) {
		return 0
	}
	first := len(own) - keep
	for first < len(own) && own[first].Role == Tool {
		first++
	}
	if first == len(own) { // one call with more results than are kept
		for first = len(own) - keep; first > 0 && own[first].Role == Tool; {
			first--
		}
	}
	return first
}

// due is whether a reminder stands behind a message. Its place depends on where in
// the whole history that is, so that what a model has cached stays as it was.
func (c *ContextInjector) due(own []Message, first, i int) bool {
	every := orElse(c.prevention.ReminderFrequency, DefaultReminderFrequency)
	if every < 0 || !settled(own, i) {
		return false
	}
	for j := i; j >= first; j-- {
		if (j+1)%every == 0 {
			return true
		}
		if j == first || settled(own, j-1) {
			return false // that one had its turn
		}
	}
	return false
}

// settled is whether no result of a call is to come behind a message.
func settled(own []Message, i int) bool {
	if i+1 < len(own) {
		return own[i+1].Role != Tool
	}
	return len(own[i].ToolCalls) == 0
}
