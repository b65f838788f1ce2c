// Command build bundles the benchmark's scripts for the pages: the page script's
// own sources, the changes, and what other projects use to name elements.
//
//	build ENTRY OUT [NODE_MODULES]
//
// A run of the benchmark starts it, so that the benchmark itself links no bundler.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// oldestChrome is the oldest Chrome that the bundle's syntax must suit.
const oldestChrome = "120"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "bundle the benchmark's scripts: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: build ENTRY OUT [NODE_MODULES]")
	}
	code, err := build(args[0], args[2:])
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], code, 0o644)
}

// build bundles a file and what it imports; packages are looked up in modules.
func build(entry string, modules []string) ([]byte, error) {
	var plugins []api.Plugin
	if len(modules) > 0 {
		plugins = append(plugins, playwright(modules[0]))
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry},
		Plugins:     plugins,
		NodePaths:   modules,
		Bundle:      true,
		Format:      api.FormatIIFE,
		Platform:    api.PlatformBrowser,
		Engines:     []api.Engine{{Name: api.EngineChrome, Version: oldestChrome}},
		Charset:     api.CharsetUTF8,
		LogLevel:    api.LogLevelSilent, // the messages come back as the error below
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), ""))
	}
	if n := len(result.OutputFiles); n != 1 {
		return nil, fmt.Errorf("esbuild made %d files of %s, not one", n, entry)
	}
	return result.OutputFiles[0].Contents, nil
}
