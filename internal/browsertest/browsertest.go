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
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/weburl"
)

// What may be done with a page after its test takes no longer, on a machine that has time for it.
const (
	closeTimeout = 30 * time.Second
	renewTimeout = 5 * time.Second // some pages cannot be left
)

// shared is the browser of the test process.
var shared struct {
	mu    sync.Mutex
	b     *browser.Browser
	spare []*browser.Page // that tests have left
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

// Page is a page of the shared browser with cookies and storage of its own, at an address ("" is a blank one), until the
// test ends. One that passes leaves it to the next one, without cookies, history and what the last site stored, unless
// something goes on in it still: a page costs eight times as much to open as to visit. A test that changes what the
// browser emulates in its page takes a [NewPage].
func Page(t testing.TB, url string) *browser.Page {
	t.Helper()
	b := Browser(t)
	p := takeSpare(b)
	switch {
	case p == nil:
		p = open(t, b, url)
	case url != "":
		if err := p.Navigate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() || renew(p) != nil || !leaveSpare(p) {
			closePage(t, p)
		}
	})
	return p
}

// NewPage is Page for a test that changes what the browser emulates in it, or counts what has ever happened in it: no
// other test has it before or after.
func NewPage(t testing.TB, url string) *browser.Page {
	t.Helper()
	p := open(t, Browser(t), url)
	t.Cleanup(func() { closePage(t, p) })
	return p
}

func open(t testing.TB, b *browser.Browser, url string) *browser.Page {
	t.Helper()
	p, err := b.NewIsolatedPage(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func closePage(t testing.TB, p *browser.Page) {
	t.Helper()
	ctx, cancel := load.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := p.Close(ctx); err != nil && !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("closing the page: %v", err)
	}
}

// spares are the most pages that wait for a test.
const spares = 4

func takeSpare(b *browser.Browser) *browser.Page {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for len(shared.spare) > 0 {
		last := len(shared.spare) - 1
		p := shared.spare[last]
		shared.spare = shared.spare[:last]
		if p.Browser() == b && p.Err() == nil {
			return p
		}
	}
	return nil
}

func leaveSpare(p *browser.Page) (left bool) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if left = len(shared.spare) < spares; left {
		shared.spare = append(shared.spare, p)
	}
	return left
}

// renew makes a page one that was just opened, as far as a test can tell.
func renew(p *browser.Page) error {
	ctx, cancel := load.WithTimeout(context.Background(), renewTimeout)
	defer cancel()
	tab := p.Target()
	tab.SetDialogs(nil)
	if !tab.Unused() {
		return errors.New("something goes on in it")
	}
	all, err := tab.Tree().Pages(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID() != tab.ID() && other.SharesContext(tab) {
			return errors.New("another page shares its cookies")
		}
	}
	site, _ := weburl.OriginOf(p.URL())
	// One that the browser keeps for going back would keep its process, and the next page need another.
	if _, err := tab.Send("Runtime.evaluate", map[string]any{"expression": `addEventListener("unload", () => {})`}).Wait(ctx); err != nil {
		return err
	}
	if err := p.Navigate(ctx, "about:blank"); err != nil {
		return err
	}
	calls := []*cdp.Call{
		tab.Send("Network.clearBrowserCookies", nil), // of the page's own browser context
		tab.Send("Runtime.evaluate", map[string]any{"expression": `name = ""`}),
	}
	if site != "" {
		calls = append(calls, tab.Send("Storage.clearDataForOrigin", map[string]any{"origin": site, "storageTypes": "all"}))
	}
	for _, call := range calls {
		_, failed := call.Wait(ctx)
		err = errors.Join(err, failed)
	}
	_, failed := tab.Send("Page.resetNavigationHistory", nil).Wait(ctx)
	return errors.Join(err, failed)
}
