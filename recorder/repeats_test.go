package recorder_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// repeat is a way in which a document repeats a secret that was typed. In the pages
// {S} is the secret as HTML has it, {P} as a path does, {Q} as a query does, and {O}
// the same site under another name.
type repeat struct {
	first string // the body where it is typed; "" for a form that leads to /in
	then  string // the body of /in
	also  map[string]string
	act   func(ctx context.Context, p *simuser.User, secret string) error // at /in; nil presses what is marked with x
	enter func(ctx context.Context, p *simuser.User, secret string) error // at the first page; nil fills #f and presses #go
	tools []string                                                        // of the steps that act makes; nil for one click
	alone bool                                                            // all is done on the first page
	code  string                                                          // the secret; "" for one of many letters
	loose bool                                                            // in another process, or in the cache: the page may tell before it knows, and the engine drops it
	omits string                                                          // the step that is left out
	asks  bool                                                            // dialogs are left to the person
}

const signIn = `<form method=post action=/in><label>Pass <input id=f type=password name=p></label><button id=go>Sign in</button></form>`

func pressX(ctx context.Context, p *simuser.User, _ string) error { return p.Click(ctx, "[x]") }

// edit fills a field as a person edits it: keys after a press into it.
func edit(keys ...string) func(ctx context.Context, p *simuser.User, _ string) error {
	return func(ctx context.Context, p *simuser.User, _ string) error {
		err := p.Click(ctx, "[x]")
		for _, key := range keys {
			if len(key) == 1 {
				err = errors.Join(err, p.Type(ctx, key))
			} else {
				err = errors.Join(err, p.Press(ctx, key))
			}
		}
		return err
	}
}

func leaveTo(part string) func(ctx context.Context, p *simuser.User, _ string) error {
	return func(ctx context.Context, p *simuser.User, _ string) error {
		return errors.Join(p.Click(ctx, "[x]"), p.See(ctx, part))
	}
}

func inTab(path string) func(ctx context.Context, p *simuser.User, _ string) error {
	return func(ctx context.Context, p *simuser.User, _ string) error {
		if err := p.Click(ctx, "#pop"); err != nil {
			return err
		}
		tab, err := p.NewTab(ctx)
		if err != nil {
			return err
		}
		if err := tab.Click(ctx, path); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
			return err // the press is not answered where the tab is gone
		}
		return nil
	}
}

// typeIn types the secret within a frame, and presses something outside.
func typeIn(path string) func(ctx context.Context, p *simuser.User, secret string) error {
	return func(ctx context.Context, p *simuser.User, secret string) error {
		return errors.Join(p.Click(ctx, path), p.Type(ctx, secret))
	}
}

var typed = []string{"typeInput"}

