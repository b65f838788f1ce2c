package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/internal/target"
)

// address is that of a line of HTML.
func address(html string) string {
	return "data:text/html;charset=utf-8," + url.PathEscape("<!doctype html>"+html)
}

// open loads a line of HTML.
func open(t *testing.T, html string) *target.Frame {
	t.Helper()
	return browsertest.Page(t, address(html)).Target().Main()
}

// within ends what takes far too long.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx := browsertest.Context(t)
	return ctx
}

// count returns how many elements a selector names, and how many of them can be seen.
func count(t *testing.T, f *target.Frame, selector ...string) (all, visible int) {
	t.Helper()
	var reply struct {
		Tried []struct{ Count, Visible int }
	}
	if err := f.Page().Loaded(within(t)); err != nil { // it says what there is by now
		t.Fatal(err)
	}
	request := map[string]any{"use": "see", "paths": [][]string{selector}, "timeout": 0}
	if err := f.Call(within(t), &reply, "act", request); err != nil {
		t.Fatal(err)
	}
	if len(reply.Tried) != 1 {
		t.Fatalf("%q: %d selectors were tried, want one", selector, len(reply.Tried))
	}
	return reply.Tried[0].Count, reply.Tried[0].Visible
}

func TestSelectorsNameWhatIsMeant(t *testing.T) {
	t.Parallel()
	page := browsertest.Page(t, "").Target()
	for _, c := range []struct {
		html, selector string
		want           int
	}{
		// By role and name: where names come from.
		{`<button>Pay</button><button>Pay now</button>`, `aria/Pay[role="button"]`, 1},
		{"<button> Pay\n  now </button>", `aria/Pay now[role="button"]`, 1},
		{`<button>Pay&nbsp;now</button>`, `aria/Pay now[role="button"]`, 1},
		{`<button>Pay<span hidden> not</span> now</button>`, `aria/Pay now[role="button"]`, 1},
		{`<button><b>P</b>ay</button>`, `aria/Pay[role="button"]`, 1},
		{`<button><div>Pay</div>now</button>`, `aria/Pay now[role="button"]`, 1},
		{`<button><img alt="Pay"></button>`, `aria/Pay[role="button"]`, 1},
		{`<button><svg><title>Pay</title></svg></button>`, `aria/Pay[role="button"]`, 1},
		{`<button aria-label="Pay">x</button><button>Pay</button>`, `aria/Pay[role="button"]`, 2},
		{`<button aria-label="Other">Pay</button>`, `aria/Pay[role="button"]`, 0},
		{`<button aria-labelledby="a b">x</button><i id=a>Pay</i><i id=b hidden>now</i>`, `aria/Pay now[role="button"]`, 1},
		{`<button title="Pay"></button><button title="Pay">x</button>`, `aria/Pay[role="button"]`, 1},
		{`<label for=b>Pay</label><button id=b>x</button>`, `aria/Pay[role="button"]`, 1},
		{`<label for=b>Other</label><button id=b>Pay</button>`, `aria/Pay[role="button"]`, 0},
		{`<label for=b>Pay</label><h2><button id=b>x</button></h2>`, `aria/Pay[role="heading"]`, 1},
		{`<input type=submit value="Pay"><input type=submit>`, `aria/Pay[role="button"]`, 1},
		{`<input type=submit>`, `aria/Submit[role="button"]`, 1},
		{`<label>Name <input></label>`, `aria/Name[role="textbox"]`, 1},
		{`<label>Name <input value="Ada"></label>`, `aria/Name[role="textbox"]`, 1},
		{`<input placeholder="Name">`, `aria/Name[role="textbox"]`, 1},
		{`<input list=l aria-label="City"><datalist id=l></datalist>`, `aria/City[role="combobox"]`, 1},
		{`<table><caption>Stock</caption></table>`, `aria/Stock[role="table"]`, 1},
		// What has the role.
		{`<div role=button>Pay</div><div role=BUTTON>Pay</div><div role="button link">Pay</div>`, `aria/Pay[role="button"]`, 3},
		{`<button role=link>Pay</button>`, `aria/Pay[role="button"]`, 0},
		{`<button role=none>Pay</button>`, `aria/Pay[role="button"]`, 1},
		{`<a>Pay</a><a href="#">Pay</a>`, `aria/Pay[role="link"]`, 1},
		{`<button>Pay</button><button>Other</button>`, `aria/[role="button"]`, 2},
		// Any role.
		{`<button>Pay</button><a href="#">Pay</a><div>Pay</div><div role=tab>Pay</div><p title="Pay">`, `aria/Pay`, 4},
		{`<ul><li>Pay</li></ul><table><tr><td>Pay<td>now</table>`, `aria/Pay`, 1},
		// By what is read.
		{`<p>Pay <b>now</b></p>`, `text/Pay now`, 1},
		{`<div><p>Pay</p></div><p>Pay now</p>`, `text/Pay`, 1},
		{`<p>Pay now</p><p>Pay later</p>`, `text/Pay`, 2},
		{`<p>a.b*c</p><p>aXbbc</p>`, `text/a.b*c`, 1},
		{`<p>Pay<script type=x> now</script></p>`, `text/Pay`, 1},
		{`<p>Pay<script type=x> now</script></p>`, `text/Pay now`, 0},
		{`<script type=x>Pay</script><style>Pay{}</style><template><p>Pay</p></template>`, `text/Pay`, 0},
		{`<input type=submit value="Pay now"><input value="Pay now">`, `text/Pay now`, 1},
	} {
		t.Run(c.selector+" in "+c.html, func(t *testing.T) {
			if err := page.Navigate(within(t), address(c.html)); err != nil {
				t.Fatal(err)
			}
			if got, _ := count(t, page.Main(), c.selector); got != c.want {
				t.Errorf("%d elements, want %d", got, c.want)
			}
		})
	}
}

