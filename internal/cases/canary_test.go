package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/page"
	"github.com/go-reprise/reprise/internal/page/pagetest"
	"github.com/go-reprise/reprise/recorder"
)

// sinks are what was said, sent or written, by where.
type sinks map[string][]byte

func (s sinks) note(where string, v any) { s[where] = fmt.Appendf(s[where], "%+v\n", v) }

// json notes something as it would be sent.
func (s sinks) json(where string, v any) {
	data, err := json.Marshal(v)
	s.note(where, string(data))
	s.note(where, err)
}

func (s sinks) wantNo(t *testing.T, secret string) {
	t.Helper()
	for where, data := range s {
		if form, around := canary.Find(data, secret); form != "" {
			t.Errorf("%s holds the canary (%s): %s", where, form, around)
		}
	}
}

// echo repeats what is typed wherever a page can: in its title, its address, its
// console, a dialog, what a button says and is called, another field, and the name of a
// download.
const echo = `<form action=/next.html method=post onsubmit="alert('Sent ' + last)"><p id=beside></p><button id=b type=submit>Go</button>FIELD<input name=copy></form>
<script>
let last = "";
function echo(v) {
	last = v; document.title = v; b.textContent = "Go " + v; b.setAttribute("aria-label", "Go " + v); b.dataset.testid = v; b.className = v; b.title = v;
	beside.textContent = v; location.hash = encodeURIComponent(v); console.log(v); document.forms[0].copy.value = v;
	history.replaceState(null, "", "/at/" + encodeURIComponent(v) + "?v=" + encodeURIComponent(v));
	if (window.opener && !window.opener.closed) { opener.document.title = v; opener.said(v.length) }
	if (window !== parent) parent.postMessage(v, "*");
}
addEventListener("input", (e) => { if (e.target.id === "f") echo(e.target.value) });
</script>
`

const next = `<button id=c onclick="const a = document.createElement('a'); a.href = 'data:text/plain,' + CANARY; a.download = CANARY + '.txt'; a.click()">Save</button>`

// secretScenes are the ways in which a secret comes into a page, as cases.
var secretScenes = map[string]string{
	"typed":      "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p>`, 1) + "-- actions --\nclick #f\ntype CANARY\nclick #b\nsee /next\nclick #c\nload\n",
	"shown":      "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p onfocus="this.type='text'">`, 1) + "-- actions --\nclick #f\ntype CANARY\nclick #b\nsee /next\nclick #c\nload\n",
	"a code":     "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f autocomplete=one-time-code name=p>`, 1) + "-- actions --\nclick #f\ntype CANARY\nclick #b\nsee /next\n",
	"at once":    "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p>`, 1) + "-- actions --\nclick #f\ninsert CANARY\nclick #b\nsee /next\n",
	"pasted":     "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p><textarea id=g></textarea>`, 1) + "-- before --\nclick #g\ninsert CANARY\npress a ControlOrMeta\npress x ControlOrMeta\n-- actions --\nclick #f\npress v ControlOrMeta\nclick #b\nsee /next\n",
	"filled in":  "-- page.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p>`, 1) + `<script>f.onfocus = () => fetch("/canary").then((r) => r.text()).then((v) => { v = v.trim(); f.value = v; f.dispatchEvent(new Event("input", { bubbles: true })); echo(v); b.id = "filled" })</script>` + "\n-- canary --\nCANARY\n-- actions --\nclick #f\nclick #filled\nsee /next\n",
	"in a popup": "-- page.html --\n" + `<button id=o onclick="window.open('/popup.html')">Open</button>` + "\n-- popup.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p>`, 1) + "-- actions --\nclick #o\ntab\nclick #f\ntype CANARY\nclick #b\nsee /next\nclick #c\n",
	"in a far frame": "-- page.html --\n" + `<iframe id=far src="http://there.test/in.html" width=600 height=200></iframe><iframe id=near src="/in.html" width=600 height=200></iframe><p id=p></p><button id=on>On</button>
<script>onmessage = (e) => { document.title = e.data; p.textContent = e.data; console.log(e.data); location.hash = encodeURIComponent(e.data); said(e.data.length) }</script>` +
		"\n-- in.html --\n" + strings.Replace(echo, "FIELD", `<input id=f type=password name=p>`, 1) + "-- actions --\ntwin \"#near >>> #f\" #far\ntype CANARY\nheard LENGTH\nclick #on\n",
	"in a prompt": "-- page.html --\n" + strings.Replace(echo, "FIELD", `<button id=a type=button onclick="echo(prompt('Your password'))">Ask</button>`, 1) + "-- actions --\nanswer #a =CANARY\nworked\nanswer #b yes\nsee /next\n",
}

