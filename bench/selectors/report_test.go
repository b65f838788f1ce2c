package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func on(kind string, gone bool, found string) trial {
	return trial{Page: "a.html", Kind: kind, Gone: gone, HTML: "<a>", Verdicts: map[string]verdict{nameReprise: {Found: found, Ms: 1}}}
}

func TestEachKindWeighsTheSame(t *testing.T) {
	t.Parallel()
	r := newReport(options{set: "test"})
	r.add(found{trials: []trial{
		on("a", false, "right"), on("a", false, "right"), on("a", false, "right"), on("a", false, "wrong"),
		on("b", false, "nothing"),
		on("c", true, "wrong"), on("c", true, "nothing"),
		{Page: "a.html", Kind: "a", Skipped: "does not apply"},
	}})
	f := r.figures(nameReprise)
	if f.There != (tally{3, 1, 1}) || f.Gone != (tally{0, 1, 1}) {
		t.Errorf("counts %v and %v", f.There, f.Gone)
	}
	got := []float64{f.Right, f.Wrong, f.Nothing, f.Refused, f.Clicked}
	if want := []float64{37.5, 12.5, 50, 50, 50}; !cmp.Equal(got, want) {
		t.Errorf("averages %v, want %v", got, want)
	}
}

func TestTheSpreadIsOfTheMiddleAndTheSlow(t *testing.T) {
	t.Parallel()
	var ms []float64
	for i := range 100 {
		ms = append(ms, float64(99-i))
	}
	if got := spreadOf(ms); math.Abs(got[0]-50) > 1 || math.Abs(got[1]-95) > 1 {
		t.Errorf("the spread of 0 to 99 is %v", got)
	}
	if spreadOf(nil) != [2]float64{} {
		t.Error("nothing has a spread")
	}
}

func TestTheDumpHoldsWhatWentWrongAndNothingElse(t *testing.T) {
	t.Parallel()
	r := newReport(options{})
	r.add(found{trials: []trial{on("a", false, "right"), on("a", false, "wrong"), on("b", false, "nothing"), on("c", true, "nothing"), on("c", true, "wrong")}})
	file := filepath.Join(t.TempDir(), "dump")
	if err := r.writeDump(file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var became []string
	for line := range strings.Lines(string(data)) {
		var c struct{ Became string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		became = append(became, c.Became)
	}
	if want := []string{"wrong", "nothing", "clicked"}; !cmp.Equal(became, want) {
		t.Errorf("the dump holds %v, want %v", became, want)
	}
}

// packageOf is the first part of a path, or the first two where it has a scope.
func packageOf(page string) string {
	parts := strings.SplitN(page, "/", 3)
	if strings.HasPrefix(page, "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func packagesOf(t *testing.T, set string, fewestPages int) map[string]bool {
	t.Helper()
	pages, err := pagesOf(".", set)
	if err != nil {
		t.Fatal(err)
	}
	packages, seen := map[string]bool{}, map[string]bool{}
	for _, page := range pages {
		if seen[page] {
			t.Errorf("%s: %s is there twice", set, page)
		}
		packages[packageOf(page)], seen[page] = true, true
	}
	if len(seen) < fewestPages {
		t.Errorf("%s has %d pages, want %d", set, len(seen), fewestPages)
	}
	return packages
}

func TestNoPackageIsBothTunedOnAndReportedOn(t *testing.T) {
	t.Parallel()
	tuning, held := packagesOf(t, "tuning", 25), packagesOf(t, "held", 45)
	if len(tuning) < 6 || len(held) < 10 {
		t.Errorf("%d packages to tune on and %d held apart, want 6 and 10", len(tuning), len(held))
	}
	data, err := os.ReadFile("pages/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	for name := range tuning {
		if held[name] {
			t.Errorf("%s is in both sets", name)
		}
		if pinned.Dependencies[name] == "" {
			t.Errorf("%s is not pinned", name)
		}
	}
	for name := range held {
		if pinned.Dependencies[name] == "" {
			t.Errorf("%s is not pinned", name)
		}
	}
}

func TestGeneratedPagesAreAsLargeAsWasAsked(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	s, err := serve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	if err := c.stage.load(ctx, s.address("generated/10000")); err != nil {
		t.Fatal(err)
	}
	var nodes int
	const counting = `(() => { const w = document.createTreeWalker(document); let n = 0; while (w.nextNode()) n++; return n; })()`
	if err := c.stage.eval(ctx, &nodes, counting); err != nil {
		t.Fatal(err)
	}
	if nodes < 9_000 || nodes > 12_000 {
		t.Errorf("the page of 10,000 nodes has %d", nodes)
	}
}
