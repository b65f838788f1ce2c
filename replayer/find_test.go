package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

const lazy = `<div id=list style="height:200px;overflow:auto"><div style="height:6000px;position:relative" id=in></div></div><script>
	const draw = () => { const at = Math.floor(list.scrollTop / 20); let html = ""; for (let i = at; i < at + 12; i++) html += "<button style='position:absolute;top:" + i*20 + "px' id=b" + i + " onclick=\"document.title='ok'\">item " + i + "</button>"; document.getElementById("in").innerHTML = html };
	list.onscroll = draw; draw()</script>`

const menu = `<style>#m ul{display:none}#m:hover ul{display:block}</style><div style="height:50px"></div><div id=m>Menu<ul><li><button id=b150 onclick="document.title='ok'">x</button></ul></div>`

func TestLooksLeaveTheTimeToWhatComesAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		html string
		o    replayer.Options
	}{
		"list plain":     {lazy, replayer.Options{}},
		"list pictures":  {lazy, replayer.Options{OnPicture: func(replayer.StepPicture) {}}},
		"list humanized": {lazy, replayer.Options{Humanize: true, Seed: 4}},
		"menu plain":     {menu, replayer.Options{}},
		"menu pictures":  {menu, replayer.Options{OnPicture: func(replayer.StepPicture) {}}},
		"menu humanized": {menu, replayer.Options{Humanize: true, Seed: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, c.html)
			page := browsertest.Page(t, server.URL)
			c.o.Timeout = 4 * time.Second
			started := time.Now()
			_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#b150"}`), &c.o)
			if err != nil {
				t.Errorf("%v after %v", err, time.Since(started))
			}
		})
	}
}

// shop has little in common with its next release but the attribute of its tests.
const (
	shop = `<header><a href="/home">Home</a></header><main><h1>Your order</h1><form class="order"><button id="place" class="btn primary" data-part="place-order" onclick="location.hash='placed';return false">Place order</button></form>` +
		`<p><button class="btn" data-part="save-draft" onclick="location.hash='saved'">Save draft</button></p></main>`
	renewedShop = `<nav><p><a href="/start">Anfang</a></p></nav><section><h2>Warenkorb</h2><div><button class="cta" data-part="place-order" onclick="location.hash='placed'">Kaufen</button>` +
		`<button class="cta" data-part="save-draft" onclick="location.hash='saved'">Merken</button></div></section>`
)

func recordMarked(t *testing.T, url, attribute, on string) *automation.Automation {
	t.Helper()
	page := browsertest.Page(t, url)
	r, err := recorder.Start(t.Context(), page, &recorder.Options{Name: "flow", TestIDAttribute: attribute})
	if err != nil {
		t.Fatal(err)
	}
	if err := simuser.At(page.Target()).Click(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = automation.Parse(data); err != nil { // it is played by one who has the document alone
		t.Fatal(err)
	}
	return a
}

func TestAnElementIsFoundByTheAttributeOfThePagesOwnTests(t *testing.T) {
	t.Parallel()
	url, release := serveReleases(t, shop, renewedShop)
	a := recordMarked(t, url, "data-part", "#place")
	step := a.Steps[len(a.Steps)-1]
	if got := step.Selector.String(); got != `[data-part="place-order"]` {
		t.Errorf("the first selector is %s", got)
	}
	if step.Fingerprint.TestIDAttribute != "data-part" || step.Fingerprint.Own["testid"] == "" {
		t.Errorf("the fingerprint does not hold the attribute: %+v", step.Fingerprint)
	}
	release()
	page := browsertest.Page(t, "")
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatalf("%v, %+v", err, considered(err))
	}
	browsertest.Until(t, "the click", func() bool { return strings.HasSuffix(page.URL(), "#placed") })
	proposal := result.Proposal(a)
	if proposal == nil {
		t.Fatal("nothing is proposed")
	}
	renewed := proposal.Steps[len(proposal.Steps)-1]
	if renewed.Selector.String() != `[data-part="place-order"]` || renewed.Fingerprint.TestIDAttribute != "data-part" {
		t.Errorf("what is proposed has lost the attribute: %s, %+v", renewed.Selector, renewed.Fingerprint)
	}
}

