// Package render has all words that describe steps, runs, approvals, failures and documents to
// people at a terminal, and the JSON of --json for the same things.
package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
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
	case v.Kind == automation.Variable && v.Length > 0:
		return fmt.Sprintf("= the first %d of ${%s}", v.Length, v.Name)
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

// Notes is what else there is to know of a step: its intent, what follows it, whether it is
// optional, and whether it is a commit step.
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

// Title describes what a step does as a sentence: its intent where it has one.
func Title(step automation.Step) string {
	if step.Intent != "" {
		return capital(step.Intent)
	}
	if say := sentences[step.Tool]; say != nil {
		return say(step)
	}
	return strings.TrimSpace(capital(step.Tool) + " " + On(step))
}

// sentences describe what the tools of the format do.
var sentences = map[string]func(automation.Step) string{
	"navigate":   func(s automation.Step) string { return "Go to " + s.URL },
	"waitForNav": func(s automation.Step) string { return "Wait for " + or(s.URL, "the next page") },
	"click":      func(s automation.Step) string { return "Press " + element(s) },
	"hover":      func(s automation.Step) string { return "Point at " + element(s) },
	"drag":       func(s automation.Step) string { return "Drag " + element(s) },
	"scroll":     func(automation.Step) string { return "Scroll" },
	"typeInput":  func(s automation.Step) string { return fmt.Sprintf("Type %s into %s", valueName(s), element(s)) },
	"fillForm":   func(automation.Step) string { return "Fill the form in" },
	"keypress":   func(s automation.Step) string { return "Press the key " + s.Key },
	"select":     func(s automation.Step) string { return fmt.Sprintf("Choose %s in %s", valueName(s), element(s)) },
	"check":      func(s automation.Step) string { return fmt.Sprintf("Set %s to %s", element(s), valueName(s)) },
	"upload":     func(s automation.Step) string { return "Give a file to " + element(s) },
	"waitFor":    func(s automation.Step) string { return "Wait for " + or(elementIf(s), "what is to come") },
	"assert":     func(s automation.Step) string { return "Make sure of " + or(elementIf(s), "what the page shows") },
	"extract":    func(s automation.Step) string { return "Read " + or(elementIf(s), "the page") },
	"screenshot": func(automation.Step) string { return "Take a picture" },
	"dialog":     func(automation.Step) string { return "Answer the page's question" },
	"tab":        func(s automation.Step) string { return strings.TrimSpace("Open or close the tab " + s.Page) },
	"approve":    func(automation.Step) string { return "Ask for an approval" },
	"handoff":    func(automation.Step) string { return "Hand the page to a person" },
	"run":        func(automation.Step) string { return "Play another automation" },
}

func elementIf(s automation.Step) string {
	if len(s.Selector) == 0 {
		return ""
	}
	return element(s)
}

// element is the name of a step's element, from the selector that people understand best.
func element(s automation.Step) string {
	for _, kind := range []selectors.Kind{selectors.Aria, selectors.Text} {
		for _, path := range append([]selectors.Path{s.Selector}, s.Alternatives...) {
			if len(path) == 0 || path[len(path)-1].Kind != kind {
				continue
			}
			name := path[len(path)-1].Body
			if kind == selectors.Aria {
				name, _ = path[len(path)-1].Aria()
			}
			if name != "" {
				return "“" + name + "”"
			}
		}
	}
	return or(s.Selector.String(), "the element")
}

// valueName is what a step types or chooses: a variable by its name.
func valueName(s automation.Step) string {
	v := strings.TrimPrefix(value(s.Value), "= ")
	if name, is := strings.CutPrefix(v, "${"); is {
		return "the " + strings.TrimSuffix(name, "}")
	}
	return or(strings.Trim(v, `"`), "a value")
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// An element that another selector than the recorded one has found, or its fingerprint.
const (
	byAlternative = "found by an alternative"
	byFingerprint = "matched by fingerprint"
)

// FoundBy describes how the element of a step was found: matched is 0 for its own selector, the
// number of an alternative, or negative for its fingerprint.
func FoundBy(matched int, selector string) string {
	switch {
	case matched < 0:
		return byFingerprint + ", now " + selector
	case matched > 0:
		return fmt.Sprintf("by alternative %d, %s", matched, selector)
	}
	return "by " + selector
}

// healed notes on a step of a run that its own selector did not find the element.
func healed(s replayer.StepResult) string {
	switch {
	case s.Matched > 0:
		return ", healed: found by " + s.Selector.String()
	case s.Matched < 0:
		return ", healed: " + byFingerprint
	}
	return ""
}
