package autonomy_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The guard is of use to programs that use nothing else of this module.
func TestTheGuardImportsNothingOfTheModule(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			looked++
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(path, "/")
			if path == "regexp" || strings.Contains(first, ".") && path != "go.yaml.in/yaml/v3" {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d imports were looked at", looked)
	}
}
