package recorder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

func TestABrowserThatDiesLeavesWhatWasRecorded(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	b, err := browser.Launch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	page, err := b.NewPage(t.Context(), site.URL+"/form")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorder.Start(t.Context(), page, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	if err := errors.Join(p.Fill(t.Context(), "#name", "Ada"), p.Click(t.Context(), "#gift")); err != nil {
		t.Fatal(err)
	}
	page.Target().Tree().Client().Send("", "Browser.crash", nil)
	<-b.Done()
	a, _, err := r.Stop(t.Context())
	if !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("Stop gave the error %v, want one that is browser.ErrDisconnected", err)
	}
	if a == nil || len(a.Steps) != 3 {
		t.Fatalf("Stop gave %+v, want the three steps until then", a)
	}
}

func TestClosingThePageEndsARecording(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	page := browsertest.Page(t, site.URL+"/form")
	r, err := recorder.Start(t.Context(), page, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	if err := errors.Join(p.Fill(t.Context(), "#name", "Ada"), page.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Steps) != 2 {
		t.Errorf("recorded %d steps, want the two until the page was closed", len(a.Steps))
	}
	again, _, err := r.Stop(t.Context())
	if again != a || err != nil {
		t.Errorf("a second Stop gave %p, %v; want the same again", again, err)
	}
}

// suspicious is a page that looks for whatever a recorder may leave behind: globals,
// nodes, changed builtins, requests, storage, messages, events that are not as they
// would be, and what pages know of open developer tools.
const suspicious = `<!doctype html><title>Shop</title><link rel=icon href="data:,">
<button id=b>Pay</button><input id=f aria-label=Note><iframe id=i srcdoc="<button id=c>In</button>"></iframe>
<script>
const seen = { changes: [], events: [], errors: [], messages: 0, console: 0, focus: 0 };
new MutationObserver((records) => seen.changes.push(...records.map((r) => r.type + " " + r.target.nodeName)))
	.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
addEventListener("error", (e) => seen.errors.push(e.message));
addEventListener("securitypolicyviolation", (e) => seen.errors.push(e.violatedDirective));
addEventListener("message", () => seen.messages++);
for (const type of ["pointerdown", "pointerup", "click", "keydown", "keypress", "input", "keyup", "change", "focusin", "focusout"]) {
	addEventListener(type, (e) => seen.events.push([type, e.isTrusted, e.defaultPrevented, e.target.id, e.composedPath().length, e.eventPhase, e.detail, e.key].join()), true);
}
for (const type of ["focus", "blur", "visibilitychange", "resize", "scroll"]) addEventListener(type, () => seen.focus++, true);
// A console that someone listens to looks at what it is given.
const bait = new Error("bait");
Object.defineProperty(bait, "stack", { get() { seen.console++; return "" } });
const trap = { get [Symbol.toStringTag]() { seen.console++; return "" } };
console.debug(bait); console.log(trap); console.table([trap]);

function builtins() {
	const native = Function.prototype.toString;
	const changed = [];
	for (const holder of [window, document, Document.prototype, Element.prototype, Node.prototype, EventTarget.prototype, HTMLElement.prototype,
		Event.prototype, ShadowRoot.prototype, History.prototype, Object, Array.prototype, String.prototype, JSON, Promise.prototype, Function.prototype]) {
		for (const [name, is] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
			for (const f of [is.get, is.set, typeof is.value === "function" ? is.value : null]) {
				if (f && !window.mine.has(f) && !/\[native code\]/.test(native.call(f))) changed.push(name);
			}
		}
	}
	return changed;
}
window.mine = new Set([builtins, report]);
function report() {
	let stack = "";
	try { null.x } catch (e) { stack = e.stack.split("\n").length }
	return JSON.stringify({ ...seen, stack, globals: Object.getOwnPropertyNames(window), symbols: Object.getOwnPropertySymbols(window).length,
		frames: window.length, inner: Object.getOwnPropertyNames(i.contentWindow), nodes: document.querySelectorAll("*").length, scripts: document.scripts.length,
		sheets: document.styleSheets.length + document.adoptedStyleSheets.length, attributes: [...document.documentElement.attributes].map((a) => a.name),
		requests: performance.getEntriesByType("resource").map((e) => e.name), marks: performance.getEntriesByType("mark").length,
		storage: Object.keys(localStorage).concat(Object.keys(sessionStorage), document.cookie), builtins: builtins(), webdriver: navigator.webdriver });
}
</script>`

// The page is used twice in the same way, once recorded: all that it finds is the same.
func TestAPageCannotTellThatItIsRecorded(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			fmt.Fprint(w, suspicious)
		}
	}))
	t.Cleanup(site.Close)
	plain, recorded := browsertest.Page(t, ""), browsertest.Page(t, "")
	r, err := recorder.Start(t.Context(), recorded, &recorder.Options{Name: "unseen", Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	want, got := found(t, plain, site.URL), found(t, recorded, site.URL)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the page finds (-alone +recorded):\n%s", diff)
	}
	if a := stop(t, r); len(a.Steps) < 4 {
		t.Errorf("recorded %d steps: it was not recording", len(a.Steps))
	}
	if len(want["events"].([]any)) == 0 || len(want["globals"].([]any)) < 100 {
		t.Errorf("the page does not look: %v", want["events"])
	}
}