var repeatsOfSecrets = map[string]repeat{
	"a link":                   {then: `<a x href="#a">open {S}</a>`},
	"a button":                 {then: `<button x>Use {S} now</button>`},
	"an aria-label":            {then: `<button x aria-label="Use {S}">Use</button>`},
	"an id":                    {then: `<button x id="{S}">Use</button>`},
	"an id and a name":         {then: `<button x id="{S}" name="{S}" class="{S}" data-testid="{S}">{S}</button>`},
	"a name":                   {then: `<button x name="{S}">Use</button>`},
	"a class":                  {then: `<div><i x class="{S} a" style="display:block;width:50px;height:50px"></i></div>`},
	"a title":                  {then: `<button x title="{S}"><svg width=20 height=20></svg></button>`},
	"a placeholder":            {then: `<input x placeholder="{S}">`, act: edit("h", "i"), tools: typed},
	"a value that is edited":   {then: `<label>Note <input x value="{S}"></label>`, act: edit("End", "h", "i"), tools: typed},
	"a value edited in front":  {then: `<label>Note <input x value="{S}"></label>`, act: edit("Home", "Delete", "h"), tools: typed},
	"a value edited a lot":     {then: `<label>Note <input x value="{S}"></label>`, act: edit("End", "Backspace", "Backspace", "Backspace", "h", "i", "Tab"), tools: typed},
	"a text area":              {then: `<label>Note <textarea x>Your pass is {S}.</textarea></label>`, act: edit("h", "i"), tools: typed},
	"an editor":                {then: `<div x contenteditable aria-label=Note style="width:300px">{S}</div>`, act: edit("End", "h"), tools: typed},
	"a value in another field": {then: `<label>Note <input x></label><script>document.querySelector("[x]").oninput = (e) => { e.target.value = "{S}" }</script>`, act: edit("h", "Tab"), tools: typed},
	"a field that copies":      {then: `<label>Again <input x></label><p>{S}</p>`, act: func(ctx context.Context, p *simuser.User, s string) error { return p.Fill(ctx, "[x]", s) }, tools: typed},
	"an option's value":        {then: `<select size=3 aria-label=Which><option>a<option x value="{S}">b<option>c</select>`, tools: []string{"select"}},
	"an option's text":         {then: `<select size=3 aria-label=Which><option>a<option x>{S}<option>c</select>`, tools: []string{}, omits: "select"},
	"a list's options":         {then: `<select size=3 aria-label=Which><option x>a<option>{S}<option>c</select>`, tools: []string{"select"}},
	"a path":                   {then: `<a x href="/at/{P}">Open</a>`, act: leaveTo("/at/")},
	"a path that is pushed":    {then: `<button x onclick="history.pushState(null, '', '/at/{P}')">Open</button>`},
	"a query":                  {then: `<a x href="/next?q={Q}">Open</a>`, act: leaveTo("/next")},
	"a fragment":               {then: `<a x href="#/{P}">Open</a>`},
	"a frame's address":        {then: `<iframe src="/frame/{P}"></iframe>`, act: func(ctx context.Context, p *simuser.User, _ string) error { return p.Click(ctx, "iframe >>> [x]") }},
	"a frame's id and name":    {then: `<iframe id="{S}" name="{S}" src="/frame/a"></iframe>`, act: func(ctx context.Context, p *simuser.User, _ string) error { return p.Click(ctx, "iframe >>> [x]") }},
	"a frame of another site": {then: `<iframe name="{S}" src="{O}/frame/{P}"></iframe>`, act: func(ctx context.Context, p *simuser.User, _ string) error {
		return errors.Join(p.AtRest(ctx), p.Click(ctx, "iframe"))
	}, loose: true},
	"an alternative text": {then: `<button x><img alt="{S}" src="data:,"></button>`},
	"a test id":           {then: `<button x data-testid="{S}">Use</button>`},
	"a data attribute":    {then: `<button x data-{S}="{S}">Use</button>`},
	"a heading":           {then: `<h2>Your pass is {S}</h2><button x>Use</button>`},
	"a row":               {then: `<table><tr><td>{S}<td><button x>Use</button><tr><td>b<td><button>Use</button></table>`},
	"a dialog":            {then: `<button x onclick="alert('You have {S}')">Use</button>`},
	"an answer": {then: `<button x onclick="prompt('Which?', '{S}')">Use</button>`, asks: true, tools: []string{"dialog", "click"}, act: func(ctx context.Context, p *simuser.User, s string) error {
		return p.ClickAndAnswer(ctx, "[x]", simuser.Answer{Accept: true, Text: s})
	}},
	"a download":               {then: `<a x href="/file" download="{S}.{S}">Get</a>`},
	"a label of a checkbox":    {then: `<label><input type=checkbox x name="{S}">Use {S}</label>`, tools: []string{"check"}},
	"a radio button":           {then: `<input type=radio x name=r value="{S}" aria-label="{S}"><input type=radio name=r value=b>`, tools: []string{"check"}},
	"a label":                  {then: `<label for=n>Note for {S}</label> <input id=n x>`, act: edit("h"), tools: typed},
	"a described field":        {then: `<input x name=n pattern=".*|{S}" title="{S}" autocomplete="{S}">`, act: edit("h"), tools: typed},
	"another element":          {then: `<x-{S} x tabindex=0 role="{S}" style="display:block;width:50px;height:50px">Use</x-{S}>`},
	"a shadow host":            {then: `<div id="{S}"></div><script>document.querySelector("div").attachShadow({mode: "open"}).innerHTML = "<button x>Use</button>"</script>`, act: func(ctx context.Context, p *simuser.User, _ string) error { return p.Click(ctx, "div >>> [x]") }},
	"a submit button":          {then: `<form action=/next><input type=submit x value="Pay with {S}"></form>`, act: leaveTo("/next")},
	"a key":                    {then: `<button autofocus>Use {S}</button>`, act: func(ctx context.Context, p *simuser.User, _ string) error { return p.Press(ctx, "Enter") }},
	"upper case":               {then: `<button x>Use {U}</button>`},
	"an encoded text":          {then: `<button x id="{Q}">Use {Q}</button>`},
	"base64":                   {then: `<button x id="{B}">Use {B}</button>`},
	"hex":                      {then: `<button x id="{H}">Use {H}</button>`},
	"backwards":                {then: `<button x id="{R}">Use {R}</button>`},
	"letters in spans":         {then: `<button x>{L}</button>`},
	"letters with dashes":      {then: `<button x id="{D}">Use {D}</button>`},
	"without its first letter": {then: `<button x id="{T}">Use {T}</button>`},
	"a piece":                  {then: `<button x id="a{M}">Use {M}</button>`},
	"a file":                   {then: `<input x type=file aria-label=File>`, tools: []string{"upload"}, act: chooseNamed},
	"another site":             {first: strings.Replace(signIn, "/in", "{O}/in", 1), then: `<a x href="#a">open {S}</a>`},
	"another site's field":     {first: strings.Replace(signIn, "/in", "{O}/in", 1), then: `<label>Note <input x value="{S}"></label>`, act: edit("End", "h"), tools: typed},
	"a popup":                  {then: `<button id=pop onclick="window.open('/tab')">Open</button>`, also: map[string]string{"/tab": `<button x id="{S}" onclick="window.close()">Use {S}</button>`}, act: inTab("[x]"), tools: []string{"click", "click"}},
	"a popup of another site":  {then: `<button id=pop onclick="window.open('{O}/tab')">Open</button>`, also: map[string]string{"/tab": `<button x id="{S}" onclick="window.close()">Use {S}</button>`}, act: inTab("[x]"), tools: []string{"click", "click"}},
	"a one-time code":          {first: strings.Replace(signIn, "type=password", "autocomplete=one-time-code", 1), then: `<a x href="#a">code {S}</a>`, code: "digits"},
	"a code that is sent at once": {first: `<form method=post action=/in><input id=f autocomplete=one-time-code name=c oninput="if (value.length === 6) form.submit()"></form>`, then: `<a x id="c{S}" href="#a">code {S}</a>`, code: "digits",
		enter: func(ctx context.Context, p *simuser.User, s string) error {
			return errors.Join(p.Click(ctx, "#f"), p.Type(ctx, s))
		}},
	"a PIN": {first: strings.Replace(signIn, "type=password name=p", "name=pin", 1), then: `<button x>Your PIN is {S}</button>`, code: "pin"},
	"a password manager's": {first: signIn + `<script>f.value = "{S}"; f.dispatchEvent(new Event("input", {bubbles: true}))</script>`, then: `<a x href="#a">open {S}</a>`,
		enter: func(ctx context.Context, p *simuser.User, _ string) error { return p.Click(ctx, "#go") }},
	"Enter": {then: `<a x href="#a">open {S}</a>`, tools: nil,
		enter: func(ctx context.Context, p *simuser.User, s string) error { return p.Fill(ctx, "#f", s+"\n") }},
	"the same page": {first: `<input id=f type=password><button x>Go</button><script>
		f.oninput = () => { const b = document.querySelector("[x]"); b.textContent = b.id = b.name = b.className = f.value; document.title = f.value; history.replaceState(null, "", "/at/" + f.value) }</script>`, alone: true, enter: typeIn("#f")},
	"around a frame": {first: `<iframe id=i srcdoc="<input id=f type=password oninput='parent.b.textContent = parent.b.title = this.value'>"></iframe><button id=b x>Go</button>`, alone: true, enter: typeIn("#i >>> #f")},
	"around another site's frame": {first: `<iframe id=i src="{O}/pass"></iframe><button id=b x>Go</button><script>onmessage = (e) => { if (e.data === "ready") location.hash = e.data; else b.textContent = b.title = e.data }</script>`,
		also: map[string]string{"/pass": `<input id=f type=password style="position:fixed;inset:0;width:100%" oninput="parent.postMessage(this.value, '*')">
			<script>requestAnimationFrame(() => requestAnimationFrame(() => parent.postMessage("ready", "*")))</script>`}, alone: true, loose: true,
		enter: func(ctx context.Context, p *simuser.User, s string) error {
			return errors.Join(p.See(ctx, "#ready"), p.Click(ctx, "#i"), p.Type(ctx, s))
		}},
	"around a popup": {first: `<button id=pop onclick="window.open('/pass')">Open</button><button id=b x>Go</button>`,
		also:  map[string]string{"/pass": `<input id=f type=password><button id=c onclick="opener.b.textContent = opener.b.title = f.value; window.close()">Sign in</button>`},
		alone: true, enter: func(ctx context.Context, p *simuser.User, s string) error {
			if err := p.Click(ctx, "#pop"); err != nil {
				return err
			}
			tab, err := p.NewTab(ctx)
			if err != nil {
				return err
			}
			if err := errors.Join(tab.Fill(ctx, "#f", s), tab.Click(ctx, "#c")); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
				return err
			}
			return nil
		}},
	"the cache of pages": {first: `<a id=l href="/pass">On</a><button x>Go</button><script>onpageshow = (e) => { if (e.persisted) document.querySelector("[x]").textContent = "{S}" }</script>`,
		also:  map[string]string{"/pass": `<input id=f type=password><button id=back onclick="history.back()">Back</button>`},
		alone: true, loose: true, enter: func(ctx context.Context, p *simuser.User, s string) error {
			return errors.Join(p.Click(ctx, "#l"), p.See(ctx, "/pass"), p.Fill(ctx, "#f", s), p.Click(ctx, "#back"), p.See(ctx, "/start"))
		}},
}

