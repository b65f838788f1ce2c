package replayer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/replayer"
)

// pressing makes data-k of what is pressed the fragment, and takes the attributes away.
const pressing = `<script>const keys = new Map([...document.querySelectorAll("[data-k]")].map((el) => [el, el.dataset.k]));
	for (const el of keys.keys()) el.removeAttribute("data-k");
	addEventListener("click", (e) => { for (let el = e.target; el; el = el.parentElement) if (keys.has(el)) { e.preventDefault(); location.hash = keys.get(el) } })</script>`

// pressable is a form in which a press makes data-k of what is pressed the fragment; when
// something is recorded or found, no such attribute is there.
func pressable(inner string) string { return form(inner) + pressing }

func many(n int, each func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(each(i))
	}
	return all.String()
}

// What is there again, and much like others, is found, and not another.
func TestOneOfManyAlikeIsFoundAgain(t *testing.T) {
	t.Parallel()
	card := func(attributes, k string) string {
		return fmt.Sprintf(`<div %s><p>Address</p><button class=edit data-k=%s>Edit</button></div>`, attributes, k)
	}
	orders := func(from int) string {
		return "<table>" + many(61-from, func(i int) string {
			return fmt.Sprintf(`<tr><td>%s<td><button class=open data-k=o%d>Open</button>`, []string{"Desk", "Chair", "Lamp", "Shelf", "Sofa"}[(i+from)%5]+fmt.Sprint(" no ", 100+i+from), i+from)
		}) + "</table>"
	}
	icons := func(class string, k string) string {
		return `<button class=rate data-k=` + k + `>` + strings.Repeat("<i class="+class+"></i>", 3) + `</button>`
	}
	for name, test := range map[string]struct{ first, second, on, want string }{
		"its box changed places with another, and has an id": {
			card("id=billing", "bill") + card("id=shipping", "ship"), card("id=shipping", "ship") + card("id=billing", "bill"), "#billing button", "bill",
		},
		"its box changed places with another, and has a class": {
			card(`class="card billing"`, "bill") + card(`class="card shipping"`, "ship"), card(`class="card shipping"`, "ship") + card(`class="card billing"`, "bill"), ".billing button", "bill",
		},
		"its box changed places with another, and has a label": {
			card(`role=group aria-label="To pay"`, "bill") + card(`role=group aria-label="To send"`, "ship"), card(`role=group aria-label="To send"`, "ship") + card(`role=group aria-label="To pay"`, "bill"), "main div:nth-of-type(1) button", "bill",
		},
		"a copy that no one sees has come": {
			card("", "bill") + card("", "ship"), `<nav hidden><button class=edit>Edit</button></nav>` + card("", "bill") + card("", "ship"), "main div:nth-of-type(2) button", "ship",
		},
		"a copy that no one saw has gone": {
			`<nav hidden><button class=edit>Edit</button></nav>` + card("", "bill") + card("", "ship"), card("", "bill") + card("", "ship"), "main div:nth-of-type(2) button", "ship",
		},
		"the only one had a copy that no one saw": {
			`<div style="display:none"><button class=edit>Edit</button></div>` + card("", "bill"), `<p>New</p>` + card("", "bill"), "main div:nth-of-type(2) button", "bill",
		},
		"a row was added to sixty":     {orders(1), orders(0), "tr:nth-child(40) button", "o40"},
		"the number of its badge":      {`<button data-k=in>Inbox <b>3</b></button><button data-k=out>Sent <b>5</b></button>`, `<p>New</p><button data-k=in>Inbox <b>5</b></button><button data-k=out>Sent <b>6</b></button>`, "main button", "in"},
		"its label is only a number":   {`<a href=/cart class=cart data-k=cart>3</a>`, `<p>New</p><a href=/cart class=cart data-k=cart>4</a>`, "main a", "cart"},
		"a label came, its text stays": {`<button data-k=save>Save</button><button data-k=off>Cancel</button>`, `<p>New</p><button aria-label="Keep all that was changed" data-k=save>Save</button><button data-k=off>Cancel</button>`, "main button", "save"},
		"a label went, its text stays": {`<button aria-label="Keep all that was changed" data-k=save>Save</button><button data-k=off>Cancel</button>`, `<p>New</p><button data-k=save>Save</button><button data-k=off>Cancel</button>`, "main button", "save"},
		"three equal icons are in it":  {icons("star", "star") + icons("heart", "heart"), "<p>New</p>" + icons("star big", "star") + icons("heart big", "heart"), "main button", "star"},
		"a note came before its card": {
			`<div class=card><b>Desk</b> <button class=buy data-k=desk>Buy</button></div><div class=card><b>Sofa</b> <button class=buy data-k=sofa>Buy</button></div>`,
			`<div class=card><b>Desk</b> <button class=buy data-k=desk>Buy</button></div><div class=note>Few are left</div><div class=card><b>Sofa</b> <button class=buy data-k=sofa>Buy</button></div>`, ".card:nth-child(3) button", "sofa",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, clicked, err := clicksAfterRelease(t, pressable(test.first), pressable(test.second), test.on)
			if err != nil {
				t.Fatalf("%v %+v", err, considered(err))
			}
			if clicked != test.want {
				t.Errorf("the click went to %q, want %q", clicked, test.want)
			}
		})
	}
}

// What only looks as if it were there is refused.
func TestOneOfManyAlikeIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	box := func(id, k string) string {
		return fmt.Sprintf(`<div id=%s><p>Address</p><button class=edit data-k=%s>Edit</button></div>`, id, k)
	}
	for name, test := range map[string]struct {
		first, second, on string
		code              replayer.Code
	}{
		"the box of its twin alone is left":       {box("billing", "bill") + box("shipping", "ship"), box("shipping", "ship"), "#billing button", ""},
		"another box has come in place of its":    {box("billing", "bill") + box("shipping", "ship"), box("gift", "gift") + box("shipping", "ship"), "#billing button", ""},
		"selectors and turn disagree":             {box("a1", "bill") + box("a2", "ship"), box("a2", "ship") + box("a1", "bill"), "#a1 button", replayer.Ambiguous},
		"another id stands where it had only one": {`<input id=first-name data-k=first>`, `<input id=last-name data-k=last>`, "main input", ""},
		"what says its text is called otherwise":  {`<button aria-label="Salary: press to sort" data-k=sort>Salary</button> <button data-k=plain>Salary</button>`, `<p>New</p><button data-k=plain>Salary</button>`, "main button", ""},
		"another page of a list":                  {`<a href=# class=p data-k=1>1</a> <a href=# class=p data-k=2>2</a> <a href=# class=p data-k=3>3</a>`, `<a href=# class=p data-k=4>4</a> <a href=# class=p data-k=5>5</a> <a href=# class=p data-k=6>6</a>`, "main a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, clicked, err := clicksAfterRelease(t, pressable(test.first), pressable(test.second), test.on)
			var refusal *replayer.Error
			if !errors.As(err, &refusal) || clicked != "" {
				t.Fatalf("clicked %q, %v", clicked, err)
			}
			if test.code != "" && refusal.Code != test.code {
				t.Errorf("the code is %s, want %s: %+v", refusal.Code, test.code, refusal.Considered)
			}
		})
	}
}
