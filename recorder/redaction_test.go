package recorder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/page"
	"github.com/go-reprise/reprise/internal/page/pagetest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/store"
)

func wantNoCanary(t *testing.T, where string, data []byte, secret string) {
	t.Helper()
	if form, around := canary.Find(data, secret); form != "" {
		t.Errorf("%s holds the canary (%s): %s", where, form, around)
	}
}

// sensitiveFields are fields whose content is no one's business, each with a page
// that repeats it wherever it can.
var sensitiveFields = map[string]string{
	"a password":               `<input id=f type=password name=p>`,
	"a password that is shown": `<input id=f type=password name=p onfocus="this.type='text'">`,
	"a one-time code":          `<input id=f autocomplete=one-time-code name=x>`,
	"a card number":            `<input id=f autocomplete="section-a billing cc-number" name=x>`,
	"a field named so":         `<input id=f name=user_passwort>`,
	"a field labelled so":      `<label>Contraseña <input id=f name=x></label>`,
	"a masked text":            `<input id=f name=x style="-webkit-text-security:disc">`,
	"a mirrored value":         `<input id=f type=password name=p oninput="this.setAttribute('value',this.value)">`,
	"an editor labelled so":    `<div id=f contenteditable aria-label="Secret answer" style="width:200px;height:30px"></div>`,
	"one in a shadow root":     `<div id=h></div><script>h.attachShadow({mode:"open"}).innerHTML="<input id=f type=password>"</script>`,
	"one in a frame":           `<iframe id=fr srcdoc="<input id=f type=password oninput='parent.echo(this.value)'>"></iframe>`,
}

var pathTo = map[string]string{"one in a shadow root": "#h >>> #f", "one in a frame": "#fr >>> #f"}

// echo repeats what is typed: in the title, a button's text, name, id and class,
// next to the field, in the address, the console and another field.
const echo = `<form action=/next><p id=beside></p><button id=b type=submit>Go</button>%s<input name=copy></form><script>
function echo(v) { document.title = v; b.textContent = "Go " + v; b.setAttribute("aria-label", "Go " + v); b.dataset.testid = v; b.className = v;
	beside.textContent = v; location.hash = encodeURIComponent(v); console.log(v); document.forms[0].copy.value = v; history.replaceState(null, "", "/at/" + encodeURIComponent(v)) }
addEventListener("input", (e) => echo(e.composedPath()[0].value ?? e.composedPath()[0].textContent));
</script>`

func TestASecretNeverLeavesItsField(t *testing.T) {
	t.Parallel()
	for name, field := range sensitiveFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := canary.New()
			for where, data := range recordSecret(t, field, pathTo[name], secret) {
				wantNoCanary(t, where, data, secret)
			}
		})
	}
}

// recordSecret records how a canary is typed, and gives all that the recorder
// said, sent and wrote.
func recordSecret(t *testing.T, field, path, secret string) map[string][]byte {
	t.Helper()
	if path == "" {
		path = "#f"
	}
	ctx := browsertest.Context(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			fmt.Fprintf(w, "<!doctype html><meta charset=utf-8>"+echo, field)
			return
		}
		fmt.Fprintf(w, `<!doctype html><meta charset=utf-8><title>%[1]s</title><p>%[1]s</p><button id=c>Done</button>`, html.EscapeString(r.URL.Query().Get("copy")))
	}))
	t.Cleanup(site.Close)
	tab := browsertest.Page(t, site.URL+"/")
	var mu sync.Mutex
	sinks := map[string][]byte{}
	note := func(where string, v any) {
		mu.Lock()
		defer mu.Unlock()
		sinks[where] = fmt.Appendf(sinks[where], "%+v\n", v)
	}
	remove := tab.Target().Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			note("what the page script sends", string(e.Params))
		}
	})
	t.Cleanup(remove)
	typed, once := make(chan struct{}), sync.Once{}
	r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "secret", OnChange: func(c recorder.Change) {
		data, _ := json.Marshal(c.Step)
		note("a change", string(data))
		if c.Step.Tool == "typeInput" {
			once.Do(func() { close(typed) })
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(tab.Target())
	for i, act := range []func() error{
		func() error { return p.Click(ctx, path) },
		func() error { return p.Type(ctx, secret) },
		func() error { return until(ctx, typed) }, // the next press leaves the page, and no one does that at once
		func() error { return p.Click(ctx, "#b") },
		func() error { return p.See(ctx, "/next") },
		func() error { return p.Click(ctx, "#c") },
	} {
		if err := act(); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
	}
	a, integrity, err := r.Stop(ctx)
	note("the error", err)
	note("the integrity", integrity)
	if a == nil || len(a.Variables) == 0 {
		t.Fatalf("recorded %+v, %v: want a variable for the secret", a, err)
	}
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	note("the document", string(data))
	keep(t, a, note)
	mu.Lock()
	defer mu.Unlock()
	return maps.Clone(sinks) // the browser may tell more
}

// until waits for what is to happen.
func until(ctx context.Context, happened <-chan struct{}) error {
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return errors.New("no step tells that something was typed")
	}
}

