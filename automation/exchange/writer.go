package exchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-reprise/reprise/automation"
)

// writer is what the writers of all formats share.
type writer struct {
	automation *automation.Automation
	declared   *automation.Variables
	values     map[string]any
	losses

	conditional bool // the format has conditions
	at          int  // the step that is being written
}

// checkValues refuses what must not be written down.
func (w *writer) checkValues() error {
	for _, name := range slices.Sorted(maps.Keys(w.values)) {
		switch {
		case !w.declared.Has(name):
			return &automation.ValueError{Variable: name, Reason: "not declared"}
		case w.declared.IsSecret(name):
			return &automation.ValueError{Variable: name, Reason: "a secret is not written into an export"}
		}
	}
	return nil
}

func (w *writer) step() *automation.Step { return &w.automation.Steps[w.at] }

func (w *writer) lose(kind Kind, what, do string) {
	w.add(Loss{Step: w.at, Command: w.step().Tool, Kind: kind, What: what, Do: do})
}

// each writes step after step, and tells of what no other format holds.
func (w *writer) each(write func(*automation.Step)) {
	for i := range w.automation.Steps {
		w.at = i
		w.unsaid(w.step())
		write(w.step())
	}
	w.at = whole
}

func (w *writer) unsaid(s *automation.Step) {
	if s.Optional && !w.conditional {
		w.lose(Changed, "it was optional: there it fails where its element is absent", "Take the step out where that is so")
	}
	if s.When != nil && !w.conditional {
		w.lose(Changed, "it had a condition: there it is always done", "Take the step out where the condition does not hold")
	}
	if s.Effect == automation.Commit {
		w.lose(Changed, "it is marked to pay, order, send or delete: nothing there stops before it", "")
	}
	if s.Fingerprint != nil {
		w.often(Dropped, "the evidence by which an element is known again after the site has changed", "")
	}
}

// text is a value as the other tool types it. Where nothing may or can be written
// it is a placeholder.
func (w *writer) text(v *automation.Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case automation.Literal:
		text := plain(v.Value)
		if hole.MatchString(text) {
			w.lose(Changed, "its text holds a ${…} of its own, which is taken for a variable", "")
		}
		return text
	case automation.Variable:
		return w.variable(v.Name)
	}
	filled, err := v.Resolve(func(name string) (any, error) { return w.variable(name), nil })
	if text, is := filled.(string); err == nil && is {
		return text
	}
	return v.Text
}

// variable is what stands for one: a value, or a placeholder that Import reads.
func (w *writer) variable(name string) string {
	if value, known := w.known(name); known {
		return value
	}
	what := fmt.Sprintf("the variable %q has no value: ${%s} stands in its place", name, name)
	do := "Put a value there before you play it"
	if w.declared.IsSecret(name) {
		what = fmt.Sprintf("the variable %q is a secret, and is never written: ${%s} stands in its place", name, name)
		do = "Put it there before you play it, and keep no copy"
	}
	w.add(Loss{Step: whole, Kind: Asked, What: what, Do: do})
	return "${" + name + "}"
}

// known is the value of a variable that may be written.
func (w *writer) known(name string) (string, bool) {
	if w.declared.IsSecret(name) {
		return "", false
	}
	value, given := w.values[name]
	if !given {
		value, given = w.declared.Default(name)
	}
	if !given {
		return "", false
	}
	text, err := json.Marshal(value)
	return plain(text), err == nil
}

// plain is a JSON value as it is typed.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// options are the values of a select.
func (w *writer) options(v *automation.Value) []string {
	var several []string
	if v != nil && v.Kind == automation.Literal && json.Unmarshal(v.Value, &several) == nil {
		return several
	}
	return []string{w.text(v)}
}

// wanted is what a check sets its control to; false where only a variable knows.
func (w *writer) wanted(s *automation.Step) (want, known bool) {
	if s.Value == nil {
		return true, true
	}
	switch w.text(s.Value) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return true, false
}

// first is the address that the flow begins at, "" where it begins anywhere.
func (w *writer) first() string {
	for i := range w.automation.Steps {
		if s := &w.automation.Steps[i]; s.Tool == "navigate" {
			if s.URL != "" {
				return s.URL
			}
			return w.text(s.Value)
		}
	}
	return ""
}

// title is what the other tool shows of the flow.
func (w *writer) title() string {
	if w.automation.Description != "" {
		return w.automation.Description
	}
	return w.automation.Name
}
