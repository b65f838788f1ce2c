package desk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// atDesk is a recording with one who does a flow, and one at its desk.
type atDesk struct {
	t      *testing.T
	ctx    context.Context
	rec    *recorder.Recorder
	desk   *desk.Desk
	flow   *simuser.User
	person *simuser.User
	page   *browser.Page // the desk's
}

// sitDown records a page with this body, and opens its desk in another page.
func sitDown(t *testing.T, body string, o *desk.Options) *atDesk {
	t.Helper()
	ctx := browsertest.Context(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><meta charset=utf-8>", body)
	}))
	t.Cleanup(site.Close)
	recorded := browsertest.Page(t, "")
	rec, err := recorder.Start(ctx, recorded, &recorder.Options{Name: "tour", Pictures: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := recorded.Navigate(ctx, site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	d, err := desk.Serve(ctx, rec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing the desk: %v", err)
		}
	})
	viewer := browsertest.Page(t, d.URL())
	s := &atDesk{t: t, ctx: ctx, rec: rec, desk: d, flow: simuser.At(recorded.Target()), person: simuser.At(viewer.Target()), page: viewer}
	s.sees(`document.querySelectorAll(".step").length === 1`)
	return s
}

func (s *atDesk) do(acts ...func() error) {
	s.t.Helper()
	for i, act := range acts {
		if err := act(); err != nil {
			s.t.Fatalf("act %d: %v", i, err)
		}
	}
}

func (s *atDesk) click(path string) {
	s.t.Helper()
	s.do(func() error { return s.person.Click(s.ctx, path) })
}

