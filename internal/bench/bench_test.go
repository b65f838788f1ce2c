package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	rounds  = flag.Int("rounds", 30, "paired runs of each contest")
	results = flag.String("results", "", "file that the results are written to, as JSON")
)

// longestContest bounds a contest on a busy machine.
const longestContest = 10 * time.Minute

func enterArena(t testing.TB) *arena {
	t.Helper()
	a, err := newArena(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Errorf("leaving: %v", err)
		}
	})
	return a
}

// contests are what is compared with what.
func contests(a *arena) []*contest {
	form, signIn := a.flows[0], a.flows[1]
	inserted := []string{nameFloor, nameReprise, namePlain, nameRod}
	return []*contest{
		{title: "form", flow: form, names: inserted, reprise: []string{nameReprise, namePlain}},
		{title: "sign-in", flow: signIn, names: inserted, reprise: []string{nameReprise, namePlain}},
		{title: "form by keys", flow: form, names: []string{nameFloorKeys, nameKeys, nameUnheeded}, reprise: []string{nameKeys}},
	}
}

// BenchmarkReplay prints a table of its own: what counts are the ratios of runs
// that took turns.
func BenchmarkReplay(b *testing.B) {
	ctx, cancel := context.WithTimeout(b.Context(), longestContest)
	defer cancel()
	a := enterArena(b)
	var all []Result
	for b.Loop() {
		all = nil
		for _, c := range contests(a) {
			if err := c.play(ctx, a, *rounds); err != nil {
				b.Fatal(err)
			}
			if err := c.print(os.Stdout); err != nil {
				b.Fatal(err)
			}
			all = append(all, c.results()...)
			for _, r := range c.results()[1:] {
				unit := fmt.Sprintf("%s/%s,%s", r.Client, c.names[0], r.Flow)
				b.ReportMetric(r.Ratio, strings.ReplaceAll(unit, " ", "-"))
			}
		}
	}
	write(b, all)
}

func write(b *testing.B, all []Result) {
	if *results == "" {
		return
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err == nil {
		err = os.WriteFile(*results, append(data, '\n'), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
