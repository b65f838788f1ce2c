// Package browsertest gives tests a real browser: one for the test process,
// shared, with a context of its own for each page so that tests can run side by
// side. Where no browser is installed tests fail, with the way to install one;
// they are never skipped.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
)

// closeTimeout bounds the closing of a page, on a machine that is busy.
const closeTimeout = 30 * time.Second

// shared is the browser of the test process.
var shared struct {
	mu sync.Mutex
	b  *browser.Browser
}

// Main runs the tests of a package, ends the shared browser and the program. It is for TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a TestMain that has something to do after the tests: it returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.b != nil {
		if err := shared.b.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the shared browser:", err)
			code = max(code, 1)
		}
	}
	return code
}

// Browser is the shared browser, for a test that then has a [Slot]. A test that may end or crash a browser launches
// its own; should the shared one be lost nevertheless, the next test gets another.
func Browser(t testing.TB) *browser.Browser {
	t.Helper()
	Slot(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.b != nil && shared.b.Err() == nil {
		return shared.b
	}
	if shared.b != nil {
		t.Logf("the shared browser was lost: %v", errors.Join(shared.b.Err(), shared.b.Close()))
	}
	b, err := browser.Launch(context.Background(), &browser.Options{
		Width: 1280, Height: 800,
		Args: []string{"--disable-features=SpareRendererForSitePerProcess"}, // a process for each page that few tests use: a fifth of its cost
	})
	if err != nil {
		t.Fatal(err)
	}
	shared.b = b
	return b
}

// Page opens a page of the shared browser, with cookies and storage of its own,
// and closes it when the test ends.
func Page(t testing.TB, url string) *browser.Page {
	t.Helper()
	p, err := Browser(t).NewIsolatedPage(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := load.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if err := p.Close(ctx); err != nil && !errors.Is(err, browser.ErrDisconnected) {
			t.Errorf("closing the page: %v", err)
		}
	})
	return p
}
