package autonomy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

// Action is what is done about an answer.
type Action string

// The actions.
const (
	Pass        Action = "pass"         // the answer asks for nothing
	Continue    Action = "continue"     // Text is to be sent to the model
	NeedsPerson Action = "needs_person" // only a person may answer
	Report      Action = "report"       // it ends here; Text says why
)

// Response is an AutoResponder's response to an answer.
type Response struct {
	Action  Action `json:"action"`
	Text    string `json:"text,omitempty"`
	Attempt int    `json:"attempt,omitempty"` // how often in a row it has been asked to go on
	Done    bool   `json:"done,omitempty"`    // the criteria of the task are met
	Topic   Topic  `json:"topic,omitempty"`   // what a person is needed for
}

// AutoResponder answers a model that asks where it should go on. It never decides
// what only a person may: what is about payments, credentials, consent or anything
// destructive it hands to the caller, whatever the task is. It is for one
// conversation, and for one goroutine at a time.
type AutoResponder struct {
	task     Task
	steps    []step
	max      int // attempts
	attempts int
	tried    int // the last step that was sent
}

// NewAutoResponder returns a responder. Recovery may be nil: then the defaults hold.
func NewAutoResponder(task Task, r *Recovery) *AutoResponder {
	if r == nil {
		r = &Recovery{}
	}
	return &AutoResponder{task: task, steps: stepsOf(task.Instructions), max: orElse(r.MaxAttempts, DefaultMaxAttempts)}
}

// Respond returns what to do about an answer, by its verdict. The history
// shows which steps are done; it may be nil. An error is one of looking whether the
// criteria are met.
func (r *AutoResponder) Respond(ctx context.Context, v Verdict, history []Message) (Response, error) {
	switch {
	case !v.Asking:
		r.attempts = 0
		return Response{Action: Pass}, nil
	case v.Topic != None:
		return handOver(v.Topic, "it is about "+string(v.Topic)), nil
	case r.attempts >= r.max:
		return Response{Action: Report, Attempt: r.attempts, Text: fmt.Sprintf("the model still asks after it was told %d times to go on", r.attempts)}, nil
	case v.Likely != "":
		return r.push("The next step is clear: " + v.Likely + "."), nil
	}
	return r.withoutANextStep(ctx, history)
}

// withoutANextStep looks whether all is done, else goes on with the next step.
func (r *AutoResponder) withoutANextStep(ctx context.Context, history []Message) (Response, error) {
	switch done, err := r.task.met(ctx); {
	case err != nil:
		return Response{}, fmt.Errorf("look whether the task is done: %w", err)
	case done:
		return Response{Action: Report, Done: true, Text: "the task is done: all of its criteria are met"}, nil
	}
	next, ok := r.nextStep(history)
	switch topic := Topic(detect.TopicOf(next.text)); {
	case !ok:
		return Response{Action: Report, Text: "the model asks, and the task has no further step that it could go on with"}, nil
	case topic != None:
		return handOver(topic, fmt.Sprintf("step %d is about %s", next.number, topic)), nil
	}
	r.tried = next.number
	return r.push(fmt.Sprintf("Go on with step %d: %s", next.number, next.text)), nil
}

func handOver(topic Topic, why string) Response {
	return Response{Action: NeedsPerson, Topic: topic, Text: "a person has to answer: " + why}
}

// pushes are what a model is sent, each stronger than the one before.
var pushes = []string{
	"No one reads questions here. Make the most reasonable assumption, say which one, and go on.",
	"You were asked to go on without questions. Decide by yourself, now, and do the next step in this answer. If a person is truly needed, call request_human; do not ask in prose.",
	"This is the last time: do not ask again. Take the most careful choice that the task allows, carry it out in this very answer, complete all steps that are left, and report what you assumed.",
}

func (r *AutoResponder) push(what string) Response {
	text := pushes[min(r.attempts, len(pushes)-1)] + "\n" + what
	r.attempts++
	return Response{Action: Continue, Text: text, Attempt: r.attempts}
}

// step is a numbered one of a task.
type step struct {
	number int
	text   string
}

// stepsOf finds lines that begin with a number and "." or ")".
func stepsOf(instructions string) []step {
	var all []step
	for line := range strings.Lines(instructions) {
		line = strings.TrimSpace(line)
		i := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 || i > 3 || line[i] != '.' && line[i] != ')' {
			continue
		}
		n, err := strconv.Atoi(line[:i])
		if text := strings.TrimSpace(line[i+1:]); err == nil && text != "" {
			all = append(all, step{n, text})
		}
	}
	return all
}

// nextStep is the first one after the last that is spoken of, or was sent.
func (r *AutoResponder) nextStep(history []Message) (step, bool) {
	last := r.tried
	for _, m := range history {
		if m.Role != Assistant {
			continue
		}
		for _, s := range r.steps {
			if s.number > last && speaksOf(m.Text, s.number) {
				last = s.number
			}
		}
	}
	i := slices.IndexFunc(r.steps, func(s step) bool { return s.number > last })
	if i < 0 {
		return step{}, false
	}
	return r.steps[i], true
}

// wordsForStep stand before its number.
var wordsForStep = []string{"step ", "schritt ", "étape ", "paso ", "passo ", "stap ", "krok ", "шаг ", "adım ", "ステップ", "步骤", "단계 ", "الخطوة ", "चरण "}

func speaksOf(text string, number int) bool {
	text = strings.ToLower(text)
	n := strconv.Itoa(number)
	for _, word := range wordsForStep {
		for rest, found := text, true; found; {
			if _, rest, found = strings.Cut(rest, word); found && strings.HasPrefix(rest, n) {
				if rest == n || rest[len(n)] < '0' || rest[len(n)] > '9' {
					return true
				}
			}
		}
	}
	return false
}