// The evidence is read with the attribute, too: another value speaks against an
// element that still stands where it stood and looks as it looked.
func TestTheAttributeOfThePagesOwnTestsSpeaksForAndAgainst(t *testing.T) {
	t.Parallel()
	two := func(first, second string) string {
		return form(`<p><button class="icon" data-part="` + first + `" onclick="location.hash='` + first + `'">&#8226;</button> <button class="icon" data-part="` + second + `" onclick="location.hash='` + second + `'">&#8226;</button></p>`)
	}
	url, release := serveReleases(t, two("edit", "trash"), two("trash", "edit"))
	a := recordMarked(t, url, "data-part", `[data-part="edit"]`)
	step := &a.Steps[len(a.Steps)-1]
	step.Selector, step.Alternatives = step.Alternatives[0], step.Alternatives[1:] // a place: the evidence has to decide
	step.BindEvidence()
	release()
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "the click", func() bool { return strings.HasSuffix(page.URL(), "#edit") })
}

func TestAnAttributeThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	page := browsertest.Page(t, "")
	for _, name := range []string{`x"],*["`, "value", "Data-Part"} {
		if r, err := recorder.Start(t.Context(), page, &recorder.Options{TestIDAttribute: name}); err == nil {
			t.Errorf("%q was taken", name)
			_, _, _ = r.Stop(t.Context())
		}
	}
}

func considered(err error) []replayer.Candidate {
	var e *replayer.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Considered
}

func clickAt(path string, dx, dy float64) act {
	return func(ctx context.Context, p *simuser.User) error { return p.ClickAt(ctx, path, dx, dy) }
}

// closedBox is an element whose closed root holds a field and a button, one
// below the other, each 40 pixels high.
const closedBox = `<script>
function fillBox(host, mode = "closed") {
	const root = host.attachShadow({mode});
	host.style.cssText = "display:block;width:200px;height:80px";
	root.innerHTML = "<style>input,button{box-sizing:border-box;display:block;width:200px;height:40px;margin:0}</style><input aria-label=City><button>Save</button>";
	root.querySelector("button").onclick = () => { location.hash += root.querySelector("input").value + ";" };
	return root;
}
customElements.define("x-box", class extends HTMLElement { connectedCallback() { fillBox(this) } });
</script>`

// reachTest records acts on a page and plays them in another tab, where the
// fragment is to become what it became for the user.
type reachTest struct {
	html  string
	acts  []act
	steps []string // without the first, which goes to the page; nil is any
	want  string   // the fragment
}

func (test reachTest) run(t *testing.T) {
	t.Parallel()
	server := serve(t, test.html)
	a := record(t, server.URL+"/", test.acts...)
	if got := toolsOf(a)[1:]; test.steps != nil {
		if diff := cmp.Diff(test.steps, got); diff != "" {
			t.Errorf("recorded steps (-want +got):\n%s", diff)
		}
	}
	playTo(t, a, server.URL+"/#"+test.want)
}

// playTo plays an automation in a page of its own, which is to end at an address.
func playTo(t *testing.T, a *automation.Automation, want string) *browser.Page {
	t.Helper()
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: patience}); err != nil {
		t.Fatalf("%v\n%q", err, toolsOf(a))
	}
	browsertest.Until(t, "the address "+want, func() bool { return page.URL() == want })
	return page
}

