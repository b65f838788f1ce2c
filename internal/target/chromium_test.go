package target_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// patience is how long a test waits for what must happen; the machine may be
// busy.
const patience = 30 * time.Second

type m = map[string]any

// shared is the one browser of these tests, with a tree over it.
var shared struct {
	once    sync.Once
	err     error
	cmd     *exec.Cmd
	profile string
	client  *cdp.Client
	tree    *target.Tree
	wire    *wire
}

func TestMain(main *testing.M) {
	code := main.Run()
	if shared.tree != nil {
		shared.tree.Close()
		_ = shared.client.Close()
		if loud := shared.wire.loud(); len(loud) > 0 {
			fmt.Println("FAIL: pages can notice that these were sent:", loud)
			code = 1
		}
	}
	if shared.cmd != nil {
		_ = syscall.Kill(-shared.cmd.Process.Pid, syscall.SIGKILL)
		_ = shared.cmd.Wait()
		_ = os.RemoveAll(shared.profile)
	}
	os.Exit(code)
}

// quiet are the domains that pages cannot notice. Network and Fetch are enabled only
// while something commits, or a reply is waited for.
var quiet = []string{"Page.enable", "Network.enable", "Fetch.enable"}

// loud are the others that were enabled: pages can notice Runtime, Console and Log,
// and none is needed.
func (w *wire) loud() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var loud []string
	for _, m := range w.sent {
		if strings.HasSuffix(m.Method, ".enable") && !slices.Contains(quiet, m.Method) {
			loud = append(loud, m.Method)
		}
	}
	return loud
}

