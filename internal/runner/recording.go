package runner

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Recording keeps the record of a run while it is performed: from its beginning, so
// that one that ends without a word is known. It is safe for concurrent use.
type Recording struct {
	kept store.Store
	doc  *automation.Automation

	earlier *store.Run // of the attempt before, nil for none

	now func() time.Time

	mu      sync.Mutex
	run     store.Run
	started map[int]time.Time
	lost    error // why the record could not be kept
}

// Options of a record. The zero value works.
type Options struct {
	Earlier *store.Run       // an attempt at the same run; nil for none
	Owner   string           // the agent that begins it, "" for none: an earlier attempt's stays
	Page    string           // the browser's name of the one that it is played in
	Now     func() time.Time // default: time.Now
	NewID   func() string    // default: store.NewRunID
}

// Begin begins the record of a run of a document. Where the record cannot be kept the
// run can be performed all the same: Keep tells.
func Begin(ctx context.Context, kept store.Store, doc *automation.Automation, o Options) *Recording {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = store.NewRunID
	}
	earlier := o.Earlier
	r := &Recording{kept: kept, doc: doc, earlier: earlier, now: o.Now, started: map[int]time.Time{}}
	r.run = store.Run{Automation: doc.Name, Account: doc.Match.Account, Revision: doc.Revision, Started: r.now()}
	if earlier == nil {
		r.run.ID, r.run.Owner = o.NewID(), o.Owner
	} else {
		r.run.ID, r.run.Owner, r.run.Steps = earlier.ID, earlier.Owner, ended(earlier.Steps)
		if !earlier.Started.IsZero() { // it is while a run is queued
			r.run.Started = earlier.Started
		}
	}
	r.run.State, r.run.Page, r.run.Process = store.Running, o.Page, Self()
	r.save(ctx)
	return r
}

// ended are the steps that need not be done again.
func ended(steps []store.RunStep) []store.RunStep {
	return slices.DeleteFunc(slices.Clone(steps), func(s store.RunStep) bool {
		return s.Outcome != store.StepDone && s.Outcome != store.StepSkipped
	})
}

// Ended is how many steps need not be done again.
func Ended(steps []store.RunStep) int { return len(ended(steps)) }

// ID is that of the run.
func (r *Recording) ID() string { return r.run.ID }

// Start is for replayer.Options.OnStart.
func (r *Recording) Start(index int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started[index] = r.now()
}

// Step is for replayer.Options.OnStep: the record is kept with that step.
func (r *Recording) Step(ctx context.Context, s replayer.StepResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.Steps = merged(r.run.Steps, []store.RunStep{r.timed(stepOf(s))})
	r.save(ctx)
}

// Wait keeps that the run waits for a person, or that it goes on.
func (r *Recording) Wait(ctx context.Context, waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.State = store.Running
	if waits {
		r.run.State = store.WaitingForPerson
	}
	r.save(ctx)
}

// timed adds when a step began.
func (r *Recording) timed(s store.RunStep) store.RunStep {
	s.Started = r.started[s.Index]
	if s.Outcome == store.StepFailed || s.Outcome == store.StepUncertain {
		s.Duration = r.since(s.Started)
	}
	return s
}

func (r *Recording) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return r.now().Sub(t)
}

// merged are steps with others in the place of those of the same index.
func merged(steps, others []store.RunStep) []store.RunStep {
	all := map[int]store.RunStep{}
	for _, s := range slices.Concat(steps, others) {
		all[s.Index] = s
	}
	return slices.SortedFunc(maps.Values(all), func(a, b store.RunStep) int { return cmp.Compare(a.Index, b.Index) })
}

// End gives the record as it is when the run has ended with a result, and with err or
// without. Keep keeps it.
func (r *Recording) End(ctx context.Context, result *replayer.Result, err error) store.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := Of(r.doc, result, err)
	end.Finished = r.now()
	for i := range end.Steps {
		end.Steps[i] = r.timed(end.Steps[i])
	}
	end.ID, end.Owner, end.Started, end.Revision = r.run.ID, r.run.Owner, r.run.Started, r.run.Revision
	end.Page, end.Process = r.run.Page, r.run.Process
	if r.earlier != nil && err != nil && len(result.Steps) == 0 && end.Resume == "" { // nothing was done, and it can go on as before
		end.Page, end.Resume = r.earlier.Page, r.earlier.Resume
	}
	if r.earlier != nil {
		end.Report, end.Drift = r.earlier.Report, drifted(r.earlier.Drift, end.Drift)
	}
	end.Steps = merged(r.run.Steps, end.Steps)
	if end.State == store.Uncertain {
		r.doubt(ctx, &end)
	}
	return end
}

// drifted is what had drifted, with others in the place of those of the same step.
func drifted(all, others []store.Drift) []store.Drift {
	all = slices.DeleteFunc(slices.Clone(all), func(d store.Drift) bool {
		return slices.ContainsFunc(others, func(o store.Drift) bool { return o.Step == d.Step })
	})
	return append(all, others...)
}

// doubt marks the steps that were sent and of which nobody knows what became.
func (r *Recording) doubt(ctx context.Context, run *store.Run) {
	sent, err := r.kept.Commits().Sent(ctx, run.ID)
	if err != nil {
		r.lost = errors.Join(r.lost, err)
		return
	}
	for i, s := range run.Steps {
		if seen, noted := sent[s.Index]; noted && !seen {
			run.Steps[i].Outcome, run.Steps[i].Effect = store.StepUncertain, automation.Commit
		}
	}
}

// Keep keeps the record of a run that has ended. The error is why any of it could
// not be kept.
func (r *Recording) Keep(ctx context.Context, run store.Run) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
	lost := r.lost
	r.lost = nil
	r.save(ctx)
	if r.lost != nil {
		return r.lost
	}
	return lost
}

// save keeps it as it is now, also where the run was told to end.
func (r *Recording) save(ctx context.Context) {
	if err := r.kept.Runs().Save(context.WithoutCancel(ctx), r.run); err != nil && r.lost == nil {
		r.lost = err
	}
}

// journal has the commits of a store be the journal of a replayer.
type journal struct{ store.Commits }

// Journal is what a store knows of sent commits, for replayer.Options.
func Journal(kept store.Store) replayer.Journal { return journal{kept.Commits()} }

func (j journal) Sending(ctx context.Context, run string, step int) error {
	err := j.Commits.Sending(ctx, run, step)
	if errors.Is(err, store.ErrSent) {
		return errors.Join(replayer.ErrSent, err)
	}
	return err
}
