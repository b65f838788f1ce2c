package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/target"
)

// keepChild is what a program that drives a browser tells of it.
type keepChild struct{ Browser, Page string }

// keepAsChild is a program that keeps a browser, opens a page at the address that it reads, types
// into it, tells of it, and waits to be killed.
func keepAsChild() {
	if err := keepAndType(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func keepAndType() error {
	ctx := context.Background()
	address, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return err
	}
	b, err := browser.Keep(ctx, nil)
	if err != nil {
		return err
	}
	p, err := b.NewIsolatedPage(ctx, strings.TrimSpace(address))
	if err != nil {
		return err
	}
	if _, err := p.Rod().Eval(`() => { document.querySelector("input").value = "half a sen"; window.born = Math.random(); document.cookie = "who=ada" }`); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(keepChild{b.InstanceID(), p.ID()})
}

// startChild starts a program that keeps a browser at an address.
func startChild(t *testing.T, address string) (*exec.Cmd, keepChild) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"=keep")
	cmd.Stderr = os.Stderr
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
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := fmt.Fprintln(in, address); err != nil {
		t.Fatal(err)
	}
	var child keepChild
	if err := json.NewDecoder(out).Decode(&child); err != nil {
		t.Fatal(err)
	}
	return cmd, child
}

// form serves a field, and what is asked of it.
func form(t *testing.T) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, r.URL.Path+`<input>`)
	}))
	t.Cleanup(site.Close)
	return site
}

// attach drives a browser that is ended with the test.
func attach(t *testing.T, id string, o *browser.KeepOptions) *browser.Browser {
	t.Helper()
	b, err := browser.Attach(within(t), id, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return b
}

func openedPage(t *testing.T, b *browser.Browser, id string) *browser.Page {
	t.Helper()
	p, err := b.Page(within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "kill the driver of a browser 100 times")

func TestEveryPageOutlivesTheProgramThatOpenedIt(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	count := 1
	if *soak {
		count = 100
	}
	for i := range count {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { outlives(t, site) })
	}
	browsertest.Until(t, "all browsers end", func() bool {
		left, err := browser.Instances()
		return err == nil && len(left) == 0
	})
}

// parsed waits for all of a document, as a navigation ends when the document begins.
const parsed = `new Promise((done) => document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done())`

func outlives(t *testing.T, site *httptest.Server) {
	t.Helper()
	cmd, child := startChild(t, site.URL+"/first")
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	b := attach(t, child.Browser, nil)
	p := openedPage(t, b, child.Page)
	if got := eval[string](t, p, `document.querySelector("input").value + document.cookie + typeof window.born`); got != "half a senwho=adanumber" {
		t.Errorf("the page has %q", got)
	}
	if err := p.Navigate(within(t), site.URL+"/second"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, parsed+`.then(() => document.body.innerText + document.cookie)`); got != "/secondwho=ada" {
		t.Errorf("the next page has %q", got)
	}
	if got := eval[string](t, p, `fetch("/third").then(r => r.text())`); got != "/third<input>" {
		t.Errorf("the page asks for more, and has %q", got)
	}
	other, err := b.NewIsolatedPage(within(t), site.URL+"/other")
	if err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, other, parsed+`.then(() => document.body.innerText + document.cookie)`); got != "/other" {
		t.Errorf("another page has %q", got)
	}
}

