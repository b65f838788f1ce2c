package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
)

// Whatever a command is given to read, it reads no more than the limit, and prints what that
// is: also where it has no end.
func TestNoInputIsReadBeyondItsLimit(t *testing.T) {
	t.Parallel()
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skip("there is no " + endless)
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "table.csv")
	if err := os.Symlink(endless, table); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# x\n", 1<<18+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	flow := filepath.Join(dir, "flow.json")
	if err := os.WriteFile(flow, []byte(`{"format": 1, "name": "flow", "match": {"urls": ["shop.example"]}, "steps": [{"tool": "navigate", "url": "https://shop.example/"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args  []string
		stdin string // a file
		says  string
	}{
		{[]string{"guard", "--config", endless}, "", "1048576 bytes"},
		{[]string{"guard", "--config", large}, "", "1048576 bytes"},
		{[]string{"guard"}, endless, "67108864 bytes"},
		{[]string{"validate", endless}, "", "8388608 bytes"},
		{[]string{"validate", "-"}, endless, "8388608 bytes"},
		{[]string{"show", endless}, "", "8388608 bytes"},
		{[]string{"play", endless}, "", "8388608 bytes"},
		{[]string{"play", flow, "--vars", endless}, "", "1048576 bytes"},
		{[]string{"play", flow, "--vars", "-"}, endless, "1048576 bytes"},
		{[]string{"play", flow, "--vars", table}, "", "1048576 bytes"},
		{[]string{"import", endless}, "", "8388608 bytes"},
		{[]string{"import", "-"}, endless, "8388608 bytes"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--token-file", endless}, "", "4096 bytes"},
		{[]string{"task", "put", "bill"}, endless, "1048576 bytes"},
		{[]string{"credential", "set", "shop", "--account", "ada", "--origin", "https://shop.example", "--from-stdin", "--key", filepath.Join(dir, "key")}, endless, "1048576 bytes"},
	} {
		t.Run(strings.Join(test.args, " ")+test.stdin, func(t *testing.T) {
			t.Parallel()
			ctx := browsertest.Context(t)
			a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
			if test.stdin != "" {
				in, err := os.Open(test.stdin)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				a.stdin = in
			}
			code := a.execute(ctx, append(test.args, "--data", filepath.Join(t.TempDir(), "data")))
			var said []byte
			for _, f := range []*os.File{a.stdout, a.stderr} {
				text, err := os.ReadFile(f.Name())
				if err != nil {
					t.Fatal(err)
				}
				said = fmt.Appendf(said, "%s", text)
			}
			if code != failure.ExitUsage || ctx.Err() != nil || !strings.Contains(string(said), test.says) {
				t.Errorf("it exits %d, and says %.300s, want %d and %q", code, said, failure.ExitUsage, test.says)
			}
		})
	}
}
