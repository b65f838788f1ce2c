// Package browsertest gives tests a real browser: one for the test process,
// shared, with a context of its own for each page so that tests can run side by
// side.
package browsertest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

var shared struct {
	once sync.Once
	b    *browser.Browser
	err  error
}

// Main runs the tests of a package and ends the shared browser. It is for TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if shared.b != nil {
		if err := shared.b.Close(); err != nil {
			println("closing the shared browser:", err.Error())
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Browser is the shared browser.
func Browser(t testing.TB) *browser.Browser {
	t.Helper()
	shared.once.Do(func() {
		shared.b, shared.err = browser.Launch(context.Background(), &browser.Options{Width: 1280, Height: 800})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.b
}

// Page opens a page of the shared browser, with cookies and storage of its own,
// and closes it when the test ends.
func Page(t testing.TB, url string) *browser.Page {
	t.Helper()
	b := Browser(t)
	p, err := b.NewPrivatePage(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := p.Close(context.Background())
		if err != nil && !errors.Is(err, browser.ErrLost) {
			t.Errorf("closing the page: %v", err)
		}
	})
	return p
}