func TestWhatIsInAClosedShadowRootIsRecordedAndPlayed(t *testing.T) {
	t.Parallel()
	inBox := []act{clickAt("#h", 0, -20), typeText("Linz"), clickAt("#h", 0, 20)}
	for name, test := range map[string]reachTest{
		"of a custom element": {
			closedBox + `<x-box id=h></x-box>`, inBox,
			[]string{`typeInput "Linz"`, `click #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"of a plain element": {
			closedBox + `<div id=h></div><script>fillBox(h)</script>`, inBox,
			[]string{`typeInput "Linz"`, `click #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"of a plain element with words of its own": {
			closedBox + `<section id=h>not shown</section><script>fillBox(h)</script>`, inBox,
			[]string{`typeInput "Linz"`, `click #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"written into the page": {
			`<div id=h><template shadowrootmode=closed><button style="width:90px;height:40px">Save</button></template></div><script>document.addEventListener("click",()=>location.hash="hit")</script>`,
			[]act{clickAt("#h", 0, 0)}, nil, "hit",
		},
		"in another one": {
			closedBox + `<x-outer id=o></x-outer><script>customElements.define("x-outer", class extends HTMLElement { connectedCallback() {
				this.style.cssText = "display:block;width:200px;height:80px"; this.attachShadow({mode:"closed"}).innerHTML = "<x-box id=h></x-box>" } })</script>`,
			[]act{clickAt("#o", 0, -20), typeText("Linz"), clickAt("#o", 0, 20)},
			[]string{`typeInput "Linz"`, `click #o >>> #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"in an open one": {
			closedBox + `<div id=o></div><script>o.attachShadow({mode:"open"}).innerHTML = "<x-box id=h></x-box>"</script>`,
			[]act{clickAt("#o >>> #h", 0, -20), typeText("Linz"), clickAt("#o >>> #h", 0, 20)},
			[]string{`typeInput "Linz"`, `click #o >>> #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"that a press makes": {
			closedBox + `<x-press id=h style="display:block;width:200px;height:80px" onclick="if(!this.done)fillBox(this);this.done=1"></x-press>`,
			[]act{clickAt("#h", 0, -20), clickAt("#h", 0, -20), typeText("Linz"), clickAt("#h", 0, 20)},
			nil, "Linz;",
		},
		"that comes a second after its host": {
			closedBox + `<x-late id=h></x-late><script>customElements.define("x-late", class extends HTMLElement { connectedCallback() {
				this.style.cssText = "display:block;width:200px;height:80px"; setTimeout(() => { fillBox(this); document.body.append(ready) }, 1000) } });
				const ready = document.createElement("p"); ready.id = "ready"; ready.textContent = "Ready"</script>`,
			[]act{func(ctx context.Context, p *simuser.User) error { _, _, err := p.Find(ctx, "#ready"); return err }, clickAt("#h", 0, -20), typeText("Linz"), clickAt("#h", 0, 20)}, nil, "Linz;",
		},
		"of a page that keeps events to itself": {
			`<script>for (const type of ["pointerdown","keydown","input","focusin","change"]) document.addEventListener(type, (e) => e.stopImmediatePropagation(), true)</script>` + closedBox + `<x-box id=h></x-box>`,
			inBox, []string{`typeInput "Linz"`, `click #h >>> aria/Save[role="button"]`}, "Linz;",
		},
		"in a frame": {
			`<iframe id=f style="width:300px;height:120px" srcdoc='` + closedBox + `<x-box id=h></x-box>'></iframe><script>setInterval(() => { const at = f.contentWindow.location.hash; if (at) location.hash = at }, 10)</script>`,
			[]act{clickAt("#f >>> #h", 0, -20), typeText("Linz"), clickAt("#f >>> #h", 0, 20)}, nil, "Linz;",
		},
		"with keys": {
			`<div id=h></div><script>const r = h.attachShadow({mode:"closed"}); r.innerHTML = "<input id=i style='display:block;width:200px;height:40px'>";
				r.querySelector("input").onkeydown = (e) => { if (e.key === "Enter") location.hash = e.target.value }</script>`,
			[]act{clickAt("#h", -500, 0), typeText("Linz"), press("Enter")}, nil, "Linz",
		},
		"with choices": {
			`<div id=h style="width:200px"></div><script>const r = h.attachShadow({mode:"closed"}); r.innerHTML = "<style>input,select{display:block;width:200px;height:40px;margin:0}</style><input type=checkbox aria-label=Gift><select multiple aria-label=Size style='height:80px'><option>S<option>M</select>";
				r.addEventListener("change", () => location.hash = [r.querySelector("input").checked, r.querySelector("select").value])</script>`,
			[]act{clickAt("#h", 0, -40), clickAt("#h", 0, 0)}, nil, "true,M",
		},
	} {
		t.Run(name, test.run)
	}
}

func TestChoicesInAnOpenShadowRootAreRecorded(t *testing.T) {
	reachTest{
		`<div id=h></div><script>const r = h.attachShadow({mode:"open"}); r.innerHTML = "<input id=i type=checkbox><select id=s multiple aria-label=Size><option>S<option>M</select>";
			r.addEventListener("change", () => location.hash = [r.querySelector("input").checked, r.querySelector("select").value])</script>`,
		[]act{clickOn("#h >>> #i"), clickOn("#h >>> option:nth-child(2)")},
		[]string{"check true", `select ["M"]`}, "true,M",
	}.run(t)
}

func TestWhatStandsApartFromThePageIsRecordedAndPlayed(t *testing.T) {
	t.Parallel()
	const icon = `<svg xmlns="http://www.w3.org/2000/svg" width=60 height=20><symbol id=sym viewBox="0 0 20 20"><rect width=20 height=20 /></symbol>
		<g id=one onclick="location.hash='one'"><rect width=20 height=20 fill=red /></g>
		<path id=two d="M20 0h20v20H20z" onclick="location.hash='two'" />
		<use id=three href="#sym" x=40 width=20 height=20 onclick="location.hash='three'" /></svg>`
	for name, test := range map[string]reachTest{
		"a modal dialog": {
			`<button id=o onclick="d.showModal()">Open</button><button id=x>Save</button><dialog id=d><input id=i aria-label=City><button id=s onclick="location.hash=i.value;d.close()">Save</button></dialog>`,
			[]act{clickOn("#o"), fill("#i", "Ada"), clickOn("#s")}, nil, "Ada",
		},
		"a dialog that is open": {
			`<dialog open><button id=s onclick="location.hash='saved'">Save</button></dialog>`,
			[]act{clickOn("#s")}, nil, "saved",
		},
		"a dialog that a form closes": {
			`<button id=o onclick="d.showModal()">Open</button><dialog id=d onclose="location.hash=this.returnValue"><form method=dialog><button id=n value=no>No</button><button id=y value=yes>Yes</button></form></dialog>`,
			[]act{clickOn("#o"), clickOn("#y")}, nil, "yes",
		},
		"a popover": {
			`<button id=o popovertarget=p>Menu</button><div id=p popover><button id=e onclick="location.hash='edit'">Edit</button></div>`,
			[]act{clickOn("#o"), clickOn("#e")}, nil, "edit",
		},
		"a popover in a dialog": {
			`<button id=o onclick="d.showModal()">Open</button><dialog id=d><button id=q popovertarget=p>Menu</button><div id=p popover=auto><a id=e href="#edit">Edit</a></div></dialog>`,
			[]act{clickOn("#o"), clickOn("#q"), clickOn("#e")}, nil, "edit",
		},
		"a group in a picture": {icon, []act{clickOn("#one")}, nil, "one"},
		"a path in a picture":  {icon, []act{clickOn("#two")}, nil, "two"},
		"a use in a picture":   {icon, []act{clickOn("#three")}, nil, "three"},
		"a picture without names": {
			strings.NewReplacer("id=one", "", "id=two", "", "id=three", "").Replace(icon),
			[]act{clickOn("svg path")}, nil, "two",
		},
		"one of several pictures": {
			`<ul><li><svg width=20 height=20 onclick="location.hash=1"><path d="M0 0h20v20H0z"/></svg><li><svg width=20 height=20 onclick="location.hash=2"><path d="M0 0h20v20H0z"/></svg></ul>`,
			[]act{clickOn("li:nth-child(2) path")}, nil, "2",
		},
		"a link in a picture": {
			`<svg width=100 height=40><a href="#in"><text id=x x=5 y=25>Go in</text></a></svg>`,
			[]act{clickOn("#x")}, nil, "in",
		},
		"what has to be unfolded twice": {
			`<details><summary id=a>More</summary><details><summary id=b>Yet more</summary><button id=k onclick="location.hash='deep'">Ok</button></details></details>`,
			[]act{clickOn("#a"), clickOn("#b"), clickOn("#k")}, nil, "deep",
		},
	} {
		t.Run(name, test.run)
	}
}

// late serves a page that is one thing on the first visit and another on later ones.
func late(t *testing.T, first, then string) *httptest.Server {
	t.Helper()
	var visits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		html := then
		if visits.Add(1) == 1 {
			html = first
		}
		fmt.Fprint(w, "<!doctype html>", html)
	}))
	t.Cleanup(server.Close)
	return server
}