func chooseNamed(ctx context.Context, p *simuser.User, secret string) error {
	dir, err := os.MkdirTemp("", "named")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, secret+".txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	return p.Choose(ctx, "[x]", file)
}

// newSecret makes one that says nothing of being random: syllables, and digits.
func newSecret(kind string) string {
	var b strings.Builder
	switch kind {
	case "digits":
		fmt.Fprintf(&b, "%06d", 100_000+rand.IntN(900_000))
	case "pin":
		fmt.Fprintf(&b, "%04d", 1000+rand.IntN(9000))
	default:
		const consonants, vowels = "kzwxqjv", "ouy"
		for range 7 {
			b.WriteByte(consonants[rand.IntN(len(consonants))])
			b.WriteByte(vowels[rand.IntN(len(vowels))])
		}
	}
	return b.String()
}

// inPage writes a body with the secret in it.
func inPage(body, secret, other string) string {
	backwards := []byte(secret)
	slices.Reverse(backwards)
	letters := "<span>" + strings.Join(strings.Split(secret, ""), "</span><span>") + "</span>"
	middle := secret
	if len(secret) > 8 {
		middle = secret[3:9]
	}
	return strings.NewReplacer("{S}", html.EscapeString(secret), "{P}", url.PathEscape(secret), "{Q}", url.QueryEscape(secret), "{O}", other,
		"{U}", html.EscapeString(strings.ToUpper(secret)), "{B}", base64.StdEncoding.EncodeToString([]byte("to:"+secret)), "{H}", hex.EncodeToString([]byte(secret)),
		"{R}", html.EscapeString(string(backwards)), "{L}", letters, "{D}", strings.Join(strings.Split(secret, ""), "-"), "{T}", html.EscapeString(secret[1:]), "{M}", middle).Replace(body)
}

