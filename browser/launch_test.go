package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestALaunchedBrowserLooksLikeAPersons(t *testing.T) {
	t.Parallel()
	headers := make(chan http.Header, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		_, _ = fmt.Fprint(w, "<title>hello</title>")
	}))
	t.Cleanup(srv.Close)
	p := open(t, launch(t, nil), srv.URL)
	got := eval[struct {
		Webdriver            any
		Agent, Worker, Brand string
		Screen, Window       [2]int
	}](t, p, `(async () => {
		const url = URL.createObjectURL(new Blob(["postMessage(navigator.userAgent)"]))
		const worker = await new Promise(done => new Worker(url).onmessage = e => done(e.data))
		return {
			webdriver: navigator.webdriver, agent: navigator.userAgent, worker,
			brand: JSON.stringify(navigator.userAgentData.brands),
			screen: [screen.width, screen.height], window: [outerWidth, outerHeight],
		}
	})()`)
	header := <-headers
	if got.Webdriver != false {
		t.Errorf("navigator.webdriver is %v, in a person's browser false", got.Webdriver)
	}
	if want := ownUserAgent(t); got.Agent != want || got.Worker != want || header.Get("User-Agent") != want {
		t.Errorf("the user agent is\n%s in the page\n%s in a worker\n%s to the server; want\n%s", got.Agent, got.Worker, header.Get("User-Agent"), want)
	}
	if strings.Contains(got.Brand+header.Get("Sec-Ch-Ua"), "Headless") {
		t.Errorf("the brands tell: %s, %s", got.Brand, header.Get("Sec-Ch-Ua"))
	}
	if full := [2]int{1920, 1080}; got.Screen != full || got.Window != full {
		t.Errorf("screen %v, window %v; want %v", got.Screen, got.Window, full)
	}
}

func TestSitesAreIsolatedAndTheTimeZoneIsTheSystems(t *testing.T) {
	t.Parallel()
	var far string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = fmt.Fprintf(w, `<iframe src=/near></iframe><iframe src=%s/far></iframe>`, far)
		}
	}))
	t.Cleanup(srv.Close)
	far = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	b := launch(t, &browser.Options{DebugPort: true, Env: append(os.Environ(), "TZ=Asia/Tokyo")})
	p := open(t, b, srv.URL)
	socket, err := url.Parse(b.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	var frames []string
	browsertest.Until(t, "a frame of its own process", func() bool {
		frames = nil
		for _, target := range targets(t, socket.Host) {
			if target.Type == "iframe" {
				frames = append(frames, target.URL)
			}
		}
		return len(frames) > 0
	})
	if len(frames) != 1 || frames[0] != far+"/far" {
		t.Errorf("of their own process are %v, want only the other site's", frames)
	}
	zone := `Intl.DateTimeFormat().resolvedOptions().timeZone`
	if got := eval[string](t, p, zone); got != "Asia/Tokyo" {
		t.Errorf("the time zone is %s", got)
	}
	now := eval[int](t, open(t, launch(t, nil), ""), `-60 * new Date().getTimezoneOffset() || 0`)
	if _, offset := time.Now().Zone(); now != offset {
		t.Errorf("the clock is %d s ahead of UTC, the system's %d", now, offset)
	}
}

type targetInfo struct{ Type, URL string }

