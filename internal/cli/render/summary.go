package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// Summary writes what an automation is: where it may be used, what it asks for,
// and its steps as a table.
func Summary(w io.Writer, s Style, a *automation.Automation) error {
	declared, err := a.Declared()
	if err != nil {
		return err
	}
	var facts Facts
	facts.Add("account", or(a.Match.Account, "any"))
	facts.Add("revision", fmt.Sprint(a.Revision))
	if a.Description != "" {
		facts.Add("description", a.Description)
	}
	facts.Add("for", a.Match.URLs...)
	var variables []string
	for _, name := range declared.Names() {
		variables = append(variables, name+kindOf(declared, name))
	}
	facts.Add("variables", variables...)
	_, err = fmt.Fprintf(w, "%s\n%s\n%s", s.Bold(a.Name), Table(facts), stepTable(a.Steps))
	return err
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func kindOf(declared *automation.Variables, name string) string {
	if declared.IsSecret(name) {
		return "  (secret: give it with --var-env, --vars, or when asked)"
	}
	if v, ok := declared.Default(name); ok {
		text, err := json.Marshal(v)
		if err == nil {
			return "  (default " + string(text) + ")"
		}
	}
	return ""
}

// stepTable has a row for each step.
func stepTable(steps []automation.Step) string {
	rows := make([][]string, len(steps))
	for i, step := range steps {
		rows[i] = []string{fmt.Sprintf("  %2d", i+1), step.Tool, strings.TrimSpace(On(step) + " " + With(step)), Notes(step)}
	}
	return Table(rows)
}