// rows is a list of 400 rows that draws only those in sight, as virtualised lists
// do, when it is scrolled; %s is what else it does at first.
const rows = `<style>#l{height:200px;width:300px;overflow:auto;position:relative}.row{position:absolute;height:30px;left:0;right:0}</style>
<p>Above</p><div id=l><div style="height:12000px"></div></div><script>
const missing = new Set([%s]);
function draw() {
	for (const old of l.querySelectorAll(".row")) old.remove();
	for (let i = Math.floor(l.scrollTop / 30); i < Math.min(400, l.scrollTop / 30 + 8); i++) {
		if (missing.has(i)) continue;
		const row = document.createElement("div");
		row.className = "row"; row.style.top = i * 30 + "px";
		row.innerHTML = "Order " + i + " <button>Open order " + i + "</button>";
		row.lastChild.onclick = () => location.hash = i;
		l.append(row);
	}
}
l.onscroll = () => requestAnimationFrame(draw);
draw();
</script>`

func TestAListIsScrolledToARowThatItHasNotDrawn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ more, then string }{
		"below":               {"<script>l.scrollTop = 30 * 119</script>", ""},
		"above":               {"<script>l.scrollTop = 30 * 119</script>", "<script>l.scrollTop = 30 * 300</script>"},
		"next to longer ones": {"<script>l.scrollTop = 30 * 119</script>", `<div style="height:500px;overflow:auto">` + strings.Repeat("<p>No row", 300) + "</div>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := fmt.Sprintf(rows, "")
			server := late(t, list+test.more, list+test.then)
			a := record(t, server.URL+"/", clickOn(".row:nth-child(4) button"))
			playTo(t, a, server.URL+"/#121")
		})
	}
}