// keep stores an automation, and notes every file that this makes.
func keep(t *testing.T, a *automation.Automation, note func(string, any)) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Automations().Save(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		note("the file "+filepath.Base(path), path+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withoutRedaction is the variable that names, to a child process of this test, the file of
// a page script whose redaction is broken.
const withoutRedaction = "REPRISE_TEST_WITHOUT_REDACTION"

// TestTheCanaryIsFoundWithoutRedaction shows that the test above can fail: in a
// process of its own, the page script takes no field for sensitive.
func TestTheCanaryIsFoundWithoutRedaction(t *testing.T) {
	broken := os.Getenv(withoutRedaction)
	if broken == "" {
		t.Parallel()
		const check = "function isSensitive(el) {"
		script, err := pagetest.Readable()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(script, check) {
			t.Fatal("the page script has no such check: mend this test")
		}
		broken = filepath.Join(t.TempDir(), "broken.js")
		if err := os.WriteFile(broken, []byte(strings.Replace(script, check, check+" return false;", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		browsertest.Slot(t) // for both
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTheCanaryIsFoundWithoutRedaction$", "-test.timeout=60s")
		child.Env = append(os.Environ(), withoutRedaction+"="+broken)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	script, err := os.ReadFile(broken)
	if err != nil {
		t.Fatal(err)
	}
	page.Script = string(script)
	secret := canary.New()
	tab := `<input id=f type=password name=p><input name=email type=email value=a@b.at>`
	found := false
	sinks := recordUnredacted(t, tab, secret)
	for _, data := range sinks {
		form, _ := canary.Find(data, secret)
		found = found || form != ""
	}
	if !found {
		t.Error("without redaction the canary is still found nowhere: the test proves nothing")
	}
}

// recordUnredacted records as recordSecret does, where nothing is held back.
func recordUnredacted(t *testing.T, field, secret string) map[string][]byte {
	t.Helper()
	sinks := map[string][]byte{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", field)
	}))
	t.Cleanup(site.Close)
	tab := browsertest.Page(t, site.URL)
	r, err := recorder.Start(t.Context(), tab, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := simuser.At(tab.Target()).Fill(t.Context(), "#f", secret); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range browsertest.Literal(a).Steps {
		if step.Value != nil {
			sinks["values"] = append(sinks["values"], step.Value.Value...)
		}
	}
	return sinks
}

// What a field takes that nothing says to be secret, repeated by the page wherever it
// can, and typed again into another one.
const member = `<p id=beside></p><label>Member <input id=f name=member></label><label>Again <input id=g name=again></label>
<label>Note <input id=h name=note></label><button id=b>Go</button><a id=n href="/next">Next</a><script>
f.addEventListener("input", () => { const v = f.value; document.title = v; b.textContent = "Go " + v; b.dataset.testid = v; beside.textContent = v });
f.addEventListener("change", () => history.replaceState(null, "", "/at/" + encodeURIComponent(f.value)));
</script>`

func TestATextThatIsMarkedAsSecretIsForgotten(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, member)
	ctx, secret := s.ctx, canary.New()
	s.do(
		func() error { return s.Fill(ctx, "#f", secret) },
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Fill(ctx, "#g", secret) },
		func() error { return s.Fill(ctx, "#h", "not "+secret) },
	)
	s.step("typeInput", "Note")
	before, err := json.Marshal(s.told)
	if form, _ := canary.Find(before, secret); err != nil || form == "" {
		t.Fatalf("the canary was never told (%v): the test proves nothing", err)
	}
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	sent := sentByPage(t, s)
	second := canary.New()
	state, _ := s.State()
	wantNothingOf(t, "the state", state, secret)
	s.do(
		func() error { return s.Fill(ctx, "#f", second) }, // in this document
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Click(ctx, "#n") },
		func() error { return s.See(ctx, "/next") },
		func() error { return s.Fill(ctx, "#f", second) }, // and in a later one
		func() error { return s.Click(ctx, "#b") },
	)
	a := stop(t, s.Recorder)
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{secret, second} {
		wantNoCanary(t, "the document", data, one)
		wantNothingOf(t, "the changes since", s.told, one)
	}
	wantNoCanary(t, "what the page script sends", sent(), second)
	var typed []string
	for _, step := range a.Steps {
		if step.Tool == "typeInput" {
			typed = append(typed, step.Value.Name)
		}
	}
	if want := []string{"member", "member", "note", "member", "member"}; !slices.Equal(typed, want) {
		t.Errorf("it types %q, want %q\n%s", typed, want, data)
	}
	if strings.Count(string(a.Variables), `"writeOnly":true`) != 2 {
		t.Errorf("the variables are %s", a.Variables)
	}
}

func TestASecretStaysOne(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, member)
	ctx := s.ctx
	s.do(func() error { return s.Fill(ctx, "#f", "opensesame") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	if undone, err := s.Undo(ctx); undone || !errors.Is(err, recorder.ErrIrreversible) {
		t.Errorf("taking it back gave %v, %v; want %v", undone, err, recorder.ErrIrreversible)
	}
	state, _ := s.State()
	if last := state.Steps[len(state.Steps)-1]; !last.Secret || last.Step.Value.Name != "member" {
		t.Errorf("it is %+v", last)
	}
}

func wantNothingOf(t *testing.T, where string, v any, secret string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, where, data, secret)
	wantNoCanary(t, where+", printed", fmt.Appendf(nil, "%+v", v), secret)
}

// sentByPage returns what the page script has sent since, when it is called.
func sentByPage(t *testing.T, s *shaped) func() []byte {
	var mu sync.Mutex
	var sent []byte
	t.Cleanup(s.client().OnEvent(func(e cdp.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Method == "Runtime.bindingCalled" {
			sent = append(sent, e.Params...)
		}
	}))
	return func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(sent)
	}
}

// A field that is called nothing is known as long as its document is there.
func TestAFieldWithoutANameIsMarkedAsSecret(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<input><button>Go</button>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", "opensesame") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "")); err != nil {
		t.Fatal(err)
	}
	sent := sentByPage(t, s)
	s.do(func() error { return s.Fill(ctx, "input", secret) },
		func() error { return s.Click(ctx, "button") })
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "what the page script sends", sent(), secret)
	wantNoCanary(t, "the document", data, secret)
	wantNoCanary(t, "the document", data, "opensesame")
	if !bytes.Contains(data, []byte(`"writeOnly"`)) || len(sent()) == 0 {
		t.Errorf("it was told %s, and the document is\n%s", sent(), data)
	}
}