func TestASecretIsInNoSink(t *testing.T) {
	t.Parallel()
	for name, text := range secretScenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := canary.New()
			s := secretScene(t, text, secret)
			ctx := browsertest.Context(t)
			all := sinks{}
			a := s.recordInto(ctx, t, all)
			exportInto(t, a, all)
			s.playInto(ctx, t, a, secret, all)
			all.wantNo(t, secret)
		})
	}
}

// secretScene puts a canary into a scene.
func secretScene(t *testing.T, text, secret string) *scene {
	t.Helper()
	quoted, _ := json.Marshal(secret)
	text += "-- next.html --\n" + strings.ReplaceAll(next, "CANARY", template.HTMLEscapeString(string(quoted)))
	archive := txtar.Parse([]byte(text))
	for i, f := range archive.Files {
		value := secret
		if f.Name == "actions" || f.Name == "before" {
			value = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret)
			f.Data = bytes.ReplaceAll(f.Data, []byte("=CANARY"), []byte(`"=`+value+`"`))
			value = `"` + value + `"`
		}
		data := strings.ReplaceAll(string(f.Data), "CANARY", value)
		archive.Files[i].Data = []byte(strings.ReplaceAll(data, "LENGTH", fmt.Sprint(len([]rune(secret)))))
	}
	return &scene{archive: archive, site: serve(t, archive), folder: t.TempDir()}
}

// recordInto records the scene, and notes all that the recorder says.
func (s *scene) recordInto(ctx context.Context, t *testing.T, all sinks) *automation.Automation {
	t.Helper()
	changes, events, gestures := sinks{}, sinks{}, s.gestures(t) // they come side by side
	p := &player{scene: s, page: browsertest.Page(t, s.site.URL+"/")}
	p.options = &recorder.Options{Name: "flow", LeaveDialogs: asksDialogs(gestures), OnChange: func(c recorder.Change) { changes.json("a change", c) }}
	p.tabs = append(p.tabs, p.page.Target())
	for _, g := range s.parsed(t, "before") {
		if err := g.do(ctx, p); err != nil {
			t.Fatalf("%s: %v", g.words[0], err)
		}
	}
	remove := p.page.Target().Tree().Client().OnEvent(tellsOf(events))
	defer remove()
	if err := p.start(ctx); err != nil {
		t.Fatal(err)
	}
	for _, g := range gestures {
		if err := g.do(ctx, p); err != nil {
			t.Fatalf("%s: %v", g.words[0], err)
		}
	}
	a, integrity, err := p.recorder.Stop(ctx)
	all.note("the end of the recording", err)
	all.json("the integrity", integrity)
	remove()
	maps.Copy(all, changes)
	maps.Copy(all, events)
	if a == nil || err != nil {
		t.Fatalf("recorded %v, %v", a, err)
	}
	if declared, err := a.Declared(); err != nil || len(declared.Secrets()) == 0 {
		t.Errorf("no secret was recorded: %v", err)
	}
	return a
}

// withoutRedaction is the variable that names, to a child process of these tests, the file
// of a page script of whose redaction a part is broken.
const withoutRedaction = "REPRISE_TEST_WITHOUT_REDACTION"

// redactors are the functions of the page script that hold a secret back. Broken, they
// find nothing.
var redactors = map[string]*regexp.Regexp{
	"what is sensitive":     regexp.MustCompile(`function isSensitive\(\w+\) \{`),
	"what repeats a secret": regexp.MustCompile(`function repeatsSecret\(\w+\) \{`),
}

// useScript has this process run a page script from a file, in place of the built-in one.
func useScript(file string) {
	script, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	page.Script = string(script)
}

// withBroken returns the page script with one of its redactors broken.
func withBroken(t *testing.T, name string) string {
	t.Helper()
	script, err := pagetest.Readable()
	if err != nil {
		t.Fatal(err)
	}
	broken := redactors[name].ReplaceAllString(script, "${0} return false;")
	if broken == script {
		t.Fatalf("the page script has no function for %s", name)
	}
	return broken
}

// Without any one of its redactors the test above fails.
func TestTheCanaryIsFoundWithoutRedaction(t *testing.T) {
	t.Parallel()
	for name := range redactors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := filepath.Join(t.TempDir(), "broken.js")
			if err := os.WriteFile(broken, []byte(withBroken(t, name)), 0o600); err != nil {
				t.Fatal(err)
			}
			browsertest.Slot(t) // for both
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestASecretIsInNoSink$/^typed$", "-test.timeout=100s")
			child.Env = append(os.Environ(), withoutRedaction+"="+broken)
			out, err := child.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("holds the canary")) {
				t.Errorf("without it the canary is found nowhere, the test proves nothing: %v\n%s", err, out)
			}
		})
	}
}
