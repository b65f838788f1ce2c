// Command build bundles the page script: src/main.ts and what it imports become
// bundle.min.js. The same sources always make the same bytes. With -readable it prints
// the script with all its names instead, and writes nothing.
//
// Chrome compiles the script once in each document that a flow goes through. Minified, and
// in ASCII, which V8 keeps with one byte a character, that takes less than half the time.
//
// It is a module of its own, so that no one who uses Reprise downloads a bundler.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	entry  = "src/main.ts"
	bundle = "bundle.min.js"

	// header warns a reader who opens a bundle, and linters that know the mark.
	header = "// Code generated from src by `make generate`. DO NOT EDIT."

	// oldestChrome is the oldest Chrome that the bundles' syntax must suit.
	oldestChrome = "120"
)

func main() {
	readable := flag.Bool("readable", false, "print the script with all its names")
	flag.Parse()
	if err := run(*readable); err != nil {
		fmt.Fprintf(os.Stderr, "bundle the page script: %v\n", err)
		os.Exit(1)
	}
}

// run bundles the package in the folder above this one, where `go generate`
// starts it.
func run(isReadable bool) error {
	dir, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if isReadable {
		code, err := build(dir, readable)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(code)
		return err
	}
	code, err := build(dir, minified)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, bundle), code, 0o644)
}

func readable(o *api.BuildOptions) { o.Charset = api.CharsetUTF8 }

func minified(o *api.BuildOptions) {
	o.Charset = api.CharsetASCII
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = true, true, true
}

// build returns a bundle of dir/src/main.ts.
func build(dir string, particular func(*api.BuildOptions)) ([]byte, error) {
	options := api.BuildOptions{
		AbsWorkingDir: dir, // the bundle's comments name files from here, wherever the tree is
		EntryPoints:   []string{entry},
		Bundle:        true,
		Format:        api.FormatIIFE, // no name leaks into the world it runs in
		Platform:      api.PlatformBrowser,
		Engines:       []api.Engine{{Name: api.EngineChrome, Version: oldestChrome}},
		Tsconfig:      "tsconfig.json",
		LegalComments: api.LegalCommentsInline,
		Banner:        map[string]string{"js": header},
		LogLevel:      api.LogLevelSilent, // the messages come back as the error below
	}
	particular(&options)
	result := api.Build(options)
	if problems := append(result.Errors, result.Warnings...); len(problems) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(problems, api.FormatMessagesOptions{}), ""))
	}
	if n := len(result.OutputFiles); n != 1 {
		return nil, fmt.Errorf("esbuild made %d files of %s, not one", n, entry)
	}
	return result.OutputFiles[0].Contents, nil
}