func TestNamesAreFoundInShadowRoots(t *testing.T) {
	t.Parallel()
	f := open(t, `<my-box><template shadowrootmode=open><button>Pay</button><h2><template shadowrootmode=open>Total</template>no slot</h2></template></my-box>`)
	for selector, want := range map[string]int{`aria/Pay[role="button"]`: 1, `aria/Total[role="heading"]`: 1, `text/Pay`: 1} {
		if got, _ := count(t, f, "my-box", selector); got != want {
			t.Errorf("%s: %d elements, want %d", selector, got, want)
		}
		if got, _ := count(t, f, selector); got != 0 {
			t.Errorf("%s: found without its path", selector)
		}
	}
}

// Names that refer to one another in a ring are told all the same, and once.
func TestLabelsThatNameEachOtherHaveAnEnd(t *testing.T) {
	t.Parallel()
	f := open(t, `<div id=a role=button aria-labelledby=b>A</div><div id=b role=button aria-labelledby=a>B</div>
<label for=y>One <input id=x></label><label for=x>Two <button id=y aria-labelledby=z>y</button></label><label id=z for=z2>Three <button id=z2 aria-labelledby=z></button></label>`)
	for selector, want := range map[string]int{
		`aria/B[role="button"]`: 1, `aria/A[role="button"]`: 1, `aria/Two Three[role="textbox"]`: 1, `aria/Three[role="button"]`: 2,
	} {
		if got, _ := count(t, f, selector); got != want {
			t.Errorf("%s: %d elements, want %d", selector, got, want)
		}
	}
}

// presses hears what is told of presses.
type presses struct {
	seen [][][]string // paths to what was pressed
}

func (p *presses) Message(_ *target.Frame, _ string, payload json.RawMessage) {
	var m struct {
		Type   string
		Target struct{ Candidates [][]string }
	}
	if json.Unmarshal(payload, &m) == nil && m.Type == "down" {
		p.seen = append(p.seen, m.Target.Candidates)
	}
}

func (*presses) Navigated(*target.Frame, target.Navigation) {}
func (*presses) Opened(*target.Page)                        {}
func (*presses) Dialog(*target.Page, target.Dialog)         {}

func (*presses) Answered(*target.Page, target.Dialog, target.Answer) {}

// described returns the paths by which the recorder describes what is pressed.
func described(t *testing.T, f *target.Frame, css string) [][]string {
	t.Helper()
	ctx, page := within(t), f.Page()
	heard := &presses{}
	defer page.Watch(heard)()
	if err := page.Record(ctx, &target.Recording{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if err := simuser.At(page).Click(ctx, css); err != nil {
		t.Fatal(err)
	}
	if err := page.Tree().Wait(ctx, func() (bool, error) { return len(heard.seen) > 0, nil }); err != nil {
		t.Fatal(err)
	}
	return heard.seen[0]
}

// What is recorded of an element among many must name it, and it alone.
func TestADescriptionNamesItsElementAlone(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 30 {
		fmt.Fprintf(&rows, `<tr><td><a href="/%d">Item %d</a></td><td><button>Edit</button><button class=rm>Remove item %d</button></td></tr>`, i, i, i)
	}
	f := open(t, `<button hidden>Remove item 3</button><table onclick="return false">`+rows.String()+`</table>`)
	for at, want := range map[string][]string{
		"tr:nth-child(4) .rm":    {`aria/Remove item 3[role="button"]`, "text/Remove item 3"},
		"tr:nth-child(4) a":      {`aria/Item 3[role="link"]`, "text/Item 3"},
		"tr:nth-child(4) button": {`text/Item 3 near/aria/Edit[role="button"]`},
	} {
		got := described(t, f, at)
		var telling []string
		for _, path := range got {
			selector := strings.Join(path, " ")
			if all, visible := count(t, f, path...); visible != 1 {
				t.Errorf("%s is described by %s, which names %d elements, %d of them visible", at, selector, all, visible)
			}
			if strings.HasPrefix(selector, "aria/") || strings.HasPrefix(selector, "text/") {
				telling = append(telling, selector)
			}
		}
		if diff := cmp.Diff(want, telling); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
}