// A list that has drawn all its rows, and one that never draws the row, are left
// as they were, and nothing else is pressed.
func TestAListIsPutBackWhenTheElementIsGone(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{
		"from a list that draws":         fmt.Sprintf(rows, "121") + "<script>l.scrollTop = 300</script>",
		"from a row that cannot be used": strings.ReplaceAll(fmt.Sprintf(rows, ""), "<button>", "<button disabled>") + "<script>l.scrollTop = 300</script>",
		"from a page of all rows":        `<div id=l style="height:200px;overflow:auto">` + strings.Repeat("<div class=row>Order <button onclick='location.hash=0'>Open</button></div>", 60) + "</div><script>l.scrollTop = 300</script>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := late(t, fmt.Sprintf(rows, "")+"<script>l.scrollTop = 30 * 119</script>", then)
			a := record(t, server.URL+"/", clickOn(".row:nth-child(4) button"))
			page := browsertest.Page(t, "")
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 4 * time.Second})
			if err == nil {
				t.Fatalf("something was pressed: the page is at %s", page.URL())
			}
			if got := scrolledTo(t, page); got != 300 || page.URL() != server.URL+"/" {
				t.Errorf("the list is at %v, the page at %s; want what it was, 300 and no fragment; the run gave %v", got, page.URL(), err)
			}
		})
	}
}

func scrolledTo(t *testing.T, page *browser.Page) (top float64) {
	t.Helper()
	reply, err := page.Target().Send("Runtime.evaluate", map[string]any{"expression": "l.scrollTop", "returnByValue": true}).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result struct{ Value float64 } }
	if err := json.Unmarshal(reply, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result.Value
}

func TestAnElementThatComesLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	const button = `<button id=b onclick="location.hash='hit'">Go on</button>`
	for name, then := range map[string]string{
		"three seconds after the page": `<p>Wait</p><script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", ` + "`" + button + "`" + `), 3000)</script>`,
		"in pieces": `<body><p id=p></p><script>const b = document.createElement("button"); b.id = "b"; document.body.append(b); let n = 0;
			const i = setInterval(() => { p.textContent = ++n; if (n < 20) return; clearInterval(i); b.onclick = () => location.hash = "hit"; b.textContent = "Go on" }, 25)</script>`,
		"in place of a skeleton":          `<button id=b disabled>Go on</button><script>setTimeout(() => b.outerHTML = ` + "`" + button + "`" + `, 800)</script>`,
		"replaced between look and press": button + `<script>addEventListener("pointermove", () => { const old = document.getElementById("b"); old.replaceWith(old.cloneNode(true)) }, {once: true})</script>`,
		"replaced again and again":        button + `<script>let n = 0; const i = setInterval(() => { const old = document.getElementById("b"); old.replaceWith(old.cloneNode(true)); if (++n > 60) clearInterval(i) }, 16)</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := late(t, button, then)
			a := record(t, server.URL+"/", clickOn("#b"))
			playTo(t, a, server.URL+"/#hit")
		})
	}
}

// What the mouse uncovers lies between the element and the press, which must not reach it
// also where the button is down for longer than most are.
func TestALongPressThatMissesIsKeptFromWhatItHits(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=a style="position:absolute;left:0;top:50px;width:100px;height:40px" onmousemove="over.hidden=false">Go</button>
		<button id=over hidden style="position:absolute;left:0;top:50px;width:100px;height:40px" onclick="document.title='paid'">Other</button>`)
	page := browsertest.Page(t, server.URL)
	_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#a","hold":"1500ms"}`), &replayer.Options{Timeout: 3 * time.Second})
	wantCode(t, err, replayer.NotActionable, 0)
	if title := page.Rod().MustEval(`() => document.title`).Str(); title == "paid" {
		t.Error("the press did what was under the mouse")
	}
}

