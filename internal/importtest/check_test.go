package importtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// graph is what each package, a folder of this module, imports outside its
// tests: folders of this module as "./folder", everything else by import path.
type graph map[string][]string

const own = "./"

// checkFloors returns a sentence for each import that does not go down, and for
// each package that has no place.
func checkFloors(g graph, floors []floor) []string {
	var problems []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		from := floorOf(pkg, floors)
		if from < 0 {
			problems = append(problems, fmt.Sprintf("%s has no floor: give it its place in floors, in internal/importtest/imports_test.go", pkg))
			continue
		}
		for _, imported := range g[pkg] {
			if p := checkDown(pkg, from, imported, floors); p != "" {
				problems = append(problems, p)
			}
		}
	}
	return problems
}

func checkDown(pkg string, from int, imported string, floors []floor) string {
	folder, ours := strings.CutPrefix(imported, own)
	if !ours {
		return ""
	}
	to := floorOf(folder, floors)
	switch {
	case to < 0, to > from: // one without a floor is reported once, as itself
		return ""
	case to == from && oneFamily(pkg, folder, floors[from]):
		return ""
	case to == from:
		return fmt.Sprintf("%s imports %s, on its own floor (%s)", pkg, folder, floors[from].why)
	}
	return fmt.Sprintf("%s imports %s, which stands above it (%s)", pkg, folder, floors[to].why)
}

// oneFamily reports whether one "x/..." covers both packages.
func oneFamily(a, b string, f floor) bool {
	return slices.ContainsFunc(f.packages, func(pattern string) bool {
		return strings.HasSuffix(pattern, "/...") && covers(pattern, a) && covers(pattern, b)
	})
}

func floorOf(pkg string, floors []floor) int {
	return slices.IndexFunc(floors, func(f floor) bool { return coveredBy(f.packages, pkg) })
}

// checkFences returns a sentence for each package that imports a library whose
// fence it stands outside of. The first fence that covers a library counts.
func checkFences(g graph, fences []fence) []string {
	var problems []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		for _, imported := range g[pkg] {
			i := slices.IndexFunc(fences, func(f fence) bool { return covers(f.library, imported) })
			if i >= 0 && !coveredBy(fences[i].allowed, pkg) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which only %s may (%s)",
					pkg, imported, strings.Join(fences[i].allowed, ", "), fences[i].why))
			}
		}
	}
	return problems
}

// checkPurities returns a sentence for each package that reaches what it must not.
func checkPurities(purities []purity, reached func(pkg string) []string) []string {
	var problems []string
	for _, p := range purities {
		for _, dep := range reached(p.pkg) {
			if coveredBy(p.without, dep) {
				problems = append(problems, fmt.Sprintf("%s reaches %s (%s)", p.pkg, dep, p.why))
			}
		}
	}
	return problems
}

func coveredBy(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, path) })
}

// covers reports whether a pattern, "x" or "x/...", covers a path.
func covers(pattern, path string) bool {
	root, tree := strings.CutSuffix(pattern, "/...")
	return path == root || tree && strings.HasPrefix(path, root+"/")
}

func TestAnImportThatDoesNotGoDownIsNamed(t *testing.T) {
	t.Parallel()
	floors := []floor{
		{[]string{"cmd/..."}, "programs"},
		{[]string{"left", "right"}, "siblings"},
		{[]string{"base"}, "the ground"},
	}
	got := checkFloors(graph{
		"cmd/one":  {"./cmd/inner", "./left", "./base", "fmt"},
		"cmd/two":  nil,
		"left":     {"./right", "./base"},
		"right":    {"./base"},
		"base":     {"./cmd/one", "strings"},
		"baseless": {"./base"},
	}, floors)
	want := []string{
		"base imports cmd/one, which stands above it (programs)",
		"baseless has no floor: give it its place in floors, in internal/importtest/imports_test.go",
		"left imports right, on its own floor (siblings)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checkFloors (-want +got):\n%s", diff)
	}
}

func TestALibraryOutsideItsFenceIsNamed(t *testing.T) {
	t.Parallel()
	fences := []fence{
		{"lib.example/db", []string{"store"}, "one seam"},
		{"lib.example/db/...", []string{"store", "cmd/..."}, "its types"},
	}
	got := checkFences(graph{
		"store":   {"lib.example/db", "lib.example/db/types"},
		"cmd/one": {"lib.example/db/types", "lib.example/dbother"},
		"agent":   {"lib.example/db/types", "lib.example/db"},
	}, fences)
	want := []string{
		"agent imports lib.example/db/types, which only store, cmd/... may (its types)",
		"agent imports lib.example/db, which only store may (one seam)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checkFences (-want +got):\n%s", diff)
	}
}

func TestAnImpurePackageIsNamed(t *testing.T) {
	t.Parallel()
	got := checkPurities([]purity{{"document", []string{"net/http", "lib.example/rod/..."}, "plain data"}},
		func(string) []string { return []string{"net", "net/http", "lib.example/rod/lib/proto"} })
	want := []string{
		"document reaches net/http (plain data)",
		"document reaches lib.example/rod/lib/proto (plain data)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checkPurities (-want +got):\n%s", diff)
	}
}
