package browser_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cdp"
)

// BenchmarkReady measures the time until a page can be navigated, next to the time that Chrome itself needs
// until its endpoint is open, and that a client needs which does nothing but open one.
func BenchmarkReady(b *testing.B) {
	path, err := browser.Find(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Chrome's endpoint", func(b *testing.B) {
		for b.Loop() {
			bare(b, path, func(string) {})
		}
	})
	b.Run("Chrome's first page", func(b *testing.B) {
		for b.Loop() {
			bare(b, path, func(endpoint string) { firstPage(b, endpoint) })
		}
	})
	b.Run("Launch", func(b *testing.B) {
		for b.Loop() {
			ready(b, func() (*browser.Browser, error) { return browser.Launch(b.Context(), nil) })
		}
	})
	b.Run("Keep", func(b *testing.B) {
		for b.Loop() {
			ready(b, func() (*browser.Browser, error) { return browser.Keep(b.Context(), nil) })
		}
	})
	b.Run("a context in a kept browser", func(b *testing.B) {
		kept, err := browser.Keep(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = kept.Close() }()
		for b.Loop() {
			p, err := kept.NewIsolatedPage(b.Context(), "")
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = p.Close(b.Context())
			b.StartTimer()
		}
	})
}

// bare starts Chrome with hardly a flag, and calls use when its endpoint is open.
func bare(b *testing.B, path string, use func(endpoint string)) {
	dir, err := os.MkdirTemp("", "endpoint")
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--no-first-run", "--no-startup-window", "--disable-gpu", "--remote-debugging-port=0", "--user-data-dir="+dir)
	out, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	endpoint := ""
	for lines := bufio.NewScanner(out); endpoint == "" && lines.Scan(); {
		_, endpoint, _ = strings.Cut(lines.Text(), "DevTools listening on ")
	}
	if endpoint == "" {
		b.Fatal("Chrome has not opened its endpoint")
	}
	use(endpoint)
	b.StopTimer()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_ = os.RemoveAll(dir)
	b.StartTimer()
}

// firstPage opens a page by the three commands that it takes, and waits until its document answers.
func firstPage(b *testing.B, endpoint string) {
	transport, err := cdp.DialWebSocket(b.Context(), endpoint)
	if err != nil {
		b.Fatal(err)
	}
	client := cdp.New(transport)
	defer func() { _ = client.Close() }()
	var page struct{ TargetID, SessionID string }
	for _, c := range []struct {
		method string
		params map[string]any
	}{
		{"Target.createTarget", map[string]any{"url": "about:blank"}},
		{"Target.attachToTarget", map[string]any{"flatten": true}},
		{"Runtime.evaluate", map[string]any{"expression": "document.title"}},
	} {
		if page.TargetID != "" && page.SessionID == "" {
			c.params["targetId"] = page.TargetID
		}
		result, err := client.Call(b.Context(), page.SessionID, c.method, c.params)
		if err == nil {
			err = json.Unmarshal(result, &page)
		}
		if err != nil {
			b.Fatal(c.method, err)
		}
	}
}

func ready(b *testing.B, start func() (*browser.Browser, error)) {
	started, err := start()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := started.NewPage(b.Context(), ""); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	_ = started.Close()
	b.StartTimer()
}
