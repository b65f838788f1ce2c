package cases

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// row is one of docs/cases.md: a case, and what holds it.
var row = regexp.MustCompile(`(?m)^\| .* \| (.*) \|$`)

// held is a name in a row: a case of this package, or a test elsewhere with its folder.
var held = regexp.MustCompile(`\x60([^\x60]+)\x60`)

func TestEveryRowOfTheTableIsHeldByWhatExists(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile(filepath.Join(root, "docs/cases.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOf(t)
	named := map[string]bool{}
	for _, match := range row.FindAllStringSubmatch(string(table), -1) {
		names := held.FindAllStringSubmatch(match[1], -1)
		if len(names) == 0 && match[1] != "held by" {
			t.Errorf("nothing is named in the row %s", match[0])
		}
		for _, name := range names {
			named[name[1]] = true
		}
	}
	for name := range named {
		_, err := os.Stat("testdata/" + name + ".txtar")
		if err != nil && !slices.Contains(tests, name) {
			t.Errorf("docs/cases.md names %s, and there is neither such a case nor such a test", name)
		}
	}
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		if name := strings.TrimSuffix(filepath.Base(path), ".txtar"); !named[name] {
			t.Errorf("the case %s is not in docs/cases.md", name)
		}
	}
}

var test = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)

// testsOf lists the tests of all packages, as folder.TestName.
func testsOf(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return errorOrSkip(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		for _, match := range test.FindAllStringSubmatch(string(data), -1) {
			all = append(all, folder+"."+match[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func errorOrSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}
