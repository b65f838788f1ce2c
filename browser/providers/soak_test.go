package providers_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/browser/providers/providertest"
	"github.com/go-reprise/reprise/internal/browsertest"
)

var soak = flag.Bool("soak", false, "open, kill and close browsers 300 times")

const (
	rounds     = 7
	roundsSoak = 300
	// goneWithin is how long what was killed may take to be gone.
	goneWithin = 60 * time.Second
	// launcherEnv has this test binary launch a browser and wait to be killed.
	launcherEnv = "REPRISE_PROVIDERS_TEST_LAUNCH"
)

func TestMain(m *testing.M) {
	if os.Getenv(launcherEnv) == "" {
		browsertest.Main(m)
		return
	}
	b, err := browser.Launch(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("launched")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = b.Close()
}

// opened is what a round opens browsers with.
type opened struct {
	*testing.T
	local, other, rented browser.Provider
}

// use opens an isolated page, so that there is a browser context to be left.
func (o *opened) use(b *browser.Browser, err error) *browser.Browser {
	o.Helper()
	if err == nil {
		_, err = b.NewIsolatedPage(browsertest.Context(o.T), "")
	}
	if err != nil {
		o.Fatal(err)
	}
	return b
}

func (o *opened) try(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// keptAlive opens a session that goes on without a connection.
func (o *opened) keptAlive() *browser.Session {
	o.Helper()
	s, err := o.local.Open(browsertest.Context(o.T), &browser.SessionOptions{KeepAlive: true})
	o.try(err)
	o.use(s.Browser, nil)
	return s
}

var ways = []func(o *opened){
	func(o *opened) { // launched and closed
		o.try(o.use(browser.Launch(browsertest.Context(o.T), nil)).Close())
	},
	func(o *opened) { // the program is killed
		self, err := os.Executable()
		o.try(err)
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), launcherEnv+"=1")
		_, err = cmd.StdinPipe()
		o.try(err)
		out, err := cmd.StdoutPipe()
		o.try(err)
		o.try(cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "launched\n" {
			o.Errorf("%q, %v", line, err)
		}
		o.try(cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	},
	func(o *opened) { // it goes on, and another ends it
		s := o.keptAlive()
		o.try(s.Browser.Detach())
		o.try(o.other.Close(browsertest.Context(o.T), s.ID))
	},
	func(o *opened) { // it goes on, and is killed
		s := o.keptAlive()
		all, err := browser.Instances()
		o.try(err)
		for _, i := range all {
			if i.ID == s.ID {
				o.try(syscall.Kill(i.PID, syscall.SIGKILL))
			}
		}
		_ = s.Browser.Close() // its browser has gone
	},
	func(o *opened) { // it is driven, and another ends it
		s := o.keptAlive()
		o.try(o.other.Close(browsertest.Context(o.T), s.ID))
		_ = s.Browser.Close() // it is another's
	},
	func(o *opened) { // rented, and closed
		b, _, err := browser.OpenSession(browsertest.Context(o.T), o.rented, nil)
		o.try(o.use(b, err).Close())
	},
	func(o *opened) { // rented, and ended without its connection
		s, err := o.rented.Open(browsertest.Context(o.T), nil)
		o.try(err)
		b, err := s.Connect(browsertest.Context(o.T), nil)
		o.use(b, err)
		o.try(o.rented.Close(browsertest.Context(o.T), s.ID))
		o.try(b.Close())
	},
}

func TestNothingIsLeftOfBrowsersThatWereOpened(t *testing.T) {
	browsertest.Slot(t)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	page, err := host.NewPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "soak") // a longer path is too long for Chrome's socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, name := range []string{"TMPDIR", "XDG_RUNTIME_DIR"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, filepath.Join(dir, name))
	}
	cloud := providertest.NewCloud(t, host.Endpoint(), providertest.SpeakSteel)
	o := &opened{T: t}
	o.local, _ = providers.New("local", nil)
	o.other, _ = providers.New("local", nil)
	o.rented, err = providers.New("steel", &providers.Options{BaseURL: cloud.URL, Key: func(context.Context) (automation.Secret, error) {
		return automation.NewSecret(cloud.Key, cloud.URL)
	}})
	o.try(err)
	n := rounds
	if *soak {
		n = roundsSoak
	}
	for i := range n {
		ways[i%len(ways)](o)
	}
	began := time.Now()
	left := func() (all []string) {
		ways[0](o) // a launch removes the profiles of programs that were killed
		for _, name := range []string{"TMPDIR", "XDG_RUNTIME_DIR"} {
			_ = filepath.WalkDir(filepath.Join(dir, name), func(path string, e fs.DirEntry, err error) error {
				if err == nil && e.Name() == "dconf" { // of a library of Chrome's
					return filepath.SkipDir
				}
				if err == nil && (!e.IsDir() || strings.HasPrefix(e.Name(), "reprise-profile-")) {
					all = append(all, path)
				}
				return nil
			})
		}
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, line := range lines {
			if data, err := os.ReadFile(line); err == nil && strings.Contains(string(data), dir) {
				all = append(all, line)
			}
		}
		if running := cloud.Running(); running > 0 {
			all = append(all, fmt.Sprint(running, " sessions"))
		}
		contexts, err := proto.TargetGetBrowserContexts{}.Call(page.Rod().Browser())
		if o.try(err); len(contexts.BrowserContextIDs) > 0 {
			all = append(all, fmt.Sprint(len(contexts.BrowserContextIDs), " contexts"))
		}
		return all
	}
	all := left()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ; len(all) > 0 && time.Since(began) < goneWithin; all = left() {
		<-tick.C
	}
	if len(all) > 0 {
		t.Fatalf("after %v of %d browsers there is still: %v", goneWithin, n, all)
	}
	t.Logf("of %d browsers nothing is left after %v", n, time.Since(began).Round(100*time.Millisecond))
}