func (w *repeat) serve(t *testing.T, secret string) string {
	t.Helper()
	var other string
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			return
		}
		body := ""
		switch also, known := w.also[r.URL.Path]; {
		case r.URL.Path == "/file":
			rw.Header().Set("Content-Type", "application/octet-stream")
			fmt.Fprint(rw, "a file")
			return
		case r.URL.Path == "/start":
			body = w.first
			if body == "" {
				body = signIn
			}
		case r.URL.Path == "/in":
			body = w.then
		case strings.HasPrefix(r.URL.Path, "/frame/"):
			body = `<button x style="position:fixed;inset:0">Inner</button>`
		case known:
			body = also
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<!doctype html><meta charset=utf-8><title>Shop</title>%s<p><button id=end>End</button>", inPage(body, secret, other))
	}))
	t.Cleanup(site.Close)
	other = strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	return site.URL
}

// A secret that was typed is repeated by a document in every way that was thought of,
// and is nowhere in what the recorder says or keeps. The recording is whole, and plays.
func TestASecretThatADocumentRepeatsIsNowhereInTheRecording(t *testing.T) {
	t.Parallel()
	for name, way := range repeatsOfSecrets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := newSecret(way.code)
			a, integrity, sinks := way.record(t, secret)
			for where, data := range sinks {
				if where == "what the page script sends" && way.loose {
					continue
				}
				wantNoPiece(t, where, data, secret)
			}
			if a != nil {
				if got := len(integrity.Omitted); got > 1 || (got == 1) != (way.omits != "") || got == 1 && integrity.Omitted[0].Tool != way.omits {
					t.Errorf("left out is %v, want %q", integrity.Omitted, way.omits)
				}
				way.wantWhole(t, a)
				way.wantPlays(t, a, secret)
			}
		})
	}
}

