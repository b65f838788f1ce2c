package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// asHolder names the variable that makes the test program one that holds browsers, with the
// directory of its store.
const asHolder = "REPRISE_TEST_HOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asHolder); dir != "" {
		if err := holdBrowsers(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	runtime, err := os.MkdirTemp("", "r-") // a socket's name is short
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = os.Setenv("XDG_RUNTIME_DIR", runtime)
	code := browsertest.Run(m)
	_ = os.RemoveAll(runtime)
	os.Exit(code)
}

// holds is what a holder tells of what it holds: a browser, and the pages in it and in the other one.
type holds struct{ Browser, Page, Context string }

// holdBrowsers keeps a browser, connects to another one, has a page in each, and waits to be killed.
func holdBrowsers(dir string) error {
	ctx := context.Background()
	var site, endpoint string
	if _, err := fmt.Scanln(&site, &endpoint); err != nil {
		return err
	}
	st, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	all := runner.NewBrowsers(st.Browsers(), func(err error) { fmt.Fprintln(os.Stderr, err) })
	kept, err := all.Keep(ctx, nil)
	if err != nil {
		return err
	}
	page, err := kept.NewIsolatedPage(ctx, site)
	if err != nil {
		return err
	}
	pages := &runner.PrivatePages{Held: all, Browser: func(ctx context.Context) (*browser.Browser, error) {
		return browser.Connect(ctx, endpoint, &browser.Options{KeepContexts: true})
	}}
	theirs, _, err := pages.Open(ctx, nil, "")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(holds{kept.InstanceID(), page.ID(), theirs.ID()}); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

func TestCleanupClosesWhatAKilledProcessHasLeft(t *testing.T) {
	browsertest.Slot(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	t.Cleanup(site.Close)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	dir := t.TempDir()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), asHolder+"="+dir), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_, _ = fmt.Fprintln(in, site.URL, host.Endpoint())
	var held holds
	if err := json.NewDecoder(out).Decode(&held); err != nil {
		t.Fatal(err)
	}
	closeContext := func(ctx context.Context, left store.Browser) error {
		b, err := browser.Connect(ctx, host.Endpoint(), nil)
		if err != nil {
			return err
		}
		return errors.Join(b.CloseContext(ctx, left.Context), b.Close())
	}
	cleanup := func(dry bool) (closed int) {
		t.Helper()
		all, err := runner.Cleanup(t.Context(), st, runner.CleanupOptions{DryRun: dry, Close: closeContext})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			t.Log(c.Browser.Kind, c.Closed, c.Why, c.Err)
			if c.Err != nil {
				t.Error(c.Err)
			}
			if c.Closed {
				closed++
			}
		}
		return closed
	}
	if n := cleanup(false); n != 0 {
		t.Fatalf("it closed %d that a process holds", n)
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()

	// A run that waits for a person is held.
	waiting := store.Run{ID: store.NewRunID(), Automation: "pay", State: store.WaitingForPerson, Started: time.Now(), Page: held.Context}
	if err := st.Runs().Save(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	if n := cleanup(false); n != 1 || len(browsersOf(t, st)) != 1 {
		t.Fatalf("it closed %d, and leaves %d, where a run waits for a person in one of two", n, len(browsersOf(t, st)))
	}
	if _, err := host.Page(t.Context(), held.Context); err != nil {
		t.Fatalf("the page in which a run waits: %v", err)
	}
	waiting.State = store.Cancelled
	if err := st.Runs().Save(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	if n := cleanup(true); n != 1 || len(browsersOf(t, st)) != 1 {
		t.Fatalf("it would close %d, and leaves %d", n, len(browsersOf(t, st)))
	}
	if n := cleanup(false); n != 1 {
		t.Fatalf("it closed %d", n)
	}
	if _, err := browser.Attach(t.Context(), held.Browser, nil); !errors.Is(err, browser.ErrEnded) {
		t.Errorf("the browser of its own: %v, want %v", err, browser.ErrEnded)
	}
	if _, err := host.Page(t.Context(), held.Context); !errors.Is(err, browser.ErrPageClosed) {
		t.Errorf("the page in the browser that it was connected to: %v, want %v", err, browser.ErrPageClosed)
	}
	if n := len(browsersOf(t, st)); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

func TestAPageThatCannotBeClosedIsLeftToTheNextProcess(t *testing.T) {
	browsertest.Slot(t)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	held := runner.NewBrowsers(st.Browsers(), func(err error) { t.Error(err) })
	pages := &runner.PrivatePages{Held: held, Browser: func(ctx context.Context) (*browser.Browser, error) {
		return browser.Connect(ctx, host.Endpoint(), &browser.Options{KeepContexts: true})
	}}
	_, release, err := pages.Open(t.Context(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	lost, releaseLost, err := pages.Open(t.Context(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := pages.Close(); err != nil { // the connection, as one that is lost
		t.Fatal(err)
	}
	releaseLost()
	held.Close()
	if left := browsersOf(t, st); len(left) != 1 || left[0].Page != lost.ID() {
		t.Errorf("the records are %+v, want that of the page %s", left, lost.ID())
	}
}

func browsersOf(t *testing.T, st store.Store) (all []store.Browser) {
	t.Helper()
	for one, err := range st.Browsers().List(t.Context()) {
		if err != nil || one.Err != nil {
			t.Fatal(err, one.Err)
		}
		all = append(all, one.Browser)
	}
	return all
}
