package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// row is what became of an application.
type row struct {
	app      *app
	outcomes map[string]outcome
}

// add notes an outcome, and prints it with its reason.
func (r *row) add(column string, o outcome) {
	if r.outcomes == nil {
		r.outcomes = map[string]outcome{}
	}
	r.outcomes[column] = o
	fmt.Fprintf(os.Stderr, "%s %s: %s %v %s\n", r.app.name, column, o.verdict, o.took.Round(time.Millisecond), o.why)
}

func (r *row) cell(column string) string {
	o, there := r.outcomes[column]
	if !there {
		return "not run"
	}
	return string(o.verdict)
}

// printTable prints a row for each application, and how many runs went how.
func printTable(w io.Writer, modes []mode, rows []row) {
	columns := []string{"recorded"}
	for _, m := range modes {
		columns = append(columns, m.name)
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
			if o, there := r.outcomes[c]; there && c != "recorded" {
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
