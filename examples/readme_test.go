package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the README shows of the library compiles as it stands there.
func TestTheGoOfTheREADMECompiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("the README has no block of Go")
	}
	const head = `package readme

import (
	"context"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

`
	file := filepath.Join(t.TempDir(), "readme.go")
	if err := os.WriteFile(file, []byte(head+code), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, file)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
