package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
)

// A program drives the browser that record has launched without a window.
func TestARecordingWithoutAWindowIsDrivenByItsEndpoint(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	temp, err := os.MkdirTemp("", "r") // Chrome's socket in it must have a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	data := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = []string{"reprise", "record", site.URL + "/form", "--name", "order", "--headless", "--json", "--data", data}
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	lines.Scan()
	endpoint, ok := strings.CutPrefix(lines.Text(), "endpoint ")
	if !ok {
		t.Fatalf("the first line is %q, want the endpoint; it ended with %v: %s", lines.Text(), cmd.Wait(), stdout.String())
	}
	typeName(t, endpoint, site)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until it has ended
		t.Log(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	var report render.Recorded
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if report.Steps != 2 || report.Path != filepath.Join(data, "automations", "order.json") || report.Ended != "interrupted" {
		t.Errorf("it reports %+v", report)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("it left %v behind (%v)", left, err)
	}
}

func typeName(t *testing.T, endpoint string, site *demosite.Server) {
	t.Helper()
	b, err := browser.Connect(t.Context(), endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{site: site, browser: b, used: map[string]bool{}}
	page, err := w.pageAt(t.Context(), "/form")
	if err != nil {
		t.Fatal(err)
	}
	page.Target().Use()
	if err := simuser.At(page.Target()).Fill(t.Context(), "#name", "Ada"); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
