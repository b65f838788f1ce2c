package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
)

// tally counts what became of the trials of one kind.
type tally struct {
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`   // of elements that are gone: one that was found all the same
	Nothing int `json:"nothing"` // of elements that are gone: this is right
}

func (t tally) total() int { return t.Right + t.Wrong + t.Nothing }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// report is what came out of a run.
type report struct {
	o options

	mu        sync.Mutex
	trials    []trial
	describes map[string][]float64
	mishaps   []string
	speeds    []speed
}

func newReport(o options) *report {
	return &report{o: o, describes: map[string][]float64{}}
}

func (r *report) add(f found) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trials = append(r.trials, f.trials...)
	r.mishaps = append(r.mishaps, f.mishaps...)
	for name, ms := range f.describes {
		r.describes[name] = append(r.describes[name], ms...)
	}
}

// figures are those of one contestant.
type figures struct {
	Name       string           `json:"name"`
	Right      float64          `json:"right"` // macro averages, per cent
	Wrong      float64          `json:"wrong"`
	Nothing    float64          `json:"not_found"`
	Refused    float64          `json:"refused_gone"`
	Clicked    float64          `json:"clicked_gone"`
	There      tally            `json:"there"` // counts
	Gone       tally            `json:"gone"`
	Kinds      map[string]tally `json:"kinds"`
	DescribeMs [2]float64       `json:"describe_ms"` // median, 95th percentile
	LocateMs   [2]float64       `json:"locate_ms"`
	Errors     int              `json:"errors"`
}

func (r *report) contestants() []string {
	names := slices.Collect(maps.Keys(r.describes))
	slices.SortFunc(names, func(a, b string) int { // Reprise first
		return cmp.Or(cmp.Compare(b2i(b == nameReprise), b2i(a == nameReprise)), cmp.Compare(a, b))
	})
	return names
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *report) figures(name string) figures {
	f := figures{Name: name, Kinds: map[string]tally{}}
	gone := map[string]bool{}
	var locates []float64
	for _, t := range r.trials {
		v, ok := t.Verdicts[name]
		if !ok {
			continue
		}
		gone[t.Kind] = t.Gone
		f.Kinds[t.Kind] = f.Kinds[t.Kind].and(v.Found)
		locates = append(locates, v.Ms)
		if v.Error != "" {
			f.Errors++
		}
	}
	f.average(gone)
	f.DescribeMs, f.LocateMs = spreadOf(r.describes[name]), spreadOf(locates)
	return f
}

func (t tally) and(found string) tally {
	switch found {
	case "right":
		t.Right++
	case "wrong":
		t.Wrong++
	default:
		t.Nothing++
	}
	return t
}

// average weighs each kind the same, however many elements it applied to.
func (f *figures) average(gone map[string]bool) {
	var there, away float64
	for name, t := range f.Kinds {
		n := t.total()
		if gone[name] {
			away++
			f.Refused += share(t.Nothing, n)
			f.Clicked += share(t.Wrong, n)
			f.Gone = f.Gone.plus(t)
			continue
		}
		there++
		f.Right += share(t.Right, n)
		f.Wrong += share(t.Wrong, n)
		f.Nothing += share(t.Nothing, n)
		f.There = f.There.plus(t)
	}
	for _, figure := range []*float64{&f.Right, &f.Wrong, &f.Nothing} {
		*figure /= max(1, there)
	}
	for _, figure := range []*float64{&f.Refused, &f.Clicked} {
		*figure /= max(1, away)
	}
}

func (t tally) plus(o tally) tally {
	return tally{t.Right + o.Right, t.Wrong + o.Wrong, t.Nothing + o.Nothing}
}

// spreadOf returns the median and the 95th percentile.
func spreadOf(ms []float64) [2]float64 {
	if len(ms) == 0 {
		return [2]float64{}
	}
	sorted := slices.Sorted(slices.Values(ms))
	return [2]float64{sorted[len(sorted)/2], sorted[min(len(sorted)-1, len(sorted)*95/100)]}
}

func (r *report) writeJSON(file string) error {
	if file == "" {
		return nil
	}
	var all []figures
	for _, name := range r.contestants() {
		all = append(all, r.figures(name))
	}
	data, err := json.MarshalIndent(map[string]any{"set": r.o.set, "contestants": all, "mishaps": r.mishaps, "speeds": r.speeds}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// writeDump writes what Reprise did not get right.
func (r *report) writeDump(file string) (err error) {
	if file == "" {
		return nil
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, t := range r.trials {
		v, ok := t.Verdicts[nameReprise]
		if !ok || v.Found == "right" || t.Gone && v.Found == "nothing" {
			continue
		}
		became := v.Found
		if t.Gone {
			became = "clicked"
		}
		line := map[string]any{"page": t.Page, "kind": t.Kind, "became": became, "target": t.HTML, "now": t.Now, "chosen": v.HTML, "says": v.Says, "error": v.Error}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) print(w io.Writer) {
	pages := map[string]bool{}
	elements := map[string]bool{}
	for _, t := range r.trials {
		pages[t.Page] = true
		elements[fmt.Sprint(t.Page, t.Target)] = true
	}
	fmt.Fprintf(w, "%s: %d pages, %d elements, %d trials\n\n", r.o.set, len(pages), len(elements), len(r.trials))
	var all []figures
	for _, name := range r.contestants() {
		all = append(all, r.figures(name))
	}
	printOverview(w, all)
	printKinds(w, all, r.order())
	printSpeeds(w, r.speeds)
	for _, mishap := range r.mishaps {
		fmt.Fprintln(w, "not put back:", mishap)
	}
}

// order returns the kinds in the order in which they were met, those that are gone last.
func (r *report) order() []kind {
	var kinds []kind
	for _, t := range r.trials {
		k := kind{Name: t.Kind, Gone: t.Gone}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(b2i(a.Gone), b2i(b.Gone)) })
	return kinds
}
