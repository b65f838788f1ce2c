package render

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/store"
)

// Handoff is a time in which a person had the browser, as JSON has it.
type Handoff struct {
	ID          string             `json:"handoff_id"`
	Status      store.HandoffState `json:"status,omitempty"`
	Reason      string             `json:"reason,omitempty"`
	Doing       string             `json:"doing,omitempty"`
	Instruction string             `json:"instruction,omitempty"`
	Until       string             `json:"until,omitempty"`
	URL         string             `json:"url,omitempty"`
	Run         string             `json:"run,omitempty"`
	Automation  string             `json:"automation,omitempty"`
	Account     string             `json:"account,omitempty"`
	Started     time.Time          `json:"started,omitzero"`
	Deadline    time.Time          `json:"deadline,omitzero"`
	Ended       time.Time          `json:"ended,omitzero"`
	Before      json.RawMessage    `json:"before,omitempty"`
	After       json.RawMessage    `json:"after,omitempty"`
	Step        *int               `json:"step,omitempty"`          // of the run, from 1
	Summary     string             `json:"delta_summary,omitempty"` // what has changed, of one that has ended
	Hint        string             `json:"resume_hint,omitempty"`
	Error       *failure.Failure   `json:"error,omitempty"`
}

// HandoffOf is a handoff as it is printed.
func HandoffOf(h store.HandoffSummary) Handoff {
	told := Handoff{
		ID: h.ID, Status: h.State, Reason: h.Reason, Doing: h.Doing, Instruction: h.Instruction, Until: h.Until, URL: h.URL, Run: h.Run,
		Automation: h.Automation, Account: h.Account, Started: h.Started, Deadline: h.Deadline, Ended: h.Ended, Before: h.Before, After: h.After,
		Error: failure.Ptr(h.Err),
	}
	if h.Run != "" && h.Step >= 0 {
		number := h.Step + 1
		told.Step = &number
	}
	if result, err := handoff.ResultOf(h.Handoff); err == nil && !h.Ended.IsZero() {
		told.Summary, told.Hint = result.Summary, result.Hint
	}
	return told
}

// Handoffs is a table of handoffs.
func Handoffs(all []Handoff) string {
	rows := [][]string{{"HANDOFF", "STATE", "REASON", "SINCE", "UNTIL", "RUN", "TO DO"}}
	for _, h := range all {
		if h.Error != nil {
			rows = append(rows, []string{h.ID, "-", "-", "-", "-", "-", unreadable(h.Error)})
			continue
		}
		until := h.Deadline
		if !h.Ended.IsZero() {
			until = h.Ended
		}
		rows = append(rows, []string{
			h.ID, string(h.Status), h.Reason, h.Started.Local().Format(time.DateTime), until.Local().Format(time.TimeOnly), or(h.Run, "-"), plaintext.Line(or(h.Instruction, or(h.Doing, "-"))),
		})
	}
	return Table(rows)
}

// WholeHandoff is all of one, line by line.
func WholeHandoff(h Handoff) string {
	var b strings.Builder
	line := func(name, value string) {
		if value = plaintext.Line(value); value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, value)
		}
	}
	line("handoff", h.ID)
	line("state", string(h.Status))
	line("reason", h.Reason)
	line("doing", h.Doing)
	line("instruction", h.Instruction)
	line("until", h.Until)
	line("page", h.URL)
	line("run", h.Run)
	if h.Step != nil {
		line("step", strconv.Itoa(*h.Step))
	}
	line("automation", h.Automation)
	line("account", h.Account)
	line("started", h.Started.Local().Format(time.DateTime))
	line("deadline", h.Deadline.Local().Format(time.DateTime))
	if !h.Ended.IsZero() {
		line("ended", h.Ended.Local().Format(time.DateTime))
	}
	line("before", string(h.Before))
	line("after", string(h.After))
	line("changed", h.Summary)
	line("next", h.Hint)
	return b.String()
}
