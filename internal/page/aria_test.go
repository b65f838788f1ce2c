package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/page"
	"github.com/go-reprise/reprise/internal/target"
)

// named are pages with one element, #t, whose role and name Chrome is asked for.
var named = []string{
	// From what it contains.
	`<button id=t>Pay</button>`,
	`<button id=t> Pay   now </button>`,
	`<button id=t>Pay<b>now</b></button>`,
	`<button id=t>Pay<div>now</div></button>`,
	`<button id=t>Pay<br>now</button>`,
	`<button id=t>Pay<span style="display:block">now</span>!</button>`,
	`<button id=t><span style="display:inline-block">Pay</span><span style="display:inline-block">now</span></button>`,
	`<button id=t><i>1</i><i>2</i></button>`,
	`<button id=t>Pay<span hidden>not</span> now</button>`,
	`<button id=t>Pay<span style="visibility:hidden">not</span> now</button>`,
	`<button id=t>Pay<span aria-hidden=true>not</span> now</button>`,
	`<button id=t>Pay<span style="opacity:0">not</span> now</button>`,
	`<button id=t><img alt="Pay" src="x"> now</button>`,
	`<button id=t><img alt="" src="x">Pay</button>`,
	`<button id=t><img src="x" title="Pay"></button>`,
	`<button id=t><svg width=9 height=9><title>Pay</title><path d="M0 0h9v9z"/></svg></button>`,
	`<button id=t><svg width=9 height=9 aria-label="Pay"><path d="M0 0h9v9z"/></svg></button>`,
	`<button id=t><svg width=9 height=9><text y=9>Pay</text></svg></button>`,
	`<button id=t><span aria-label="Pay"></span></button>`,
	`<button id=t><span aria-label="Pay">x</span> now</button>`,
	`<button id=t><span title="Pay">x</span></button>`,
	`<button id=t><a href="#" title="Pay">x</a></button>`,
	`<button id=t><span role=presentation>Pay</span></button>`,
	`<button id=t><ul><li>Pay<li>now</ul></button>`,
	`<button id=t><input type=checkbox> Pay</button>`,
	`<button id=t><script>x</script>Pay<style>b{}</style></button>`,
	`<button id=t><noscript>no</noscript>Pay</button>`,
	`<button id=t><template>no</template>Pay</button>`,
	`<button id=t>&nbsp;Pay&nbsp;now</button>`,
	`<style>#t::before{content:counter(a)}</style><button id=t>Pay</button>`,
	`<style>#t::before{content:"x";display:none}</style><button id=t>Pay</button>`,
	// From references.
	`<button id=t aria-labelledby=a>x</button><i id=a>Pay</i>`,
	`<button id=t aria-labelledby="a b">x</button><i id=a>Pay</i><i id=b>now</i>`,
	`<button id=t aria-labelledby="b  a none">x</button><i id=a>Pay</i><i id=b>now</i>`,
	`<button id=t aria-labelledby="none">x</button>`,
	`<button id=t aria-labelledby="">x</button>`,
	`<button id=t aria-labelledby=a>x</button><i id=a hidden>Pay</i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a style="display:none">Pay <b>now</b></i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a style="visibility:hidden">Pay <b>now</b></i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a>Pay <b hidden>now</b></i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a hidden>Pay <b hidden>now</b></i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a hidden>Pay <b style="display:none">now</b></i>`,
	`<button id=t aria-labelledby=a>x</button><div hidden><i id=a>Pay</i></div>`,
	`<button id=t aria-labelledby=a>x</button><i id=a aria-hidden=true>Pay</i>`,
	`<button id=t aria-labelledby=a>x</button><div aria-hidden=true><i id=a>Pay</i></div>`,
	`<button id=t aria-labelledby=a>x</button><i id=a aria-label="Pay">y</i>`,
	`<button id=t aria-labelledby=a>x</button><i id=a aria-labelledby=b>Pay</i><i id=b>now</i>`,
	`<button id=t aria-labelledby="t a">Pay</button><i id=a>now</i>`,
	`<button id=t aria-labelledby="t a" aria-label="Pay">x</button><i id=a>now</i>`,
	`<button id=t aria-labelledby=a>x</button><img id=a alt="Pay" src=x>`,
	`<button id=t aria-labelledby=a>x</button><input id=a type=submit value="Pay">`,
	`<button id=t aria-labelledby=a>x</button><i id=a title="Pay"></i>`,
	`<button id=t aria-labelledby=a>x</button><div id=a>Pay<div>now</div></div>`,
	`<button id=t aria-labelledby=a aria-label="Pay">x</button>`,
	`<button id=t aria-labelledby=a aria-label="Pay">x</button><i id=a></i>`,
	`<div id=t role=button aria-labelledby=b>A</div><div id=b role=button aria-labelledby=t>B</div>`,
	// From an attribute.
	`<button id=t aria-label="Pay">x</button>`,
	`<button id=t aria-label="  ">Pay</button>`,
	`<button id=t aria-label="">Pay</button>`,
	`<button id=t aria-label=" Pay  now ">x</button>`,
	`<button id=t title="Pay"></button>`,
	`<button id=t title="Pay">x</button>`,
	`<button id=t title=" "></button>`,
	`<a id=t href="#" title="Pay"></a>`,
	`<a id=t href="#"><img src=x alt=Pay></a>`,
	`<img id=t alt="Pay" src=x>`,
	`<img id=t alt="" src=x>`,
	`<img id=t title="Pay" src=x>`,
	`<img id=t alt=" " src=x>`,
	`<img id=t aria-label="Pay" alt="x" src=x>`,
	`<img id=t alt="" aria-label="Pay" src=x>`,
	// Fields.
	`<label for=t>Name</label><input id=t>`,
	`<label>Name <input id=t></label>`,
	`<label>Name <input id=t value="Ada"></label>`,
	`<label><input id=t type=checkbox> Agree</label>`,
	`<label for=t>One</label><label for=t>Two</label><input id=t>`,
	`<label for=t>One</label><label>Two <input id=t></label>`,
	`<label for=t hidden>Name</label><input id=t>`,
	`<label for=t aria-label="Name">x</label><input id=t>`,
	`<input id=t placeholder="Name">`,
	`<input id=t placeholder="Name" title="Title">`,
	`<input id=t aria-placeholder="Name">`,
	`<input id=t title="Title">`,
	`<input id=t aria-label="Label" placeholder="Name">`,
	`<label for=t>Label</label><input id=t placeholder="Name">`,
	`<label for=t>Label</label><input id=t aria-label="Name">`,
	`<input id=t value="typed">`,
	`<textarea id=t placeholder="Name">typed</textarea>`,
	`<label>Name <textarea id=t>typed</textarea></label>`,
	`<label>Size <select id=t><option>S<option selected>M</select></label>`,
	`<select id=t title="Size"><option>S</select>`,
	`<select id=t><option>S</select>`,
	`<select id=t multiple aria-label="Size"><option>S</select>`,
	`<select id=t size=3 aria-label="Size"><option>S</select>`,
	`<select size=3><option id=t>S</select>`,
	`<select size=3><option id=t label="Small">S</select>`,
	`<label>Flash the screen <input value=3> times<input type=checkbox id=t></label>`,
	`<input id=t type=submit>`, `<input id=t type=reset>`, `<input id=t type=button>`, `<input id=t type=submit value="Pay">`,
	`<input id=t type=button value="Pay" title="x">`, `<input id=t type=submit value="">`,
	`<input id=t type=image alt="Pay" src=x>`, `<input id=t type=image value="Pay" src=x>`, `<input id=t type=image src=x title="Pay">`, `<input id=t type=image src=x>`,
	`<label for=t>Other</label><input id=t type=submit value="Pay">`,
	`<label for=t>Other</label><button id=t>Pay</button>`,
	`<label>Other <button id=t>Pay</button></label>`,
	`<input id=t type=search aria-label=a>`, `<input id=t type=email aria-label=a>`, `<input id=t type=tel aria-label=a>`, `<input id=t type=url aria-label=a>`,
	`<input id=t type=number aria-label=a>`, `<input id=t type=range aria-label=a>`, `<input id=t type=password aria-label=a>`, `<input id=t type=radio aria-label=a>`,
	`<input id=t type=checkbox role=switch aria-label=a>`, `<input id=t type=text role=combobox aria-label=a>`,
	`<input id=t list=l aria-label=a><datalist id=l><option>x</datalist>`, `<input id=t type=search list=l aria-label=a><datalist id=l><option>x</datalist>`,
	`<fieldset id=t><legend>Plan</legend><input></fieldset>`, `<fieldset id=t><input></fieldset>`, `<fieldset id=t title="Plan"><input></fieldset>`, `<fieldset id=t><legend>Plan <b hidden>no</b></legend></fieldset>`,
	`<fieldset id=t><div><legend>Plan</legend></div><input></fieldset>`,
	`<meter id=t value=1 aria-label=a></meter>`, `<progress id=t value=1 aria-label=a></progress>`, `<output id=t>5</output>`, `<label>Sum <output id=t>5</output></label>`,
	`<div id=t contenteditable>typed</div>`, `<div id=t contenteditable role=textbox aria-label="Story">typed</div>`, `<div id=t role=textbox>typed</div>`,
	`<label>Name <div id=t role=textbox tabindex=0>typed</div></label>`,
	// Other roles.
	`<a id=t href="#">Pay</a>`, `<a id=t>Pay</a>`, `<a id=t tabindex=0>Pay</a>`, `<a id=t href="#" role=button>Pay</a>`,
	`<h2 id=t>Pay <b>now</b></h2>`, `<h2 id=t><a href="#">Pay</a></h2>`, `<div id=t role=heading aria-level=2>Pay</div>`,
	`<p id=t>Pay</p>`, `<div id=t>Pay</div>`, `<div id=t aria-label="Pay">x</div>`, `<span id=t aria-label="Pay">x</span>`,
	`<div id=t role=button>Pay</div>`, `<div id=t role=link>Pay</div>`, `<div id=t role=tab>Pay</div>`, `<div id=t role=menuitem>Pay</div>`,
	`<div role=listbox><div id=t role=option>Pay</div></div>`, `<div role=tablist><div id=t role=tab>Pay</div></div>`, `<div role=menu><div id=t role=menuitemcheckbox>Pay</div></div>`, `<div role=tree><div id=t role=treeitem>Pay</div></div>`,
	`<div id=t role=switch>Pay</div>`, `<div id=t role=checkbox>Pay</div>`, `<div role=radiogroup><div id=t role=radio>Pay</div></div>`, `<div id=t role=tooltip>Pay</div>`, `<div id=t role=dialog>Pay</div>`, `<div id=t role=dialog aria-label="Pay">x</div>`,
	`<div id=t role=combobox>Pay</div>`, `<div id=t role=img>Pay</div>`, `<div id=t role=img aria-label="Pay">x</div>`, `<div id=t role=group title="Pay">x</div>`, `<div id=t role=alert>Pay</div>`, `<div id=t role=status>Pay</div>`,
	`<button id=t role=none>Pay</button>`, `<button id=t role=presentation>Pay</button>`, `<button id=t role="nonsense">Pay</button>`, `<button id=t role="nonsense link">Pay</button>`, `<button id=t role=" tab link">Pay</button>`, `<button id=t role="LINK">Pay</button>`,
	`<h2 id=t role=none>Pay</h2>`, `<ul id=t role=none><li>Pay</ul>`, `<h2 id=t role=none aria-label="Pay">x</h2>`, `<h2 id=t role=none tabindex=0>Pay</h2>`,
	`<ul><li id=t>Pay</ul>`, `<ul id=t><li>Pay</ul>`, `<ol id=t><li>Pay</ol>`, `<menu id=t><li>Pay</menu>`, `<li id=t>Pay</li>`, `<dl><dt>Pay<dd id=t>now</dl>`,
	`<table id=t><caption>Stock</caption><tr><td>1</table>`, `<table id=t title="Stock"><tr><td>1</table>`, `<table><tr><th id=t>Pay<th>b<tr><td>1<td>2</table>`, `<table><tr><th id=t scope=row>Pay<td>1</table>`,
	`<table><tr><th>a<tr><td id=t>Pay</table>`, `<table role=grid><tr><th>a<tr><td id=t>Pay</table>`, `<table><thead id=t><tr><th>a</thead><tr><td>b</table>`, `<table role=grid><tr><th>a<tr id=t><td>Pay<td>now</table>`,
	`<figure id=t><img src=x alt=a></figure>`,
	`<svg id=t width=9 height=9><title>Pay</title><path d="M0 0h9v9z"/></svg>`, `<svg id=t width=9 height=9><path d="M0 0h9v9z"/></svg>`, `<svg id=t width=9 height=9 role=img aria-label="Pay"><path d="M0 0h9v9z"/></svg>`, `<svg id=t width=9 height=9><g><title>no</title></g></svg>`, `<svg width=9 height=9><a id=t href="#"><text y=9>Pay</text></a></svg>`,
	`<details><summary id=t>Pay</summary>x</details>`, `<details id=t><summary>Pay</summary>x</details>`, `<dialog id=t open>Pay</dialog>`, `<dialog id=t open aria-label="Pay">x</dialog>`,
	`<main id=t>Pay</main>`, `<nav id=t>Pay</nav>`, `<nav id=t aria-label="Pay">x</nav>`, `<aside id=t>Pay</aside>`, `<section id=t>Pay</section>`, `<section id=t aria-label="Pay">x</section>`, `<section id=t title="Pay">x</section>`, `<section><aside id=t aria-label=a>Pay</aside></section>`,
	`<form id=t>Pay</form>`, `<form id=t aria-label="Pay">x</form>`, `<form id=t title="Pay">x</form>`, `<search id=t>x</search>`, `<article id=t>Pay</article>`,
	`<hr id=t>`, `<math id=t><mi>x</mi></math>`,
	`<select size=3><optgroup id=t label="Sizes"><option>S</optgroup></select>`,
	// Shadow roots and slots.
	`<x-a id=t role=button><template shadowrootmode=open>Pay</template></x-a>`,
	`<x-a id=t role=button><template shadowrootmode=open>Pay <slot></slot></template>now</x-a>`,
	`<x-a id=t role=button><template shadowrootmode=open>Pay <slot>now</slot></template></x-a>`,
	`<x-a id=t role=button><template shadowrootmode=open><slot name=a></slot> now</template><b slot=a>Pay</b> never</x-a>`,
	`<button id=t><x-a><template shadowrootmode=open>Pay</template></x-a> now</button>`,
	`<button id=t><x-a><template shadowrootmode=open><b hidden>no</b>Pay <slot></slot></template>now</x-a></button>`,
}

