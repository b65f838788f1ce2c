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

// recording writes the record of a run while it is performed: from its beginning, so that
// one whose process dies is known. It is safe for concurrent use. A nil recording is of a
// dry run, and writes nothing.
type recording struct {
	runner *Runner
	doc    *automation.Automation

	earlier *store.Run // of the attempt before, nil for none

	mu      sync.Mutex
	run     store.Run
	started map[int]time.Time
	lost    error // why the record could not be stored
	late    bool  // the last person who had the page did not return it in time
}

// recordOptions are what a record says besides what is played.
type recordOptions struct {
	id      string     // default: a new one
	earlier *store.Run // an attempt at the same run; nil for none
	owner   string     // the agent that begins it, "" for none: an earlier attempt's stays
	account string     // that it is played for, "" for none
	task    string     // that it has values of, and the name of the login that it begins with; "" for none
	login   string
	page    string // the browser's name of the one that it is played in
}

// begin begins the record of a run of a document. Where the record cannot be saved the
// run can be performed all the same: save reports it.
func begin(ctx context.Context, r *Runner, doc *automation.Automation, o recordOptions) *recording {
	rec := &recording{runner: r, doc: doc, earlier: o.earlier, started: map[int]time.Time{}}
	rec.run = store.Run{Automation: doc.Name, Account: doc.Match.Account, Revision: doc.Revision, Started: r.now()}
	if earlier := o.earlier; earlier == nil {
		if rec.run.ID = o.id; o.id == "" {
			rec.run.ID = r.newID()
		}
		rec.run.Owner = o.owner
	} else {
		rec.run.ID, rec.run.Owner, rec.run.Steps = earlier.ID, earlier.Owner, ended(earlier.Steps)
		if !earlier.Started.IsZero() { // it is while a run is queued
			rec.run.Started = earlier.Started
		}
	}
	rec.run.PlayedFor, rec.run.Task, rec.run.Login = o.account, o.task, o.login
	rec.run.State, rec.run.Page, rec.run.Process = store.Running, o.page, ThisProcess()
	rec.write(ctx)
	return rec
}

// ended are the steps that need not be done again.
func ended(steps []store.RunStep) []store.RunStep {
	return slices.DeleteFunc(slices.Clone(steps), func(s store.RunStep) bool {
		return s.Outcome != store.StepDone && s.Outcome != store.StepSkipped
	})
}

// StepsDone is how many steps need not be done again.
func StepsDone(steps []store.RunStep) int { return len(ended(steps)) }

// start is for replayer.Options.OnStart.
func (r *recording) start(index int) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started[index] = r.runner.now()
}

// step is for replayer.Options.OnStep: the record is saved with that step.
func (r *recording) step(ctx context.Context, s replayer.StepResult) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.Steps = merged(r.run.Steps, []store.RunStep{r.timed(stepOf(s))})
	r.write(ctx)
}

// wait saves that the run waits for a person, or that it goes on.
func (r *recording) wait(ctx context.Context, waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.State = store.Running
	if waits {
		r.run.State = store.WaitingForPerson
	}
	r.write(ctx)
}

// isLate reports whether a person was asked last, and did not return the page in time.
func (r *recording) isLate() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late
}

// timed adds when a step began.
func (r *recording) timed(s store.RunStep) store.RunStep {
	s.Started = r.started[s.Index]
	if s.Outcome == store.StepFailed || s.Outcome == store.StepUncertain {
		s.Duration = r.since(s.Started)
	}
	return s
}

func (r *recording) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return r.runner.now().Sub(t)
}

// merged are steps with others in the place of those of the same index.
func merged(steps, others []store.RunStep) []store.RunStep {
	all := map[int]store.RunStep{}
	for _, s := range slices.Concat(steps, others) {
		all[s.Index] = s
	}
	return slices.SortedFunc(maps.Values(all), func(a, b store.RunStep) int { return cmp.Compare(a.Index, b.Index) })
}

