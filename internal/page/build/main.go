// Command build bundles the page script: src/main.ts and what it imports become
// the one bundle.js. The same sources always give the same bytes.
//
// It is minified and in ASCII, for speed: Chrome compiles it once in each document that a
// flow goes through, and that takes less than half the time so. What it says is in src.
//
// It is a module of its own, so that nobody who uses Reprise downloads a bundler.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	entry  = "src/main.ts"
	bundle = "bundle.js"

	// header warns whoever opens the bundle, and linters that know the mark.
	header = "// Code generated from src by `make generate`. DO NOT EDIT."

	// oldestChrome is the oldest Chrome that the bundle's syntax must suit.
	oldestChrome = "120"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "bundle the page script: %v\n", err)
		os.Exit(1)
	}
}

// run bundles the package in the folder above this one, where `go generate`
// starts it.
func run() error {
	dir, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	code, err := build(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, bundle), code, 0o644)
}

// build returns the bundle of dir/src/main.ts.
func build(dir string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, // the bundle's comments name files from here, wherever the tree is
		EntryPoints:   []string{entry},
		Bundle:        true,
		Format:        api.FormatIIFE, // no name leaks into the world it runs in
		Platform:      api.PlatformBrowser,
		Engines:       []api.Engine{{Name: api.EngineChrome, Version: oldestChrome}},
		Charset:       api.CharsetASCII, // V8 keeps and reads it with one byte a character

		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Tsconfig:          "tsconfig.json",
		LegalComments:     api.LegalCommentsInline,
		Banner:            map[string]string{"js": header},
		LogLevel:          api.LogLevelSilent, // the messages come back as the error below
	})
	if problems := append(result.Errors, result.Warnings...); len(problems) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(problems, api.FormatMessagesOptions{}), ""))
	}
	if n := len(result.OutputFiles); n != 1 {
		return nil, fmt.Errorf("esbuild made %d files of %s, not one", n, entry)
	}
	return result.OutputFiles[0].Contents, nil
}