func found(t *testing.T, page *browser.Page, url string) map[string]any {
	t.Helper()
	ctx := t.Context()
	if err := page.Navigate(ctx, url+"/"); err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	for _, act := range []func() error{
		func() error { return p.Click(ctx, "#b") },
		func() error { return p.Fill(ctx, "#f", "hello") },
		func() error { return p.Click(ctx, "#i >>> #c") },
		func() error { return p.Click(ctx, "#b") },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	reply, err := page.Target().Send("Runtime.evaluate", map[string]any{"expression": "report()", "returnByValue": true}).Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result struct{ Value string } }
	if err := json.Unmarshal(reply, &answer); err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal([]byte(answer.Result.Value), &report); err != nil {
		t.Fatalf("%v: %s", err, reply)
	}
	return report
}

// closedFields are secret fields that no script of ours can see unasked.
var closedFields = map[string]string{
	"in a closed root": `<div id=f style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed"}).innerHTML = "<input type=password style='width:190px;height:20px'>"</script>`,
	"in two closed roots": `<div id=f style="width:200px;height:30px"></div><script>const x = document.createElement("div");
		f.attachShadow({mode:"closed"}).append(x); x.attachShadow({mode:"closed"}).innerHTML = "<input autocomplete=one-time-code style='width:190px;height:20px'>"</script>`,
	"in a closed root that can be focused": `<div id=f tabindex=0 style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed", delegatesFocus: true}).innerHTML = "<input type=password style='width:190px;height:20px'>"</script>`,
	"in a closed root of a late element": `<x-late style="display:block;width:200px;height:30px"></x-late><script>customElements.define("x-late", class extends HTMLElement {
		connectedCallback() { const r = this.attachShadow({mode:"closed"}); setTimeout(() => { r.innerHTML = "<input type=password style='width:190px;height:20px'>"; this.id = "f" }, 50) } })</script>`,
}

func TestASecretNeverLeavesAClosedShadowRoot(t *testing.T) {
	t.Parallel()
	for name, field := range closedFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := canary.New()
			for where, data := range recordSecret(t, field, "#f", secret) {
				wantNoCanary(t, where, data, secret)
			}
		})
	}
}

// The focus is in the field before anything is recorded, and no press or focus
// tells of the host: the first key may come before the root is known.
func TestKeysInAnInvisibleFieldAreNotTold(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Context(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><div id=f style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed"}).innerHTML = "<input style='width:190px;height:20px'>"</script>`)
	}))
	t.Cleanup(site.Close)
	tab := browsertest.Page(t, site.URL)
	p := simuser.At(tab.Target())
	if err := p.Click(ctx, "#f"); err != nil { // before it is recorded
		t.Fatal(err)
	}
	var told bytes.Buffer
	remove := tab.Target().Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			told.Write(e.Params)
		}
	})
	r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "blind"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Type(ctx, "qxqxq"); err != nil {
		t.Fatal(err)
	}
	if err := p.Press(ctx, "Enter"); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(ctx)
	remove()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(told.Bytes(), []byte(`\"key\":\"q\"`)) {
		t.Error("the page script told of a key that was pressed in a field that it could not see")
	}
	data, err := automation.Marshal(a)
	if err != nil || !bytes.Contains(data, []byte("Enter")) {
		t.Errorf("recorded %s, %v: want the Enter, which writes nothing", data, err)
	}
}

