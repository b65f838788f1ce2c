package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/go-reprise/reprise"
	root   = "../.."
)

// house reads the import graph from the sources, for every system at once, which
// `go list` would give only for this one.
func house(t *testing.T) graph {
	t.Helper()
	g := graph{}
	for _, file := range sources(t, ".go") {
		folder := path.Dir(file)
		if _, seen := g[folder]; !seen {
			g[folder] = nil
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, spec := range parse(t, file, parser.ImportsOnly).Imports {
			g[folder] = append(g[folder], imported(t, spec))
		}
	}
	for folder, imports := range g {
		slices.Sort(imports)
		g[folder] = slices.Compact(imports)
	}
	return g
}

func imported(t *testing.T, spec *ast.ImportSpec) string {
	t.Helper()
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		t.Fatal(err)
	}
	if folder, ours := strings.CutPrefix(name, module+"/"); ours {
		return own + folder
	}
	return name
}

func parse(t *testing.T, file string, mode parser.Mode) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sources returns the files of this module with one of the extensions, by their
// path from its root.
func sources(t *testing.T, extensions ...string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && elsewhere(name):
			return fs.SkipDir
		case !d.IsDir() && slices.Contains(extensions, path.Ext(name)):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no %v files under %s: this test looks in the wrong place", extensions, root)
	}
	return files
}

// elsewhere reports whether a folder is no part of this module's own sources.
func elsewhere(folder string) bool {
	if folder == "." {
		return false
	}
	base := path.Base(folder)
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(root, folder, "go.mod"))
	return err == nil
}

// reached returns everything that a package imports, itself or through others,
// on this system.
func reached(t *testing.T, pkg string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+pkg)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

// The other tests would pass on an empty house.
func TestTheHouseIsReadFromTheSources(t *testing.T) {
	t.Parallel()
	g := house(t)
	if !slices.Contains(g["automation"], own+"selectors") {
		t.Errorf("automation imports %v, want ./selectors among them", g["automation"])
	}
	if slices.Contains(g["internal/importtest"], "testing") {
		t.Error("the imports of tests are in the graph")
	}
	if _, ok := g["internal/page/build"]; ok {
		t.Error("another module's package is in the graph")
	}
	if deps := reached(t, "automation"); !slices.Contains(deps, module+"/selectors") {
		t.Errorf("automation reaches %v, want selectors among them", deps)
	}
}

// A server without limits can be held for ever by a client that is slow.
func TestEveryServerHasTheLimitsOfHttpserver(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".go") {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/httpserver/") {
			continue
		}
		ast.Inspect(parse(t, file, parser.SkipObjectResolution), func(n ast.Node) bool {
			var name ast.Expr
			switch n := n.(type) {
			case *ast.CompositeLit:
				name = n.Type
			case *ast.CallExpr:
				name = n.Fun
			}
			used, is := name.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := used.X.(*ast.Ident)
			if is && of.Name == "http" && slices.Contains([]string{"Server", "ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS"}, used.Sel.Name) {
				t.Errorf("%s uses http.%s: make the server with internal/httpserver", file, used.Sel.Name)
			}
			return true
		})
	}
}

// A command that reads all of what it is given can be given what has no end.
func TestCommandsReadTheirInputsWithALimit(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".go") {
		reads := []string{"internal/cli/files", "internal/cli/demo"} // with a limit; what it stored itself
		if !covers("internal/cli/...", path.Dir(file)) || coveredBy(reads, path.Dir(file)) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(parse(t, file, parser.SkipObjectResolution), func(n ast.Node) bool {
			used, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			if of, is := used.X.(*ast.Ident); is && (of.Name == "os" && used.Sel.Name == "ReadFile" || of.Name == "io" && used.Sel.Name == "ReadAll") {
				t.Errorf("%s uses %s.%s: read it with files.Read", file, of.Name, used.Sel.Name)
			}
			return true
		})
	}
}
