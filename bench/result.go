package bench

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// The goals, of the speed that Reprise promises.
const (
	goalRatio    = 1.25 // times the floor, geometric mean of the medians of paired runs
	goalMessages = 4.0  // protocol messages a step, key events not counted
)

// Result is one line of the table.
type Result struct {
	Flow     string  `json:"flow"`
	Client   string  `json:"client"`
	Steps    int     `json:"steps"`
	Runs     int     `json:"runs"`
	Median   float64 `json:"medianMs"`
	P25      float64 `json:"p25Ms"`
	P75      float64 `json:"p75Ms"`
	Ratio    float64 `json:"timesFloor"` // median of the ratios of paired runs
	RatioP25 float64 `json:"timesFloorP25"`
	RatioP75 float64 `json:"timesFloorP75"`
	Messages float64 `json:"messagesPerStep"`
	Most     float64 `json:"mostMessages"` // in one step of any run
	CPU      float64 `json:"cpuMs"`        // of the client's process
	Allocs   float64 `json:"allocs"`
	Peak     float64 `json:"peakMB"` // memory of the client's process, up to the end of this flow
}

// results sums a contest up.
func (c *contest) results() []Result {
	steps := float64(len(c.flow.Steps))
	var all []Result
	for _, name := range c.names {
		runs, ratio := c.runs[name], c.ratios(name)
		wall := each(runs, func(r report) float64 { return ms(r.Wall) })
		all = append(all, Result{
			Flow: c.title, Client: name, Steps: len(c.flow.Steps), Runs: len(runs),
			Median: quantile(wall, 0.5), P25: quantile(wall, 0.25), P75: quantile(wall, 0.75),
			Ratio: quantile(ratio, 0.5), RatioP25: quantile(ratio, 0.25), RatioP75: quantile(ratio, 0.75),
			Messages: quantile(each(runs, func(r report) float64 { return float64(r.Messages) / steps }), 0.5),
			Most:     quantile(each(runs, func(r report) float64 { return float64(r.Most) }), 1),
			CPU:      quantile(each(runs, func(r report) float64 { return ms(r.CPU) }), 0.5),
			Allocs:   quantile(each(runs, func(r report) float64 { return float64(r.Allocs) }), 0.5),
			Peak:     float64(c.peaks[name]) / (1 << 20),
		})
	}
	return all
}

// ratios are those of a client's runs to the runs of the first that they were paired with.
func (c *contest) ratios(name string) []float64 {
	base := c.runs[c.names[0]]
	ratios := make([]float64, len(c.runs[name]))
	for i, r := range c.runs[name] {
		ratios[i] = float64(r.Wall) / float64(base[i].Wall)
	}
	return ratios
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func each(runs []report, of func(report) float64) []float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	return values
}

// quantile of the values, between the two nearest of them; 0 of none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// print writes a contest as a table, and whether the goals were met.
func (c *contest) print(w io.Writer) error {
	all := c.results()
	fmt.Fprintf(w, "\n%s: %d steps, %d paired runs\n", c.title, all[0].Steps, all[0].Runs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmedian ms\tp25\tp75\t× floor\tp25\tp75\tmessages/step\tmost\tCPU ms\tpeak MB\tallocations\t")
	for _, r := range all {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.1f\t%.0f\t%.1f\t%.0f\t%.0f\t\n",
			r.Client, r.Median, r.P25, r.P75, r.Ratio, r.RatioP25, r.RatioP75, r.Messages, r.Most, r.CPU, r.Peak, r.Allocs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for name, n := range c.failures {
		fmt.Fprintf(w, "  %s failed %d times, and played again\n", name, n)
	}
	for _, r := range all {
		if slices.Contains(c.reprise, r.Client) {
			printGoal(w, r.Client, "messages a step", r.Messages, goalMessages)
			c.printFaster(w, r, all)
		}
	}
	return nil
}

// printFaster prints whether a client of ours was faster than each of the others.
func (c *contest) printFaster(w io.Writer, ours Result, all []Result) {
	for _, r := range all {
		if ofOthers(r.Client) {
			printGoal(w, ours.Client, "of the time of "+r.Client, ours.Median/r.Median, 1)
		}
	}
}

func printGoal(w io.Writer, who, what string, got, most float64) {
	met := "met"
	if got > most {
		met = "NOT MET"
	}
	fmt.Fprintf(w, "  goal for %s, at most %.2f %s: %s (%.2f)\n", who, most, what, met, got)
}
