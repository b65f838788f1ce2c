package importtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leftOpen finds notes of work that somebody put off. Spelled so that this file
// has none.
var leftOpen = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

func TestNothingIsLeftOpenInTheCode(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".go", ".ts") {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		report(t, openNotes(file, string(text)))
	}
}

func TestNothingWaitsForADuration(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".go") {
		report(t, sleeps(file, parse(t, file, parser.SkipObjectResolution)))
	}
}

func openNotes(file, text string) []string {
	var problems []string
	for i, line := range strings.Split(text, "\n") {
		if word := leftOpen.FindString(line); word != "" {
			problems = append(problems, fmt.Sprintf("%s:%d: %s: do it, or say in docs/rough_edges.md why not", file, i+1, word))
		}
	}
	return problems
}

// sleeps looks for calls of time.Sleep.
func sleeps(file string, f *ast.File) []string {
	var problems []string
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" {
				problems = append(problems, file+": time.Sleep: wait for a condition, never for a duration")
			}
		}
		return true
	})
	return problems
}

func TestAnOpenNoteIsNamedWithItsLine(t *testing.T) {
	t.Parallel()
	got := openNotes("a.go", "package a\n\n// "+"TO"+"DO: later\nvar todoList []string\n")
	want := []string{"a.go:3: " + "TO" + "DO: do it, or say in docs/rough_edges.md why not"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openNotes (-want +got):\n%s", diff)
	}
}

func TestASleepIsNamed(t *testing.T) {
	t.Parallel()
	const src = "package a\nimport \"time\"\nfunc f() { time.Sleep(1); nap.Sleep(1) } // time.Sleep\n"
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.go: time.Sleep: wait for a condition, never for a duration"}
	if diff := cmp.Diff(want, sleeps("a.go", f)); diff != "" {
		t.Errorf("sleeps (-want +got):\n%s", diff)
	}
}
