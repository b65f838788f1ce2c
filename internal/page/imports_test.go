package page_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are those of src, top to bottom: a file imports only from its own folder and
// from folders below it. "." is main.ts, which alone sees them all.
var folders = []string{".", "handoff", "capture", "act", "describe", "locate", "secret", "dom"}

// imported is what a statement of TypeScript imports from, for its type or its value.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\s(?:[^;"]*\sfrom\s)?"([^"]+)";|\bimport\("([^"]+)"\)`)

// sourceImports returns the files that each file of src imports, by their paths in it.
func sourceImports(t *testing.T, src fs.FS) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	err := fs.WalkDir(src, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(src, file)
		if err != nil {
			return err
		}
		graph[file] = nil
		for _, match := range imported.FindAllStringSubmatch(string(text), -1) {
			graph[file] = append(graph[file], path.Join(path.Dir(file), match[1]+match[2]+".ts"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, all := range graph {
		for _, to := range all {
			if _, ok := graph[to]; !ok {
				t.Errorf("%s imports %s, which is no file of src", file, to)
			}
		}
	}
	return graph
}

// cycle returns the path of an import cycle, from a file back to it; nil where there is none.
func cycle(graph map[string][]string) []string {
	done := map[string]bool{}
	var visit func(file string, trail []string) []string
	visit = func(file string, trail []string) []string {
		if i := slices.Index(trail, file); i >= 0 {
			return append(slices.Clone(trail[i:]), file)
		}
		if done[file] {
			return nil
		}
		for _, to := range graph[file] {
			if found := visit(to, append(trail, file)); found != nil {
				return found
			}
		}
		done[file] = true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(graph)) {
		if found := visit(file, nil); found != nil {
			return found
		}
	}
	return nil
}

func TestSourcesImportWithoutCycles(t *testing.T) {
	t.Parallel()
	graph := sourceImports(t, os.DirFS("src"))
	if len(graph["main.ts"]) == 0 {
		t.Error("main.ts imports nothing: the imports are not read as they are written")
	}
	if found := cycle(graph); found != nil {
		t.Errorf("an import cycle: %s", strings.Join(found, " -> "))
	}
	broken := map[string][]string{"a.ts": {"b.ts"}, "b.ts": {"c.ts"}, "c.ts": {"b.ts"}}
	if got := strings.Join(cycle(broken), " -> "); got != "b.ts -> c.ts -> b.ts" {
		t.Errorf("the cycle of %v is %q", broken, got)
	}
}

func TestSourcesImportOnlyFromFoldersBelow(t *testing.T) {
	t.Parallel()
	for file, all := range sourceImports(t, os.DirFS("src")) {
		floor := slices.Index(folders, path.Dir(file))
		if floor < 0 {
			t.Errorf("%s is in a folder that has no place in folders yet", file)
		}
		for _, to := range all {
			if slices.Index(folders, path.Dir(to)) < floor {
				t.Errorf("%s imports %s, from a folder above its own", file, to)
			}
		}
	}
}
