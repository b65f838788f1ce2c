package bench

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
)

// Overall is how many times the floor a client took over all flows.
type Overall struct {
	Client string  `json:"client"`
	Ratio  float64 `json:"timesFloor"` // geometric mean of the medians of paired runs
	Low    float64 `json:"low"`        // and where 90 of 100 such means would lie
	High   float64 `json:"high"`
}

// The spread is that of means over rounds drawn again from those that were played
// (Efron's bootstrap), the same draws each time.
const (
	draws    = 1000
	drawSeed = 5
)

// overall sums contests up that the same clients took part in.
func overall(contests []*contest) []Overall {
	var all []Overall
	for _, name := range contests[0].names {
		random := rand.New(rand.NewPCG(drawSeed, drawSeed))
		var means []float64
		for range draws {
			means = append(means, meanRatio(contests, name, random))
		}
		all = append(all, Overall{
			Client: name, Ratio: meanRatio(contests, name, nil),
			Low: quantile(means, 0.05), High: quantile(means, 0.95),
		})
	}
	return all
}

// meanRatio is the geometric mean of the median ratios of a client; with a source of
// randomness, over rounds that are drawn again.
func meanRatio(contests []*contest, name string, random *rand.Rand) float64 {
	sum := 0.0
	for _, c := range contests {
		ratios := c.ratios(name)
		if random != nil {
			ratios = drawn(ratios, random)
		}
		sum += math.Log(quantile(ratios, 0.5))
	}
	return math.Exp(sum / float64(len(contests)))
}

func drawn(values []float64, random *rand.Rand) []float64 {
	again := make([]float64, len(values))
	for i := range again {
		again[i] = values[random.IntN(len(values))]
	}
	return again
}

// printOverall writes them as a table, and whether the goal was met.
func printOverall(w io.Writer, contests []*contest) error {
	fmt.Fprintf(w, "\nall %d flows: times the floor, geometric mean of the medians of %d paired runs\n",
		len(contests), len(contests[0].runs[nameFloor]))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\t× floor\t5 %\t95 %\t")
	all := overall(contests)
	for _, o := range all {
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t\n", o.Client, o.Ratio, o.Low, o.High)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, o := range all {
		if slices.Contains(contests[0].reprise, o.Client) {
			printGoal(w, o.Client, "times the floor", o.Ratio, goalRatio)
		}
	}
	return nil
}
