package worker

import (
	"context"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Performer performs the runs of a worker: its Perform is Options.Perform.
type Performer struct {
	// Runner plays them, with the store of each turn in place of its own.
	Runner runner.Runner
	Pages  runner.Pages
	// Secrets returns what tasks, the vault and saved logins hold in the store of a turn.
	Secrets func(store.Store) func() (*sealed.SecretStore, error)
	// Stored returns the values that a turn has besides those in the queue. Default: those
	// of its task and of the vault.
	Stored func(ctx context.Context, t *Turn) (replayer.Values, error)
	// Person has the pages of runs handed over. Default: no one takes over, and what blocks a run ends it.
	Person replayer.Person
	// Waits is told of approvals that are waited for, End of runs that have ended.
	Waits func(context.Context, *store.Approval)
	// Paid is told what was paid without asking.
	Paid func(context.Context, runner.Payment)
	End  func(store.Run)
}

// Perform performs a run to its end.
func (p *Performer) Perform(ctx context.Context, t *Turn) error {
	o, r := t.Order, p.Runner
	r.Store, r.Secrets = t.Store, p.Secrets(t.Store)
	q := runner.Request{
		Document: t.Document, URL: o.URL, Account: o.Account, Task: o.Task, Login: o.Login, SaveLogin: o.SaveLogin, SignIn: o.SignIn, Queued: &t.Run, Pages: p.Pages,
		Values: replayer.Map(o.Values), ApprovalTimeout: o.AnswerWithin,
		Options: replayer.Options{Commit: replayer.CommitPolicy(o.Commit), Timeout: o.Timeout, Humanize: o.Human, Seed: o.Seed},
	}
	if p.Stored != nil {
		q.Stored = func(ctx context.Context, _ *automation.Automation) (replayer.Values, error) { return p.Stored(ctx, t) }
	}
	if p.Person != nil {
		q.Options.Person = yielding{p.Person, t.Yield}
	}
	goOn := func() {}
	outcome, err := r.Run(ctx, q, runner.Events{Paid: p.Paid, Waits: func(ctx context.Context, asked *store.Approval) {
		if goOn(); asked != nil {
			goOn = t.Yield()
		}
		if p.Waits != nil {
			p.Waits(ctx, asked)
		}
	}})
	if outcome.Result == nil {
		return err
	}
	if outcome.SaveError != nil {
		return outcome.SaveError
	}
	if p.End != nil {
		p.End(outcome.Record)
	}
	return nil
}

// yielding has the worker play other runs while a person has the page of one.
type yielding struct {
	replayer.Person
	yield func() (goOn func())
}

func (y yielding) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	defer y.yield()()
	return y.Person.TakeOver(ctx, h)
}