// The page that follows repeats what was typed on the one before, of which only the
// recording knows still.
func TestWhatWasTypedOnAnEarlierPageIsNotQuoted(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<form action=/next><label>Member <input name=member></label><button>Go</button></form><p><button id=b></button>
<script>b.textContent = "Leave " + new URLSearchParams(location.search).get("member")</script>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", secret) },
		func() error { return s.Click(ctx, "form button") },
		func() error { return s.See(ctx, "/next") })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	s.do(func() error { return s.Click(ctx, "#b") })
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "the document", data, secret)
	wantNothingOf(t, "the changes since", s.told, secret)
}

// What was marked is known to documents that come later, whatever their site.
func TestWhatIsMarkedAsSecretIsKnownToLaterDocuments(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<form action=/next><label>Member <input name=member></label><button id=go>Go</button></form><p><button id=b></button><label>Copy <input id=c></label>
<script>b.textContent = b.title = c.value = "x" + new URLSearchParams(location.search).get("member"); b.onclick = () => { if (location.hostname !== "localhost") location.hostname = "localhost" }</script>`)
	ctx, secret := s.ctx, canary.New()
	s.do(func() error { return s.Fill(ctx, "input", secret) })
	if err := s.MarkSecret(ctx, s.step("typeInput", "Member")); err != nil {
		t.Fatal(err)
	}
	s.forget()
	sent := sentByPage(t, s)
	s.do(
		func() error { return s.Click(ctx, "#go") },
		func() error { return s.See(ctx, "/next") },
		func() error { return s.Click(ctx, "#b") }, // leads to another site
		func() error { return s.See(ctx, "localhost") },
		func() error { return s.Click(ctx, "#b") },
		func() error { return s.Click(ctx, "#c") },
		func() error { return s.Press(ctx, "End") },
		func() error { return s.Type(ctx, "!") },
	)
	data, err := automation.Marshal(stop(t, s.Recorder))
	if err != nil {
		t.Fatal(err)
	}
	wantNoCanary(t, "what the page script sends", sent(), secret)
	wantNoCanary(t, "the document", data, secret)
	wantNothingOf(t, "the changes since", s.told, secret)
	if n := strings.Count(string(data), `"tool": "click"`); n != 3 {
		t.Errorf("%d clicks are recorded, want 3:\n%s", n, data)
	}
	if n := strings.Count(string(data), `"tool": "typeInput"`); n != 2 || strings.Contains(string(data), `"kind": "literal"`) {
		t.Errorf("want 2 texts, both secrets:\n%s", data)
	}
}
