package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// Session calls tools one by one in a page, as an agent does or a program that
// explores: with the checks, the policy for commits and the typed errors of a run,
// and with what earlier calls have opened. It is not safe for concurrent use.
type Session struct {
	run       *run
	snapshots snapshots
	err       error // why it cannot be used
}

// Begin begins a session in a page. It acts on the site that the page shows, and on
// those that its own calls of navigate go to. Options.Values are looked up when a call
// names a variable: what is secret must come as an automation.Secret. Close it.
func Begin(page *browser.Page, o *Options) *Session {
	if o == nil {
		o = &Options{}
	}
	options := *o
	options.From, options.Until, options.Resume = 0, 0, ""
	s := &Session{run: newRun(page, page.Target(), &automation.Automation{Name: "session"}, options)}
	s.run.lone = true
	s.run.know(map[string]any{})
	if address := page.URL(); address != "" && address != "about:blank" {
		s.run.scope.add(address)
	}
	return s
}

// Do calls a tool with the fields of a step. The error is an *Error, whose Step is the
// number of the call, from 0.
func (s *Session) Do(ctx context.Context, step automation.Step) (StepResult, error) {
	r := s.run
	i := len(r.automation.Steps)
	err := s.prepare(ctx, step)
	if err != nil {
		err = r.ended(ctx, at(ctx, err, i, step), i)
	} else {
		_, err = r.step(ctx, i, step)
	}
	var e *Error
	if errors.As(err, &e) {
		e.Resume = ""
		return StepResult{}, e
	}
	return r.result.Steps[len(r.result.Steps)-1], nil
}

// prepare checks a call, looks up the values that it names, and confines its secrets, before it
// becomes the next step.
func (s *Session) prepare(ctx context.Context, step automation.Step) error {
	r := s.run
	if s.err != nil {
		return s.err
	}
	if err := s.check(step); err != nil {
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	if _, err := r.tool(step); err != nil {
		return err
	}
	if err := s.gather(ctx, step); err != nil {
		return err
	}
	for _, page := range r.pages {
		if err := r.confine(ctx, page); err != nil {
			return err
		}
	}
	r.automation.Steps = append(r.automation.Steps, step)
	if step.Tool == "navigate" {
		r.page.Tree().Do(func() { r.scope.add(step.URL) }) // dialogs ask it there
	}
	return nil
}

// check holds a call to the rules of the format, as if it were a document of one step.
func (s *Session) check(step automation.Step) error {
	declared := map[string]any{}
	for _, name := range namesIn(step) {
		declared[name] = map[string]any{}
	}
	variables, err := json.Marshal(map[string]any{"type": "object", "properties": declared})
	if err != nil {
		return err
	}
	anywhere := automation.Scope{URLs: []string{"session.invalid/*"}} // where it may act is checked when it does
	one := automation.Automation{Name: "session", Match: anywhere, Variables: variables, Steps: []automation.Step{step}}
	return one.Validate()
}

func namesIn(step automation.Step) []string {
	var names []string
	if step.Value != nil {
		names = step.Value.Names()
	}
	if step.When != nil && step.When.Variable != "" {
		names = append(names, step.When.Variable)
	}
	return append(names, automation.NamesInArgs(step)...)
}

// gather looks up the variables that a call names.
func (s *Session) gather(ctx context.Context, step automation.Step) error {
	for _, name := range namesIn(step) {
		v, err := lookUp(ctx, s.run.options.Values, name)
		if errors.Is(err, ErrNoValue) {
			continue // the call says that it is missing
		}
		if err != nil {
			return invalid(err)
		}
		s.run.values[name] = v
	}
	s.run.know(s.run.values)
	return nil
}

// Know tells the session of secrets that pages in it may repeat although none of its
// own calls has typed them, as after a run in the same page.
func (s *Session) Know(secrets ...automation.Secret) {
	if s.err != nil {
		return
	}
	values := maps.Clone(s.run.values)
	for i, secret := range secrets {
		values[fmt.Sprintf("%s%d", knownPrefix, i)] = secret // under names that no variable has
	}
	s.run.know(values)
}

const knownPrefix = " known "

// URL is the address of the first tab, without its query.
func (s *Session) URL() string { return s.run.scrub.text(shown(s.run.page.URL())) }

// Outputs are what calls of extract have read.
func (s *Session) Outputs() map[string]any { return s.run.result.Outputs }

// Pictures are what calls of screenshot have taken since the last call of Pictures.
func (s *Session) Pictures() []Picture {
	taken := s.run.result.Pictures
	s.run.result.Pictures = nil
	return taken
}

// Close ends the session. The page stays as it is. It may be called again.
func (s *Session) Close() {
	if s.err == nil {
		s.err = &Error{Code: Refused, Reason: "the session has ended"}
		s.run.close()
	}
}
