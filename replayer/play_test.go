package replayer_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

func TestAFormIsPlayedWithOtherValues(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	a := record(t, site.URL+"/form",
		fill("#name", "Ada Lovelace"), fill("#email", "ada@example.com"), fill("#phone", "+44 20 7946"), fill("#city", "London"),
		clickOn("#country"), press("ArrowDown"), press("Enter"),
		fill("#quantity", "3"), fill("#date", "12312026"), clickOn("input[name=delivery][value=express]"),
		fill("#note", "Please ring twice\nthank you"), clickOn("#gift"), clickOn("label.check:has(#terms)"),
		clickOn("#submit"), see("/form/done"),
	)
	wantSteps(t, site, a,
		"navigate /form",
		"typeInput ${name}", "typeInput ${email}", "typeInput ${phone}", "typeInput ${city}",
		`select "Austria"`,
		`typeInput "3"`, `typeInput "2026-12-31"`, "check true",
		`typeInput "Please ring twice\nthank you"`, "check true", "check true",
		`click aria/Place order[role="button"]`,
		"waitForNav /form/done",
	)
	play(t, a, replayer.Map{"name": "Grace Hopper", "email": "grace@example.com", "phone": "+1 555 1234", "city": "New York"})
	want := url.Values{
		"name": {"Grace Hopper"}, "email": {"grace@example.com"}, "phone": {"+1 555 1234"}, "city": {"New York"},
		"country": {"Austria"}, "quantity": {"3"}, "date": {"2026-12-31"}, "delivery": {"express"},
		"note": {"Please ring twice\r\nthank you"}, "gift": {"yes"}, "terms": {"accepted"},
	}
	all := site.Submissions()
	if len(all) != 2 {
		t.Fatalf("the form was sent %d times, want once by the person and once by the replay", len(all))
	}
	got := all[1]
	got.Set("note", strings.ReplaceAll(strings.ReplaceAll(got.Get("note"), "\r\n", "\n"), "\n", "\r\n"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the replay sent (-want +got):\n%s", diff)
	}
}

func TestEnterSendsAFormOnce(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	accounts := site.Accounts()
	a := record(t, site.URL+"/signin",
		clickOn("#accept-all"), fill("#identifierId", accounts[0].Email), press("Enter"),
		fill("#password", accounts[0].Password), press("Enter"), see("/dashboard"),
	)
	wantSteps(t, site, a,
		"navigate /signin",
		`click aria/Accept all[role="button"]`,
		"typeInput ${email}", "keypress Enter", "waitForNav /signin/challenge/pwd",
		"typeInput ${password}", "keypress Enter", "waitForNav /dashboard",
	)
	play(t, a, replayer.Map{"email": accounts[1].Email, "password": accounts[1].Password})
	if got := site.SignIns(accounts[1].Email); got != 1 {
		t.Errorf("the second account was signed in %d times, want once", got)
	}
}

func TestFramesAndShadowRootsAreFoundByTheirElements(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	a := record(t, site.URL+"/frames",
		inCross("#message"), typeText("four"), inCross("#send"), // while the frames still look alike
		fill("#same >>> #message", "one"), clickOn("#same >>> #send"),
		fill("#nest >>> #srcdoc >>> #message", "two"), clickOn("#nest >>> #srcdoc >>> #send"),
		fill("letter-box >>> #message", "three"), clickOn("letter-box >>> #send"),
	)
	wantSteps(t, site, a,
		"navigate /frames",
		`typeInput "four" in #cross`, `click in #cross aria/Send[role="button"]`,
		`typeInput "one" in #same`, `click in #same aria/Send[role="button"]`,
		`typeInput "two" in #nest in #srcdoc`, `click in #nest in #srcdoc aria/Send[role="button"]`,
		`typeInput "three"`, `click letter-box >>> aria/Send[role="button"]`,
	)
	browsertest.Until(t, "the recorded messages", func() bool { return len(site.Seen()) == 4 })
	site.Reset()
	play(t, a, nil)
	browsertest.Until(t, "the replayed messages", func() bool { return len(site.Seen()) == 4 })
	got := map[string]string{}
	for _, e := range site.Seen() {
		got[e.Source] = e.Values.Get("message")
	}
	want := map[string]string{"same": "one", "srcdoc": "two", "shadow": "three", "cross": "four"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the replay sent (-want +got):\n%s", diff)
	}
}

// Each page puts what it heard into its fragment: the replay is to leave the
// same there as the user did.
func TestPagesOfManyKindsAreRecordedAndPlayed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		html string
		acts []act
		want string // the fragment
	}{
		"a rich text editor": {
			`<div id=ed contenteditable role=textbox aria-label=Story></div><button id=b onclick="document.title=document.getElementById('ed').innerText;location.hash=encodeURIComponent(document.getElementById('ed').innerText)">Save</button>`,
			[]act{fill("#ed", "hello\nworld"), clickOn("#b")}, "hello%0Aworld",
		},
		"a page that has bent its builtins": {
			`<script>Array.prototype.map=Array.prototype.filter=Array.prototype.push=()=>{throw 1};JSON.stringify=()=>"x";String.prototype.replace=()=>{throw 2};EventTarget.prototype.addEventListener=()=>{};Object.defineProperty(Event.prototype,"isTrusted",{get(){return false}});window.MutationObserver=null;Element.prototype.getBoundingClientRect=()=>({x:0,y:0,width:0,height:0});for(const t of ["click","keydown","input","pointerdown"])EventTarget.prototype.dispatchEvent=null</script><input id=a aria-label=City><button id=b onclick="location.hash=document.getElementById('a').value">Go</button>`,
			[]act{fill("#a", "Linz"), clickOn("#b")}, "Linz",
		},
		"an alert": {
			`<button id=b onclick="alert('hi');location.hash='done'">Go</button>`,
			[]act{clickOn("#b")}, "done",
		},
		"a document that writes itself again": {
			`<button id=b onclick="document.open();document.write('<input id=c aria-label=New><button id=d onclick=location.hash=c.value>Ok</button>');document.close()">Go</button>`,
			[]act{clickOn("#b"), fill("#c", "x y"), clickOn("#d")}, "x%20y",
		},
		"a button that comes late": {
			`<p>loading</p><script>setTimeout(()=>{document.body.insertAdjacentHTML('beforeend','<button id=b onclick="location.hash=1">Go</button>')},700)</script>`,
			[]act{clickOn("#b")}, "1",
		},
		"a button that a script moves": {
			`<button id=b style="position:absolute;left:0;top:50px" onclick="location.hash='hit'">Go</button><script>let x=0;const i=setInterval(()=>{x+=8;b.style.left=x+'px';if(x>400)clearInterval(i)},16);b.onpointerdown=()=>clearInterval(i)</script>`,
			[]act{clickOn("#b")}, "hit",
		},
		"one of three alike": {
			`<ul><li>One <button onclick="location.hash=1">Buy</button><li>Two <button onclick="location.hash=2">Buy</button><li>Three <button onclick="location.hash=3">Buy</button></ul>`,
			[]act{clickOn("li:nth-child(2) button")}, "2",
		},
		"the picture on a button": {
			`<button id=b aria-label="Close" onclick="location.hash='c'"><svg width=20 height=20><path id=p d="M0 0h20v20H0z"/></svg></button>`,
			[]act{clickOn("#b")}, "c",
		},
		"the words in a link": {
			`<a href="#x"><span id=s>Read <b>more</b></span></a>`,
			[]act{clickOn("#s")}, "x",
		},
		"a page that allows no script": {
			`<meta http-equiv="Content-Security-Policy" content="script-src 'none'; require-trusted-types-for 'script'"><a id=b href="#x">Go</a>`,
			[]act{clickOn("#b")}, "x",
		},
		"a field that has to be unfolded": {
			`<details><summary>More</summary><input id=i aria-label=Inner onchange="location.hash=this.value"><button id=k>Ok</button></details>`,
			[]act{clickOn("summary"), fill("#i", "z"), clickOn("#k")}, "z",
		},
		"a slider": {
			`<input type=range id=r min=0 max=10 value=0 oninput="location.hash=this.value">`,
			[]act{clickOn("#r")}, "5",
		},
		"a list of several": {
			`<select multiple id=m onchange="location.hash=[...this.selectedOptions].map(o=>o.value)"><option>a<option>b<option>c</select>`,
			[]act{clickOn("#m option:nth-child(2)")}, "b",
		},
		"a radio button behind its label": {
			`<fieldset><legend>Plan</legend><input type=radio name=p id=p1 value=1 style="opacity:0;position:absolute"><label for=p1 id=l1>Basic</label><input type=radio onchange="location.hash=this.id" name=p id=p2 value=2 style="display:none"><label for=p2 id=l2>Pro</label></fieldset>`,
			[]act{clickOn("#l2")}, "p2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			a := record(t, server.URL+"/", test.acts...)
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: patience}); err != nil {
				t.Fatalf("%v\n%q", err, toolsOf(a))
			}
			browsertest.Until(t, "the fragment "+test.want, func() bool { return page.URL() == server.URL+"/#"+test.want })
		})
	}
}

