package replayer_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// In a page, or in a worker of it, that saves a note.
const (
	savesItself   = `const save = async (note) => { await fetch("/notes/7", { method: "POST", body: note }); await fetch("/notes/7", { method: "DELETE" }); };`
	savesByWorker = `const worker = new Worker("/worker.js"), save = (note) => new Promise((done) => { worker.onmessage = done; worker.postMessage(note) });`
	worker        = savesItself + `onmessage = (e) => save(e.data).then(postMessage);`
)

// lateSaver is a page that saves a note a while after its last key, removes its draft then, and says so.
func lateSaver(t *testing.T, saves string) (address string, saved func() string) {
	t.Helper()
	var mu sync.Mutex
	var note string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			data, _ := io.ReadAll(r.Body)
			mu.Lock()
			note = string(data)
			mu.Unlock()
			return
		}
		if r.Method == http.MethodDelete {
			mu.Lock()
			note += ", and its draft is gone"
			mu.Unlock()
			return
		}
		if r.URL.Path == "/worker.js" {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, worker)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><label>Note <textarea id=n></textarea></label><p id=p></p><script>`+saves+`
			let timer = 0;
			n.oninput = () => {
				clearTimeout(timer);
				timer = setTimeout(async () => { await save(n.value); p.textContent = "Saved"; }, 1200);
			};
		</script>`)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return note
	}
}

// playNote records that a note is written at the page, until the page says that it is saved, and
// plays it with another note.
func playNote(t *testing.T, address string) *automation.Automation {
	t.Helper()
	ctx := browsertest.Context(t)
	page := browsertest.Page(t, "")
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "note"})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(ctx, address); err != nil {
		t.Fatal(err)
	}
	if err := simuser.At(page.Target()).Fill(ctx, "#n", "recorded"); err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "the page says that it has saved", func() bool {
		said, err := page.Rod().Eval("() => p.textContent")
		return err == nil && said.Value.Str() == "Saved"
	})
	a, _, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replayer.Play(ctx, browsertest.Page(t, ""), a, &replayer.Options{Values: replayer.Map{"note": "played"}}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestARunEndsNoSoonerThanItsPageHasSaved(t *testing.T) {
	t.Parallel()
	for name, saves := range map[string]string{"itself": savesItself, "by a worker": savesByWorker} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, saved := lateSaver(t, saves)
			playNote(t, address)
			if got := saved(); got != "played, and its draft is gone" {
				t.Errorf("the run has ended, and %q is saved", got)
			}
		})
	}
}

// socketSaver is a page that saves a note over a WebSocket a while after its last key, in two parts:
// the second is sent when the first was acknowledged. Whatever the user does, a heartbeat is sent.
func socketSaver(t *testing.T) (address string, saved func() []string) {
	t.Helper()
	var mu sync.Mutex
	var parts []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/live" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><label>Note <textarea id=n></textarea></label><p id=p></p><script>
				const socket = new WebSocket("/live?token=1");
				setInterval(() => { if (socket.readyState === 1) socket.send("beat"); }, 400);
				let timer = 0;
				n.oninput = () => { clearTimeout(timer); timer = setTimeout(() => socket.send("1 " + n.value), 700); };
				socket.onmessage = (e) => {
					if (e.data === "acknowledged 1") setTimeout(() => socket.send("2 " + n.value), 500);
					else p.textContent = "Saved";
				};
			</script>`)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			_, data, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if string(data) == "beat" {
				continue
			}
			mu.Lock()
			parts = append(parts, string(data))
			mu.Unlock()
			if c.Write(r.Context(), websocket.MessageText, []byte("acknowledged "+string(data[:1]))) != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(parts)
	}
}

func TestARunEndsNoSoonerThanItsPageHasSavedOverASocket(t *testing.T) {
	t.Parallel()
	address, saved := socketSaver(t)
	a := playNote(t, address)
	if got := saved(); !slices.Contains(got, "1 played") || !slices.Contains(got, "2 played") {
		t.Errorf("the run has ended, and %q is saved; its last step is %+v", got, a.Steps[len(a.Steps)-1].Expect)
	}
}

