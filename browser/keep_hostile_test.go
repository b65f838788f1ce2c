package browser_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// keep starts a browser that is ended with the test, with a page at a site.
func keep(t *testing.T) (*browser.Browser, *browser.Page) {
	t.Helper()
	browsertest.Slot(t)
	b, err := browser.Keep(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	p, err := b.NewIsolatedPage(within(t), form(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// place is the directory of a browser's keeper.
func place(b *browser.Browser) string {
	return filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "reprise", b.InstanceID())
}

func TestAKeeperHearsNoOneWithoutItsKey(t *testing.T) {
	b, p := keep(t)
	key, err := os.ReadFile(filepath.Join(place(b), "key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"nothing":                "",
		"a newline":              "\n",
		"no JSON":                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"no key":                 `{"version":1,"role":"control","take":true}` + "\n",
		"a wrong key":            `{"version":1,"role":"control","take":true,"key":"` + strings.Repeat("0", len(key)) + `"}` + "\n",
		"the start of the key":   `{"version":1,"role":"control","take":true,"key":"` + string(key[:len(key)-1]) + `"}` + "\n",
		"a driver of no control": `{"version":1,"role":"drive","token":1}` + "\n" + `{"id":1,"method":"Browser.close"}` + "\x00",
		"a line without an end":  strings.Repeat("x", 1<<20),
	} {
		conn, err := net.Dial("unix", filepath.Join(place(b), "socket"))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(conn, says) // it may have been closed by then
		if unix, is := conn.(*net.UnixConn); is {
			_ = unix.CloseWrite()
		}
		if heard, err := io.ReadAll(conn); len(heard) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: it answers %q, %v", name, heard, err)
		}
		_ = conn.Close()
	}
	if got := eval[string](t, p, "location.pathname"); got != "/" || b.Err() != nil {
		t.Errorf("the page is at %q, %v", got, b.Err())
	}
	for file, want := range map[string]os.FileMode{"": 0o700, "key": 0o600, "socket": 0o600} {
		info, err := os.Stat(filepath.Join(place(b), file))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q has the mode %v, want %v: %v", file, info.Mode().Perm(), want, err)
		}
	}
}

func TestADriverOfAnotherVersionIsToldSo(t *testing.T) {
	b, _ := keep(t)
	key, err := os.ReadFile(filepath.Join(place(b), "key"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", filepath.Join(place(b), "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := fmt.Fprintf(conn, `{"version":99,"role":"control","take":true,"key":"%s"}`+"\n", key); err != nil {
		t.Fatal(err)
	}
	if heard, err := io.ReadAll(conn); !strings.Contains(string(heard), "another version of Reprise") || err != nil {
		t.Errorf("it answers %q, %v", heard, err)
	}
	if b.Err() != nil {
		t.Errorf("its own driver: %v", b.Err())
	}
}

func TestADriverThatStandsStillIsTakenOver(t *testing.T) {
	browsertest.Slot(t)
	site := form(t)
	cmd, child := startChild(t, site.URL)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	b := attach(t, child.Browser, &browser.KeepOptions{Take: true})
	p := openedPage(t, b, child.Page)
	if got := eval[string](t, p, `document.querySelector("input").value`); got != "half a sen" {
		t.Errorf("the field has %q", got)
	}
	if got := eval[string](t, p, `fetch("/more").then(r => r.text())`); got != "/more<input>" {
		t.Errorf("the page asks for more, and has %q", got)
	}
}

func TestOfManyThatTakeOverTheLastDrives(t *testing.T) {
	first, p := keep(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	var drivers []*browser.Browser
	for range 20 {
		all.Go(func() {
			b, err := browser.Attach(within(t), first.InstanceID(), &browser.KeepOptions{Take: true})
			if errors.Is(err, browser.ErrTakenOver) || errors.Is(err, browser.ErrEnded) || errors.Is(err, browser.ErrDisconnected) {
				return // by another one, before it was there
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			drivers = append(drivers, b)
		})
	}
	all.Wait()
	last := attach(t, first.InstanceID(), &browser.KeepOptions{Take: true})
	for _, b := range drivers {
		browsertest.Until(t, "an earlier driver is told", func() bool { return b.Err() != nil })
		_ = b.Detach()
	}
	if got := eval[string](t, openedPage(t, last, p.ID()), "location.pathname"); got != "/" {
		t.Errorf("the page is at %q", got)
	}
}

func TestAKeeperThatIsKilledLeavesNothing(t *testing.T) {
	b, p := keep(t)
	eval[string](t, p, `document.title = "here"`)
	profiles := running(t, "reprise-profile-")
	running := instance(t, b.InstanceID())
	var keeper int
	state, err := os.ReadFile(filepath.Join(place(b), "state"))
	if err == nil {
		_, err = fmt.Sscanf(string(state[strings.Index(string(state), `"pid":`):]), `"pid":%d`, &keeper)
	}
	if err != nil || keeper == 0 || running == nil || len(profiles) == 0 {
		t.Fatal(err, keeper, running, len(profiles))
	}
	if err := syscall.Kill(keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "the browser ends", func() bool { return errors.Is(syscall.Kill(running.PID, 0), syscall.ESRCH) })
	browsertest.Until(t, "the driver is told", func() bool { return b.Err() != nil })
	if _, err := b.Reconnect(within(t)); !errors.Is(err, browser.ErrEnded) {
		t.Errorf("Reconnect: %v, want %v", err, browser.ErrEnded)
	}
	next, _ := keep(t) // which sweeps
	if _, err := os.Stat(place(b)); !os.IsNotExist(err) {
		t.Errorf("its directory is there: %v", err)
	}
	if instance(t, next.InstanceID()) == nil {
		t.Error("the next one is not among those that run")
	}
}

func TestADirectoryThatOthersMayEnterIsRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "r-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if err := os.Mkdir(filepath.Join(dir, "reprise"), 0o750); err != nil {
		t.Fatal(err)
	}
	if b, err := browser.Keep(within(t), nil); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Errorf("Keep: %v", err)
		if b != nil {
			_ = b.Close()
		}
	}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, strings.Repeat("long/", 30)))
	if err := os.MkdirAll(os.Getenv("XDG_RUNTIME_DIR"), 0o700); err != nil {
		t.Fatal(err)
	}
	if b, err := browser.Keep(within(t), nil); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Errorf("Keep with a long name: %v", err)
		if b != nil {
			_ = b.Close()
		}
	}
}
