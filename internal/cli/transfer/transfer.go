// Package transfer copies everything that one store has into another of any kind.
//
// It may be interrupted anywhere and run again: what the target already has is left, and what
// differs there is reported, and left as well without Options.Overwrite. What is sealed is copied
// as it is, and no key is needed.
package transfer

import (
	"context"
	"errors"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Kind is what is copied.
type Kind string

// The kinds, in the order in which they are copied: what runs have sent comes before
// their records, so that no run can be taken up elsewhere that seems to have sent nothing.
const (
	Automations Kind = "automations"
	Commits     Kind = "commits"
	Runs        Kind = "runs"
	Tasks       Kind = "tasks"
	Vault       Kind = "credentials"
	Logins      Kind = "logins"
	Traces      Kind = "traces"
)

// Kinds are all of them.
var Kinds = []Kind{Automations, Commits, Runs, Tasks, Vault, Logins, Traces}

// Options are the options of Copy. The zero value works.
type Options struct {
	Overwrite bool // replace what differs in the target; default: leave and report it
	DryRun    bool // only report; default: copy
	// Progress is called after each thing; default: none.
	Progress func(Kind, *Count)
}

// Count is what became of the things of a kind.
type Count struct {
	Copied  int
	Same    int       // were there already
	Left    []Problem // are there, and different
	Failed  []Problem // could not be read, or not be saved
	Changed int       // were different there, and are overwritten
}

// Problem is a thing that was not copied.
type Problem struct {
	Name    string
	Account string
	Err     error
}

// Report is what became of everything, by kind.
type Report map[Kind]*Count

// Sum returns how many were copied, and how many were not.
func (r Report) Sum() (copied, conflicts, failed int) {
	for _, c := range r {
		copied += c.Copied + c.Changed
		conflicts += len(c.Left)
		failed += len(c.Failed)
	}
	return copied, conflicts, failed
}

// Copy copies all of one store into another. It returns the error that interrupted it; errors of
// single things are in the report.
func Copy(ctx context.Context, from, to store.Store, o *Options) (Report, error) {
	if o == nil {
		o = &Options{}
	}
	report := Report{}
	for _, kind := range Kinds {
		report[kind] = &Count{}
	}
	for _, kind := range Kinds {
		c := &copier{from, to, o, kind, report[kind]}
		if err := c.all(ctx); err != nil {
			return report, err
		}
	}
	return report, nil
}

// copier copies what is of one kind.
type copier struct {
	from, to store.Store
	*Options
	kind  Kind
	count *Count
}

func (c *copier) all(ctx context.Context) error {
	switch c.kind {
	case Automations:
		return c.automations(ctx)
	case Commits:
		return c.commits(ctx)
	case Runs:
		return c.runs(ctx)
	case Tasks:
		return c.envelopes(ctx, c.from.Tasks(), c.to.Tasks())
	case Vault:
		return c.envelopes(ctx, c.from.Vault(), c.to.Vault())
	case Logins:
		return c.envelopes(ctx, c.from.Logins(), c.to.Logins())
	}
	return c.traces(ctx)
}

// outcome is what became of one thing.
type outcome int

const (
	copied outcome = iota
	same
	left
	changed
)

// did counts one thing, and returns an error where the copy cannot continue.
func (c *copier) did(ctx context.Context, name, account string, what outcome, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case what == left && errors.Is(err, store.ErrConflict):
		c.count.Left = append(c.count.Left, Problem{name, account, err})
	case err != nil:
		c.count.Failed = append(c.count.Failed, Problem{name, account, err})
	case what == same:
		c.count.Same++
	case what == changed:
		c.count.Changed++
	default:
		c.count.Copied++
	}
	if c.Progress != nil {
		c.Progress(c.kind, c.count)
	}
	return nil
}

func (c *copier) automations(ctx context.Context) error {
	for s, err := range c.from.Automations().List(ctx) {
		if err != nil {
			return err
		}
		what, err := c.automation(ctx, s)
		if err := c.did(ctx, s.Name, s.Account, what, err); err != nil {
			return err
		}
	}
	return nil
}

// automation copies the newest revision. What is new there begins at revision 1.
func (c *copier) automation(ctx context.Context, s store.Summary) (outcome, error) {
	if s.Err != nil {
		return left, s.Err
	}
	a, err := c.from.Automations().Get(ctx, s.Name, s.Account)
	if err != nil {
		return left, err
	}
	there, err := c.to.Automations().Get(ctx, s.Name, s.Account)
	what := copied
	have := a.Revision
	switch {
	case errors.Is(err, store.ErrNotFound):
		a.Revision = 0
	case err != nil:
		return left, err
	case sameText(a, there):
		return same, nil
	case !c.Overwrite:
		return left, &store.ConflictError{Name: s.Name, Account: s.Account, Have: have, Stored: there.Revision}
	default:
		what, a.Revision = changed, there.Revision
	}
	if c.DryRun {
		return what, nil
	}
	_, err = c.to.Automations().Save(ctx, a)
	return orLeft(what, err)
}

// orLeft is what became of something that was saved: another process may have been quicker.
func orLeft(what outcome, err error) (outcome, error) {
	if err != nil {
		return left, err
	}
	return what, nil
}

// sameText compares documents without their revisions, which each store counts itself.
func sameText(a, b *automation.Automation) bool {
	x, y := *a, *b
	x.Revision, y.Revision = 0, 0
	one, err := automation.Marshal(&x)
	two, err2 := automation.Marshal(&y)
	return err == nil && err2 == nil && string(one) == string(two)
}
