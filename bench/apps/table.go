package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// row is what became of an application.
type row struct {
	app      *app
	outcomes map[string][]outcome // one for each time that a mode was asked for
}

// add notes an outcome, and prints it with its reason.
func (r *row) add(column string, o outcome) {
	if r.outcomes == nil {
		r.outcomes = map[string][]outcome{}
	}
	r.outcomes[column] = append(r.outcomes[column], o)
	fmt.Fprintf(os.Stderr, "%s %s: %s %v %s\n", r.app.name, column, o.verdict, o.took.Round(time.Millisecond), o.why)
}

// cell is how a mode went: of one that was played several times, how often it went how.
func (r *row) cell(column string) string {
	all := r.outcomes[column]
	switch len(all) {
	case 0:
		return "not run"
	case 1:
		return string(all[0].verdict)
	}
	var parts []string
	for _, v := range []verdict{right, failed, wrong} {
		if n := len(slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return o.verdict != v })); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// printTable prints a row for each application, and how many runs went how.
func printTable(w io.Writer, modes []mode, rows []row) {
	columns := []string{"recorded"}
	for _, m := range modes {
		if !slices.Contains(columns, m.name) {
			columns = append(columns, m.name)
		}
	}
	fmt.Fprintf(w, "| application | set | %s |\n|---|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	counts := map[string]map[verdict]int{"tuned": {}, "held out": {}}
	for _, r := range rows {
		set := "tuned"
		if r.app.held {
			set = "held out"
		}
		fmt.Fprintf(w, "| %s | %s |", r.app.name, set)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", r.cell(c))
			if c == "recorded" {
				continue
			}
			for _, o := range r.outcomes[c] {
				counts[set][o.verdict]++
			}
		}
		fmt.Fprintln(w)
	}
	for _, set := range []string{"tuned", "held out"} {
		n := counts[set]
		fmt.Fprintf(w, "\n%s: %d runs done-right, %d failed-clearly, %d DONE-WRONG\n", set, n[right], n[failed], n[wrong])
	}
}
