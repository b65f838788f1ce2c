package exchange_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// tools is where npm has put the other tools.
const tools = "testdata/tools"

// node runs a program of another tool, unless there is no node here.
func node(t *testing.T, env []string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node here, so what the other tool makes of it was not seen")
	}
	if _, err := os.Stat(filepath.Join(tools, "node_modules", ".package-lock.json")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the other tools are not installed: run scripts/need-tools")
		}
		t.Skip("the other tools are not installed: `make test` does that, or scripts/need-tools")
	}
	chrome, err := browser.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := browsertest.Context(t)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = tools
	cmd.Env = append(os.Environ(), append(env, browser.EnvPath+"="+chrome)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", args, err, out)
	}
	return string(out)
}

func startSite(t *testing.T) *demosite.Server {
	t.Helper()
	s, err := demosite.Start(&demosite.Options{Delay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shop is a document that signs in and orders on a site.
func shop(t *testing.T, site string) *automation.Automation {
	t.Helper()
	return document(t, "shop.json", site)
}

func document(t *testing.T, file, site string) *automation.Automation {
	t.Helper()
	text := strings.ReplaceAll(string(sample(t, file, site)), "$HOST", strings.TrimPrefix(site, "http://"))
	a, err := automation.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// write puts an export into a directory of its own.
func write(t *testing.T, name, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ordered looks at what the server has got: one sign-in, and one order.
func ordered(t *testing.T, site *demosite.Server, by demosite.Account) {
	t.Helper()
	if n := site.SignIns(by.Email); n != 1 {
		t.Errorf("%s signed in %d times, want once", by.Email, n)
	}
	const name = `Ada "the" Lovelace's`
	order(t, site, map[string]string{
		"name": name, "email": by.Email, "phone": "+43 512 0123", "city": "Linz (" + name + ")", "country": "Austria",
		"quantity": "2", "date": "2026-12-31", "delivery": "express", "terms": "accepted", "gift": "",
	})
}

func order(t *testing.T, site *demosite.Server, want map[string]string) {
	t.Helper()
	got := site.Submissions()
	if len(got) != 1 {
		t.Fatalf("the server has %d orders, want one: %v", len(got), got)
	}
	for field, value := range want {
		if got[0].Get(field) != value {
			t.Errorf("the order's %s is %q, want %q", field, got[0].Get(field), value)
		}
	}
}

func TestPuppeteerReplayPlaysWhatIsExportedForChrome(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada := site.Accounts()[0]
	text, report, err := exchange.Export(shop(t, site.URL), exchange.Chrome, &exchange.ExportOptions{Values: map[string]any{"email": ada.Email}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "${password}") != 1 || !strings.Contains(told(report), `"password" is a secret`) {
		t.Errorf("the password's placeholder is not there once, or not told of:\n%s", told(report))
	}
	ready := strings.ReplaceAll(string(text), "${password}", ada.Password) // as the report says to
	out := node(t, nil, "replay.mjs", write(t, "flow.json", ready))
	if !strings.Contains(out, "/form/done") {
		t.Errorf("it ended at %s", out)
	}
	ordered(t, site, ada)
}

// playwright runs or lists the test that a document becomes.
func playwright(t *testing.T, a *automation.Automation, env []string, args ...string) string {
	t.Helper()
	text, _, err := exchange.Export(a, exchange.Playwright, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(write(t, "exported.spec.ts", string(text)))
	// A test finds @playwright/test next to itself, as in any project.
	modules, err := filepath.Abs(filepath.Join(tools, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"node_modules/@playwright/test/cli.js", "test", "--config", "playwright.config.mjs"}, args...)
	return node(t, append(env, "REPRISE_TESTS="+dir), args...)
}

func TestPlaywrightRunsTheTestThatIsExported(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada := site.Accounts()[0]
	playwright(t, shop(t, site.URL), []string{"REPRISE_EMAIL=" + ada.Email, "REPRISE_PASSWORD=" + ada.Password})
	ordered(t, site, ada)
}

// written looks at what the server was sent from frames, shadow roots and windows.
func written(t *testing.T, site *demosite.Server, want ...string) {
	t.Helper()
	eventually(t, strings.Join(want, ", "), func() bool {
		var got []string
		for _, event := range site.Seen() {
			got = append(got, event.Values.Get("message"))
		}
		return slices.Equal(got, want)
	})
}

func TestFramesShadowRootsAndWindowsAreCarriedOver(t *testing.T) {
	t.Parallel()
	const frame, shadow, window = "from a frame", "from a shadow root", "from a window"
	t.Run("to Playwright", func(t *testing.T) {
		t.Parallel()
		site := startSite(t)
		playwright(t, document(t, "trees.json", site.URL), nil)
		written(t, site, frame, shadow, window)
	})
	t.Run("to Chrome", func(t *testing.T) {
		t.Parallel()
		site := startSite(t)
		text, report, err := exchange.Export(document(t, "trees.json", site.URL), exchange.Chrome, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told(report), "the address of its tab is not known") {
			t.Errorf("it is not told that Chrome cannot go on in the window:\n%s", told(report))
		}
		node(t, nil, "replay.mjs", write(t, "flow.json", string(text)))
		written(t, site, frame, shadow)
	})
	t.Run("to Playwright's recorder and back", func(t *testing.T) {
		t.Parallel()
		site := startSite(t)
		text, _, err := exchange.Export(document(t, "trees.json", site.URL), exchange.JSONL, nil)
		if err != nil {
			t.Fatal(err)
		}
		playHere(t, text, nil)
		written(t, site, frame, shadow, window)
	})
	for name, part := range map[string]struct {
		from, to, lost int
		want           string
	}{
		"frames to Selenium IDE and back":  {0, 5, 2, frame}, // which knows no shadow roots
		"windows to Selenium IDE and back": {5, 9, 0, window},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := startSite(t)
			a := document(t, "trees.json", site.URL)
			a.Steps = a.Steps[part.from:part.to]
			text, report, err := exchange.Export(a, exchange.Side, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(told(report), "cannot use any of its selectors"); n != part.lost {
				t.Errorf("%d steps are told to be lost, want %d:\n%s", n, part.lost, told(report))
			}
			playHere(t, text, nil)
			written(t, site, part.want)
		})
	}
}

// eventually waits for what the server gets.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-again.C {
		if is() {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

// The program that is exported is built against this module, with no network.
func TestTheProgramThatIsExportedBuildsAndPlays(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada, grace := site.Accounts()[0], site.Accounts()[1]
	a := shop(t, site.URL)
	text, report, err := exchange.Export(a, exchange.Go, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report) != 0 {
		t.Errorf("something was lost: %s", told(report))
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The program stands in the module only for the compiler.
	file := write(t, "main.go", string(text))
	place := filepath.Join(root, "examples", "exported", "main.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{place: file}})
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "exported")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", write(t, "overlay.json", string(overlay)), "-o", bin, "./examples/exported")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s\n%s", err, out, text)
	}
	out, err := exec.CommandContext(t.Context(), bin, "-help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"-commit", "-email", "-headed", "-name", "$REPRISE_EMAIL"} {
		if !strings.Contains(string(out), says) {
			t.Errorf("its help says nothing of %s:\n%s", says, out)
		}
	}
	if strings.Contains(string(out), "-password") {
		t.Errorf("it takes a secret as a flag, which everybody on the machine can see:\n%s", out)
	}
	name := `REPRISE_NAME=Ada "the" Lovelace's`
	unasked := exec.CommandContext(t.Context(), bin, "-email", grace.Email)
	unasked.Env = append(os.Environ(), "REPRISE_PASSWORD="+grace.Password, name)
	if out, err := unasked.CombinedOutput(); err == nil || !strings.Contains(string(out), "refused: it commits") || len(site.Submissions()) != 0 {
		t.Fatalf("without -commit it gives %v, with %d orders:\n%s", err, len(site.Submissions()), out)
	}
	play := exec.CommandContext(t.Context(), bin, "-email", ada.Email, "-commit")
	play.Env = append(os.Environ(), "REPRISE_PASSWORD="+ada.Password, name)
	if out, err := play.CombinedOutput(); err != nil || strings.Contains(string(out), ada.Password) {
		t.Fatalf("%v\n%s", err, out)
	}
	ordered(t, site, ada)
}