// wantNoPiece looks for the secret, and for six characters of it in a row.
func wantNoPiece(t *testing.T, where string, data []byte, secret string) {
	t.Helper()
	if len(secret) <= 6 { // digits: hashes have some, too
		for _, around := range []string{" ", "c", "#c"} {
			if at := strings.Index(string(data), around+secret); at >= 0 {
				t.Errorf("%s holds the secret %s: %s", where, secret, data[max(0, at-100):min(len(data), at+100)])
			}
		}
		return
	}
	wantNoCanary(t, where, data, secret)
	backwards := []byte(secret)
	slices.Reverse(backwards)
	lower := strings.ToLower(string(data))
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '"' || r == ',' || r == ' ' {
			return -1
		}
		return r
	}, lower)
	for _, form := range []string{secret, string(backwards)} {
		for i := range len(form) - 5 {
			for _, in := range []string{lower, plain} {
				if at := strings.Index(in, form[i:i+6]); at >= 0 {
					t.Errorf("%s holds the piece %q of %q: %s", where, form[i:i+6], secret, in[max(0, at-100):min(len(in), at+100)])
					return
				}
			}
		}
	}
}

func (w *repeat) record(t *testing.T, secret string) (*automation.Automation, *recorder.Integrity, map[string][]byte) {
	t.Helper()
	ctx := browsertest.Context(t)
	site := w.serve(t, secret)
	tab := browsertest.Page(t, "")
	var mu sync.Mutex
	sinks := map[string][]byte{}
	note := func(where string, v any) {
		mu.Lock()
		defer mu.Unlock()
		sinks[where] = fmt.Appendf(sinks[where], "%s\n", v)
	}
	noteJSON := func(where string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		note(where, string(data))
	}
	remove := tab.Target().Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" && e.SessionID == tab.Target().Session() {
			note("what the page script sends", string(e.Params))
		}
	})
	t.Cleanup(remove)
	r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "repeats", Pictures: true, LeaveDialogs: w.asks, OnChange: func(c recorder.Change) { noteJSON("a change", c) }})
	if err != nil {
		t.Fatal(err)
	}
	watching, stopWatching := context.WithCancel(ctx)
	var desk sync.WaitGroup
	desk.Go(func() {
		for {
			state, changed := r.State()
			noteJSON("the state", state)
			select {
			case <-changed:
			case <-watching.Done():
				return
			}
		}
	})
	if err := tab.Navigate(ctx, site+"/start"); err != nil {
		t.Fatal(err)
	}
	p := simuser.At(tab.Target())
	acts := []func() error{func() error { return w.signIn(ctx, p, secret) }, func() error { return w.do(ctx, p, secret) }, func() error { return p.Click(ctx, "#end") }}
	for i, act := range acts {
		if err := act(); err != nil {
			t.Errorf("act %d: %v", i, err)
		}
	}
	state, _ := r.State()
	noteJSON("the state", state)
	stopWatching()
	desk.Wait()
	a, integrity, err := r.Stop(ctx)
	note("the error", fmt.Sprint(err))
	noteJSON("the integrity", integrity)
	note("the user name", r.Username())
	if err != nil || a == nil {
		t.Errorf("the recording is not whole: %v", err)
		return nil, nil, sinks
	}
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	note("the document", string(data))
	keep(t, a, func(where string, v any) { note(where, fmt.Sprint(v)) })
	mu.Lock()
	defer mu.Unlock()
	return a, integrity, sinks
}