// evaluate asks the desk's page.
func (s *atDesk) evaluate(expression string) any {
	s.t.Helper()
	reply, err := s.page.Target().Send("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}).Wait(s.ctx)
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	var answer struct{ Result struct{ Value any } }
	if err := json.Unmarshal(reply, &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Result.Value
}

// sees waits until something is true of the desk's page.
func (s *atDesk) sees(condition string) {
	s.t.Helper()
	const wait = `new Promise((resolve) => { const end = performance.now() + 10000; (function look() {
		let ok = false; try { ok = (%s) } catch {} if (ok || performance.now() > end) resolve(ok); else requestAnimationFrame(look) })() })`
	if s.evaluate(fmt.Sprintf(wait, condition)) != true {
		s.t.Fatalf("the desk never shows %s; it shows\n%v", condition, s.evaluate("document.body.innerText"))
	}
}

// on is a selector of the step that stands at a place, from 1.
func on(place int, part string) string {
	return fmt.Sprintf("#steps > li:nth-child(%d) %s", place, part)
}

func (s *atDesk) stop() *automation.Automation {
	s.t.Helper()
	a, _, err := s.rec.Stop(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

const shop = `<button id=a>Add</button> <button id=b>Basket</button> <button id=c>Pay now</button>
<label>City <input name=city></label> <label>Member <input name=member></label><p id=ok>Thank you</p><button id=evil></button>
<script>evil.textContent = '<img src=x onerror="document.title=1">'</script>`

func TestThePersonShapesTheRecordingAtTheDesk(t *testing.T) {
	t.Parallel()
	s := sitDown(t, shop, nil)
	for _, path := range []string{"#a", "#b", "#c"} {
		s.do(func() error { return s.flow.Click(s.ctx, path) })
	}
	s.sees(`document.querySelectorAll(".step").length === 4 && document.querySelector("#steps li:nth-child(4)").innerText.includes("Pay now")`)
	s.sees(`document.querySelector("#steps li:nth-child(4) .chip").value === "commit"`)
	s.do(func() error { return s.flow.Fill(s.ctx, "[name=city]", "Linz") })
	s.sees(`document.querySelector("#steps li:nth-child(5) .value").textContent === "Linz"`)

	s.click(on(5, ".tool[title=More]"))
	s.do(func() error { return s.person.Fill(s.ctx, on(5, ".more > label:nth-of-type(2) input"), "town") },
		func() error { return s.person.Press(s.ctx, "Enter") })
	s.sees(`document.querySelector("#steps li:nth-child(5) .value").textContent === "${town}"`)
	s.do(func() error { return s.person.Fill(s.ctx, on(5, ".intent input"), "say where to") },
		func() error { return s.person.Press(s.ctx, "Enter") })
	s.sees(`document.querySelector("#steps li:nth-child(5) .sub").textContent.includes("say where to")`)
	s.click(on(3, ".remove"))
	s.sees(`document.querySelectorAll(".step").length === 4`)
	s.evaluate(`document.querySelector("#steps li:nth-child(4) .grip").focus()`)
	s.do(func() error { return s.person.Press(s.ctx, "ArrowUp") })
	s.sees(`document.querySelector("#steps li:nth-child(3) .value").textContent === "${town}"`)
	s.do(func() error { return s.person.Press(s.ctx, "ArrowUp") }) // the focus has gone along
	s.sees(`document.querySelector("#steps li:nth-child(2) .value").textContent === "${town}"`)
	s.click("#undo")
	s.sees(`document.querySelector("#steps li:nth-child(3) .value").textContent === "${town}"`)

	a := s.stop()
	var got []string
	for _, step := range a.Steps[1:] {
		got = append(got, step.Tool)
	}
	if strings.Join(got, " ") != "click typeInput click" || a.Steps[2].Intent != "say where to" || a.Steps[2].Value.Name != "town" || a.Steps[3].Effect != automation.Commit {
		t.Errorf("recorded %v: %+v", got, a.Steps)
	}
	s.sees(`document.getElementById("state").textContent.startsWith("Ended")`)
}

func TestStepsAreDraggedToAnotherPlace(t *testing.T) {
	t.Parallel()
	s := sitDown(t, shop, nil)
	for _, path := range []string{"#a", "#b", "#c"} {
		s.do(func() error { return s.flow.Click(s.ctx, path) })
	}
	s.sees(`document.querySelectorAll(".step").length === 4`)
	s.do(func() error { return s.person.Drag(s.ctx, on(4, ".grip"), on(2, ".grip"), 0, -4, false) })
	s.sees(`[...document.querySelectorAll(".step .on")].slice(1).map((on) => on.textContent).join() === "Pay now,Add,Basket" && !document.querySelector(".lifted")`)
	if a := s.stop(); !strings.Contains(a.Steps[1].Selector.String(), "Pay now") {
		t.Errorf("the first step is on %v", a.Steps[1].Selector)
	}
}

func TestTheDeskPausesAndPoints(t *testing.T) {
	t.Parallel()
	stopped := make(chan struct{})
	s := sitDown(t, shop, &desk.Options{Stop: func() { close(stopped) }})
	s.click("#pause")
	s.sees(`document.getElementById("state").textContent.startsWith("Paused")`)
	s.do(func() error { return s.flow.Click(s.ctx, "#a") })
	s.click("#pause")
	s.sees(`document.getElementById("state").textContent.startsWith("Recording")`)
	s.click("#check")
	s.sees(`document.getElementById("check").getAttribute("aria-pressed") === "true"`)
	s.do(func() error { return s.flow.Click(s.ctx, "#ok") })
	s.sees(`document.querySelectorAll(".step").length === 2 && document.querySelector("#steps li:nth-child(2)").innerText.includes("Thank you")`)
	s.click("#check")
	s.sees(`!document.getElementById("pointing").hidden`)
	s.do(func() error { return s.flow.Click(s.ctx, "[name=city]") })
	s.sees(`document.getElementById("note").innerText.includes("field")`)
	s.click("#hover")
	s.sees(`document.getElementById("hover").getAttribute("aria-pressed") === "true"`)
	s.do(func() error { return s.person.Press(s.ctx, "Escape") })
	s.sees(`document.getElementById("pointing").hidden`)
	s.click("#stop")
	<-stopped
	if a := s.stop(); len(a.Steps) != 2 || a.Steps[1].Tool != "assert" {
		t.Errorf("recorded %+v", a.Steps)
	}
}

func TestAPictureIsShownOfAPressAndOfNoField(t *testing.T) {
	t.Parallel()
	s := sitDown(t, shop, nil)
	s.do(func() error { return s.flow.Click(s.ctx, "#a") })
	s.sees(`document.querySelector("#steps li:nth-child(2) .shot img").naturalWidth > 10`)
	s.do(func() error { return s.flow.Fill(s.ctx, "[name=city]", "Linz") })
	s.sees(`document.querySelector("#steps li:nth-child(3) .value").textContent === "Linz"`)
	if s.evaluate(`document.querySelectorAll("#steps li:nth-child(3) .shot svg").length`) != 1.0 {
		t.Error("a field has a picture")
	}
}

func TestTextsOfPagesAreShownAsTexts(t *testing.T) {
	t.Parallel()
	s := sitDown(t, shop, nil)
	s.do(func() error { return s.flow.Click(s.ctx, "#evil") })
	s.sees(`document.querySelector("#steps li:nth-child(2) .on").textContent.startsWith("<img src=x")`)
	if s.evaluate(`document.querySelectorAll("#steps img[onerror], #steps script").length`) != 0.0 {
		t.Error("a text of the page has become an element")
	}
}

// What was marked as secret at the desk is in nothing that the desk sends from then on.
func TestTheDeskForgetsASecret(t *testing.T) {
	t.Parallel()
	s := sitDown(t, shop, nil)
	const canary = "Kanarienvogel"
	s.do(func() error { return s.flow.Fill(s.ctx, "[name=member]", canary) })
	s.sees(fmt.Sprintf(`document.querySelector("#steps li:nth-child(2) .value").textContent === %q`, canary))
	s.click(on(2, ".tool[title=More]"))
	s.click(on(2, ".more button"))
	s.sees(`document.querySelector("#steps li:nth-child(2) .value").textContent === "secret ${member}"`)
	s.evaluate(`window.heard = []; const again = new EventSource("events"); again.onmessage = (e) => heard.push(e.data)`)
	s.do(func() error { return s.flow.Fill(s.ctx, "[name=member]", canary) },
		func() error { return s.flow.Click(s.ctx, "#a") })
	s.sees(`heard.at(-1)?.includes("Add")`)
	said := fmt.Sprint(s.evaluate(`heard.join() + document.documentElement.outerHTML + [...document.querySelectorAll("input")].map((i) => i.value)`))
	if strings.Contains(said, canary) || !strings.Contains(said, "member") {
		t.Errorf("the desk says\n%s", said)
	}
	data, err := automation.Marshal(s.stop())
	if err != nil || bytes.Contains(data, []byte(canary)) {
		t.Errorf("the document is (%v)\n%s", err, data)
	}
}
