package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// runFormat is the number of the format of run.json.
const runFormat = 1

var errRunFormat = errors.New("not a format of run records that this version reads")

// storedRun is Run as it stands in a file; durations and times are for people.
type storedRun struct {
	Format     int          `json:"format"`
	ID         string       `json:"id"`
	Automation string       `json:"automation"`
	Account    string       `json:"account,omitempty"`
	Revision   int          `json:"revision,omitempty"`
	State      RunState     `json:"state"`
	Started    time.Time    `json:"started,omitzero"`
	Finished   time.Time    `json:"finished,omitzero"`
	Code       string       `json:"code,omitempty"`
	Reason     string       `json:"reason,omitempty"`
	Process    *Process     `json:"process,omitempty"`
	Page       string       `json:"page,omitempty"`
	Resume     string       `json:"resume,omitempty"`
	Owner      string       `json:"owner,omitempty"`
	Report     string       `json:"report,omitempty"`
	Steps      []storedStep `json:"steps,omitempty"`
	Drift      []Drift      `json:"drift,omitempty"`
	Guard      *GuardCounts `json:"guard,omitempty"`

	Proposal *automation.Automation `json:"proposal,omitempty"`
}

type storedStep struct {
	Index    int               `json:"index"`
	Tool     string            `json:"tool"`
	Intent   string            `json:"intent,omitempty"`
	Outcome  Outcome           `json:"outcome"`
	Effect   automation.Effect `json:"effect,omitempty"`
	Selector string            `json:"selector,omitempty"`
	Matched  int               `json:"matched,omitempty"`
	Drift    float64           `json:"drift,omitempty"`
	Started  time.Time         `json:"started,omitzero"`
	Duration string            `json:"duration"`
	Skipped  string            `json:"skipped,omitempty"`
	Code     string            `json:"code,omitempty"`
	Evidence []string          `json:"evidence,omitempty"`

	Considered []Considered `json:"considered,omitempty"`
	Steps      []storedStep `json:"steps,omitempty"`
}

func encodeStep(s RunStep) storedStep {
	stored := storedStep{
		Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect,
		Selector: s.Selector, Matched: s.Matched, Drift: s.Drift, Started: s.Started.UTC().Round(0), Duration: s.Duration.String(),
		Skipped: s.Skipped, Code: s.Code, Evidence: s.Evidence, Considered: s.Considered,
	}
	for _, inner := range s.Steps {
		stored.Steps = append(stored.Steps, encodeStep(inner))
	}
	return stored
}

func (s storedStep) decode() (RunStep, error) {
	took, err := time.ParseDuration(s.Duration)
	if err != nil {
		return RunStep{}, err
	}
	var inner []RunStep
	for _, stored := range s.Steps {
		one, err := stored.decode()
		if err != nil {
			return RunStep{}, err
		}
		inner = append(inner, one)
	}
	return RunStep{
		Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect,
		Selector: s.Selector, Matched: s.Matched, Drift: s.Drift, Started: s.Started, Duration: took,
		Skipped: s.Skipped, Code: s.Code, Evidence: s.Evidence, Considered: s.Considered, Steps: inner,
	}, nil
}

func encodeRun(r Run) ([]byte, error) {
	stored := storedRun{
		Format:     runFormat,
		ID:         r.ID,
		Automation: r.Automation,
		Account:    r.Account,
		Revision:   r.Revision,
		State:      r.State,
		Started:    r.Started.UTC().Round(0),
		Finished:   r.Finished.UTC().Round(0),
		Code:       r.Code,
		Reason:     r.Reason,
		Process:    r.Process,
		Page:       r.Page,
		Resume:     r.Resume,
		Owner:      r.Owner,
		Report:     r.Report,
		Drift:      r.Drift,
		Guard:      r.Guard,
		Proposal:   r.Proposal,
	}
	for _, s := range r.Steps {
		stored.Steps = append(stored.Steps, encodeStep(s))
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // selectors are full of >, and a proposal's texts stay as they are
	e.SetIndent("", "  ")
	if err := e.Encode(stored); err != nil {
		return nil, fmt.Errorf("store: run %s is not saved: %w", r.ID, err)
	}
	return text.Bytes(), nil
}

func decodeRun(data []byte) (Run, error) {
	var stored storedRun
	if err := json.Unmarshal(data, &stored); err != nil {
		return Run{}, err
	}
	if stored.Format < 1 || stored.Format > runFormat {
		return Run{}, fmt.Errorf("%w: format %d", errRunFormat, stored.Format)
	}
	r := Run{
		ID:         stored.ID,
		Automation: stored.Automation,
		Account:    stored.Account,
		Revision:   stored.Revision,
		State:      stored.State,
		Started:    stored.Started,
		Finished:   stored.Finished,
		Code:       stored.Code,
		Reason:     stored.Reason,
		Process:    stored.Process,
		Page:       stored.Page,
		Resume:     stored.Resume,
		Owner:      stored.Owner,
		Report:     stored.Report,
		Drift:      stored.Drift,
		Guard:      stored.Guard,
		Proposal:   stored.Proposal,
	}
	for _, s := range stored.Steps {
		step, err := s.decode()
		if err != nil {
			return Run{}, fmt.Errorf("steps[%d].duration: %w", len(r.Steps), err)
		}
		r.Steps = append(r.Steps, step)
	}
	return r, nil
}
