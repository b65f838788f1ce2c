package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// resumption is a run that had stopped, and how it goes on.
type resumption struct {
	run   store.Run
	token string // "" where nothing says where it stopped: it crashed, or its page is gone
	from  int    // index of the step to go on with, where there is no token
	fixed bool   // a person has said so, or that what was sent before it is done
	fresh bool   // it goes on in a page that knows nothing of it
}

// resumption finds the run that is to go on, nil for none, and settles what it had
// sent, if a person says what became of that.
func (p *playing) resumption(ctx context.Context) (*resumption, error) {
	o := p.options
	if o.resume == "" {
		return nil, nil
	}
	run, err := p.stopped(ctx)
	if err != nil {
		return nil, err
	}
	r := &resumption{run: run, token: run.Resume, from: next(run)}
	if o.from > 0 {
		r.token, r.from, r.fixed = "", o.from-1, true
	}
	if o.settled == "" {
		return r, nil
	}
	return r, p.settle(ctx, r)
}

// stopped finds the run by its name or its token, and holds it to the document.
func (p *playing) stopped(ctx context.Context) (store.Run, error) {
	run, err := p.runOf(ctx)
	if err != nil {
		return run, err
	}
	switch same := run.Automation == p.doc.Name && run.Account == p.doc.Match.Account; {
	case !same:
		return run, usagef("run %s is of %s, not of %s", run.ID, label(run.Automation, run.Account), label(p.doc.Name, p.doc.Match.Account))
	case run.State == store.Done:
		return run, usagef("run %s is done: there is nothing to go on with", run.ID)
	case run.Finished.IsZero() && !runner.Lost(run):
		return run, &busyError{run}
	case run.Revision != 0 && p.doc.Revision != run.Revision:
		return run, usagef("run %s was of revision %d of %s, which is at revision %d now: play it anew", run.ID, run.Revision, run.Automation, p.doc.Revision)
	}
	return run, nil
}

// busyError is a run that somebody performs.
type busyError struct{ run store.Run }

func (e *busyError) Error() string {
	if e.run.Process == nil {
		return fmt.Sprintf("run %s has not ended", e.run.ID)
	}
	return fmt.Sprintf("run %s has not ended: process %d on %s performs it", e.run.ID, e.run.Process.PID, e.run.Process.Host)
}

func (p *playing) runOf(ctx context.Context) (store.Run, error) {
	token := p.options.resume
	if !strings.Contains(token, ".") {
		return p.kept.Runs().Get(ctx, token)
	}
	for r, err := range p.kept.Runs().List(ctx) {
		if err != nil {
			return store.Run{}, err
		}
		if r.Err == nil && r.Resume == token {
			return r.Run, nil
		}
	}
	return store.Run{}, fmt.Errorf("no run kept here has stopped with this token: %w", store.ErrNotFound)
}

// settle writes down what became of what the run had sent.
func (p *playing) settle(ctx context.Context, r *resumption) error {
	o := p.options
	done, settled := o.settled == "done", false
	for _, name := range p.nested(r.run.ID) {
		sent, err := p.kept.Commits().Sent(ctx, name)
		if err != nil {
			return err
		}
		for step, seen := range sent {
			if seen {
				continue
			}
			if err := p.kept.Commits().Settled(ctx, name, step, done); err != nil {
				return err
			}
			settled = true
			if name == r.run.ID && o.from == 0 {
				r.settled(p.doc, step, done)
			}
		}
	}
	token, err := replayer.Settle(r.token, done)
	switch {
	case err == nil:
		r.token = token
	case !settled:
		return usagef("--settled: run %s has sent nothing of which it is not known what became: leave it out", r.run.ID)
	}
	return nil
}

// nested are the names under which the run, and those that its steps play, write down
// what they send.
func (p *playing) nested(run string) []string {
	names := []string{run}
	for i, step := range p.doc.Steps {
		if step.Tool == "run" {
			names = append(names, fmt.Sprintf("%s.%d", run, i))
		}
	}
	return names
}

// next is the step after the last that was done.
func next(run store.Run) int {
	from := 0
	for _, s := range run.Steps {
		if s.Outcome == store.StepDone || s.Outcome == store.StepSkipped {
			from = max(from, s.Index+1)
		}
	}
	return from
}

// settled has it go on with the step that was sent, or after it and what was waited
// for after that.
func (r *resumption) settled(doc *automation.Automation, step int, done bool) {
	if r.from, r.fixed = step, done; !done {
		return
	}
	r.from++
	for r.from < len(doc.Steps) && doc.Steps[r.from].Tool == "waitForNav" {
		r.from++
	}
}

// anew has it go on in another page: from its beginning, unless a person has said where,
// or that what it had sent was done. What was sent is not sent again.
func (r *resumption) anew() {
	r.token, r.fresh = "", true
	if !r.fixed {
		r.from = 0
	}
}

// over reports whether nothing is left to be played, and no page shows it.
func (r *resumption) over(doc *automation.Automation) bool {
	return r.fresh && r.fixed && r.from >= len(doc.Steps)
}

// apply has the replayer go on with it.
func (r *resumption) apply(o *replayer.Options) {
	if r.token != "" {
		o.Resume, o.From = r.token, 0
		return
	}
	o.From = r.from
}

// earlier is the record so far, nil for none.
func (r *resumption) earlier() *store.Run {
	if r == nil {
		return nil
	}
	return &r.run
}
