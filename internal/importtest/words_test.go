package importtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

// unwanted are words that a reader of this field would have to learn, with how often each
// may still stand in code, comments, messages, tests and documents. A bound only falls:
// where there are fewer, the test asks for the lower one.
var unwanted = []struct {
	pattern string
	bound   int
	instead string
}{
	{`by itself`, 0, "automatically, alone"},
	{`whoever`, 0, "the caller, anyone who"},
	{`anew\b`, 0, "again"},
	{`nobody`, 4, "no one"}, // the value of --ask for agents, and a user of the system
	{`somebody`, 0, "someone, a person, the user"},
	{`anybody`, 0, "anyone"},
	{`pays?, orders?, sends? or deletes?`, 1, "commit step"}, // its definition, in README.md
	{`commits to something`, 0, "commit step"},
	{`what is kept`, 0, "what is stored"},
	{`\b(is|are|was|were|be|been)( not| never| already)? kept\b`, 6, "stored, saved"},
	{`\bput(s|ting)? away\b`, 0, "stored"},
	{`\bsettl(e|es|ed|ing)\b[^(]`, 53, "resolve, decide; --settled stays"},
	{`\bscrub`, 0, "redact"},
	{`conceal`, 0, "redact, hide"},
	{`(?-i:\bbeside\b)`, 11, "next to, in addition to, alongside"},
	{`(?-i:\bbehind\b)`, 37, "after"},
	{`(?-i:\bwalls?\b)`, 5, "blocker; wall time stays"},
	{`what is in the way`, 1, "what blocks it, blocker"},
	{`\ba yes\b|is a no\b`, 0, "approved, approval, denied"},
	{`\bheld hand|by another hand\b`, 0, "held-out set, annotator"},
	{`known again`, 0, "found again, matched"},
	{`without a word`, 0, "without recording a result"},
	{`(?-i:\b(most|longest)[A-Z])`, 1, "maxX"},
	{`(?m)^\s*// \w+(\.\w+)? gives `, 0, "X returns the …"},
}

// TestWordsOfOurOwnBecomeFewer holds the bounds of unwanted words.
func TestWordsOfOurOwnBecomeFewer(t *testing.T) {
	t.Parallel()
	patterns := make([]*regexp.Regexp, len(unwanted))
	for i, u := range unwanted {
		patterns[i] = regexp.MustCompile(`(?i)` + u.pattern)
	}
	counts := make([]int, len(unwanted))
	where := make([][]string, len(unwanted))
	for _, file := range texts(t) {
		data, err := os.ReadFile(path.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for i := range unwanted {
			if n := len(patterns[i].FindAllIndex(data, -1)); n > 0 {
				counts[i] += n
				where[i] = append(where[i], file)
			}
		}
	}
	for i, u := range unwanted {
		switch n := counts[i]; {
		case n > u.bound:
			t.Errorf("%q stands %d times, %d are allowed: write %s; it is in %s", u.pattern, n, u.bound, u.instead, strings.Join(where[i][:min(len(where[i]), 10)], ", "))
		case n < u.bound:
			t.Errorf("%q stands only %d times: lower its bound from %d", u.pattern, n, u.bound)
		}
	}
}

// texts returns the files of the repository in which people read sentences.
func texts(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base[0] == '.' || base == "node_modules" || base == "bin" || name == "agent/autonomy/lab" || name == "internal/importtest"):
			return fs.SkipDir
		case !d.IsDir() && slices.Contains([]string{".go", ".ts", ".md", ".txtar"}, path.Ext(name)):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
