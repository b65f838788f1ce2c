// Command lint holds the checks that `go vet` and staticcheck do not make. It
// is run by `go vet -vettool`, which caches its findings as it does a build's.
//
// With gofmt, go vet and staticcheck they are golangci-lint's default set and a
// little more, without building golangci-lint.
package main

import (
	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/kisielk/errcheck/errcheck"
	"github.com/polyfloyd/go-errorlint/errorlint"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/unusedwrite"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(
		errcheck.Analyzer,       // an error that nobody looked at
		errorlint.NewAnalyzer(), // errors compared with == or cast, which %w breaks
		ineffassign.Analyzer,    // an assignment that nobody reads
		nilness.Analyzer,        // a nil that is certain to be followed
		unusedwrite.Analyzer,    // a field set on a copy
	)
}
