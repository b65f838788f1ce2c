package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/selectors"
)

// title says what a step does, in words: those of its intent where there is one.
func title(step automation.Step) string {
	if step.Intent != "" {
		return capital(step.Intent)
	}
	if say := sentences[step.Tool]; say != nil {
		return say(step)
	}
	return strings.TrimSpace(capital(step.Tool) + " " + render.On(step))
}

// sentences are what the tools of the format do.
var sentences = map[string]func(automation.Step) string{
	"navigate":   func(s automation.Step) string { return "Go to " + s.URL },
	"waitForNav": func(s automation.Step) string { return "Wait for " + or(s.URL, "the next page") },
	"click":      func(s automation.Step) string { return "Press " + element(s) },
	"hover":      func(s automation.Step) string { return "Point at " + element(s) },
	"drag":       func(s automation.Step) string { return "Drag " + element(s) },
	"scroll":     func(automation.Step) string { return "Scroll" },
	"typeInput":  func(s automation.Step) string { return fmt.Sprintf("Type %s into %s", value(s), element(s)) },
	"fillForm":   func(automation.Step) string { return "Fill the form in" },
	"keypress":   func(s automation.Step) string { return "Press the key " + s.Key },
	"select":     func(s automation.Step) string { return fmt.Sprintf("Choose %s in %s", value(s), element(s)) },
	"check":      func(s automation.Step) string { return fmt.Sprintf("Set %s to %s", element(s), value(s)) },
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

// element is how a person would call the element of a step, by the selector of it that
// says most to one.
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

// value is what a step types or chooses: a variable by its name.
func value(s automation.Step) string {
	v := strings.TrimPrefix(render.With(automation.Step{Value: s.Value}), "= ")
	if name, is := strings.CutPrefix(v, "${"); is {
		return "the " + strings.TrimSuffix(name, "}")
	}
	return or(strings.Trim(v, `"`), "a value")
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
