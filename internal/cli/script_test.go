package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
)

func TestMain(m *testing.M) {
	testscript.Main(withBrowser{m}, map[string]func(){"reprise": func() { os.Exit(Main(os.Args[1:])) }, "reprise-fleet-worker": fleetWorker})
}

// withBrowser ends the browser that the scripts share.
type withBrowser struct{ *testing.M }

func (w withBrowser) Run() int {
	code := w.M.Run()
	if shared.b != nil {
		if err := shared.b.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the shared browser:", err)
			code = max(code, 1)
		}
	}
	return code
}

var shared struct {
	once sync.Once
	b    *browser.Browser
	err  error
}

// sharedBrowser has a port for `reprise --browser`. Its first page is taken, so
// that each reprise works in one of its own.
func sharedBrowser() (*browser.Browser, error) {
	shared.once.Do(func() {
		shared.b, shared.err = browser.Launch(context.Background(), &browser.Options{DebugPort: true})
		if shared.err == nil {
			_, shared.err = shared.b.NewPage(context.Background(), "data:text/html,taken")
		}
	})
	return shared.b, shared.err
}

func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("/tmp", "r") // Chrome's socket in it must have a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir:         "testdata/script",
		WorkdirRoot: root,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPRISE_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			if chrome := os.Getenv(browser.EnvPath); chrome != "" {
				env.Setenv(browser.EnvPath, chrome)
			}
			env.Values[theWorld{}] = &world{used: map[string]bool{}}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":     exits,
			"terminate": terminate,
			"site":      site,
			"shop":      openShop,
			"sold":      sold,
			"sells":     sells,
			"newest":    newest,
			"records":   records,
			"browser":   useBrowser,
			"crash":     crash,
			"person":    gestures,
			"signins":   signIns,
			"forget":    forget,
			"orders":    orders,
			"clean":     clean,
			"appears":   appears,
			"pages":     pages,
			"seen":      seen,
			"fill":      fillFile,
			"expand":    expand,
			"without":   without,
		},
		RequireUniqueNames: true,
	})
}

// world is what a script has beside its directory.
type world struct {
	site    *demosite.Server
	shop    *shop
	browser *browser.Browser
	used    map[string]bool // pages, by ID
}

// theWorld is the key of a script's world.
type theWorld struct{}

func worldOf(ts *testscript.TestScript) *world {
	w, ok := ts.Value(theWorld{}).(*world)
	if !ok {
		ts.Fatalf("the script has no world")
	}
	return w
}

// site serves the built-in site at $SITE.
func site(ts *testscript.TestScript, _ bool, _ []string) {
	s, err := demosite.Start(&demosite.Options{Delay: -1})
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
	ts.Setenv("SITE", s.URL)
	ts.Setenv("HOST", strings.TrimPrefix(s.URL, "http://"))
	worldOf(ts).site = s
}

// useBrowser has $BROWSER be the shared browser, or one of the script's own:
// browser own, or with a blank page: browser own blank
func useBrowser(ts *testscript.TestScript, _ bool, args []string) {
	b, err := sharedBrowser()
	if len(args) > 0 {
		b, err = browser.Launch(context.Background(), &browser.Options{DebugPort: true})
	}
	ts.Check(err)
	if len(args) > 0 {
		ts.Defer(func() { b.Close() }) // what is left of one that was killed is no matter here
	}
	if len(args) > 1 {
		_, err := b.NewPage(context.Background(), "")
		ts.Check(err)
	}
	ts.Setenv("BROWSER", b.Endpoint())
	worldOf(ts).browser = b
}
