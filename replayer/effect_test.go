package replayer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// counter serves a page that tells with a GET what is in its address, and counts by that.
type counter struct {
	*httptest.Server
	mu  sync.Mutex
	got map[string]int
}

func startCounter(t *testing.T, html string) *counter {
	t.Helper()
	c := &counter{got: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.got[r.Method+" "+r.URL.Path]++
		c.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", html)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *counter) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got[what]
}

func playFor(t *testing.T, a *automation.Automation, o *replayer.Options) error {
	t.Helper()
	_, err := replayer.Play(browsertest.Context(t), browsertest.Page(t, ""), a, o)
	return err
}

const showing = `{"tool":"navigate","url":%[1]q},
	{"tool":"click","selector":"#b","expect":[{"kind":"change"}]},
	{"tool":"click","selector":"#c"}`

func TestAPressThatHasNoEffectFailsItsOwnStep(t *testing.T) {
	t.Parallel()
	site := serve(t, `<button id=b>Show</button><p id=clock></p><script>setInterval(() => clock.textContent = performance.now(), 30)</script>`)
	a := document(t, site.URL, fmt.Sprintf(showing, site.URL))
	err := playFor(t, a, &replayer.Options{Timeout: 3 * time.Second})
	e := wantCode(t, err, replayer.Timeout, 1)
	for _, part := range []string{"the press had no effect", "a change of the page", "times"} {
		if !strings.Contains(e.Reason, part) {
			t.Errorf("the reason %q does not name %q", e.Reason, part)
		}
	}
}

// Each counts its clicks, and reports them by an image, which is no answer to a press.
const countingClicks = `<script>addEventListener("click", () => { new Image().src = "/clicked" }, true)</script>`

func TestAPressThatMayCommitIsNotRepeated(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"b": "Show", "p": "Pay now", "u": "Fiksu"}
	for name, steps := range map[string]string{
		"declared": `{"tool":"navigate","url":%[1]q}, {"tool":"click","selector":"#b","effect":"commit","expect":[{"kind":"change"}]}`,
		"by words": `{"tool":"navigate","url":%[1]q}, {"tool":"click","selector":"#p","expect":[{"kind":"change"}]}`,
		"unknown":  `{"tool":"navigate","url":%[1]q}, {"tool":"click","selector":"#u","expect":[{"kind":"change"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := steps[strings.Index(steps, "#")+1:][:1]
			site := startCounter(t, countingClicks+fmt.Sprintf(`<button id=%s>%s</button><p id=out></p>
				<script>addEventListener("click", () => setTimeout(() => { document.querySelector("button").onclick = () => { out.textContent = "done" } }), { once: true })</script>`, id, labels[id])) // it listens from the first press on
			a := document(t, site.URL, fmt.Sprintf(steps, site.URL))
			err := playFor(t, a, &replayer.Options{Timeout: 3 * time.Second, Commit: replayer.AllowCommits})
			if err == nil || !strings.Contains(err.Error(), "it was pressed once, and is not pressed again because it may commit") {
				t.Errorf("Play gave %v", err)
			}
			if n := site.count("GET /clicked"); n != 1 {
				t.Errorf("it was pressed %d times, want once", n)
			}
		})
	}
}

func TestAPressIsRepeatedUntilThePageListens(t *testing.T) {
	t.Parallel()
	for name, follows := range map[string]struct{ step, script string }{
		"navigation": {`{"tool":"waitForNav","url":"*/two"}`, `setTimeout(() => { b.onclick = () => { location.href = "/two" } }, 1500)`},
		"popup":      {"", `setTimeout(() => { b.onclick = () => { open("/two") } }, 1500)`},
		"command":    {`{"tool":"waitForNav","url":"*/two"}`, `setTimeout(() => { window.app = { command: () => { location.href = "/two"; return false } } }, 1500)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := startCounter(t, `<a id=b href="#" onclick="return app.command()">Show more</a><script>if (location.pathname === "/") { `+follows.script+` }</script>`)
			steps := fmt.Sprintf(`{"tool":"navigate","url":%q},`, site.URL)
			if follows.step == "" {
				steps += `{"tool":"click","selector":"#b","expect":[{"kind":"popup","page":"next"}]}`
			} else {
				steps += `{"tool":"click","selector":"#b"},` + strings.Replace(follows.step, "*/", site.URL[len("http://"):]+"/", 1)
			}
			if err := playFor(t, document(t, site.URL, steps), &replayer.Options{Timeout: 10 * time.Second}); err != nil {
				t.Error(err)
			}
			if n := site.count("GET /two"); n != 1 {
				t.Errorf("/two was opened %d times, want once", n)
			}
		})
	}
}

func TestAPressWhoseListenerOnlyRequestsIsDoneOnce(t *testing.T) {
	t.Parallel()
	site := startCounter(t, countingClicks+`<button id=b>Show</button><script>b.onclick = async () => { await fetch("/data"); setTimeout(() => { location.href = "/two" }, 2500) }</script>`)
	a := document(t, site.URL, fmt.Sprintf(`{"tool":"navigate","url":%q},{"tool":"click","selector":"#b"},{"tool":"waitForNav","url":%q}`, site.URL, site.URL[len("http://"):]+"/two"))
	for _, commits := range []replayer.CommitPolicy{replayer.AllowCommits, replayer.RefuseCommits} {
		before := site.count("GET /clicked")
		if err := playFor(t, a, &replayer.Options{Timeout: 15 * time.Second, Commit: commits}); err != nil {
			t.Error(err)
		}
		if n := site.count("GET /clicked") - before; n != 1 {
			t.Errorf("%s: it was pressed %d times, want once", commits, n)
		}
	}
}
