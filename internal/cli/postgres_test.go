package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/postgrestest"
)

func TestDocumentsAreKeptInPostgres(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	reprise := func(stdin string, args ...string) (string, int) {
		in, out := scratch(t, stdin), scratch(t, "")
		a := &app{stdin: in, stdout: out, stderr: out}
		code := a.execute(t.Context(), append(args, "--store", address))
		said, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(said), code
	}
	const flow = `{"title": "Flow", "steps": [{"type": "navigate", "url": "https://shop.example/"}]}`
	if out, code := reprise(flow, "import", "-", "--name", "flow"); code != 0 {
		t.Fatalf("import exits %d:\n%s", code, out)
	}
	for _, args := range [][]string{{"list"}, {"show", "flow"}} {
		if out, code := reprise("", args...); code != 0 || !strings.Contains(out, "shop.example") {
			t.Errorf("%v exits %d:\n%s", args, code, out)
		}
	}
	if out, code := reprise("", "show", "other"); code == 0 || !strings.Contains(out, "nothing is stored") {
		t.Errorf("showing what is not there exits %d:\n%s", code, out)
	}
}

// scratch returns a file that has a text in it, to be read from its beginning.
func scratch(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}
