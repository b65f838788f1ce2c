package recorder_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

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
// A console that somebody listens to looks at what it is given.
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
