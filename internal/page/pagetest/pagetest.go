// Package pagetest builds the page script for tests that break a part of it on purpose.
package pagetest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Readable returns the page script with all its names. It is built once in a process,
// with the bundler's own module, so that nothing but a test ever needs that. The
// working directory must be in the module, where `go test` runs every test.
var Readable = sync.OnceValues(func() (string, error) {
	// The build outlives the test that asks first: others of the process share it.
	ctx := context.Background()
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	dir := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "internal", "page", "build")
	var stderr strings.Builder
	run := exec.CommandContext(ctx, "go", "run", "-C", dir, ".", "-readable")
	run.Stderr = &stderr
	script, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("build the page script: %w\n%s", err, stderr.String())
	}
	return string(script), nil
})