func (w *repeat) signIn(ctx context.Context, p *simuser.User, secret string) error {
	typeIt := w.enter
	if typeIt == nil {
		typeIt = func(ctx context.Context, p *simuser.User, secret string) error {
			return errors.Join(p.Fill(ctx, "#f", secret), p.Click(ctx, "#go"))
		}
	}
	if err := typeIt(ctx, p, secret); err != nil || w.alone {
		return err
	}
	return p.See(ctx, "/in")
}

func (w *repeat) do(ctx context.Context, p *simuser.User, secret string) error {
	if w.act != nil {
		return w.act(ctx, p, secret)
	}
	return pressX(ctx, p, secret)
}

// wantWhole checks that the steps are there: a secret that is typed, what was done
// with what repeats it, and what came after.
func (w *repeat) wantWhole(t *testing.T, a *automation.Automation) {
	t.Helper()
	var done []string
	for _, step := range a.Steps {
		if step.Tool != "waitForNav" && step.Tool != "navigate" && step.Tool != "keypress" {
			done = append(done, step.Tool)
		}
	}
	tools := w.tools
	if tools == nil {
		tools = []string{"click"}
	}
	if want := strings.Join(append(slices.Clone(tools), "click"), " "); !strings.HasSuffix(strings.Join(done, " "), want) {
		t.Errorf("the steps are %q, which do not end with %q", done, want)
	}
	if !strings.Contains(string(a.Variables), `"writeOnly":true`) {
		t.Errorf("there is no secret among the variables: %s", a.Variables)
	}
}

func (w *repeat) wantPlays(t *testing.T, a *automation.Automation, secret string) {
	t.Helper()
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	values := replayer.Map{}
	for _, name := range declared.Names() {
		switch {
		case declared.IsSecret(name):
			if values[name], err = automation.NewSecret(secret); err != nil {
				t.Fatal(err)
			}
		case name == "file":
			file := filepath.Join(t.TempDir(), "a.txt")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			values[name] = file
		default:
			if _, preset := declared.Default(name); !preset {
				values[name] = "hi"
			}
		}
	}
	ctx := browsertest.Context(t)
	if _, err := replayer.Play(ctx, browsertest.Page(t, ""), a, &replayer.Options{Values: values, Commit: replayer.AllowCommits, Timeout: 20 * time.Second}); err != nil {
		data, _ := automation.Marshal(a)
		t.Errorf("it does not play: %v\n%s", err, data)
	}
}
