package browser_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

// BenchmarkReady measures the time until a page can be navigated, next to the time that Chrome itself needs
// until its endpoint is open.
func BenchmarkReady(b *testing.B) {
	path, err := browser.Find(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Chrome's endpoint", func(b *testing.B) {
		for b.Loop() {
			dir, err := os.MkdirTemp("", "endpoint")
			if err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--remote-debugging-port=0", "--user-data-dir="+dir)
			out, err := cmd.StderrPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "DevTools listening"); {
			}
			b.StopTimer()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_ = os.RemoveAll(dir)
			b.StartTimer()
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
