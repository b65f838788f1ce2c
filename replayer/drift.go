package replayer

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// Drift tells of a step whose element was found, and is no longer quite what was
// recorded: a selector of the step names it no longer. It is seen while the step
// still works, so that the document can be renewed before it fails.
type Drift struct {
	Step       int              `json:"step"`       // index
	Score      float64          `json:"score"`      // 0 is unchanged, 1 is nothing left of what was recorded
	Healed     bool             `json:"healed"`     // the step's own selector failed; what else was known found the element
	Confidence float64          `json:"confidence"` // that it is the right one, from 0 to 1
	Lost       []selectors.Path `json:"lost"`       // selectors of the step that no longer name it
	Proposed   automation.Step  `json:"-"`          // the step with what would be recorded now
}

// described is what the page script says of an element that has drifted.
type described struct {
	Candidates  [][]string             `json:"candidates"`
	Fingerprint *selectors.Fingerprint `json:"fingerprint"`
}

// found notes with which selector a step's element was found, and how far it has
// drifted.
func (r *run) found(result *StepResult, step automation.Step, el reply) {
	all := append([]selectors.Path{step.Selector}, step.Alternatives...)
	result.Matched, result.Drift = el.Matched, el.Drift
	if el.Matched >= 0 && el.Matched < len(all) {
		result.Selector = all[el.Matched]
	}
	if el.Anew == nil {
		return
	}
	drift := Drift{Step: result.Index, Score: el.Drift, Healed: el.Matched != 0, Confidence: el.Confidence}
	for _, i := range el.Lost {
		if i >= 0 && i < len(all) {
			drift.Lost = append(drift.Lost, all[i])
		}
	}
	var anew bool
	if drift.Proposed, anew = renewed(step, *el.Anew); anew {
		if !r.unquote(step, &drift.Proposed) {
			drift.Proposed = step
		}
		r.result.Drift = append(r.result.Drift, drift)
	}
}

// renewed is a step with the selectors and the evidence of its element as it is
// now; false where the page gave no selector. They come from a page, so what is
// not valid is dropped, as it is when a flow is recorded.
func renewed(step automation.Step, now described) (automation.Step, bool) {
	var paths []selectors.Path
	for _, parts := range now.Candidates {
		if path, err := selectors.ParsePath(parts...); err == nil {
			paths = append(paths, path)
		}
	}
	testID := ""
	if now.Fingerprint != nil {
		testID = now.Fingerprint.TestIDAttribute
	}
	paths = selectors.Rank(paths, testID)
	if len(paths) == 0 {
		return step, false
	}
	step.Selector, step.Alternatives, step.Fingerprint = paths[0], paths[1:], now.Fingerprint
	return step, true
}

// Proposal gives the automation as it would be after accepting what has drifted,
// valid and with the revision that it was played at; nil where nothing has, or
// where what the page said of itself makes no valid document. The automation
// that was played is not changed.
func (r *Result) Proposal(a *automation.Automation) *automation.Automation {
	proposed := *a
	proposed.Steps = slices.Clone(a.Steps)
	changed := false
	for _, d := range r.Drift {
		if d.Step < len(proposed.Steps) {
			proposed.Steps[d.Step], changed = d.Proposed, true
		}
	}
	if !changed || proposed.Validate() != nil {
		return nil
	}
	return &proposed
}
