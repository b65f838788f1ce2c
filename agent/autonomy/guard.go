// Package autonomy detects whether a language model's answer stops to ask a person
// where it should go on, and does something about it.
//
// An [Analyzer] judges one answer: by phrases in twenty-six languages, by words and
// what they mean, by where they stand and by what follows them. What each of these
// weighs was learnt from answers by twenty-seven annotators. The [Verdict] has how sure it is
// and why, whether only a person may decide what is asked, and what the model would likely do
// if the answer were yes. What is quoted, code, a table, a letter, or what a task asked to be
// written does not count.
//
// A [ContextInjector] keeps the task in sight of a model whose history is cut. An
// [AutoResponder] makes a model that asks go on, a few times and each time more
// firmly, and never answers about payments, credentials, consent or anything
// destructive. A [Guard] puts the three around any model; it only counts and logs (the
// mode [Log]) until its mode is [Act].
//
// The package uses nothing else of this module, and stores nothing of the texts.
package autonomy

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/go-reprise/reprise/agent/autonomy/stats"
)

// Guard stands around a model for one conversation. Before it is asked, the guard
// keeps the task in sight; after it has answered, the guard judges the answer and
// decides what to do. In the mode Log, which is the default, it changes nothing.
type Guard struct {
	task     Task
	settings Settings
	analyzer *Analyzer
	injector *ContextInjector
	logger   *slog.Logger

	mu        sync.Mutex // holds what follows
	responder *AutoResponder
	stats     Stats
}

// Decision is what a guard makes of an answer.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	// Response is what to do. In the mode Log it is always Pass.
	Response Response `json:"response"`
	// Would is what Response would be in the mode Act.
	Would Response `json:"would"`
}

// Options are those of New. Nil is fine.
type Options struct {
	Logger *slog.Logger // gets each answer that asks, without its text; default: silent
}

// New returns a guard for a task. Settings and options may be nil.
func New(task Task, s *Settings, o *Options) (*Guard, error) {
	if s == nil {
		s = &Settings{}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	a, err := NewAnalyzer(&s.Detection)
	if err != nil {
		return nil, err
	}
	g := &Guard{
		task: task, settings: *s, analyzer: a, logger: slog.New(slog.DiscardHandler),
		injector: NewContextInjector(task, &s.Prevention), responder: NewAutoResponder(task, &s.Recovery),
		stats: Stats{Counts: stats.Counts{LogOnly: s.Mode != Act}},
	}
	if o != nil && o.Logger != nil {
		g.logger = o.Logger
	}
	return g, nil
}

// Before returns the messages to send to the model in place of a history.
func (g *Guard) Before(history []Message) []Message {
	if g.settings.Mode != Act {
		return history
	}
	return g.injector.Inject(history)
}

// After judges what the model answered to a history.
func (g *Guard) After(ctx context.Context, history []Message, answer Message) (Decision, error) {
	v := g.analyzer.Judge(Answer{Text: answer.Text, ToolCalls: answer.ToolCalls, Task: g.task.Instructions})
	g.mu.Lock()
	defer g.mu.Unlock()
	would, err := g.responder.Respond(ctx, v, append(slices.Clone(history), answer))
	if err != nil {
		return Decision{Verdict: v}, err
	}
	g.stats.note(v, would)
	d := Decision{Verdict: v, Response: would, Would: would}
	if g.settings.Mode != Act {
		d.Response = Response{Action: Pass}
		g.responder.attempts = 0 // nothing was sent
	}
	if v.Asking {
		g.logger.WarnContext(ctx, "the answer asks a person", "confidence", v.Confidence, "feature", v.Reasons[0].Feature,
			"topic", v.Topic, "action", d.Response.Action, "would", would.Action)
	}
	return d, nil
}

// Stats returns what was seen so far.
func (g *Guard) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Features, s.Topics, s.Warnings = maps.Clone(s.Features), maps.Clone(s.Topics), slices.Clone(s.Warnings)
	return s
}

// Counts returns what was counted so far, as the records of runs have it (agent.Options.Guard).
func (g *Guard) Counts() stats.Counts { return g.Stats().Counts }

// PersonNeededError is an answer that asks what only a person may decide.
type PersonNeededError struct {
	Topic    Topic
	Question string // what was asked, in the model's words
}

func (e *PersonNeededError) Error() string {
	return fmt.Sprintf("the model asks about %s, which only a person may decide: hand it to one, and put their answer into the history", e.Topic)
}

// StalledError is a model that asks, and cannot be made to go on.
type StalledError struct {
	Attempts int    // how often it was asked to go on
	Reason   string // why it is not asked again
	Question string // what was asked, in the model's words
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("the task is not done: %s", e.Reason)
}

// Wrap is middleware: a model that goes on without a person. The answer that it returns is
// the last one; with a *PersonNeededError or a *StalledError, that is the one that
// asks. In the mode Log it answers as m does.
func (g *Guard) Wrap(m Model) Model {
	return ModelFunc(func(ctx context.Context, history []Message) (Message, error) {
		history = slices.Clone(history)
		for {
			if err := context.Cause(ctx); err != nil {
				return Message{}, err
			}
			answer, err := m.Complete(ctx, g.Before(history))
			if err != nil {
				return answer, err
			}
			d, err := g.After(ctx, history, answer)
			if err != nil {
				return answer, err
			}
			if d.Response.Action != Continue {
				return answer, d.failure(answer.Text)
			}
			history = append(history, answer, Message{Role: User, Text: d.Response.Text})
		}
	})
}

// failure is the error that a decision ends with, if with any.
func (d *Decision) failure(text string) error {
	question := ""
	if len(d.Verdict.Reasons) > 0 {
		at := d.Verdict.Reasons[0].Span
		question = text[at.Start:at.End]
	}
	switch {
	case d.Response.Action == NeedsPerson:
		return &PersonNeededError{d.Response.Topic, question}
	case d.Response.Action == Report && !d.Response.Done:
		return &StalledError{d.Response.Attempt, d.Response.Text, question}
	}
	return nil
}

// Stats are what a guard has seen, for a run's report. They hold nothing of the
// texts.
type Stats struct {
	stats.Counts
	Warnings []Warning `json:"warnings,omitempty"` // the first hundred
}

// Warning is an answer that asked.
type Warning struct {
	Answer     int     `json:"answer"` // which one, from 1 on
	Confidence float64 `json:"confidence"`
	Feature    Feature `json:"feature"` // what weighed most
	Span       Span    `json:"span"`
	Topic      Topic   `json:"topic"`
	Action     Action  `json:"action"` // in log mode, what would have been done
}

// maxWarnings bounds a report; the counts go on.
const maxWarnings = 100

// note counts a verdict and what was done about it.
func (s *Stats) note(v Verdict, r Response) {
	s.Answers++
	if !v.Asking {
		return
	}
	s.Asking++
	switch r.Action {
	case Continue:
		s.Continued++
	case NeedsPerson:
		s.NeedsPerson++
	case Report:
		s.Reported++
	}
	if s.Features == nil {
		s.Features, s.Topics = map[string]int{}, map[string]int{}
	}
	first := v.Reasons[0] // what asks has one
	s.Features[string(first.Feature)]++
	s.Topics[string(v.Topic)]++
	if len(s.Warnings) < maxWarnings {
		s.Warnings = append(s.Warnings, Warning{s.Answers, v.Confidence, first.Feature, first.Span, v.Topic, r.Action})
	}
}
