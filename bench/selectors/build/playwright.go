package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// injected is the module name under which Playwright's own page script is
// imported. Its package holds it as a string within a bundle.
const injected = "playwright-injected"

// marker stands before the string, in the version that the lock file pins.
const marker = `"packages/playwright-core/src/generated/injectedScriptSource.ts"() {`

func playwright(modules string) api.Plugin {
	return api.Plugin{Name: injected, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^" + injected + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: injected, Namespace: injected}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: injected}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			literal, err := literalIn(filepath.Join(modules, "playwright-core", "lib", "coreBundle.js"))
			code := "export default " + literal
			return api.OnLoadResult{Contents: &code}, err
		})
	}}
}

// literalIn finds the string as it is written in the bundle, quotes and all.
func literalIn(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	_, after, found := strings.Cut(string(data), marker)
	_, assigned, _ := strings.Cut(after, " = ")
	if !found || assigned == "" {
		return "", errors.New("playwright-core is not built as it was: its page script was not found")
	}
	quote := assigned[0]
	for i := 1; i < len(assigned); i++ {
		switch assigned[i] {
		case '\\':
			i++
		case quote:
			return assigned[:i+1], nil
		}
	}
	return "", errors.New("playwright-core's page script has no end")
}
