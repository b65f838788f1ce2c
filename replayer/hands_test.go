package replayer_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/person"
	"github.com/go-reprise/reprise/replayer"
)

func compose(chosen string, shown ...string) act {
	return func(ctx context.Context, p *person.Person) error { return p.Compose(ctx, chosen, shown...) }
}

func insert(text string) act {
	return func(ctx context.Context, p *person.Person) error { return p.Insert(ctx, text) }
}

func shortcut(key string) act {
	return func(ctx context.Context, p *person.Person) error { return p.Press(ctx, key, "ControlOrMeta") }
}

func clickWith(path string, b input.Button) act {
	return func(ctx context.Context, p *person.Person) error { return p.ClickWith(ctx, path, b) }
}

func tap(path string) act {
	return func(ctx context.Context, p *person.Person) error { return p.Tap(ctx, path) }
}

// saves is a button that puts into the fragment what a page has come to.
func saves(what string) string {
	return `<button id=s onclick="location.hash = encodeURIComponent(` + what + `)">Save</button>`
}

func TestWhatHandsDoIsRecordedAsWhatWasMeant(t *testing.T) {
	t.Parallel()
	const save = `click aria/Save[role="button"]`
	const field = `<input id=f aria-label=Place>`
	for name, test := range map[string]struct {
		html string
		acts []act
		want []string // after the navigation
		end  string   // the fragment, with and without the recorder
	}{
		"an input method": {
			field + saves(`f.value`), []act{clickOn("#f"), compose("日本", "に", "にほ", "にほん"), clickOn("#s")},
			[]string{`typeInput "日本"`, save}, "日本",
		},
		"an input method in an editor": {
			`<div id=f contenteditable role=textbox aria-label=Story></div>` + saves(`f.innerText`), []act{clickOn("#f"), typeText("in "), compose("日本", "に", "日本"), clickOn("#s")},
			[]string{`typeInput "in 日本"`, save}, "in 日本",
		},
		"a paste": {
			`<input id=g aria-label=From>` + field + saves(`f.value`), []act{fill("#g", "Linz"), shortcut("a"), shortcut("c"), clickOn("#f"), shortcut("v"), clickOn("#s")},
			[]string{`typeInput "Linz"`, `typeInput "Linz"`, save}, "Linz",
		},
		"a text without keys": {
			field + saves(`f.value`), []act{clickOn("#f"), insert("Linz"), clickOn("#s")},
			[]string{`typeInput "Linz"`, save}, "Linz",
		},
		"a correction": {
			field + saves(`f.value`), []act{fill("#f", "Lunz"), shortcut("a"), press("Delete"), typeText("Gra"), press("Backspace"), press("Backspace"), typeText("raz"), clickOn("#s")},
			[]string{`typeInput "Graz"`, save}, "Graz",
		},
		"an undo": {
			field + saves(`f.value`), []act{clickOn("#f"), insert("Linz"), shortcut("a"), insert("Graz"), shortcut("z"), clickOn("#s")},
			[]string{`typeInput "Linz"`, save}, "Linz",
		},
		"a mask": {
			`<input id=f aria-label=Number oninput="f.value = f.value.replace(/\D/g, '').replace(/(..)(?=.)/g, '$1-')">` + saves(`f.value`), []act{fill("#f", "123456"), clickOn("#s")},
			[]string{`typeInput "12-34-56"`, save}, "12-34-56",
		},
		"a field that formats when it is left": {
			`<input id=f aria-label=Amount onblur="f.value = Number(f.value).toFixed(2)">` + saves(`f.value`), []act{fill("#f", "3"), clickOn("#s")},
			[]string{`typeInput "3.00"`, save}, "3.00",
		},
		"a suggestion": {
			field + `<ul id=l role=listbox></ul>` + saves(`f.value`) + `<script>
				f.oninput = () => { l.innerHTML = ["Linz, Austria", "Lienz, Tyrol"].filter((c) => f.value && c.startsWith(f.value)).map((c) => "<li role=option>" + c).join("") };
				l.onmousedown = (e) => { e.preventDefault(); f.value = e.target.textContent; l.innerHTML = "" };
			</script>`, []act{fill("#f", "Li"), clickOn("#l > :nth-child(2)"), clickOn("#s")},
			[]string{`typeInput "Li"`, `click aria/Lienz, Tyrol[role="option"]`, save}, "Lienz, Tyrol",
		},
		"a suggestion by keys": {
			`<input id=f role=combobox aria-label=Place>` + saves(`f.value`) + `<script>f.onkeydown = (e) => { if (e.key === "ArrowDown") f.dataset.at = 1; if (e.key === "Enter" && f.dataset.at) f.value = "Linz, Austria" }</script>`,
			[]act{fill("#f", "Li"), press("ArrowDown"), press("Enter"), clickOn("#s")},
			[]string{`typeInput "Li"`, "keypress ArrowDown", "keypress Enter", save}, "Linz, Austria",
		},
		"an editor with a tool": {
			`<div id=f contenteditable role=textbox aria-label=Story></div><button id=t onmousedown="event.preventDefault()" onclick="document.execCommand('insertHorizontalRule')">Line</button>` + saves(`f.innerText.trim() + f.querySelectorAll('hr').length`),
			[]act{fill("#f", "one"), clickOn("#t"), clickOn("#s")},
			[]string{`typeInput "one"`, `click aria/Line[role="button"]`, save}, "one1",
		},
		"several of a list": {
			`<select id=f multiple size=3 aria-label=Kinds><option>a<option>b<option>c</select>` + saves(`[...f.selectedOptions].map((o) => o.value)`),
			[]act{clickOn("#f > :nth-child(1)"), clickWith("#f > :nth-child(3)", input.Button{Modifiers: []string{"ControlOrMeta"}}), clickOn("#s")},
			[]string{`select ["a","c"]`, save}, "a,c",
		},
		"a tap": {
			`<button id=b onclick="location.hash = event.detail">Go</button>`, []act{tap("#b")}, []string{`click aria/Go[role="button"]`}, "1",
		},
		"a tap on a box": {
			`<label><input type=checkbox id=b onchange="location.hash = b.checked">Gift</label>`, []act{tap("#b")}, []string{"check true"}, "true",
		},
		"the right button": {
			`<button id=b oncontextmenu="event.preventDefault(); location.hash = 'menu'">Go</button>`, []act{clickWith("#b", input.Button{Name: "right"})}, []string{`click aria/Go[role="button"] right`}, "menu",
		},
		"the middle button": {
			`<button id=b onauxclick="location.hash = event.button">Go</button>`, []act{clickWith("#b", input.Button{Name: "middle"})}, []string{`click aria/Go[role="button"] middle`}, "1",
		},
		"a press with keys held": {
			`<button id=b onclick="location.hash = [event.shiftKey, event.altKey]">Go</button>`, []act{clickWith("#b", input.Button{Modifiers: []string{"Shift", "Alt"}})}, []string{`click aria/Go[role="button"] Alt+Shift`}, "true,true",
		},
		"three presses": {
			`<button id=b onclick="location.hash = event.detail">Go</button>`, []act{clickWith("#b", input.Button{Count: 3})}, []string{`click aria/Go[role="button"] ×3`}, "3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			a := record(t, server.URL+"/", test.acts...)
			if got := handsOf(a)[1:]; !slices.Equal(got, test.want) {
				t.Errorf("recorded %q, want %q", got, test.want)
			}
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil {
				t.Fatal(err)
			}
			eventually(t, test.end, func() bool {
				_, fragment, _ := strings.Cut(page.URL(), "#")
				got, _ := url.PathUnescape(fragment)
				return got == test.end
			})
		})
	}
}

// handsOf lists the steps in short, with how an element was pressed.
func handsOf(a *automation.Automation) []string {
	all := toolsOf(a)
	for i, s := range a.Steps {
		for _, held := range []string{s.Button, strings.Join(s.Modifiers, "+")} {
			if held != "" {
				all[i] += " " + held
			}
		}
		if s.Count > 1 {
			all[i] += " ×" + string(rune('0'+s.Count))
		}
	}
	return all
}