// recordSignIn records how a user signs an account in.
func recordSignIn(t *testing.T, site *demosite.Server, account demosite.Account) *automation.Automation {
	t.Helper()
	page := browsertest.Page(t, site.URL+"/signin")
	ctx := t.Context()
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	for _, act := range []func() error{
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", account.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", account.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return p.See(ctx, "/dashboard") },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	a, _, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReplaySignsTheOtherAccountIn(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	accounts := site.Accounts()
	a := recordSignIn(t, site, accounts[0])
	page := browsertest.Page(t, "")
	for n := range 2 { // the consent banner is there on the first visit only
		_, err := replayer.Play(t.Context(), page, a, &replayer.Options{
			Values: replayer.Map{"email": accounts[1].Email, "password": accounts[1].Password},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := site.SignIns(accounts[1].Email); got != n+1 {
			t.Errorf("the second account was signed in %d times, want %d", got, n+1)
		}
	}
	if got := site.SignIns(accounts[0].Email); got != 1 {
		t.Errorf("the first account was signed in %d times, want once, by the person", got)
	}
}

func TestAPageIsNotTouchedByARunThatCannotBegin(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=p oninput="document.title='touched'"><button id=b onclick="document.title='touched'">b</button>`)
	steps := `{"tool":"click","selector":"#b"},{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"who"}}`
	parse := func(urls, steps string) *automation.Automation {
		a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"variables":{"type":"object","properties":{"who":{"type":"string","maxLength":3}},"required":["who"]},"steps":[%s]}`, urls, steps), automation.AnyTools())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	here := server.URL[len("http://"):] + "/*"
	for name, test := range map[string]struct {
		a      *automation.Automation
		values replayer.Map
		code   replayer.Code
	}{
		"a variable is missing":           {parse(here, steps), nil, replayer.InvalidValue},
		"a value does not fit":            {parse(here, steps), replayer.Map{"who": "long"}, replayer.InvalidValue},
		"the page is of another site":     {parse("example.com/*", steps), replayer.Map{"who": "ada"}, replayer.OutOfScope},
		"a later step is of another tool": {parse(here, steps+`,{"tool":"acme.fly","args":{}}`), replayer.Map{"who": "ada"}, replayer.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, server.URL)
			_, err := replayer.Play(t.Context(), page, test.a, &replayer.Options{Values: test.values})
			wantCode(t, err, test.code, -1)
			if title := page.Rod().MustEval(`() => document.title`).Str(); title != "" {
				t.Error("the page was touched")
			}
		})
	}
}

func TestAPartOfTheStepsIsPlayed(t *testing.T) {
	t.Parallel()
	server := serve(t, `<script>document.title = ""</script>`+strings.Repeat(`<button class=b onclick="document.title += this.textContent">x</button>`, 1)+`<button id=y onclick="document.title += 'y'">y</button>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"click","selector":".b"},{"tool":"click","selector":"#y"},{"tool":"click","selector":".b"}`)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{From: 1, Until: 2, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "y" {
		t.Errorf("the page was used as %q", title)
	}
}

func TestARunMayHaveATimeOfItsOwn(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p>nothing`)
	page := browsertest.Page(t, server.URL)
	_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#never"}`), &replayer.Options{RunTimeout: 300 * time.Millisecond})
	wantCode(t, err, replayer.Timeout, 0)
}
