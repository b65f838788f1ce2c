package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printOverview prints a line a contestant, per cent of each kind averaged.
func printOverview(w io.Writer, all []figures) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tright\twrong\tnot found\tgone: refused\tgone: clicked\tcounts there\tcounts gone\tdescribe ms\tlocate ms\t")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%d/%d/%d\t%d/%d\t%.1f / %.1f\t%.1f / %.1f\t\n",
			f.Name, f.Right, f.Wrong, f.Nothing, f.Refused, f.Clicked, f.There.Right, f.There.Wrong, f.There.Nothing,
			f.Gone.Nothing, f.Gone.Wrong, f.DescribeMs[0], f.DescribeMs[1], f.LocateMs[0], f.LocateMs[1])
	}
	_ = table.Flush()
	for _, f := range all {
		if f.Errors > 0 {
			fmt.Fprintf(w, "%s failed with an error %d times; they are counted as not found.\n", f.Name, f.Errors)
		}
	}
	fmt.Fprintln(w)
}

// printKinds prints a line a kind: right / wrong / not found, and for those that
// are gone refused / clicked, in per cent.
func printKinds(w io.Writer, all []figures, kinds []kind) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\tcases\t")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t", f.Name)
	}
	fmt.Fprintln(table)
	for _, k := range kinds {
		fmt.Fprintf(table, "%s\t%d\t", k.Name, all[0].Kinds[k.Name].total())
		for _, f := range all {
			fmt.Fprintf(table, "%s\t", inKind(f.Kinds[k.Name], k.Gone))
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush()
}

func inKind(t tally, gone bool) string {
	n := t.total()
	if gone {
		return fmt.Sprintf("refused %.1f / %.1f", share(t.Nothing, n), share(t.Wrong, n))
	}
	return fmt.Sprintf("%.1f / %.1f / %.1f", share(t.Right, n), share(t.Wrong, n), share(t.Nothing, n))
}

// printSpeeds prints the times on generated pages, a line for a contestant and a size.
func printSpeeds(w io.Writer, all []speed) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "\nGenerated pages: median / 95th percentile of ms, on the page unchanged and with the element gone")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tnodes\tdescribe\tlocate\tgone\tdescribed\tfound\t")
	for _, s := range all {
		fmt.Fprintf(table, "%s\t%d\t%.2f / %.2f\t%.2f / %.2f\t%.2f / %.2f\t%d\t%d\t\n",
			s.Name, s.Nodes, s.DescribeMs[0], s.DescribeMs[1], s.LocateMs[0], s.LocateMs[1], s.MissMs[0], s.MissMs[1], s.Described, s.Right)
	}
	_ = table.Flush()
}
