package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// Document writes the parts of a document that people read, in the form of the document, with a
// line for each step. It notes how much it leaves out.
func Document(w io.Writer, a *automation.Automation) error {
	brief, left := *a, 0
	brief.Revision, brief.X, brief.Steps = 0, nil, slices.Clone(a.Steps)
	for i := range brief.Steps {
		s := &brief.Steps[i]
		left += len(s.Alternatives)
		s.Alternatives, s.Fingerprint, s.Offset = nil, nil, nil
	}
	line, err := brief.MarshalJSON()
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := layout(&text, line, "", false); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(&text, "\n(%d more ways to find these elements are left out here)", left)
	}
	_, err = fmt.Fprintln(w, text.String())
	return err
}

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
	if a.Match.Blocker != "" {
		facts.Add("deals with", string(a.Match.Blocker))
	}
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

// lineWidth is what a line of a document may have, in bytes, before its value is
// laid out over several.
const lineWidth = 100

// layout writes a JSON value: on one line where it fits or must, else its members
// each on its own.
func layout(b *strings.Builder, value json.RawMessage, indent string, mustFit bool) error {
	line := spaced(value)
	if mustFit || len(indent)+len(line) <= lineWidth || value[0] != '{' && value[0] != '[' {
		b.WriteString(line)
		return nil
	}
	b.WriteByte(value[0])
	inner := indent + "  "
	err := members(value, func(i int, key string, member json.RawMessage) error {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + inner + key)
		return layout(b, member, inner, key == "" && indent == "  ")
	})
	b.WriteString("\n" + indent)
	b.WriteByte(value[0] + 2) // } is two after {, ] after [
	return err
}

// members passes those of an object, with the key as it is written before its
// value, or those of an array.
func members(value json.RawMessage, take func(i int, key string, member json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}
	for i := 0; d.More(); i++ {
		key := ""
		if value[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			quoted, err := json.Marshal(name)
			if err != nil {
				return err
			}
			key = string(quoted) + ": "
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return err
		}
		if err := take(i, key, member); err != nil {
			return err
		}
	}
	return nil
}

// spaced writes JSON that is on one line with a space after each : and comma.
func spaced(line []byte) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range line {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
