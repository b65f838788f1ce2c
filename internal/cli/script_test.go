package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/store"
)

func TestMain(m *testing.M) {
	testscript.Main(withBrowser{m}, map[string]func(){
		"reprise":              endsWithItsParent(func() { os.Exit(Main(os.Args[1:])) }),
		"reprise-fleet-worker": endsWithItsParent(fleetWorker),
	})
}

// endsWithItsParent is a command that ends when the process that started it has ended, also
// where that was killed: its browser ends with it.
func endsWithItsParent(command func()) func() {
	parent := os.Getppid()
	return func() {
		go func() {
			for range time.Tick(100 * time.Millisecond) {
				if os.Getppid() != parent {
					os.Exit(failure.ExitFailed)
				}
			}
		}()
		command()
	}
}

func TestACommandEndsWithTheTestThatIsKilled(t *testing.T) {
	t.Parallel()
	shell := exec.CommandContext(t.Context(), "sh", "-c", `reprise serve --listen 127.0.0.1:0 --data "$0" </dev/null & echo $!; wait`, t.TempDir())
	out, err := shell.StdoutPipe()
	shell.Stderr = shell.Stdout
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	lines, pid := bufio.NewScanner(out), 0
	for served := false; pid == 0 || !served; {
		if !lines.Scan() {
			t.Fatalf("nothing is served: %v", lines.Err())
		}
		served = served || strings.Contains(lines.Text(), "http://")
		_, _ = fmt.Sscan(lines.Text(), &pid)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = shell.Wait() // it was killed
	browsertest.Until(t, "the command ends", func() bool { return syscall.Kill(pid, 0) != nil })
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
			release, err := browsertest.TakeSlot(t.Context())
			if err != nil {
				return err
			}
			env.Defer(release)
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
			"visitors":  openVisitors,
			"visited":   visited,
		},
		RequireUniqueNames: true,
	})
}

// world is what a script has besides its directory.
type world struct {
	site    *demosite.Server
	shop    *shop
	browser *browser.Browser
	used    map[string]bool // pages, by ID
	visits  *visits
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

// exits runs a command that must end with a code: exits 2 reprise …
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("it ended with %d, want %d", got, want)
	}
}

// terminate asks all commands in the background to end, as a supervisor does.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

// signIns asks the server how often a user signed in: signins ada@example.com 1
func signIns(ts *testscript.TestScript, _ bool, args []string) {
	if got := worldOf(ts).site.SignIns(args[0]); strconv.Itoa(got) != args[1] {
		ts.Fatalf("%s signed in %d times, want %s", args[0], got, args[1])
	}
}

// orders asks the server for the values of a field in all orders: orders name Ada Grace
func orders(ts *testscript.TestScript, _ bool, args []string) {
	var got []string
	for _, order := range worldOf(ts).site.Submissions() {
		got = append(got, order.Get(args[0]))
	}
	if strings.Join(got, " ") != strings.Join(args[1:], " ") {
		ts.Fatalf("the orders' %s is %q, want %q", args[0], got, args[1:])
	}
}

// clean looks whether reprise left profiles, temporary files or processes.
// Files that may be there are named: clean 'reprise-demo-*'
func clean(ts *testscript.TestScript, _ bool, args []string) {
	left, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	for _, entry := range left {
		allowed := false
		for _, pattern := range args {
			ok, err := filepath.Match(pattern, entry.Name())
			ts.Check(err)
			allowed = allowed || ok
		}
		if !allowed {
			ts.Fatalf("%s was left behind", entry.Name())
		}
	}
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	process := leftRunning(ts)
	for limit := load.After(patience); process != "" && limit.Remaining() > 0; process = leftRunning(ts) {
		<-again.C // Chrome's own watcher of crashes ends on its own, soon after it
	}
	if process != "" {
		ts.Fatalf("a process was left behind: %s", process)
	}
}

// leftRunning is the command line of a process that names the script's directory, if there is one.
func leftRunning(ts *testscript.TestScript) string {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), ts.Getenv("WORK")) {
			return strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return ""
}

// appears waits for a temporary file: appears 'reprise-profile-*'
func appears(ts *testscript.TestScript, _ bool, args []string) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for limit := load.After(patience); limit.Remaining() > 0; <-again.C {
		found, err := filepath.Glob(filepath.Join(ts.Getenv("TMPDIR"), args[0]))
		ts.Check(err)
		if len(found) > 0 {
			return
		}
	}
	ts.Fatalf("%s did not appear", args[0])
}

