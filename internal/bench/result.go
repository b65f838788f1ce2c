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
	goalRatio    = 1.5 // times the floor, median of paired runs
	goalMessages = 4.0 // protocol messages a step, key events not counted
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
	CPU      float64 `json:"cpuMs"`
	Allocs   float64 `json:"allocs"`
}

// results sums a contest up.
func (c *contest) results() []Result {
	base := c.runs[c.names[0]]
	steps := len(c.flow.steps)
	var all []Result
	for _, name := range c.names {
		runs := c.runs[name]
		wall := each(runs, func(_ int, r run) float64 { return ms(r.Wall) })
		ratio := each(runs, func(i int, r run) float64 { return float64(r.Wall) / float64(base[i].Wall) })
		all = append(all, Result{
			Flow: c.title, Client: name, Steps: steps, Runs: len(runs),
			Median: quantile(wall, 0.5), P25: quantile(wall, 0.25), P75: quantile(wall, 0.75),
			Ratio: quantile(ratio, 0.5), RatioP25: quantile(ratio, 0.25), RatioP75: quantile(ratio, 0.75),
			Messages: quantile(each(runs, func(_ int, r run) float64 { return float64(r.Messages) / float64(steps) }), 0.5),
			Most:     quantile(each(runs, func(_ int, r run) float64 { return float64(r.Most) }), 1),
			CPU:      quantile(each(runs, func(_ int, r run) float64 { return ms(r.CPU) }), 0.5),
			Allocs:   quantile(each(runs, func(_ int, r run) float64 { return float64(r.Allocs) }), 0.5),
		})
	}
	return all
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func each(runs []run, of func(int, run) float64) []float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(i, r)
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
	fmt.Fprintln(t, "\tmedian ms\tp25\tp75\t× floor\tp25\tp75\tmessages/step\tmost\tCPU ms\tallocations\t")
	for _, r := range all {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.1f\t%.0f\t%.1f\t%.0f\t\n",
			r.Client, r.Median, r.P25, r.P75, r.Ratio, r.RatioP25, r.RatioP75, r.Messages, r.Most, r.CPU, r.Allocs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		if slices.Contains(c.reprise, r.Client) {
			printGoal(w, r.Client, "times the floor", r.Ratio, goalRatio)
		}
		if slices.Contains(c.reprise, r.Client) && !c.byKeys() {
			printGoal(w, r.Client, "messages a step", r.Messages, goalMessages)
		}
	}
	return nil
}

// byKeys says that the messages are those of the keys, for which there is no goal.
func (c *contest) byKeys() bool { return c.names[0] == nameFloorKeys }

func printGoal(w io.Writer, who, what string, got, most float64) {
	met := "met"
	if got > most {
		met = "NOT MET"
	}
	fmt.Fprintf(w, "  goal for %s, at most %.1f %s: %s (%.2f)\n", who, most, what, met, got)
}
