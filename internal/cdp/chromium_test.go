package cdp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cdp"
)

func quietFlags(profile string) []string {
	return []string{
		"--headless=new", "--no-sandbox", "--user-data-dir=" + profile, "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-quic", "about:blank",
	}
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("REPRISE_CHROME"), "google-chrome", "chromium", "chromium-browser", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chrome or Chromium: apt-get install chromium, or set REPRISE_CHROME")
	return ""
}

// start runs a command in a process group that is gone, with its profile, at
// the end of the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		browsertest.Until(t, "Chromium's processes to end", func() bool {
			return errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH)
		})
	})
}

func overPipe(t *testing.T) *cdp.Client {
	t.Helper()
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(chromium(t), append(quietFlags(t.TempDir()), "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	start(t, cmd)
	_ = theirIn.Close()
	_ = theirOut.Close()
	return client(t, cdp.NewPipe(ourIn, ourOut))
}

func overWebSocket(t *testing.T) *cdp.Client {
	t.Helper()
	cmd := exec.Command(chromium(t), append(quietFlags(t.TempDir()), "--remote-debugging-port=0")...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "DevTools listening on "); ok {
			transport, err := cdp.DialWebSocket(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			return client(t, transport)
		}
	}
	t.Fatal("Chromium ended before it listened")
	return nil
}

func client(t *testing.T, tr cdp.Transport) *cdp.Client {
	t.Helper()
	c := cdp.New(tr)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask sends and decodes the reply.
func ask[T any](t *testing.T, c *cdp.Client, session, method string, params any) T {
	t.Helper()
	ctx := browsertest.Context(t)
	data, err := c.Send(session, method, params).Wait(ctx)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return v
}

type m = map[string]any

func newSession(t *testing.T, c *cdp.Client, url string) (session, target string) {
	t.Helper()
	created := ask[struct{ TargetID string }](t, c, "", "Target.createTarget", m{"url": url})
	at := ask[struct{ SessionID string }](t, c, "", "Target.attachToTarget", m{"targetId": created.TargetID, "flatten": true})
	return at.SessionID, created.TargetID
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx := browsertest.Context(t)
	return ctx
}
