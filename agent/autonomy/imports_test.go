package autonomy_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The guard is of use to programs that use nothing else of this module.
func TestTheGuardImportsNothingOfTheModule(t *testing.T) {
	t.Parallel()
	const own = "github.com/go-reprise/reprise/agent/autonomy/"
	looked := 0
	for _, folder := range []string{".", "stats", "internal/detect"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
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
				if path == "regexp" || strings.Contains(first, ".") && path != "go.yaml.in/yaml/v3" && !strings.HasPrefix(path, own) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d imports were looked at", looked)
	}
}
