// Package runs makes the record of a run, which a store keeps, of what the
// replayer says of it.
package runs

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
	if !errors.As(err, &failed) {
		return r
	}
	if failed.Code == replayer.Cancelled {
		r.State = store.Cancelled
	}
	r.Code = string(failed.Code)
	if failed.Step >= 0 {
		r.Steps = append(r.Steps, store.RunStep{
			Index: failed.Step, Tool: failed.Tool, Intent: failed.Intent, Outcome: store.StepFailed, Code: r.Code,
			Considered: considered(failed.Considered),
		})
	}
	return r
}

func steps(played []replayer.StepResult) []store.RunStep {
	kept := make([]store.RunStep, 0, len(played)+1)
	for _, s := range played {
		step := store.RunStep{
			Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: store.StepDone,
			Selector: s.Selector.String(), Duration: time.Duration(s.Duration),
		}
		if s.Skipped != "" {
			step.Outcome = store.StepSkipped
		}
		kept = append(kept, step)
	}
	return kept
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
