package handoff_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// within is a page that others have in a frame.
const within = `<!doctype html><body style="margin:0"><select id=size style="position:absolute;left:10px;top:10px;width:150px;height:30px" onchange="parent.postMessage(value, '*')"><option>Small<option>Medium<option>Large</select>
<input id=file type=file style="position:absolute;left:10px;top:50px" onchange="files[0].text().then((text) => parent.postMessage(files[0].name + ' ' + text, '*'))">
<button style="position:absolute;left:10px;top:90px;width:100px;height:30px" onclick="parent.postMessage(prompt('Who?', ''), '*')">Ask</button>`

const controls = `<!doctype html><meta charset=utf-8><title>Controls</title><style>body { margin: 0 } .at { position: absolute; width: 180px; height: 30px }</style>
<label class=at style="left:300px;top:20px" for=size>Size of the shirt</label>
<select id=size class=at style="left:20px;top:20px"><option>Small<option>Medium<option>Large</select>
<select id=many class=at style="left:20px;top:60px;height:80px" multiple><optgroup label=Warm><option>Red<option selected>Orange</optgroup><optgroup label=Cold><option>Blue<option disabled>Green</optgroup></select>
<iframe id=same src="/within" class=at style="left:20px;top:160px;width:250px;height:150px;border:3px solid;padding:11px;transform:scale(.8);transform-origin:0 0"></iframe>
<iframe id=other src="OTHER/within" class=at style="left:320px;top:160px;width:250px;height:150px;border:5px solid;padding:7px"></iframe>
<div id=open class=at style="left:20px;top:360px"></div><div id=closed class=at style="left:20px;top:400px"></div>
<input id=colour type=color value="#ff0000" class=at style="left:20px;top:440px"><input id=at type=time class=at style="left:20px;top:480px"><input id=when type=datetime-local class=at style="left:20px;top:520px">
<input id=city list=cities class=at style="left:20px;top:560px"><datalist id=cities><option value=London><option value=Paris></datalist>
<div id=rich contenteditable class=at style="left:320px;top:20px;height:90px;outline:1px solid">.</div>
<input id=agree type=checkbox class=at style="left:320px;top:560px"><input id=line class=at style="left:320px;top:600px"><textarea id=lines class=at style="left:320px;top:640px"></textarea>
<script>
let heard = ""; addEventListener("message", (event) => (heard = event.data));
for (const mode of ["open", "closed"]) {
  const root = document.getElementById(mode).attachShadow({ mode });
  root.innerHTML = "<select style='width:180px;height:30px'><option>Small<option>Medium<option>Large</select>";
  root.firstChild.onchange = (event) => (document.getElementById(mode).title = event.target.value);
}
</script>`

// choose presses a list, and one of the options that are drawn for it.
func (v *viewer) choose(x, y float64, option string) {
	v.t.Helper()
	v.press(x, y)
	v.until("the option "+option, `() => ask.open && [...ask.querySelectorAll("button")].some((b) => b.textContent === "`+option+`")`)
	v.eval(`(option) => [...ask.querySelectorAll("button")].find((b) => b.textContent === option).click()`, option)
	v.until("the end of the choice", `() => !ask.open`)
}

func (v *viewer) eval(function string, args ...any) {
	v.t.Helper()
	if _, err := v.page.Rod().Context(browsertest.Context(v.t)).Eval(function, args...); err != nil {
		v.t.Fatal(err)
	}
}