func TestOneProgramDrivesABrowser(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	first, err := browser.Keep(within(t), &browser.KeepOptions{Holder: "the first"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	p, err := first.NewIsolatedPage(within(t), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	eval[string](t, p, `document.title = "as it was"`)
	if _, err := browser.Attach(within(t), first.InstanceID(), nil); !errors.Is(err, browser.ErrDriven) {
		t.Errorf("another program attaches: %v, want %v", err, browser.ErrDriven)
	}
	second := attach(t, first.InstanceID(), &browser.KeepOptions{Take: true, Holder: "the second"})
	for range 1000 { // the first does not know yet, or does
		p.Target().Send("Runtime.evaluate", map[string]any{"expression": `document.title = "changed by the first"`})
	}
	if got := eval[string](t, openedPage(t, second, p.ID()), `document.title`); got != "as it was" {
		t.Errorf("the title is %q", got)
	}
	select {
	case <-first.Done():
	case <-within(t).Done():
		t.Error("the first is not told")
	}
	if _, err := first.Reconnect(within(t)); !errors.Is(err, browser.ErrTakenOver) {
		t.Errorf("the first comes back: %v, want %v", err, browser.ErrTakenOver)
	}
	running, err := browser.Instances()
	if err != nil || len(running) != 1 || running[0].ID != second.InstanceID() || running[0].Holder != "the second" {
		t.Errorf("the browsers that run are %+v, %v", running, err)
	}
}

func TestACutConnectionIsMadeAgain(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	b, err := browser.Keep(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	eval[string](t, p, `document.title = "as it was"`)
	b.Cut()
	<-p.Done()
	again, err := b.Reconnect(within(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	p = openedPage(t, again, p.ID())
	if got := eval[string](t, p, `document.title + location.pathname`); got != "as it was/" {
		t.Errorf("the page is %q", got)
	}
	if got := eval[string](t, p, `fetch("/more").then(r => r.text())`); got != "/more<input>" {
		t.Errorf("the page asks for more, and has %q", got)
	}
}

func TestABrowserThatNoOneDrivesEnds(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	for name, leave := range map[string]func(b *browser.Browser, p *browser.Page) error{
		"when its idle time is over": func(b *browser.Browser, _ *browser.Page) error { return b.Detach() },
		"with its last page": func(b *browser.Browser, p *browser.Page) error {
			return errors.Join(p.Close(within(t)), b.Detach())
		},
		"on request": func(b *browser.Browser, _ *browser.Page) error { return b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			idle := time.Hour
			if strings.Contains(name, "idle") {
				idle = 100 * time.Millisecond
			}
			b, err := browser.Keep(within(t), &browser.KeepOptions{IdleTimeout: idle})
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.NewPage(within(t), site.URL)
			if err != nil {
				t.Fatal(err)
			}
			running := instance(t, b.InstanceID())
			if running == nil {
				t.Fatal("the browser is not among those that run")
			}
			if err := leave(b, p); err != nil {
				t.Fatal(err)
			}
			browsertest.Until(t, "it ends", func() bool { return instance(t, b.InstanceID()) == nil })
			if err := syscall.Kill(running.PID, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("its process %d is there: %v", running.PID, err)
			}
			if _, err := browser.Attach(within(t), b.InstanceID(), nil); !errors.Is(err, browser.ErrEnded) {
				t.Errorf("attaching: %v, want %v", err, browser.ErrEnded)
			}
		})
	}
}

func instance(t *testing.T, id string) *browser.Instance {
	t.Helper()
	running, err := browser.Instances()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range running {
		if one.ID == id {
			return &one
		}
	}
	return nil
}

func TestWhatWasHeldFailsWithItsDriver(t *testing.T) {
	browsertest.Slot(t)
	asked := make(chan string, 8)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			asked <- r.URL.Path
		}
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(site.Close)
	b, err := browser.Keep(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	holding, err := p.Target().Hold(within(t), func(*target.Request) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	eval[string](t, p, `(window.sent = fetch("/pay", {method: "POST"}).then(() => "sent", () => "failed"), "")`)
	if err := holding.WaitHeld(within(t)); err != nil {
		t.Fatal(err)
	}
	b.Cut()
	again := attach(t, b.InstanceID(), nil)
	if got := eval[string](t, openedPage(t, again, p.ID()), `window.sent`); got != "failed" {
		t.Errorf("what was held is %s", got)
	}
	select {
	case path := <-asked:
		t.Errorf("%s was sent", path)
	default:
	}
}

func TestADialogIsThereForTheNextDriver(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	b, err := browser.Keep(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	p.Target().SetDialogs(target.LeaveDialogs)
	opened := make(chan struct{})
	defer p.Target().Watch(&dialogs{opened: opened})()
	eval[string](t, p, `(setTimeout(() => { document.title = String(confirm("really?")) }), "")`)
	<-opened
	b.Cut()
	again := attach(t, b.InstanceID(), nil)
	open, err := again.Pages(within(t))
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	next := open[0]
	next.LeaveDialogs()
	if asked := next.Target().Asking(); asked == nil || asked.Message != "really?" {
		t.Errorf("the dialog is %+v", asked)
	}
	other, err := again.NewIsolatedPage(within(t), site.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Target().Hold(within(t), func(*target.Request) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, other, `fetch("/meanwhile", {method: "POST"}).then(r => r.text(), () => "failed")`); got != "/meanwhile<input>" {
		t.Errorf("while the dialog is open another page has %q", got)
	}
	next.Target().SetDialogs(func(target.Dialog) (bool, string, bool) { return true, "", true })
	if got := eval[string](t, next, "document.title"); got != "true" {
		t.Errorf("it was answered with %s", got)
	}
	again.Cut()
	third := attach(t, b.InstanceID(), nil)
	if got := eval[string](t, openedPage(t, third, p.ID()), "document.title"); got != "true" {
		t.Errorf("the page of the driver after that has %s", got)
	}
}

// dialogs hears of a dialog.
type dialogs struct {
	target.Watcher
	opened chan struct{}
}

func (d *dialogs) Dialog(*target.Page, target.Dialog)                  { close(d.opened) }
func (d *dialogs) Navigated(*target.Frame, target.Navigation)          {}
func (d *dialogs) Answered(*target.Page, target.Dialog, target.Answer) {}
func (d *dialogs) Opened(*target.Page)                                 {}

func TestAPageWithAProxyGoesNoOtherWayWithTheNextDriver(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	address, asked := connectProxy(t, site.Listener.Addr().String())
	another, askedAnother := connectProxy(t, site.Listener.Addr().String())
	password, err := automation.NewSecret("proxy-canary")
	if err != nil {
		t.Fatal(err)
	}
	proxied := &browser.PageOptions{Proxy: &browser.Proxy{Server: address, Username: "ada", Password: password}}
	b, err := browser.Keep(within(t), &browser.KeepOptions{Options: browser.Options{Page: proxied}})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := b.NewPage(within(t), "http://shared.test/")
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.NewIsolatedPage(within(t), "http://isolated.test/")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"state", "key"} {
		data, err := os.ReadFile(filepath.Join(place(b), file))
		if err != nil || strings.Contains(string(data), "proxy-canary") {
			t.Errorf("the keeper's %s has the password, or %v", file, err)
		}
	}
	_ = b.Detach()
	// What knows nothing of the proxy would go by the one that its environment names.
	environment := append(os.Environ(), "HTTP_PROXY="+strings.Replace(another, "://", "://ada:proxy-canary@", 1))
	next := attach(t, b.InstanceID(), &browser.KeepOptions{Options: browser.Options{Env: environment}})
	for _, id := range []string{shared.ID(), p.ID()} {
		if got := eval[string](t, openedPage(t, next, id), `fetch("/more").then(r => r.text(), () => "failed")`); got != "failed" {
			t.Errorf("the page has %q, without its proxy", got)
		}
	}
	if got := askedAnother(); len(got) != 0 {
		t.Errorf("another proxy was asked for %q", got)
	}
	_ = next.Detach()
	before := len(asked())
	third := attach(t, b.InstanceID(), &browser.KeepOptions{Options: browser.Options{Env: environment, Page: proxied}})
	for _, id := range []string{shared.ID(), p.ID()} {
		if got := eval[string](t, openedPage(t, third, id), `fetch("/again").then(r => r.text(), () => "failed")`); got != "/again<input>" {
			t.Errorf("the page has %q, with its proxy", got)
		}
	}
	if got := asked(); len(got) == before {
		t.Errorf("the proxy was asked for %q", got)
	}
}

func TestALongAddressKeepsNoDialogFromTheNextDriver(t *testing.T) {
	b, p := keep(t)
	p.Target().SetDialogs(target.LeaveDialogs)
	opened := make(chan struct{})
	defer p.Target().Watch(&dialogs{opened: opened})()
	eval[string](t, p, `(location.hash = "x".repeat(1.1e6), setTimeout(() => { document.title = String(confirm("really?")) }), "")`)
	<-opened
	b.Cut()
	again := attach(t, b.InstanceID(), nil)
	open, err := again.Pages(within(t))
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	next := open[0]
	next.LeaveDialogs()
	if asked := next.Target().Asking(); asked == nil || !strings.HasPrefix(asked.Message, "really?") {
		t.Fatalf("the dialog is %+v", asked)
	}
	next.Target().SetDialogs(func(target.Dialog) (bool, string, bool) { return true, "", true })
	if got := eval[string](t, next, "document.title"); got != "true" {
		t.Errorf("it was answered with %s", got)
	}
}
