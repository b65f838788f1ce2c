package tell

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-reprise/reprise/automation"
)

// Document writes the parts of a document that a person reads, as they stand in
// it, with a line for each step. It says how much it leaves out.
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
	fmt.Fprintln(w, s.Bold(a.Name))
	t := newTable(w)
	t.row("  account", or(a.Match.Account, "any"))
	t.row("  revision", fmt.Sprint(a.Revision))
	if a.Description != "" {
		t.row("  description", a.Description)
	}
	for i, url := range a.Match.URLs {
		t.row(map[bool]string{true: "  for", false: ""}[i == 0], url)
	}
	for i, name := range declared.Names() {
		t.row(map[bool]string{true: "  variables", false: ""}[i == 0], name+kindOf(declared, name))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return Steps(w, a.Steps)
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

// Steps writes steps as a table.
func Steps(w io.Writer, steps []automation.Step) error {
	t := newTable(w)
	for i, step := range steps {
		cells := []string{fmt.Sprintf("  %2d", i+1), step.Tool, strings.TrimSpace(On(step) + " " + With(step))}
		if notes := Notes(step); notes != "" {
			cells = append(cells, notes)
		}
		t.row(cells...)
	}
	return t.Flush()
}

// table lines up columns, two spaces apart.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

// row adds one. What a document says cannot break the table.
func (t table) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.Join(strings.FieldsFunc(cell, func(r rune) bool { return r == '\t' || r == '\n' || r == '\v' || r == '\f' }), " ")
	}
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}

// Table writes rows in columns, the first row as their heads.
func Table(w io.Writer, rows [][]string) error {
	t := newTable(w)
	for _, cells := range rows {
		t.row(cells...)
	}
	return t.Flush()
}