// namedElsewise are those of which we say something else, on purpose.
var namedElsewise = []struct{ html, role, name, why string }{
	{`<button id=t style="text-transform:uppercase">pay</button>`, "button", "pay", "a style is no word"},
	{`<button id=t><span title="Pay"></span></button>`, "button", "Pay", "by the rules a title counts wherever a name may come from; Chrome passes over it"},
	{`<button id=t><input value="typed"> Pay</button>`, "button", "Pay", "what someone typed or chose is in no name"},
	{`<style>#t::before{content:"Pay "}</style><button id=t>now</button>`, "button", "now", "text that only CSS makes is in no name"},
	{`<style>#t::after{content:" now"}</style><button id=t>Pay</button>`, "button", "Pay", "text that only CSS makes is in no name"},
	{`<style>#t::before{content:"\f101"}</style><button id=t>Pay</button>`, "button", "Pay", "text that only CSS makes is in no name"},
	{`<style>#t i::before{content:"×"}</style><button id=t><i></i></button>`, "button", "", "text that only CSS makes is in no name"},
	{`<style>#t::before{content:"x" / "Pay"}</style><button id=t></button>`, "button", "", "text that only CSS makes is in no name"},
	{`<style>#t::before{content:attr(data-x)}</style><button id=t data-x="Pay"></button>`, "button", "", "text that only CSS makes is in no name"},
	{`<style>#t::before{content:"x";display:block}</style><button id=t>Pay</button>`, "button", "Pay", "text that only CSS makes is in no name"},
	{`<button id=t aria-labelledby=a>x</button><input id=a value="Pay">`, "button", "x", "what someone typed or chose is in no name"},
	{`<button id=t aria-labelledby=a>x</button><label id=a>Pay <input value=typed></label>`, "button", "Pay", "what someone typed or chose is in no name"},
	{`<img id=t alt="" title="Pay" src=x>`, "img", "Pay", "by the rules a title names it; Chrome passes over it"},
	{`<label for=t></label><input id=t title="Name">`, "textbox", "Name", "by the rules a title names it; Chrome passes over it"},
	{`<label for=t>Flash <select><option>1<option selected>2</select> times</label><input type=checkbox id=t>`, "checkbox", "Flash times", "what someone typed or chose is in no name"},
	{`<input id=t type=submit value="" title="Pay">`, "button", "Pay", "by the rules a title names it; Chrome passes over it"},
	{`<input id=t type=number list=l aria-label=a><datalist id=l><option>x</datalist>`, "spinbutton", "a", "by HTML-AAM only text fields become a combobox"},
	{`<p id=t title="Pay">x</p>`, "paragraph", "Pay", "by the rules a title names it; Chrome passes over it"},
	{`<div id=t title="Pay">x</div>`, "", "Pay", "by the rules a title names it; Chrome passes over it"},
	{`<div id=t role=option>Pay</div>`, "option", "Pay", "what is around it is not asked"},
	{`<div id=t role=region>Pay</div>`, "region", "", "what is around it is not asked"},
	{`<img id=t role=none src=x alt=Pay>`, "", "Pay", "it keeps its words"},
	{`<ul role=none><li id=t>Pay</ul>`, "listitem", "", "what is around it is not asked"},
	{`<table role=none><tr><td id=t>Pay</table>`, "cell", "Pay", "what is around it is not asked"},
	{`<dl><dt id=t>Pay<dd>now</dl>`, "term", "", "ARIA lets only the author name it"},
	{`<table id=t summary="Stock"><tr><th>a<tr><td>1</table>`, "table", "", "the attribute is obsolete"},
	{`<table><tr><th>a<tr id=t><td>Pay<td>now</table>`, "row", "Pay now", "ARIA names rows by what they contain"},
	{`<figure id=t><img src=x alt=a><figcaption>Pay</figcaption></figure>`, "figure", "Pay", "HTML-AAM names it by its caption"},
	{`<figure id=t><figcaption>Pay</figcaption><img src=x alt=a></figure>`, "figure", "Pay", "HTML-AAM names it by its caption"},
	{`<summary id=t>Pay</summary>`, "button", "Pay", "what is around it is not asked"},
	{`<input id=t type=date aria-label=a>`, "", "a", "HTML-AAM gives it no role"},
	{`<input id=t type=time aria-label=a>`, "", "a", "HTML-AAM gives it no role"},
	{`<input id=t type=color aria-label=a>`, "", "a", "HTML-AAM gives it no role"},
	{`<input id=t type=month aria-label=a>`, "", "a", "HTML-AAM gives it no role"},
	{`<input id=t type=file aria-label=a>`, "", "a", "HTML-AAM gives it no role"},
	{`<input id=t type=file>`, "", "", "HTML-AAM gives it no role"},
	{`<map name=m><area id=t href="#" alt="Pay" shape=default></map><img usemap="#m" src=x width=9 height=9>`, "link", "", "an area has no box: it cannot be pressed by a selector"},
}