// expand puts the script's variables into a file: expand flow.json
func expand(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := os.Expand(ts.ReadFile(file), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}

// fillFile makes a file of many megabytes: fill big.json 50
func fillFile(ts *testscript.TestScript, _ bool, args []string) {
	megabytes, err := strconv.Atoi(args[1])
	ts.Check(err)
	step := `{"tool": "click", "selector": "#go"},` + "\n"
	text := `{"format": 1, "name": "big", "match": {"urls": ["localhost"]}, "steps": [` + "\n" +
		strings.Repeat(step, megabytes<<20/len(step)) + `{"tool": "click", "selector": "#go"}]}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// without looks for a text in all files of directories, which must not be in any:
// without hunter2 data. With ! before it one of them must hold it.
func without(ts *testscript.TestScript, neg bool, args []string) {
	holder := ""
	for _, dir := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), args[0]) {
				holder = path
			}
			return err
		}))
	}
	if found := holder != ""; found != neg {
		ts.Fatalf("%q is in %q", args[0], holder)
	}
}

// forget has the site forget who is signed in.
func forget(ts *testscript.TestScript, _ bool, _ []string) { worldOf(ts).site.Reset() }

// crash kills the script's browser, or makes it exit: crash quit
func crash(ts *testscript.TestScript, _ bool, args []string) {
	method := "Browser.crash"
	if len(args) > 0 {
		method = "Browser.close"
	}
	b := worldOf(ts).browser
	pages, err := b.Pages(context.Background())
	ts.Check(err)
	pages[0].Target().Tree().Client().Send("", method, nil)
	<-b.Done()
}

// patience is how long a script waits for a page.
const patience = 40 * time.Second

// gestures has a person act in the page of $SITE at a path, once a new one is
// there:
// person /form 'fill #name Ada' 'click #gift' 'see /form/done' close
func gestures(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := load.WithTimeout(context.Background(), patience)
	defer cancel()
	page, err := worldOf(ts).pageAt(ctx, args[0])
	ts.Check(err)
	page.Target().Use()
	p := simuser.At(page.Target())
	for _, gesture := range args[1:] {
		ts.Check(act(ctx, page, p, strings.SplitN(gesture, " ", 3)))
	}
}

// pages counts those of the browser: pages 2
func pages(ts *testscript.TestScript, _ bool, args []string) {
	open, err := worldOf(ts).browser.Pages(context.Background())
	ts.Check(err)
	if strconv.Itoa(len(open)) != args[0] {
		ts.Fatalf("the browser has %d pages, want %s", len(open), args[0])
	}
}

// seen keeps a person from the pages that are there already.
func seen(ts *testscript.TestScript, _ bool, _ []string) {
	pages, err := worldOf(ts).browser.Pages(context.Background())
	ts.Check(err)
	for _, p := range pages {
		worldOf(ts).used[p.ID()] = true
	}
}

func act(ctx context.Context, page *browser.Page, p *simuser.User, words []string) error {
	switch words[0] {
	case "fill":
		return p.Fill(ctx, words[1], words[2])
	case "click":
		return p.Click(ctx, words[1])
	case "press":
		return p.Press(ctx, words[1])
	case "see":
		return p.See(ctx, words[1])
	case "close":
		return page.Close(ctx)
	}
	return fmt.Errorf("no gesture: %q", words)
}

// pageAt waits until an unused page is at a path of the site.
func (w *world) pageAt(ctx context.Context, path string) (*browser.Page, error) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		pages, err := w.browser.Pages(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if p.URL() == w.site.URL+path && !w.used[p.ID()] {
				w.used[p.ID()] = true
				return p, nil
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("no page came to %s: %w", path, ctx.Err())
		}
	}
}

// sells waits until so many orders were sent to the shop: sells 2
func sells(ts *testscript.TestScript, _ bool, args []string) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for limit := load.After(patience); limit.Remaining() > 0; <-again.C {
		if strconv.Itoa(int(worldOf(ts).shop.sent.Load())) == args[0] {
			return
		}
	}
	ts.Fatalf("%d orders were sent, want %s", worldOf(ts).shop.sent.Load(), args[0])
}

// newest has $RUN be the newest run, and $TOKEN what it goes on with, after it has the
// state that is given: newest failed
func newest(ts *testscript.TestScript, _ bool, args []string) {
	st, err := store.Open(context.Background(), ts.Getenv("REPRISE_DATA"))
	ts.Check(err)
	defer func() { ts.Check(st.Close()) }()
	for r, err := range st.Runs().List(context.Background()) {
		ts.Check(err)
		if string(r.State) != args[0] {
			ts.Fatalf("the newest run %s is %s, want %s: %v", r.ID, r.State, args[0], r.Err)
		}
		ts.Setenv("RUN", r.ID)
		ts.Setenv("TOKEN", r.Resume)
		return
	}
	ts.Fatalf("no run is stored")
}

// shop is a site of one page, which the script changes as its makers would.
type shop struct {
	*httptest.Server
	sent atomic.Int32
}

// openShop serves what is in a file, whenever it is asked for, at $SHOP:
// shop page.html. A new release is a new file: cp second.html page.html
func openShop(ts *testscript.TestScript, _ bool, args []string) {
	file, s := ts.MkAbs(args[0]), &shop{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		page, err := os.ReadFile(file)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("POST /sold", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "sold %d", s.sent.Add(1))
	})
	s.Server = httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("SHOP", s.URL)
	ts.Setenv("SHOPHOST", strings.TrimPrefix(s.URL, "http://"))
	worldOf(ts).shop = s
}

// records has a person act on the shop's page while it is recorded, and keeps that
// in a file: records order.json 'click #buy' 'see /sold'
func records(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := load.WithTimeout(context.Background(), patience)
	defer cancel()
	page, err := worldOf(ts).browser.NewPage(ctx, worldOf(ts).shop.URL+"/")
	ts.Check(err)
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: strings.TrimSuffix(filepath.Base(args[0]), ".json")})
	ts.Check(err)
	p := simuser.At(page.Target())
	for _, gesture := range args[1:] {
		ts.Check(act(ctx, page, p, strings.SplitN(gesture, " ", 3)))
	}
	document, _, err := r.Stop(ctx)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
	ts.Check(files.WriteDocument(ts.MkAbs(args[0]), document))
	ts.Check(page.Close(ctx))
}

// sold asks the shop how often anything was sent to it: sold 2
func sold(ts *testscript.TestScript, _ bool, args []string) {
	if got := worldOf(ts).shop.sent.Load(); strconv.Itoa(int(got)) != args[0] {
		ts.Fatalf("%d orders were sent, want %s", got, args[0])
	}
}