// Lists and pickers are drawn by the viewer wherever they stand in the page.
func TestWhatABrowserOpensWindowsForIsDrawn(t *testing.T) {
	t.Parallel()
	s := beginAt(t, controls)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)

	v.choose(60, 35, "Large")
	s.becomes(t, "size.value", "Large")
	v.choose(20+(3+11+40)*.8, 160+(3+11+25)*.8, "Medium") // of another list than the one before
	s.becomes(t, "heard", "Medium")
	v.choose(320+5+7+40, 160+5+7+25, "Large")
	s.becomes(t, "heard", "Large")
	v.choose(60, 375, "Medium")
	s.becomes(t, "document.getElementById('open').title", "Medium")
	v.choose(60, 415, "Large")
	s.becomes(t, "document.getElementById('closed').title", "Large")
	if got := s.value(t, "size.value"); got != "Large" {
		t.Errorf("the first list has become %s", got)
	}

	v.press(60, 75)
	v.until("the boxes", `() => ask.querySelectorAll("input[type=checkbox]").length === 4`)
	v.eval(`() => { const all = ask.querySelectorAll("input"); all[0].click(); all[1].click(); all[2].click(); ask.querySelector(".main").click() }`)
	s.becomes(t, "[...many.selectedOptions].map((o) => o.value).join(' ')", "Red Blue")

	for id, set := range map[string]struct {
		y     float64
		value string
	}{"colour": {455, "#00ff00"}, "at": {495, "12:34"}, "when": {535, "2026-02-03T04:05"}} {
		v.press(60, set.y)
		v.until(id, `() => ask.open && !!ask.querySelector("input") && ask.querySelector("input").type === {colour: "color", at: "time", when: "datetime-local"}["`+id+`"]`)
		v.eval(`(value) => { ask.querySelector("input").value = value; ask.querySelector(".main").click() }`, set.value)
		s.becomes(t, "document.getElementById('"+id+"').value", set.value)
	}

	s.press(t, v, "city", 60, 575)
	v.until("the suggestions", `() => !suggested.hidden && suggested.options.length === 3`)
	v.eval(`() => { suggested.value = "Paris"; suggested.onchange() }`)
	s.becomes(t, "city.value", "Paris")
}

// A frame of another site asks for a file, and asks a question, as the page does.
func TestAFrameOfAnotherSiteAsksToo(t *testing.T) {
	t.Parallel()
	s := beginAt(t, controls)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	for name, at := range map[string][2]float64{"the same": {20 + (3+11+40)*.8, 160 + (3+11+60)*.8}, "another": {320 + 5 + 7 + 40, 160 + 5 + 7 + 60}} {
		v.pressUntil(at[0], at[1], "the choice of a file in "+name, `() => ask.open && !!ask.querySelector("input[type=file]")`)
		v.eval(`(name) => { const all = new DataTransfer(); all.items.add(new File(["text"], name + ".txt")); ask.querySelector("input").files = all.files; ask.querySelector(".main").click() }`, name)
		s.becomes(t, "heard", name+".txt text")
	}
	v.pressUntil(320+5+7+40, 160+5+7+100, "the question", `() => ask.open && ask.querySelector("p")?.textContent === "Who?"`)
	v.eval(`() => { ask.querySelector("input").value = "me"; ask.querySelector(".main").click() }`)
	s.becomes(t, "heard", "me")
}