// end returns the record as it is when the run has ended with a result, and with err or
// without. save saves it.
func (r *recording) end(ctx context.Context, result *replayer.Result, err error) store.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := RecordOf(r.doc, result, err)
	end.Finished = r.runner.now()
	for i := range end.Steps {
		end.Steps[i] = r.timed(end.Steps[i])
	}
	end.ID, end.Owner, end.Started, end.Revision = r.run.ID, r.run.Owner, r.run.Started, r.run.Revision
	end.Page, end.Process, end.PlayedFor = r.run.Page, r.run.Process, r.run.PlayedFor
	end.Task, end.Login, end.Handoffs = r.run.Task, r.run.Login, r.run.Handoffs
	if r.earlier != nil && err != nil && len(result.Steps) == 0 && end.Resume == "" { // nothing was done, and it can go on as before
		end.Page, end.Resume = r.earlier.Page, r.earlier.Resume
	}
	if r.earlier != nil {
		end.Report, end.Drift = r.earlier.Report, drifted(r.earlier.Drift, end.Drift)
		end.Downloads = slices.Concat(r.earlier.Downloads, end.Downloads)
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

// doubt marks the steps that were sent and of which no one knows what became.
func (r *recording) doubt(ctx context.Context, run *store.Run) {
	sent, err := r.runner.Store.Commits().Committed(ctx, run.ID)
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

// save saves the record of a run that has ended. The error is why any of it could not be
// saved.
func (r *recording) save(ctx context.Context, run store.Run) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
	lost := r.lost
	r.lost = nil
	r.write(ctx)
	if r.lost != nil {
		return r.lost
	}
	return lost
}

// write saves it as it is now, also where the run was told to end.
func (r *recording) write(ctx context.Context) {
	if err := r.runner.Store.Runs().Save(context.WithoutCancel(ctx), r.run); err != nil && r.lost == nil {
		r.lost = err
	}
}

// RecordOf returns the record of a run of a that ended just now, with err or without.
func RecordOf(a *automation.Automation, result *replayer.Result, err error) store.Run {
	r := store.Run{
		ID: store.NewRunID(), Automation: a.Name, Account: a.Match.Account, Revision: a.Revision,
		State: store.Done, Finished: time.Now(),
	}
	if result != nil {
		r.Started, r.Steps, r.Drift = result.Started, steps(result.Steps), drift(result.Drift)
		for _, d := range result.Downloads {
			r.Downloads = append(r.Downloads, store.Download{
				Name: d.Name, Path: d.Path, Size: d.Size, SHA256: d.SHA256, URL: d.URL, Step: d.Step, State: string(d.State), Reason: d.Reason,
			})
		}
	}
	if err == nil {
		if result != nil {
			r.Proposal = result.Proposal(a)
		}
		return r
	}
	r.State = store.Failed
	var failed *replayer.Error
	if errors.As(err, &failed) {
		failing(&r, a, failed)
	}
	return r
}

// failing adds why a run did not end well.
func failing(r *store.Run, a *automation.Automation, failed *replayer.Error) {
	outcome := store.StepFailed
	switch failed.Code {
	case replayer.Cancelled:
		r.State = store.Cancelled
	case replayer.Uncertain:
		r.State, outcome = store.Uncertain, store.StepUncertain
	}
	r.Code, r.Reason, r.Resume = string(failed.Code), failed.Reason, failed.Resume
	if failed.Step < 0 {
		return
	}
	step := store.RunStep{
		Index: failed.Step, Tool: failed.Tool, Intent: failed.Intent, Outcome: outcome, Code: r.Code,
		Considered: considered(failed.Considered),
	}
	if failed.Step < len(a.Steps) {
		step.Effect = a.Steps[failed.Step].Effect
	}
	if len(failed.Steps) > 0 {
		step.Steps = steps(failed.Steps)
	}
	r.Steps = append(r.Steps, step)
}

func steps(played []replayer.StepResult) []store.RunStep {
	kept := make([]store.RunStep, 0, len(played)+1)
	for _, s := range played {
		kept = append(kept, stepOf(s))
	}
	return kept
}

func stepOf(s replayer.StepResult) store.RunStep {
	step := store.RunStep{
		Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: store.StepDone, Effect: s.Effect,
		Selector: s.Selector.String(), Matched: s.Matched, Drift: s.Drift, Duration: time.Duration(s.Duration), Skipped: s.Skipped,
	}
	if s.Skipped != "" {
		step.Outcome = store.StepSkipped
	}
	for _, inner := range s.Steps {
		step.Steps = append(step.Steps, stepOf(inner))
	}
	return step
}

func drift(all []replayer.Drift) []store.Drift {
	var kept []store.Drift
	for _, d := range all {
		one := store.Drift{Step: d.Step, Score: d.Score, Healed: d.Healed, Confidence: d.Confidence}
		for _, path := range d.Lost {
			one.Lost = append(one.Lost, path.String())
		}
		kept = append(kept, one)
	}
	return kept
}

func considered(all []replayer.Candidate) []store.Candidate {
	var kept []store.Candidate
	for _, c := range all {
		kept = append(kept, store.Candidate(c))
	}
	return kept
}
