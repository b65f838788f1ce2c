// Package runner keeps the record of a run in a store while the replayer performs it,
// and tells from it whether whoever performed it is still there.
package runner

import (
	"errors"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Of gives the record of a run of a that ended just now, with err or without.
func Of(a *automation.Automation, result *replayer.Result, err error) store.Run {
	r := store.Run{
		ID: store.NewRunID(), Automation: a.Name, Account: a.Match.Account, Revision: a.Revision,
		State: store.Done, Finished: time.Now(),
	}
	if result != nil {
		r.Started, r.Steps, r.Drift = result.Started, steps(result.Steps), drift(result.Drift)
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

func considered(all []replayer.Considered) []store.Considered {
	var kept []store.Considered
	for _, c := range all {
		kept = append(kept, store.Considered(c))
	}
	return kept
}
