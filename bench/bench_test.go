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
	only    = flag.String("flow", "", "the one flow that is played")
)

func TestMain(m *testing.M) {
	if !isChild() {
		os.Exit(m.Run())
	}
	if err := serveChild(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// maxContest bounds a contest on a busy machine.
const maxContest = 2 * time.Hour

func enterArena(t testing.TB, names ...string) *arena {
	t.Helper()
	a, err := newArena(t.Context(), names...)
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

// present are the clients that can be compared on this machine.
func present(t testing.TB) []string {
	t.Helper()
	names := []string{nameFloor, nameReprise, namePlain, nameRod}
	if err := peersHere(); err != nil {
		fmt.Println(err)
		return names
	}
	return append(names, peers...)
}

// contests are what is compared with what; all but the last are those of the goal.
func contests(a *arena, names []string) (compared []*contest, keys *contest) {
	for _, fl := range a.flows {
		if *only == "" || *only == fl.Name {
			compared = append(compared, &contest{title: fl.Name, flow: fl, names: names, reprise: []string{nameReprise, namePlain}})
		}
	}
	return compared, &contest{title: "form by keys", flow: a.flows[0], names: byKeysNames}
}

var byKeysNames = []string{nameFloorKeys, nameKeys, nameUnheeded}

// BenchmarkReplay prints tables of its own: what counts are the ratios of runs
// that took turns.
func BenchmarkReplay(b *testing.B) {
	ctx, cancel := context.WithTimeout(b.Context(), maxContest)
	defer cancel()
	names := present(b)
	a := enterArena(b, append(names[:len(names):len(names)], byKeysNames...)...)
	for b.Loop() {
		compared, keys := contests(a, names)
		if len(compared) == 0 {
			b.Fatalf("no flow is called %q", *only)
		}
		for _, c := range append(compared[:len(compared):len(compared)], keys) {
			if err := c.play(ctx, a, *rounds); err != nil {
				b.Fatal(err)
			}
			if err := c.print(os.Stdout); err != nil {
				b.Fatal(err)
			}
		}
		if err := printOverall(os.Stdout, compared); err != nil {
			b.Fatal(err)
		}
		for _, o := range overall(compared) {
			b.ReportMetric(o.Ratio, strings.ReplaceAll(o.Client+"/floor", " ", "-"))
		}
		write(b, append(compared, keys))
	}
}

func write(b *testing.B, all []*contest) {
	if *results == "" {
		return
	}
	var out struct {
		Results []Result
		Overall []Overall
	}
	for _, c := range all {
		out.Results = append(out.Results, c.results()...)
	}
	out.Overall = overall(all[:len(all)-1])
	data, err := json.MarshalIndent(out, "", "\t")
	if err == nil {
		err = os.WriteFile(*results, append(data, '\n'), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
