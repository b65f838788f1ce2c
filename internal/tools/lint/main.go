// Command lint holds the checks that `go vet` and staticcheck do not make. It
// is run by `go vet -vettool`, which caches its findings as it does a build's.
//
// With gofmt, go vet and staticcheck they are golangci-lint's default set and a
// little more, without building golangci-lint.
package main

import (
	"go/ast"
	"go/token"

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
		unchecked(errcheck.Analyzer), // an error that nobody looked at
		errorlint.NewAnalyzer(),      // errors compared with == or cast, which %w breaks
		ineffassign.Analyzer,         // an assignment that nobody reads
		nilness.Analyzer,             // a nil that is certain to be followed
		unusedwrite.Analyzer,         // a field set on a copy
	)
}

// unchecked is errcheck but for the error of a deferred Close, with which there
// is nothing left to do.
func unchecked(all *analysis.Analyzer) *analysis.Analyzer {
	some := *all
	some.Run = func(pass *analysis.Pass) (any, error) {
		deferred := map[token.Pos]bool{}
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if d, ok := n.(*ast.DeferStmt); ok && isClose(d.Call) {
					deferred[d.Call.Lparen] = true
				}
				return true
			})
		}
		wanted := *pass
		wanted.Report = func(d analysis.Diagnostic) {
			if !deferred[d.Pos] {
				pass.Report(d)
			}
		}
		return all.Run(&wanted)
	}
	return &some
}

func isClose(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Close"
}