// tree is the tree of the shared browser.
func tree(t *testing.T) *target.Tree {
	t.Helper()
	browsertest.Slot(t)
	shared.once.Do(func() {
		shared.cmd, shared.wire, shared.err = chromium()
		if shared.err != nil {
			return
		}
		shared.client = cdp.New(shared.wire)
		shared.tree, shared.err = target.New(context.Background(), shared.client, nil)
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.tree
}

// chromium starts a browser that ends when the connection does.
func chromium() (*exec.Cmd, *wire, error) {
	path, err := find()
	if err != nil {
		return nil, nil, err
	}
	if shared.profile, err = os.MkdirTemp("", "reprise-target-test-"); err != nil {
		return nil, nil, err
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--user-data-dir="+shared.profile, "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--disable-hang-monitor", "--disable-popup-blocking", "--no-startup-window",
		"--allow-pre-commit-input", // what is pressed before the first frame would be dropped
		"--remote-debugging-pipe", "--remote-debugging-port=0")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return cmd, &wire{Transport: cdp.NewPipe(ourIn, ourOut)}, errors.Join(theirIn.Close(), theirOut.Close())
}

func find() (string, error) {
	for _, name := range []string{os.Getenv("REPRISE_CHROME"), "google-chrome-stable", "google-chrome", "chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chrome or Chromium: apt-get install chromium, or set REPRISE_CHROME")
}

// wire is a transport that remembers what was sent over it.
type wire struct {
	cdp.Transport
	mu   sync.Mutex
	sent []message
}

type message struct {
	Method string `json:"method"`
}

func (w *wire) Send(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	w.mu.Lock()
	w.sent = append(w.sent, m)
	w.mu.Unlock()
	return w.Transport.Send(data)
}

// open opens a page with cookies and storage of its own, closed when the test ends.
func open(t *testing.T, url string) *target.Page {
	t.Helper()
	return openIn(t, tree(t), url)
}

func openIn(t *testing.T, tr *target.Tree, url string) *target.Page {
	t.Helper()
	id, err := tr.NewContext(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := load.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := tr.CloseContext(ctx, id); err != nil {
			t.Errorf("closing the context: %v", err)
		}
	})
	p, err := tr.Open(within(t), url, &target.OpenOptions{ContextID: id})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func within(t *testing.T) context.Context {
	t.Helper()
	return browsertest.Context(t)
}

// eval runs an expression in the page's own world, as if a person had just
// touched the page.
func eval[T any](t *testing.T, p *target.Page, expression string) T {
	t.Helper()
	reply, err := p.Send("Runtime.evaluate", m{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}).Wait(within(t))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	var answer struct {
		Result    struct{ Value json.RawMessage }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil || answer.Exception != nil {
		t.Fatalf("%s: %v %s", expression, err, answer.Exception)
	}
	var v T
	if len(answer.Result.Value) == 0 {
		return v
	}
	if err := json.Unmarshal(answer.Result.Value, &v); err != nil {
		t.Fatalf("%s gave %s: %v", expression, answer.Result.Value, err)
	}
	return v
}

// another is a second connection to the shared browser, as of another program.
func another(t *testing.T) *target.Tree {
	t.Helper()
	browsertest.Slot(t)
	tree(t)
	port, err := os.ReadFile(filepath.Join(shared.profile, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	transport, err := cdp.DialWebSocket(within(t), "ws://127.0.0.1:"+strings.Replace(string(port), "\n", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	client := cdp.New(transport)
	tr, err := target.New(within(t), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tr.Close()
		_ = client.Close()
	})
	return tr
}

// site serves pages by path, on two sites: 127.0.0.1 and localhost. A page is
// its HTML, in which HERE and THERE stand for the one and the other, or an
// http.HandlerFunc.
func site(t *testing.T, pages map[string]any) (here, there string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch page := pages[r.URL.Path].(type) {
		case func(http.ResponseWriter, *http.Request):
			page(w, r)
		case string:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html>"+strings.NewReplacer("HERE", here, "THERE", there).Replace(page))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	here, there = srv.URL, strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return here, there
}

// until does something until it has come about. Chrome drops what is pressed in a page
// that has not been shown yet, and says that all went well.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for ctx := within(t); !done(); {
		if ctx.Err() != nil {
			t.Fatalf("%v: %s", context.Cause(ctx), what)
		}
	}
}

// document asks the script in a frame which document it is in.
func document(t *testing.T, f *target.Frame) string {
	t.Helper()
	for {
		var said struct{ Doc string }
		err := f.Call(within(t), &said, "flush")
		if target.IsLeft(err) {
			continue
		}
		if err != nil || said.Doc == "" {
			t.Fatalf("calling into %s: %v, %+v", f.URL(), err, said)
		}
		return said.Doc
	}
}

// remembers waits until the tree remembers of a page what it should.
func remembers(t *testing.T, p *target.Page, want target.Counts) {
	t.Helper()
	var got target.Counts
	err := p.Tree().Wait(within(t), func() (bool, error) {
		got = p.Tree().Count(p)
		return got == want, nil
	})
	if err != nil {
		t.Errorf("the tree remembers %+v, want %+v", got, want)
	}
}

// frameAt waits for the page to have a frame at an address that ends so.
func frameAt(t *testing.T, p *target.Page, end string) *target.Frame {
	t.Helper()
	var found *target.Frame
	err := p.Tree().Wait(within(t), func() (bool, error) {
		found = nil
		for _, f := range target.FramesOf(p) {
			if strings.HasSuffix(target.URLOf(f), end) {
				found = f
			}
		}
		return found != nil, nil
	})
	if err != nil {
		t.Fatalf("no frame at %s: %v", end, err)
	}
	return found
}

// loaded is a promise of a document that has all of it.
const loaded = `new Promise(done => document.readyState === "complete" ? done() : addEventListener("load", done))`

// back goes back to an address in the page's history.
func back(t *testing.T, p *target.Page, url string) {
	t.Helper()
	reply, err := p.Send("Page.getNavigationHistory", nil).Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var history struct {
		Entries []struct {
			ID  int
			URL string
		}
	}
	if err := json.Unmarshal(reply, &history); err != nil {
		t.Fatal(err)
	}
	for _, entry := range history.Entries {
		if entry.URL == url {
			if _, err := p.Send("Page.navigateToHistoryEntry", m{"entryId": entry.ID}).Wait(within(t)); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s is not in the history", url)
}