// accessible is what someone says of an element.
type accessible struct{ role, name string }

func ask(ctx context.Context, t testing.TB, p *target.Page, out any, method string, params any) {
	t.Helper()
	reply, err := p.Send(method, params).Wait(ctx)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	if err := json.Unmarshal(reply, out); err != nil {
		t.Fatal(err)
	}
}

// toChrome asks Chrome for the role and name of #t.
func toChrome(ctx context.Context, t testing.TB, p *target.Page) accessible {
	t.Helper()
	var at struct{ Result struct{ ObjectID string } }
	ask(ctx, t, p, &at, "Runtime.evaluate", map[string]any{"expression": `document.getElementById("t")`})
	if at.Result.ObjectID == "" {
		t.Fatal("the page has no #t")
	}
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value string }
		}
	}
	ask(ctx, t, p, &tree, "Accessibility.getPartialAXTree", map[string]any{"objectId": at.Result.ObjectID, "fetchRelatives": false})
	if len(tree.Nodes) == 0 || tree.Nodes[0].Ignored {
		return accessible{}
	}
	role := tree.Nodes[0].Role.Value
	if known, ok := roles[role]; ok {
		role = known
	}
	return accessible{role, strings.Join(strings.Fields(tree.Nodes[0].Name.Value), " ")}
}

