package replayer_test

import (
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// Each page puts what it heard into its fragment: the replay is to leave the
// same there as the person did.
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
		"a document that writes itself anew": {
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
			eventually(t, "the fragment "+test.want, func() bool { return page.URL() == server.URL+"/#"+test.want })
		})
	}
}
