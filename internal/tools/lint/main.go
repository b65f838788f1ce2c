// Command lint holds the checks that `go vet` and staticcheck do not make. It
// is run by `go vet -vettool`, which caches its findings as it does a build's.
//
// With gofmt, go vet and staticcheck they are golangci-lint's default set and a
// little more, without building golangci-lint.
package main

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/kisielk/errcheck/errcheck"
	"github.com/polyfloyd/go-errorlint/errorlint"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/unusedwrite"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(
		library(errcheck.Analyzer), // an error that no one looked at
		library(comparisons()),     // an error compared with ==, which %w breaks
		ineffassign.Analyzer,       // an assignment that no one reads
		nilness.Analyzer,           // a nil that is certain to be followed
		unusedwrite.Analyzer,       // a field set on a copy
	)
}

// comparisons is errorlint without its findings about type switches: walking a
// tree of errors is made of them.
func comparisons() *analysis.Analyzer {
	a := errorlint.NewAnalyzer()
	if err := a.Flags.Set("asserts", "false"); err != nil {
		panic(err) // the flag was renamed by a new version
	}
	return a
}

// library keeps an analyzer's findings, but for two kinds: those in tests and in
// packages for tests, where an error is often the very thing that is compared,
// and those about a deferred call, with whose error there is nothing left to do.
func library(all *analysis.Analyzer) *analysis.Analyzer {
	some := *all
	some.Run = func(pass *analysis.Pass) (any, error) {
		deferred := deferredCalls(pass.Files)
		wanted := *pass
		wanted.Report = func(d analysis.Diagnostic) {
			if !forTests(pass, d.Pos) && !deferred[d.Pos] {
				pass.Report(d)
			}
		}
		return all.Run(&wanted)
	}
	return &some
}

func forTests(pass *analysis.Pass, at token.Pos) bool {
	return strings.HasSuffix(pass.Fset.Position(at).Filename, "_test.go") ||
		strings.HasSuffix(pass.Pkg.Name(), "test")
}

// deferredCalls returns where errcheck reports the calls in `defer f()`.
func deferredCalls(files []*ast.File) map[token.Pos]bool {
	at := map[token.Pos]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if d, ok := n.(*ast.DeferStmt); ok {
				at[d.Call.Lparen] = true
			}
			return true
		})
	}
	return at
}
