package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// on is a step on an element.
func on(tool, selector string) automation.Step {
	s, err := selectors.Parse(selector)
	if err != nil {
		panic(err)
	}
	return automation.Step{Tool: tool, Selector: selectors.Path{s}}
}

func TestToolsAreCalledOneByOne(t *testing.T) {
	t.Parallel()
	s := startTill(t, `<input id=who type=password oninput="echo.textContent=this.value"><p id=echo></p>`+byForm)
	page := browsertest.Page(t, "")
	password, err := automation.NewSecret("hunter22", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := replayer.Begin(page, &replayer.Options{Values: replayer.Map{"password": password}, Timeout: 2 * time.Second})
	defer session.Close()
	do := func(step automation.Step) error {
		_, err := session.Do(t.Context(), step)
		return err
	}
	wantCode(t, do(on("click", "#pay")), replayer.OutOfScope, 0) // it is nowhere yet
	if err := do(automation.Step{Tool: "navigate", URL: s.URL}); err != nil {
		t.Fatal(err)
	}
	typed := on("typeInput", "#who")
	typed.Value = &automation.Value{Kind: automation.Variable, Name: "password"}
	if err := do(typed); err != nil {
		t.Fatal(err)
	}
	read := on("extract", "#echo")
	read.Args = json.RawMessage(`{"as":"echo"}`)
	if err := do(read); err != nil || session.Outputs()["echo"] != "[secret]" {
		t.Errorf("%v, %v", err, session.Outputs())
	}
	wantCode(t, do(on("click", "#pay")), replayer.Refused, 4)
	wantCode(t, do(automation.Step{Tool: "fly"}), replayer.Refused, 5)
	wantCode(t, do(automation.Step{Tool: "click"}), replayer.Refused, 5)
	if s.orders.Load() != 0 {
		t.Error("an order was placed")
	}
	session.Close()
	wantCode(t, do(on("click", "#who")), replayer.Refused, 5)
}

const outlined = `<!doctype html><title>Sign in</title>
<h1>Sign <b>in</b></h1><p>Welcome <b>back</b> to us.</p><script>var hidden = "no"</script>
<form aria-label="who"><label>Email <input id=email value="ada@example.com"></label>
<label>Password <input id=pw type=password value="open-sesame-1"></label>
<label>Code <input name=otp value="918273"></label>
<select aria-label="Country"><option>France<option selected>Chile</select>
<label><input type=checkbox checked> Remember me</label>
<button type=button id=go onclick="this.textContent='Gone on'">Go on</button><button disabled>Never</button></form>
<div style="display:none">unseen</div><p id=echo></p><div id=host></div>
<iframe srcdoc="<p>inner</p><button id=in onclick='this.textContent=&quot;pressed&quot;'>Inside</button>"></iframe>
<script>host.attachShadow({mode:"open"}).innerHTML="<button>In the shadow</button>"</script>`

// refOf is the reference of the line of an outline that holds a text.
func refOf(t *testing.T, outline, text string) string {
	t.Helper()
	for line := range strings.Lines(outline) {
		if m := regexp.MustCompile(`\[(d\d+e\d+)\]`).FindStringSubmatch(line); m != nil && strings.Contains(line, text) {
			return m[1]
		}
	}
	t.Fatalf("nothing is called %q in\n%s", text, outline)
	return ""
}

func TestASnapshotTellsWhatAPageShows(t *testing.T) {
	t.Parallel()
	server := serve(t, outlined)
	s := replayer.Begin(browsertest.Page(t, server.URL), &replayer.Options{Timeout: 5 * time.Second})
	defer s.Close()
	shot, err := s.Snapshot(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`heading "Sign in"`, "Welcome back to us.", `textbox "Email" [d1e`, `value="ada@example.com"`, `textbox "Password" [d1e`, " secret",
		`combobox "Country"`, `value="Chile" options=["France" "Chile"]`, `checkbox "Remember me"`, "checked", `button "Go on"`, `button "Never"`, "disabled",
		`button "In the shadow"`, "frame of ", `button "Inside" [d2e`,
	} {
		if !strings.Contains(shot.Outline, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, never := range []string{"open-sesame-1", "918273", "unseen", "hidden ="} {
		if strings.Contains(shot.Outline, never) {
			t.Errorf("%q is told", never)
		}
	}
	if shot.Title != "Sign in" || shot.More || shot.URL != server.URL+"/" {
		t.Errorf("%+v", shot)
	}
	if t.Failed() {
		t.Log(shot.Outline)
	}
}

func TestWhatASnapshotNamesIsUsed(t *testing.T) {
	t.Parallel()
	server := serve(t, outlined)
	s := replayer.Begin(browsertest.Page(t, server.URL), &replayer.Options{Timeout: 5 * time.Second})
	defer s.Close()
	shot, err := s.Snapshot(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	refs := map[string]string{}
	for _, name := range []string{"Go on", "Inside", "In the shadow"} {
		refs[name] = refOf(t, shot.Outline, name)
		element, err := s.ResolveRef(t.Context(), refs[name])
		if err != nil {
			t.Fatal(err)
		}
		step := element.Step
		step.Tool = "click"
		if _, err := s.Do(t.Context(), step); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	after, err := s.Snapshot(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if refOf(t, after.Outline, "Gone on") != refs["Go on"] || !strings.Contains(after.Outline, `"pressed"`) {
		t.Errorf("not pressed, or another reference:\n%s", after.Outline)
	}
	password, err := s.ResolveRef(t.Context(), refOf(t, shot.Outline, "Password"))
	if err != nil || !password.Secret || password.Kind != "password" {
		t.Errorf("%+v, %v", password, err)
	}
	if _, err := s.Do(t.Context(), automation.Step{Tool: "navigate", URL: server.URL}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Snapshot(t.Context(), "", 0); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{refs["Go on"], "d1e9999", "d77e1", "d0e1", "e1", ""} {
		_, err := s.ResolveRef(t.Context(), ref)
		var e *replayer.Error
		if !errors.As(err, &e) || e.Code != replayer.NotFound {
			t.Errorf("%s of another document: %v", ref, err)
		}
	}
}

func TestASnapshotIsOfNoMoreThanItsSize(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "<p>Line %d of many</p><button>Press %d</button>", i, i)
	}
	server := serve(t, b.String())
	s := replayer.Begin(browsertest.Page(t, server.URL), nil)
	defer s.Close()
	for _, size := range []int{0, 1, 3000, 100_000} {
		shot, err := s.Snapshot(t.Context(), "", size)
		most := max(500, size)
		if size == 0 {
			most = replayer.DefaultSnapshotSize
		}
		if err != nil || !shot.More || len(shot.Outline) > most || len(shot.Outline) < most/4 {
			t.Errorf("%d: %d characters, more: %v, %v", size, len(shot.Outline), shot.More, err)
		}
	}
}

func TestASnapshotRepeatsNoSecretThatTheSessionKnows(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>hello canary-4711</title><p>your word is canary-4711</p><p>aGk Y2FuYXJ5LTQ3MTE= or canary&#45;4711</p><button>canary-4711</button><input value="canary-4711">`)
	}))
	t.Cleanup(server.Close)
	s := replayer.Begin(browsertest.Page(t, server.URL), nil)
	defer s.Close()
	secret, err := automation.NewSecret("canary-4711")
	if err != nil {
		t.Fatal(err)
	}
	s.Redact(secret)
	shot, err := s.Snapshot(t.Context(), "", 0)
	if all := fmt.Sprint(shot); err != nil || strings.Contains(all, "canary-4711") || strings.Contains(all, "Y2FuYXJ5LTQ3MTE=") {
		t.Errorf("%s, %v", all, err)
	}
	if got := replayer.NewRedactor(secret).Text("say canary%2D4711 or canary-4711"); strings.Contains(got, "canary-4711") {
		t.Error(got)
	}
}

func ExampleSession_Snapshot() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "https://example.com/")
	if err != nil {
		log.Print(err)
		return
	}
	session := replayer.Begin(page, nil)
	defer session.Close()
	shot, err := session.Snapshot(ctx, "", 0)
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(shot.Outline) // link "More information…" [d1e1]
	link, err := session.ResolveRef(ctx, "d1e1")
	if err != nil {
		log.Print(err)
		return
	}
	link.Step.Tool = "click"
	_, err = session.Do(ctx, link.Step)
	fmt.Println(err)
}