// instants are pages where the first thing that is done ends the document.
// Steps are told as tool and address or selector.
var instants = map[string]struct {
	page string
	act  func(ctx context.Context, p *simuser.User) error
	want []string // after the navigation that everything begins with
}{
	"a form that is sent": {
		`<form method=post action=/next><button id=p>Go</button></form>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"a script that goes elsewhere": {
		`<button id=p onclick="location = '/next'">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"another site": {
		`<button id=p onclick="location = 'THERE/next'">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"a form that a script sends on the press": {
		`<form method=post action=/next></form><button id=p onpointerdown="document.forms[0].submit()">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"Enter after a text": {
		`<form action=/next><input id=p name=q aria-label=Search></form>`,
		func(ctx context.Context, p *simuser.User) error {
			return errors.Join(p.Fill(ctx, "#p", "x\n"), p.See(ctx, "/next"))
		}, []string{"typeInput Search", "keypress Search Enter", "waitForNav"},
	},
	"a frame that leads the page elsewhere": {
		`<iframe id=f srcdoc="<form method=post action=/next target=_top><button id=p>Go</button></form>"></iframe>`, pressing("#f >>> #p"), []string{"click Go", "waitForNav"},
	},
	"a tab that closes itself": {
		`<button id=p onclick="window.open('/tab')">Open</button>`,
		func(ctx context.Context, p *simuser.User) error {
			if err := p.Click(ctx, "#p"); err != nil {
				return err
			}
			tab, err := p.NewTab(ctx)
			if err != nil {
				return err
			}
			if err := tab.Click(ctx, "#c"); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
				return err // the press is not answered where the tab is gone
			}
			return nil
		}, []string{"click Open", "click Close"},
	},
	"the answer to a form of a tab, which closes itself": {
		`<button id=a onclick="window.open('/form')">Open</button>`,
		func(ctx context.Context, p *simuser.User) error {
			if err := p.Click(ctx, "#a"); err != nil {
				return err
			}
			tab, err := p.NewTab(ctx)
			if err != nil {
				return err
			}
			if err := tab.Click(ctx, "#c"); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
				return err
			}
			return p.See(ctx, "#closed")
		}, []string{"click Open", "click Send", "waitForNav", "waitForNav"},
	},
	"a document that comes back from the cache": {
		`<button id=p onclick="location = 'THERE/back'">Go</button><button id=q onclick="location = '/next'">On</button>`,
		func(ctx context.Context, p *simuser.User) error {
			return errors.Join(p.Click(ctx, "#p"), p.See(ctx, "/back"), p.Click(ctx, "#b"), p.See(ctx, "/start"), p.Click(ctx, "#q"), p.See(ctx, "/next"))
		}, []string{"click Go", "waitForNav", "click Back", "navigate", "click On", "waitForNav"},
	},
}

func pressing(path string) func(context.Context, *simuser.User) error {
	return func(ctx context.Context, p *simuser.User) error {
		return errors.Join(p.Click(ctx, path), p.See(ctx, "/next"))
	}
}

// A few of each, side by side: how soon a document can be heard depends on how
// busy the machine is.
func TestWhatEndsADocumentAtOnceIsRecorded(t *testing.T) {
	t.Parallel()
	const each = 4
	for name, instant := range instants {
		site := startInstant(t, instant.page)
		for i := range each {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				t.Parallel()
				ctx := browsertest.Context(t)
				tab := browsertest.Page(t, "")
				r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "instant"})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(tab.Navigate(ctx, site+"/start"), instant.act(ctx, simuser.At(tab.Target()))); err != nil {
					t.Fatal(err)
				}
				a, integrity, err := r.Stop(ctx)
				if len(integrity.UnrecordedFrames) > 0 && strings.Contains(name, "frame") {
					return // the element of the frame was gone before it was described: that is said
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := told(a.Steps); !slices.Equal(got, append([]string{"navigate"}, instant.want...)) {
					t.Errorf("recorded %q", got)
				}
			})
		}
	}
}

// startInstant serves a page at /start, and answers the rest as fast as can be.
func startInstant(t *testing.T, page string) string {
	t.Helper()
	var there string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/start":
			fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(page, "THERE", there))
		case "/tab":
			fmt.Fprint(w, `<!doctype html><button id=c onclick="window.close()">Close</button>`)
		case "/form":
			fmt.Fprint(w, `<!doctype html><form action=/closes><button id=c>Send</button></form>`)
		case "/closes":
			fmt.Fprint(w, `<!doctype html><script>opener.location = "#closed"; window.close()</script>`)
		case "/back":
			fmt.Fprint(w, `<!doctype html><button id=b onclick="history.back()">Back</button>`)
		default:
			fmt.Fprint(w, "next")
		}
	}))
	t.Cleanup(site.Close)
	there = strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	return site.URL
}

func told(steps []automation.Step) []string {
	var all []string
	for _, s := range steps {
		line := s.Tool
		if first := s.Selector.String(); first != "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(first, "aria/"), "[")
			line += " " + name
		}
		if s.Key != "" {
			line += " " + s.Key
		}
		all = append(all, line)
	}
	return all
}
