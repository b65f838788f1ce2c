package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Drifted describes on one line how many steps have drifted, and how far; "" where none has.
func Drifted(all []replayer.Drift) string {
	if len(all) == 0 {
		return ""
	}
	worst := 0.0
	for _, d := range all {
		worst = max(worst, d.Score)
	}
	if len(all) == 1 {
		return fmt.Sprintf("1 step has drifted (%.2f): it still works.", worst)
	}
	return fmt.Sprintf("%d steps have drifted (worst %.2f): they still work.", len(all), worst)
}

// Comparison is two documents, what differs, and, where the new one is what a run
// proposes, how far each step had drifted.
type Comparison struct {
	Old, New *automation.Automation
	Changes  []automation.Change
	Drift    []store.Drift
}

// Write writes what differs: a block for the document's own fields and for each
// step, with - before what was and + before what is.
func (c *Comparison) Write(w io.Writer, s Style) error {
	var b strings.Builder
	for i, change := range c.Changes {
		if i == 0 || c.heading(change) != c.heading(c.Changes[i-1]) {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s.Bold(c.heading(change)) + "\n")
			b.WriteString(c.drifted(s, change.Step))
		}
		b.WriteString(lines(s, change))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading names what a change is in. A whole step is its own.
func (c *Comparison) heading(change automation.Change) string {
	steps := c.New.Steps
	if change.Op == automation.Removed && within(change) == "" {
		steps = c.Old.Steps
	}
	switch {
	case change.Step < 0 || change.Step >= len(steps):
		return "the document"
	case within(change) == "" && change.Op == automation.Added:
		return fmt.Sprintf("step %d is new", change.Step+1)
	case within(change) == "":
		return fmt.Sprintf("step %d was removed", change.Step+1)
	}
	// As what it was, the name that the user knows. Where steps came or went
	// before it, only the new document has it at this place.
	title := fmt.Sprintf("step %d of %d", change.Step+1, len(steps))
	if len(c.Old.Steps) == len(steps) && c.Old.Steps[change.Step].Tool == steps[change.Step].Tool {
		steps = c.Old.Steps
	}
	if intent := steps[change.Step].Intent; intent != "" {
		title += ": " + oneLine(intent)
	}
	return title + ": " + oneLine(Step(steps[change.Step]))
}

// drifted describes how far the element of a step had drifted when it was played.
func (c *Comparison) drifted(s Style, step int) string {
	for _, d := range c.Drift {
		if d.Step != step {
			continue
		}
		how := "found by its own selector"
		if d.Healed {
			how = s.Yellow("healed: its own selector no longer fits")
		}
		text := fmt.Sprintf("  drift %.2f, confidence %.2f, %s\n", d.Score, Confidence(d.Confidence), how)
		if len(d.Lost) > 0 {
			text += "  lost: " + oneLine(strings.Join(d.Lost, ", ")) + "\n"
		}
		return text
	}
	return ""
}

// nearlySure is the most that is shown of a confidence that is not quite 1.
const nearlySure = 0.99

// Confidence is a confidence for display: one that is below 1 is not rounded to 1.
func Confidence(c float64) float64 {
	if c < 1 {
		return min(c, nearlySure)
	}
	return c
}

// within is the part of a change's path that is inside of its step.
func within(change automation.Change) string {
	if change.Step < 0 {
		return change.Path
	}
	return strings.TrimPrefix(strings.TrimPrefix(change.Path, fmt.Sprintf("steps[%d]", change.Step)), ".")
}

// lines are those of one change. The evidence of an element is hashes, which people cannot read.
func lines(s Style, change automation.Change) string {
	field := within(change)
	if field == "fingerprint" {
		return "  " + s.Dim("~ evidence "+map[automation.Op]string{
			automation.Added: "added", automation.Removed: "removed", automation.Changed: "renewed",
		}[change.Op]) + "\n"
	}
	text := ""
	if change.Old != nil {
		text += s.Red("  - "+plain(field, change.Old)) + "\n"
	}
	if change.New != nil {
		text += s.Green("  + "+plain(field, change.New)) + "\n"
	}
	return text
}

// plain is a value for display: a text as it is, a selector as it is written on
// one line, a step in words.
func plain(field string, value json.RawMessage) string {
	var step automation.Step
	if field == "" && json.Unmarshal(value, &step) == nil {
		return oneLine(Step(step))
	}
	name, _, _ := strings.Cut(field, "[") // the index in a list adds nothing to its values
	text := spaced(value)
	var words string
	var parts []string
	if json.Unmarshal(value, &words) == nil {
		text = words
	} else if json.Unmarshal(value, &parts) == nil && json.Valid(value) {
		text = strings.Join(parts, " >>> ")
	}
	return name + ": " + oneLine(text)
}

// Difference is two documents as diff --json prints it.
type Difference struct {
	Run     string              `json:"run,omitempty"` // that proposes the changes
	Why     string              `json:"why,omitempty"` // code of why the run proposes nothing
	Reason  string              `json:"reason,omitempty"`
	Changes []automation.Change `json:"changes"`
	Drift   []store.Drift       `json:"drift,omitempty"`
}

// ForJSON leaves out the hashes of the evidence, which no program can compare.
func (d Difference) ForJSON() Difference {
	all := []automation.Change{}
	for _, c := range d.Changes {
		if within(c) == "fingerprint" {
			c.Old, c.New = nil, nil
		}
		all = append(all, c)
	}
	d.Changes = all
	return d
}