// roles are Chrome's own names for roles, and those that ARIA has for the same.
var roles = map[string]string{
	"image": "img", "SvgRoot": "img", "DisclosureTriangle": "button", "generic": "", "none": "", "LayoutTable": "table", "MathMLMath": "math",
}

// ours asks the page script.
func ours(ctx context.Context, t testing.TB, p *target.Page, world int) (is accessible) {
	t.Helper()
	var reply struct {
		Result           struct{ Value struct{ Role, Name string } }
		ExceptionDetails json.RawMessage
	}
	ask(ctx, t, p, &reply, "Runtime.evaluate", map[string]any{
		"expression": `__reprise.call("", "accessible", document.getElementById("t")).value`, "contextId": world, "returnByValue": true,
	})
	if reply.ExceptionDetails != nil {
		t.Fatalf("%s", reply.ExceptionDetails)
	}
	return accessible{reply.Result.Value.Role, reply.Result.Value.Name}
}

// inPlace puts a line of HTML into the page.
func inPlace(ctx context.Context, t testing.TB, p *target.Page, html string) {
	t.Helper()
	quoted, err := json.Marshal(html)
	if err != nil {
		t.Fatal(err)
	}
	var done json.RawMessage
	ask(ctx, t, p, &done, "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(`document.body.setHTMLUnsafe(%s)`, quoted)})
}

// describer is a world of a page with the script in it.
func describer(ctx context.Context, t testing.TB, p *target.Page) int {
	t.Helper()
	var world struct{ ExecutionContextID int }
	ask(ctx, t, p, &world, "Page.createIsolatedWorld", map[string]any{"frameId": p.Main().ID(), "worldName": "describer"})
	var done json.RawMessage
	ask(ctx, t, p, &done, "Runtime.evaluate", map[string]any{"expression": page.Script + ";0", "contextId": world.ExecutionContextID})
	return world.ExecutionContextID
}

func TestRolesAndNamesAreThoseThatChromeTells(t *testing.T) {
	t.Parallel()
	p := open(t, "<body>").Page()
	world := describer(within(t), t, p)
	for _, html := range named {
		ctx := within(t)
		inPlace(ctx, t, p, html)
		if want, got := toChrome(ctx, t, p), ours(ctx, t, p, world); got != want {
			t.Errorf("%s: Chrome says %+v, we %+v", html, want, got)
		}
	}
	for _, c := range namedElsewise {
		ctx := within(t)
		inPlace(ctx, t, p, c.html)
		got := ours(ctx, t, p, world)
		if want := (accessible{c.role, c.name}); got != want {
			t.Errorf("%s: %+v, want %+v (%s)", c.html, got, want, c.why)
		}
		if got == toChrome(ctx, t, p) {
			t.Errorf("%s: Chrome says the same, this is not elsewise", c.html)
		}
	}
}
