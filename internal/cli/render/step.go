// Package render puts steps, documents and failures into words for people at a
// terminal.
package render

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// Step is a step on one line: what is done, to what, and with what.
func Step(s automation.Step) string {
	words := []string{s.Tool}
	for _, word := range []string{On(s), With(s)} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// On is what a step is done to: an element, an address, or nothing.
func On(s automation.Step) string {
	on := s.URL
	if len(s.Selector) > 0 {
		on = s.Selector.String()
	}
	for _, frame := range reversed(s.Frame) {
		on += " in " + frame.String()
	}
	if s.Page != "" {
		on = strings.TrimSpace(on + " in the tab " + s.Page)
	}
	return on
}

func reversed(frames []selectors.Path) []selectors.Path {
	inward := make([]selectors.Path, 0, len(frames))
	for i := range frames {
		inward = append(inward, frames[len(frames)-1-i])
	}
	return inward
}

// With is what a step is done with: a value, a key, or nothing.
func With(s automation.Step) string {
	switch {
	case s.Key != "":
		return s.Key
	case s.Count > 1:
		return "twice"
	}
	return value(s.Value)
}

// maxValue is what of a literal is shown, in characters.
const maxValue = 60

func value(v *automation.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Kind == automation.Variable:
		return "= ${" + v.Name + "}"
	case v.Kind == automation.Template:
		return "= " + short(v.Text)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, v.Value) != nil {
		return ""
	}
	return "= " + short(compact.String())
}

func short(s string) string {
	runes := []rune(s)
	if len(runes) <= maxValue {
		return s
	}
	return string(runes[:maxValue]) + "…"
}

// Notes is what else is to know of a step: why it is done, what follows it, whether
// it may be passed over, and whether it pays, orders, sends or deletes.
func Notes(s automation.Step) string {
	var notes []string
	if s.Intent != "" {
		notes = append(notes, s.Intent)
	}
	if s.Optional {
		notes = append(notes, "optional")
	}
	if s.When != nil {
		notes = append(notes, "conditional")
	}
	if s.Effect == automation.Commit {
		notes = append(notes, string(s.Effect))
	}
	for _, e := range s.Expect {
		article := "a "
		if e.Kind == "element" {
			article = "an "
		}
		notes = append(notes, "then "+article+e.Kind)
	}
	return strings.Join(notes, "; ")
}