// Text arrives as it is typed, pasted, composed and corrected, whatever takes it.
func TestTextArrivesAsItIsMeant(t *testing.T) {
	t.Parallel()
	s := beginAt(t, controls)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	ctx := browsertest.Context(t)
	long := strings.Repeat("Ünï 0123456789 ", 34)[:500]
	value := map[string]string{"line": "line.value", "lines": "lines.value", "rich": "rich.innerText"}
	at := map[string][2]float64{"line": {340, 615}, "lines": {340, 655}, "rich": {340, 60}}
	for id, expression := range value {
		s.press(t, v, id, at[id][0], at[id][1])
		v.until("the field", `() => document.activeElement === text && !!state.field?.type`)
		clear := func() {
			t.Helper()
			v.eval(`() => { send({t: "key", key: "a", modifiers: ["ControlOrMeta"]}); send({t: "key", key: "Delete"}) }`)
			s.becomes(t, expression+".trim()", "")
		}
		clear()
		v.types(long)
		s.becomes(t, expression+".replaceAll('\\u00a0', ' ').trimEnd()", strings.TrimRight(long, " "))
		clear()
		// A phone's keyboard corrects the word that was typed last.
		v.types("I teh")
		v.eval(`() => { text.setRangeText("the", text.value.length - 3, text.value.length, "end"); text.dispatchEvent(new InputEvent("input", { inputType: "insertReplacementText" })) }`)
		v.types(" end")
		s.becomes(t, expression+".replaceAll('\\u00a0', ' ')", "I the end")
		clear()
		// An input method composes, and replaces what it has composed.
		for _, composed := range []string{"k", "か", "かん", "漢"} {
			if _, err := v.page.Target().Send("Input.imeSetComposition", map[string]any{"text": composed, "selectionStart": len([]rune(composed)), "selectionEnd": len([]rune(composed))}).Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
		v.types("漢字")
		s.becomes(t, expression, "漢字")
		clear()
		// What is composed still is there before what is pressed next.
		if _, err := v.page.Target().Send("Input.imeSetComposition", map[string]any{"text": "hello", "selectionStart": 5, "selectionEnd": 5}).Wait(ctx); err != nil {
			t.Fatal(err)
		}
		v.eval(`() => document.querySelector("[data-key=Backspace]").click()`)
		s.becomes(t, expression, "hell")
		clear()
		paste := "one\ntwo\n"
		v.eval(`(pasted) => { const all = new DataTransfer(); all.setData("text/plain", pasted); text.focus(); document.execCommand("insertText", false, pasted) }`, paste)
		want := map[string]string{"line": "one two", "lines": "one\ntwo\n", "rich": "one\ntwo"}[id]
		s.becomes(t, expression+".replace(/\\n+/g, '\\n').trimEnd()", strings.TrimRight(want, "\n"))
		clear()
	}
}

// One who uses the keyboard alone reaches all of the page, and leaves it.
func TestTheKeyboardAloneDrivesThePage(t *testing.T) {
	t.Parallel()
	s := beginAt(t, controls)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	key := func(name, code string, number int, text string, modifiers int) {
		t.Helper()
		e := map[string]any{"type": "keyDown", "key": name, "code": code, "windowsVirtualKeyCode": number, "text": text, "modifiers": modifiers}
		for _, e["type"] = range []any{"keyDown", "keyUp"} {
			if e["type"] == "keyUp" {
				delete(e, "text")
			}
			if _, err := v.page.Target().Send("Input.dispatchKeyEvent", e).Wait(browsertest.Context(t)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tab := func() { t.Helper(); key("Tab", "Tab", 9, "", 0) }
	v.eval(`() => text.focus()`)
	tab()
	s.becomes(t, "document.activeElement.id", "size")
	v.until("its name", `() => focused.textContent === "Size of the shirt, list, Enter opens it"`)
	key("Enter", "Enter", 13, "\r", 0)
	v.until("the options", `() => ask.open && document.activeElement?.textContent === "Small"`)
	v.eval(`() => [...ask.querySelectorAll("button")].find((b) => b.textContent === "Medium").focus()`)
	key("Enter", "Enter", 13, "\r", 0)
	s.becomes(t, "size.value", "Medium")

	if _, err := s.page.Rod().Eval(`() => agree.focus()`); err != nil {
		t.Fatal(err)
	}
	tab()
	s.becomes(t, "document.activeElement.id", "line")
	key("Tab", "Tab", 9, "", 8) // back
	s.becomes(t, "document.activeElement.id", "agree")
	v.until("the role", `() => focused.textContent.endsWith("checkbox")`)
	v.until("the field again", `() => document.activeElement === text`)
	key(" ", "Space", 32, " ", 0)
	s.becomes(t, "agree.checked", "true")

	key("Escape", "Escape", 27, "", 0)
	tab()
	v.until("that the field is left", `() => document.activeElement.dataset.key === "Enter"`)
}

// Each of many dialogs that say the same is answered once, also by the Escape key.
func TestDialogsThatSayTheSameAreAnsweredEach(t *testing.T) {
	t.Parallel()
	s := beginAt(t, controls)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	if _, err := s.page.Rod().Eval(`() => { setTimeout(() => { let n = 0; for (let i = 0; i < 6; i++) { if (confirm("Sure?")) n++ } document.title = "said yes " + n }) }`); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		v.until("a dialog", `() => ask.open && state.dialog?.message === "Sure?" && ask.dataset.seen !== String(state.dialog.number)`)
		v.eval(`(escape) => { ask.dataset.seen = String(state.dialog.number); if (escape) { ask.requestClose() } else { const ok = ask.querySelector(".main"); ok.click(); ok.onclick() } }`, i%2 == 1)
	}
	s.becomes(t, "document.title", "said yes 3")
}