func TestFramesOfASocketThatWasOpenBeforeTheWatchAreSeen(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Context(t)
	address, saved := socketSaver(t)
	page := browsertest.Page(t, address)
	browsertest.Until(t, "the socket is open", func() bool {
		open, err := page.Rod().Eval("() => socket.readyState === 1")
		return err == nil && open.Value.Bool()
	})
	traffic, err := page.Target().WatchTraffic(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer traffic.Stop()
	if err := simuser.At(page.Target()).Fill(ctx, "#n", "typed"); err != nil {
		t.Fatal(err)
	}
	_, sent, err := traffic.WaitReplyOrSent(ctx, traffic.Mark(), traffic.MarkSent(), func(string) bool { return false })
	if err != nil || !sent {
		t.Fatalf("sent %v, %v", sent, err)
	}
	if err := traffic.WaitQuiet(ctx, 0, 0, func(string) bool { return false }, time.Second); err != nil || len(saved()) != 2 {
		t.Errorf("%q was saved, %v", saved(), err)
	}
}

func TestARunEndsNoSoonerThanAFormIsSentIntoAFrame(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"of another frame": `<form method=post target=answer action=/save><input id=n name=note aria-label=Note><button>Keep</button></form><iframe name=answer></iframe>`,
		"of its own":       `<iframe name=answer src=/form></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browsertest.Context(t)
			var saved atomic.Value
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				switch r.URL.Path {
				case "/save":
					note := r.PostFormValue("note")
					select { // as a server that is busy, and does nothing for one who has left
					case <-time.After(700 * time.Millisecond):
						saved.Store(note)
						fmt.Fprint(w, "Saved")
					case <-r.Context().Done():
					}
				case "/form":
					fmt.Fprint(w, `<form method=post action=/save><input id=n name=note aria-label=Note><button>Keep</button></form>`)
				default:
					fmt.Fprint(w, "<!doctype html>"+form)
				}
			}))
			t.Cleanup(server.Close)
			frame := ""
			if name == "of its own" {
				frame = `"frame": ["iframe[name=answer]"], `
			}
			a, err := automation.Parse([]byte(fmt.Sprintf(`{"format": 1, "name": "note", "match": {"urls": [%q]}, "steps": [
				{"tool": "navigate", "url": "%s/"},
				{"tool": "typeInput", %[3]s"selector": "#n", "value": {"kind": "literal", "value": "kept"}},
				{"tool": "click", %[3]s"selector": "button"}]}`, strings.TrimPrefix(server.URL, "http://")+"/**", server.URL, frame)))
			if err != nil {
				t.Fatal(err)
			}
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(ctx, page, a, nil); err != nil {
				t.Fatal(err)
			}
			if err := page.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if got := saved.Load(); got != "kept" {
				t.Errorf("the run has ended, and %v is saved", got)
			}
		})
	}
}

func TestAStepIsDoneWhenThePageHasWhatItsScriptsAskedFor(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"by a request":  `fetch("/events"); fetch("/list").then((r) => r.text()).then((text) => { list = text });`,
		"over a socket": `const socket = new WebSocket("/live"); socket.onopen = () => socket.send("list"); socket.onmessage = (e) => { list = e.data };`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var saved atomic.Value
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/list": // what the page saves again as a whole
					<-time.After(400 * time.Millisecond)
					fmt.Fprint(w, "one")
				case "/live":
					c, err := websocket.Accept(w, r, nil)
					if err != nil {
						return
					}
					defer c.CloseNow()
					if _, _, err := c.Read(r.Context()); err != nil {
						return
					}
					<-time.After(400 * time.Millisecond)
					if c.Write(r.Context(), websocket.MessageText, []byte("one")) == nil {
						_, _, _ = c.Read(r.Context()) // until the page has gone
					}
				case "/events": // that never come
					<-r.Context().Done()
				case "/save":
					data, _ := io.ReadAll(r.Body)
					saved.Store(string(data))
				default:
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					fmt.Fprintf(w, `<!doctype html><button id=b>Add</button><p id=p></p><script>
						let list = "";
						%s
						b.onclick = async () => { await fetch("/save", { method: "POST", body: list + " two" }); p.textContent = "Saved" };
					</script>`, script)
				}
			}))
			t.Cleanup(server.Close)
			a := document(t, server.URL, fmt.Sprintf(`{"tool":"navigate","url":"%s/"},{"tool":"click","selector":"#b","expect":[{"kind":"text","text":"Saved"},{"kind":"request","url":%q}]}`,
				server.URL, strings.TrimPrefix(server.URL, "http://")+"/save"))
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(browsertest.Context(t), page, a, &replayer.Options{Commit: replayer.AllowCommits}); err != nil {
				t.Fatal(err)
			}
			if got := saved.Load(); got != "one two" {
				t.Errorf("saved %q, want what was there as well", got)
			}
			if err := page.Close(t.Context()); err != nil { // the server waits for what is open
				t.Error(err)
			}
		})
	}
}

func TestARunEndsNoSoonerThanItsPageHasSavedWhileItPolls(t *testing.T) {
	t.Parallel()
	var saved atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			data, _ := io.ReadAll(r.Body)
			saved.Store(string(data))
		}
		if r.URL.Path != "/" {
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><label>Note <textarea id=n></textarea></label><p id=p></p><script>
			let timer = 0;
			setInterval(() => fetch("/news"), 700);
			n.oninput = () => {
				clearTimeout(timer);
				timer = setTimeout(async () => { await fetch("/notes/7", { method: "POST", body: n.value }); await fetch("/news"); p.textContent = "Saved" }, 1500);
			};
		</script>`)
	}))
	t.Cleanup(server.Close)
	a := playNote(t, server.URL)
	if got := saved.Load(); got != "played" {
		t.Errorf("the run has ended, and %v is saved; its last step is followed by %+v", got, a.Steps[len(a.Steps)-1].Expect)
	}
}

// A page may begin with a default that it saves, and save what it had stored once it has been told that.
func TestARunEndsNoSoonerThanThePageThatItLeadsToHasSaved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var saved []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			saved = append(saved, string(data))
		case r.URL.Path == "/theme":
			fmt.Fprint(w, "dark")
		case r.URL.Path == "/out":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><p>You have left.</p><script type=module>
				const save = (theme) => fetch("/theme", { method: "PUT", body: theme });
				const stored = fetch("/theme");
				await save("light");
				await save(await (await stored).text());
			</script>`)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><button onclick="location.replace('/out')">Leave</button>`)
		}
	}))
	t.Cleanup(server.Close)
	a := &automation.Automation{Name: "leave", Match: automation.Scope{URLs: []string{strings.TrimPrefix(server.URL, "http://") + "/**"}}, Steps: []automation.Step{
		{Tool: "navigate", URL: server.URL},
		{Tool: "click", Selector: selectors.Path{{Kind: selectors.CSS, Body: "button"}}},
		{Tool: "waitForNav", URL: server.URL + "/out"},
	}}
	if _, err := replayer.Play(browsertest.Context(t), browsertest.Page(t, ""), a, &replayer.Options{Commit: replayer.AllowCommits}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(saved, ", "); got != "light, dark" {
		t.Errorf("the run has ended, and what is saved is %q", got)
	}
}