func TestAFrameIsFoundByWhatElseNamesIt(t *testing.T) {
	t.Parallel()
	field := func(what string) string {
		return `srcdoc="<button id=b onclick=&quot;top.document.title='` + what + `'&quot;>Go</button>"`
	}
	step := `{"tool":"click","selector":"#b","frame":["#qwhzkt"],"frameAlternatives":[["iframe[name=\"pay\"]","iframe[title=\"Payment\"]"]]}`
	for name, c := range map[string]struct {
		html string
		want replayer.Code
	}{
		"by its name":       {`<iframe title=Help ` + field("no") + `></iframe><iframe name=pay ` + field("ok") + `></iframe>`, ""},
		"by its title":      {`<iframe name=help ` + field("no") + `></iframe><iframe title=Payment ` + field("ok") + `></iframe>`, ""},
		"by its id":         {`<iframe title=Payment ` + field("no") + `></iframe><iframe id=qwhzkt ` + field("ok") + `></iframe>`, ""},
		"by none":           {`<iframe title=Help ` + field("no") + `></iframe>`, replayer.NotFound},
		"they disagree":     {`<iframe title=Payment ` + field("no") + `></iframe><iframe name=pay ` + field("no") + `></iframe>`, replayer.NotFound},
		"several are alike": {`<iframe title=Payment ` + field("no") + `></iframe><iframe title=Payment ` + field("no") + `></iframe>`, replayer.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, c.html)
			page := browsertest.Page(t, server.URL)
			_, err := replayer.Play(t.Context(), page, document(t, server.URL, step), &replayer.Options{Timeout: 2 * time.Second})
			var failed *replayer.Error
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &failed) || failed.Code != c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if title := page.Rod().MustEval(`() => document.title`).Str(); title == "no" || c.want == "" && title != "ok" {
				t.Errorf("the button of another frame was pressed: the title is %q", title)
			}
		})
	}
}

// endless is a list that begins with a little more than fits its box, and gets more rows, a while
// after its end came into sight; %s is what else it does at first.
const endless = `<style>#l{height:300px;width:300px;overflow:auto}.row{height:30px}</style><div id=l></div><script>
let rows = 0, waits = false;
const add = () => { for (let i = 0; i < 14; i++) l.append(Object.assign(document.createElement("div"), { className: "row", textContent: "Order " + (rows++) })) };
l.onclick = (e) => { location.hash = e.target.textContent.slice(6) };
l.onscroll = () => {
	if (waits || rows >= 140 || l.scrollTop + l.clientHeight < l.scrollHeight - 20) return;
	waits = true;
	setTimeout(() => { waits = false; add() }, 400);
};
add();
%s
</script>`

func TestAnEndlessListIsScrolledUntilTheRowComes(t *testing.T) {
	t.Parallel()
	inPage := strings.NewReplacer("#l{height:300px;width:300px;overflow:auto}", "", "height:30px", "height:80px", "l.onscroll", "onscroll",
		"l.scrollTop + l.clientHeight < l.scrollHeight", "scrollY + innerHeight < document.body.scrollHeight")
	for name, list := range map[string]string{"in a box": endless, "in a page": inPage.Replace(endless)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := late(t, fmt.Sprintf(list, "while (rows < 70) add()"), fmt.Sprintf(list, ""))
			a := record(t, server.URL+"/", clickOn(".row:nth-child(66)"))
			playTo(t, a, server.URL+"/#65")
		})
	}
}