func targets(t *testing.T, host string) []targetInfo {
	t.Helper()
	response, err := http.Get("http://" + host + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var all []targetInfo
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// ownUserAgent is what the browser says on its own, without "Headless".
func ownUserAgent(t *testing.T) string {
	t.Helper()
	path, err := browser.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "--headless=new", "--no-sandbox", "--user-data-dir="+t.TempDir(), "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--dump-dom", "data:text/html,<script>document.write(navigator.userAgent)</script>").Output()
	if err != nil {
		t.Fatal(err)
	}
	agent := regexp.MustCompile(`Mozilla/[^<\]]+Safari/[\d.]+`).FindString(string(out))
	if !strings.Contains(agent, "Headless") {
		t.Fatalf("the browser's own user agent is %q", agent)
	}
	return strings.ReplaceAll(agent, "Headless", "")
}

func TestStealthIsForWhoAsksForIt(t *testing.T) {
	t.Parallel()
	for _, stealth := range []bool{true, false} {
		p := open(t, launch(t, &browser.Options{Stealth: stealth}), "data:text/html,")
		// One of the script's marks: a frame's window becomes the frame's own property.
		if got := eval[bool](t, p, `(f => (f.srcdoc = "x", Object.hasOwn(f, "contentWindow")))(document.createElement("iframe"))`); got != stealth {
			t.Errorf("asked for stealth: %v; the script ran: %v", stealth, got)
		}
	}
}

func TestArgumentsReachTheBrowser(t *testing.T) {
	t.Parallel()
	p := open(t, launch(t, &browser.Options{Args: []string{"--force-device-scale-factor=2"}, Width: 800, Height: 600}), "")
	if got := eval[string](t, p, `[devicePixelRatio, outerWidth, outerHeight].join()`); got != "2,800,600" {
		t.Errorf("got %s", got)
	}
	for _, arg := range []string{"--user-data-dir=/tmp", "--remote-debugging-port=9222", "--remote-debugging-pipe", "https://example.com"} {
		b, err := browser.Launch(t.Context(), &browser.Options{Args: []string{arg}})
		if err == nil {
			t.Errorf("%s was taken", arg)
			_ = b.Close()
		} else if !strings.Contains(err.Error(), arg[:strings.IndexByte(arg+"=", '=')]) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestAKeptProfileRemembersAndIsOpenOnce(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, known := r.Cookie("known")
		http.SetCookie(w, &http.Cookie{Name: "known", Value: "yes", MaxAge: 1000})
		_, _ = fmt.Fprint(w, known == nil)
	}))
	t.Cleanup(srv.Close)
	o := &browser.Options{ProfileDir: t.TempDir() + "/new"}
	for _, want := range []string{"false", "true"} {
		b := launch(t, o)
		if got := eval[string](t, open(t, b, srv.URL), "document.body.innerText"); got != want {
			t.Errorf("known to the site: %s, want %s", got, want)
		}
		if second, err := browser.Launch(t.Context(), o); !errors.Is(err, browser.ErrProfileInUse) {
			t.Errorf("a second browser: %v, want ErrProfileInUse", err)
			if err == nil {
				_ = second.Close()
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(o.ProfileDir); err != nil {
		t.Errorf("the profile that was to be left: %v", err)
	}
}

func TestWhereTheSandboxIsRefusedItIsLeftOutAndSaid(t *testing.T) {
	t.Parallel()
	path, err := browser.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	picky := script(t, `case "$*" in *--no-sandbox*) exec "`+path+`" "$@";; esac
echo "[0101/000000.0:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on ..." >&2; exit 133`)
	b, err := browser.LaunchSandboxed(t.Context(), &browser.Options{Path: picky, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "without its sandbox") {
		t.Errorf("the log says nothing of it: %s", log.String())
	}
	// The real one refuses to run as root with it, and has it for others.
	b, err = browser.LaunchSandboxed(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestABrowserThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	const slow = "did not answer within 1.5s"
	tests := map[string]struct {
		body string
		want []string
	}{
		"ends":             {"echo 'cannot open display' >&2; exit 3", []string{"exit status 3", "cannot open display"}},
		"leaves a child":   {"sleep 98765.4321 & exit 3", []string{"exit status 3"}},
		"hands over":       {"echo Opening in existing browser session.", []string{"open in another browser"}},
		"ends in silence":  {"exit 0", []string{"exit status 0", "said nothing"}},
		"does not answer":  {"echo waiting >&2; exec sleep 1000", []string{slow, "waiting"}},
		"speaks otherwise": {`printf 'hello\0' >&4; exec sleep 1000`, []string{"not a protocol message"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &browser.Options{Path: script(t, test.body), StartTimeout: patience}
			if test.want[0] == slow {
				o.StartTimeout = 1500 * time.Millisecond
			}
			b, err := browser.Launch(t.Context(), o)
			if err == nil {
				_ = b.Close()
			}
			var start *browser.StartError
			if !errors.As(err, &start) || start.Path != o.Path {
				t.Fatalf("got %v, want a StartError", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not tell %q", err, want)
				}
			}
			if left := append(running(t, o.Path), running(t, "98765.4321")...); len(left) > 0 {
				t.Errorf("processes are left: %s", left)
			}
		})
	}
}

func TestALaunchThatIsGivenUpLeavesNothing(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, test := range map[string]struct{ number, asked, started string }{
		"hangs when asked for its version": {number: "1", asked: "sleep 87654.1"},
		"hangs when started":               {number: "2", started: "sleep 87654.2"},
		"hangs in a child":                 {number: "3", started: "sleep 87654.3 & wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := filepath.Join(t.TempDir(), "args")
			path := filepath.Join(t.TempDir(), "chrome")
			text := "#!/bin/sh\ncase \"$*\" in *--version*) touch " + args + ".asked; : ; " + test.asked + "\necho 156.0.0.0; exit;; esac\n" +
				"echo \"$@\" > " + args + ".new; mv " + args + ".new " + args + "\n" + test.started + "\n"
			writeProgram(t, path, text)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				defer cancel(enough)
				_ = soonThere(t, args+map[bool]string{true: ".asked"}[test.asked != ""])
			}()
			b, err := browser.Launch(ctx, &browser.Options{Path: path})
			if err == nil {
				_ = b.Close()
			}
			if !errors.Is(err, enough) {
				t.Errorf("got %v, want the cause of the context", err)
			}
			if left := running(t, "sleep 87654."+test.number); len(left) > 0 {
				t.Errorf("processes are left: %s", left)
			}
			said, _ := os.ReadFile(args) // none if it was only asked
			_, profile, found := strings.Cut(string(said), "--user-data-dir=")
			if found == (test.asked != "") {
				t.Fatalf("it was started with %q", said)
			}
			profile, _, _ = strings.Cut(profile, " ")
			if _, err := os.Stat(filepath.Dir(profile)); found && !os.IsNotExist(err) {
				t.Errorf("the profile %s is left: %v", profile, err)
			}
		})
	}
}

// soonThere waits for a file.
func soonThere(t *testing.T, path string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return t.Context().Err()
		}
	}
}
