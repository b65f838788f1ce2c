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
	Steps      []storedStep `json:"steps,omitempty"`
	Drift      []Drift      `json:"drift,omitempty"`

	Proposal *automation.Automation `json:"proposal,omitempty"`
}

type storedStep struct {
	Index    int     `json:"index"`
	Tool     string  `json:"tool"`
	Intent   string  `json:"intent,omitempty"`
	Outcome  Outcome `json:"outcome"`
	Selector string  `json:"selector,omitempty"`
	Duration string  `json:"duration"`
	Code     string  `json:"code,omitempty"`

	Considered []Considered `json:"considered,omitempty"`
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
		Drift:      r.Drift,
		Proposal:   r.Proposal,
	}
	for _, s := range r.Steps {
		stored.Steps = append(stored.Steps, storedStep{s.Index, s.Tool, s.Intent, s.Outcome, s.Selector, s.Duration.String(), s.Code, s.Considered})
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
		Drift:      stored.Drift,
		Proposal:   stored.Proposal,
	}
	for _, s := range stored.Steps {
		took, err := time.ParseDuration(s.Duration)
		if err != nil {
			return Run{}, fmt.Errorf("steps[%d].duration: %w", len(r.Steps), err)
		}
		r.Steps = append(r.Steps, RunStep{s.Index, s.Tool, s.Intent, s.Outcome, s.Selector, took, s.Code, s.Considered})
	}
	return r, nil
}
