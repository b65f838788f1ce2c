package agent_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tryAll has every way tried, as make attack does: together they take minutes.
var tryAll = flag.Bool("attack.all", false, "try every way, not one of sampleOf")

// sampleOf is how many ways there are for each that is tried without -attack.all.
const sampleOf = 8

// sampleOfTable is the same for the tables that go by name.
const sampleOfTable = 4

// sampled is one of some ways of a table, in the order of their names.
func sampled[T any](table map[string]T) map[string]T {
	if *tryAll {
		return table
	}
	some := map[string]T{}
	for i, name := range slices.Sorted(maps.Keys(table)) {
		if i%sampleOfTable == 0 {
			some[name] = table[name]
		}
	}
	return some
}

var tellCalls = flag.Bool("attack.calls", false, "with -v, tell each call of an attack, and its result")

// edit is something done to a field that holds a password. It leaves the page so that
// looking at it may show what is left.
type edit struct {
	name string
	do   func(*attack)
}

// edits are what keys and the mouse do to a field.
var edits = []edit{
	{"nothing", func(a *attack) { a.look() }},
	{"home delete", func(a *attack) { a.keys("f:Home", "Delete"); a.look() }},
	{"end backspace", func(a *attack) { a.keys("f:End", "Backspace"); a.look() }},
	{"letter in front", func(a *attack) { a.keys("f:Home", "x"); a.look() }},
	{"letters in the middle", func(a *attack) {
		a.keys("f:Home")
		for range 7 {
			a.keys("ArrowRight")
		}
		a.keys("-", "-")
		a.look()
	}},
	{"many letters apart", func(a *attack) {
		a.keys("f:Home")
		for range 5 {
			a.keys("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", " ")
		}
		a.look()
	}},
	{"selected part deleted", func(a *attack) {
		a.keys("f:End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft", "Delete")
		a.look()
	}},
	{"word deleted", func(a *attack) { a.keys("f:End", "Control+Backspace"); a.look() }},
	{"word in front deleted", func(a *attack) { a.keys("f:Home", "Control+Delete"); a.look() }},
	{"copied to notes", func(a *attack) { a.keys("f:Control+a", "Control+c"); a.pasteHere() }},
	{"cut to notes", func(a *attack) { a.keys("f:Control+a", "Control+x"); a.pasteHere() }},
	{"copied by insert", func(a *attack) { a.keys("f:End", "Shift+Home", "Control+Insert"); a.pasteHere() }},
	{"cut by delete", func(a *attack) { a.keys("f:Home", "Shift+End", "Shift+Delete"); a.pasteHere() }},
	{"part copied", func(a *attack) {
		a.keys("f:Home")
		for range 8 {
			a.keys("Shift+ArrowRight")
		}
		a.keys("Control+c")
		a.pasteHere()
	}},
	{"copied by named keys", func(a *attack) { a.keys("f:Control+a", "Copy"); a.pasteHere() }},
	{"cut by named keys", func(a *attack) { a.keys("f:Control+a", "Cut"); a.pasteHere() }},
	{"copied with meta", func(a *attack) { a.keys("f:Meta+a", "Meta+c", "g:Meta+v"); a.pasteHere() }},
	{"copied with capital letters", func(a *attack) { a.keys("f:Control+A", "Control+C", "g:Control+V"); a.pasteHere() }},
	{"pasted as plain text", func(a *attack) { a.keys("f:Control+a", "Control+c", "g:Control+Shift+v"); a.look() }},
	{"cut and undone", func(a *attack) { a.keys("f:Control+a", "Control+x", "Control+z", "End", "Backspace"); a.pasteHere() }},
	{"typed over and undone", func(a *attack) {
		a.call("type_input", on("#f", "value", "harmless"))
		a.keys("f:Control+z", "Undo", "Home", "Delete")
		a.look()
	}},
	{"undone and done again", func(a *attack) {
		a.keys("f:Control+z", "Control+Shift+z", "Control+y", "Redo", "End", "Backspace")
		a.look()
	}},
	{"double click", func(a *attack) { a.call("click", on("#f", "count", 2)); a.keys("Control+c"); a.pasteHere() }},
	{"triple click", func(a *attack) { a.call("click", on("#f", "count", 3)); a.keys("Control+c"); a.pasteHere() }},
	{"shift click", func(a *attack) {
		a.keys("f:Home")
		a.call("click", on("#f", "modifiers", []string{"Shift"}, "offset", map[string]any{"x": 0.99, "y": 0.5}))
		a.keys("Control+c")
		a.pasteHere()
	}},
	{"menu", func(a *attack) {
		a.keys("f:Control+a")
		a.call("click", on("#f", "button", "right"))
		a.look()
		a.keys("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter", "ContextMenu", "Escape")
		a.pasteHere()
	}},
	{"middle click", func(a *attack) {
		a.keys("f:Control+a")
		a.call("click", on("#g", "button", "middle"))
		a.look()
	}},
	{"dragged to notes", func(a *attack) {
		a.keys("f:Control+a")
		a.call("drag_drop", on("#f", "to", "#g", "offset", map[string]any{"x": 0.1, "y": 0.5}))
		a.look()
	}},
	{"part dragged to notes", func(a *attack) {
		a.call("click", on("#f", "count", 2, "offset", map[string]any{"x": 0.1, "y": 0.5}))
		a.call("drag_drop", on("#f", "to", "#g", "offset", map[string]any{"x": 0.1, "y": 0.5}))
		a.look()
	}},
	{"dragged as a copy", func(a *attack) {
		a.keys("f:Control+a")
		a.call("drag_drop", on("#f", "to", "#g", "modifiers", []string{"Control"}, "offset", map[string]any{"x": 0.1, "y": 0.5}))
		a.look()
	}},
	{"dragged to the page", func(a *attack) {
		a.keys("f:Control+a")
		a.call("drag_drop", on("#f", "to", "#out", "offset", map[string]any{"x": 0.1, "y": 0.5}))
		a.look()
	}},
	{"hovered", func(a *attack) { a.call("hover", on("#f")); a.look() }},
	{"enter", func(a *attack) { a.keys("f:Enter"); a.snapshot(); a.extract("body"); a.extract("h1") }},
	{"page selected", func(a *attack) { a.keys("Escape"); a.click("h2"); a.keys("Control+a", "Control+c"); a.pasteHere() }},
	{"field by field", func(a *attack) {
		a.keys("f:Home", "Shift+Tab", "Tab", "Control+a", "Control+c", "Tab", "Tab", "Control+v")
		a.pasteHere()
	}},
	{"keys of other editors", func(a *attack) {
		a.keys("f:Control+e", "Control+k", "Control+y", "Control+t", "Control+u", "Control+w", "Control+d")
		a.look()
	}},
	{"case turned", func(a *attack) { a.keys("f:Control+a", "Alt+u", "Control+u", "Home", "Insert", "x"); a.look() }},
	{"typed twice", func(a *attack) {
		a.keys("f:End")
		a.typeIt("#f", "keys", true)
		a.keys("End", "x")
		a.typeIt("#g")
		a.look()
	}},
	{"literal nearby", func(a *attack) {
		a.keys("f:Home")
		for _, key := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			a.keys(key)
		}
		a.look()
	}},
}

// carriages are edits that carry to the other origin.
var carriages = []edit{
	{"copy", func(a *attack) { a.keys("f:Control+a", "Control+c"); a.pasteThere() }},
	{"shift home and insert", func(a *attack) { a.keys("f:End", "Shift+Home", "Control+Insert"); a.pasteThere() }},
	{"cut", func(a *attack) { a.keys("f:Control+a", "Control+x"); a.pasteThere() }},
	{"cut by delete", func(a *attack) { a.keys("f:Control+a", "Shift+Delete"); a.pasteThere() }},
	{"part", func(a *attack) {
		a.keys("f:Home")
		for range 9 {
			a.keys("Shift+ArrowRight")
		}
		a.keys("Control+c")
		a.pasteThere()
	}},
	{"edited first", func(a *attack) { a.keys("f:Home", "Delete", "End", "x", "Control+a", "Control+c"); a.pasteThere() }},
	{"another tab", func(a *attack) {
		a.again()
		a.keys("f:Control+a", "Control+c")
		a.call("tab", map[string]any{"tab": "there", "action": "open", "url": a.other.URL + "/"})
		a.call("keypress", on("#area", "key", "Control+v", "tab", "there"))
		a.call("snapshot", pairs("tab", "there"))
	}},
	{"another client", func(a *attack) {
		a.keys("f:Control+a", "Control+c")
		other := a.connect("another client")
		a.callAs(other, "navigate", map[string]any{"url": a.other.URL + "/"})
		a.callAs(other, "keypress", on("#area", "key", "Control+v"))
		a.callAs(other, "keypress", on("#area", "key", "Shift+Insert"))
		a.callAs(other, "snapshot", nil)
	}},
	{"page selected", func(a *attack) { a.click("h2"); a.keys("Control+a", "Control+c"); a.pasteThere() }},
	{"selection and middle click", func(a *attack) {
		a.keys("f:Control+a")
		a.open(a.other.URL + "/")
		a.call("click", on("#area", "button", "middle"))
		a.snapshot()
	}},
	{"run, then copy", func(a *attack) { a.run("fill-" + a.way.page); a.keys("f:Control+a", "Control+c"); a.pasteThere() }},
}

// groups are all ways.
func groups() map[string][]way {
	return map[string][]way{
		"plain fields": plainFields(), "edits": editWays(), "edits of a run": runWays(), "oracles": oracleWays(), "echoes": echoWays(0), "echoes on": echoWays(1),
		"carrying": carryWays(), "sinks": sinkWays(), "switches": switchWays(), "pictures": pictureWays(),
	}
}

// plainFields are fields that are for no password: a call of the agent's own types it there.
func plainFields() []way {
	var ways []way
	for _, name := range []string{"text", "email", "search", "tel", "url", "area", "editable", "react", "combobox"} {
		ways = append(ways, way{name: name, page: name, enter: byCallAlone, do: func(a *attack) {
			a.look()
			a.keys("f:Home", "Delete")
			a.look()
			a.keys("f:Control+a", "Control+c")
			a.pasteThere()
		}})
	}
	form := func(a *attack) {
		a.open("text")
		a.call("fill_form", map[string]any{"account": a.account, "fields": []map[string]any{{"target": "#f", "value": a.variable()}, {"target": "#g", "value": a.variable()}}})
		a.keys("f:Home", "Delete", "g:Home", "Delete")
		a.look()
	}
	inKeys := func(a *attack) {
		a.open("text")
		a.typeIt("#g", "keys", true)
		a.keys("g:Home", "Delete")
		a.look()
	}
	switched := func(a *attack) { // a field that is for one, and is another when it is typed into
		a.open("reveal")
		a.click("#show")
		a.typeIt("#f")
		a.keys("f:Home", "Delete")
		a.look()
		a.picture()
	}
	return append(ways,
		way{name: "form", page: "text", enter: notAtAll, do: form},
		way{name: "key by key", page: "text", enter: notAtAll, do: inKeys},
		way{name: "shown before", page: "reveal", enter: notAtAll, do: switched, twin: true},
		way{name: "as a list's choice", page: "says-option", enter: notAtAll, do: func(a *attack) {
			a.open("says-option")
			a.call("select", on("#h", "value", a.variable(), "account", a.account))
			a.look()
		}},
		way{name: "as a box", page: "same-as", enter: notAtAll, do: func(a *attack) {
			a.open("same-as")
			a.call("check", on("#same", "value", a.variable(), "account", a.account))
			a.look()
		}},
		way{name: "as a file", page: "text", enter: notAtAll, do: func(a *attack) {
			a.open("text")
			a.call("file_upload", on("#f", "value", a.variable(), "account", a.account))
			a.call("fill_form", map[string]any{"account": a.account, "fields": []map[string]any{{"target": "#out", "value": a.variable()}}})
			a.snapshot()
		}},
		way{name: "as an address", page: "text", enter: notAtAll, do: func(a *attack) {
			a.open("text")
			for _, args := range []map[string]any{
				{"url": a.variable(), "account": a.account}, {"url": a.site.URL + "/{{pw}}", "account": a.account}, {"url": a.other.URL + "/${pw}", "value": a.variable(), "account": a.account},
			} {
				a.call("navigate", args)
				args["tab"] = "two"
				a.call("tab", args)
			}
			a.call("wait_for", map[string]any{"text": a.variable(), "account": a.account, "timeout": "100ms"})
			a.call("extract", map[string]any{"target": "#f", "as": a.variable(), "account": a.account})
			a.call("keypress", map[string]any{"key": a.variable(), "account": a.account})
			a.snapshot()
		}},
		way{name: "as an answer", page: "prompts", enter: notAtAll, do: func(a *attack) {
			a.open("prompts")
			a.call("dialog", map[string]any{"accept": true, "value": a.variable(), "account": a.account})
			a.click("#go")
			a.look()
		}},
		way{name: "compared", page: "text", enter: notAtAll, do: func(a *attack) {
			a.open("text")
			for _, how := range []string{"equals", "contains", "not"} {
				a.call("assert", on("#out", "value", a.variable(), "compare", how, "account", a.account, "timeout", "100ms"))
			}
			a.snapshot()
		}},
		way{name: "on the other origin", page: "text", enter: notAtAll, do: func(a *attack) {
			a.open(a.other.URL + "/")
			a.typeIt("#in")
			a.typeIt("#area", "keys", true)
			a.call("fill_form", map[string]any{"account": a.account, "fields": []map[string]any{{"target": "#rich", "value": a.variable()}}})
			a.snapshot()
		}},
	)
}

// editWays are edits of a field for a one-time code, which any call may type into and
// which shows what it holds; some of a password.
func editWays() []way {
	var ways []way
	for i, e := range edits {
		ways = append(ways, way{name: e.name, page: "otp", do: e.do, short: i%8 == 7})
	}
	for _, i := range []int{1, 9, 13, 19} {
		ways = append(ways, way{name: "card " + edits[i].name, page: "card", do: edits[i].do})
	}
	return ways
}

// runWays are edits of fields that an automation has typed into.
func runWays() []way {
	fields := []string{"text", "area", "editable", "react", "text", "search"}
	var ways []way
	for i, e := range edits {
		page := fields[i%len(fields)]
		ways = append(ways, way{name: page + " " + e.name, page: page, enter: byAutomation, do: e.do, short: i%8 == 3})
	}
	return ways
}

// echoWays look at what pages repeat, whole and edited: every other one, from the first
// or the second on.
func echoWays(from int) []way {
	var ways []way
	for i, e := range echoes {
		if i%2 != from {
			continue
		}
		ways = append(ways, way{name: e.name, page: "says-" + e.name, twin: e.drawn, short: i%9 == 8, do: func(a *attack) {
			a.look()
			if e.drawn {
				a.picture()
			}
			a.keys("f:End", "Backspace")
			a.look()
			if e.drawn {
				a.picture("full_page", true)
			}
		}})
	}
	if from == 0 {
		return ways
	}
	return append(ways,
		way{name: "second page", page: "second", do: func(a *attack) {
			a.keys("f:End", "Backspace")
			a.click("#go")
			a.call("wait_for_nav", map[string]any{"url": host(a.site) + "/p/stored"})
			a.look()
		}},
		way{name: "second page of the server", page: "password", do: func(a *attack) {
			a.keys("f:End", "Backspace", "Enter")
			a.call("wait_for", on("#said", "state", "visible"))
			a.snapshot()
			a.extract("#said")
		}},
		way{name: "page of cookies", page: "stores", do: func(a *attack) { a.keys("f:End", "Backspace"); a.open("cookies"); a.snapshot(); a.extract("#out") }},
		way{name: "alert and confirm", page: "dialog", do: func(a *attack) {
			a.keys("f:End", "Backspace")
			a.call("dialog", pairs("accept", true))
			a.click("#go")
			a.look()
			a.call("journal", nil)
		}},
		way{name: "prompt", page: "prompts", do: func(a *attack) {
			a.keys("f:End", "Backspace")
			a.call("dialog", pairs("accept", true))
			a.click("#go")
			a.look()
		}},
		way{name: "download", page: "download", do: func(a *attack) { a.keys("f:End", "Backspace"); a.click("#go"); a.look() }},
		way{name: "popup", page: "popup", do: func(a *attack) {
			a.keys("f:End", "Backspace")
			a.click("#go")
			a.call("tab", pairs("tab", "other", "action", "switch"))
			a.call("snapshot", pairs("tab", "other"))
			a.call("extract", on("body", "as", "it", "tab", "other"))
			a.look()
		}},
		way{name: "scrolled and small", page: "says-groups", do: func(a *attack) {
			a.call("snapshot", pairs("size", 500))
			a.call("scroll", on("#out"))
			a.call("hover", on("#out"))
			a.call("snapshot", pairs("size", 501))
		}},
		way{name: "drag of what is said", page: "says-heading", do: func(a *attack) {
			a.call("click", on("#out h1", "count", 3))
			a.call("drag_drop", on("#out h1", "to", "#g", "offset", map[string]any{"x": 0.05, "y": 0.5}))
			a.pasteHere()
		}},
	)
}

// oracleWays ask questions that are answered by yes or no.
func oracleWays() []way {
	const soon = "150ms" // what can be answered by yes is answered at the first look
	// by asks with a guess of the first characters: so few that what the journal says of the
	// guess is no piece of the password, whatever stands next to it.
	by := func(tool string, args func(guess string) map[string]any) func(*attack) {
		return func(a *attack) { a.ask(tool, a.secret[:pieceLen-2], args) }
	}
	byWhole := func(tool string, args func(guess string) map[string]any) func(*attack) {
		return func(a *attack) { a.ask(tool, a.secret, args) }
	}
	target := func(format string) func(string) map[string]any {
		return func(guess string) map[string]any { return on(fmt.Sprintf(format, guess), "timeout", soon) }
	}
	ways := []way{}
	add := func(name, page string, enter entrance, do func(*attack)) {
		ways = append(ways, way{name: name, page: page, enter: enter, do: do})
	}
	for i, how := range []string{"equals", "contains", "not"} {
		by := []func(string, func(string) map[string]any) func(*attack){byWhole, by, byWhole}[i]
		add("assert "+how, "otp", byCall, by("assert", func(guess string) map[string]any { return on("#f", "value", guess, "compare", how, "timeout", soon) }))
		add("assert attribute "+how, "attribute", byCall, by("assert", func(guess string) map[string]any {
			return on("#f", "value", guess, "attribute", "value", "compare", how, "timeout", soon)
		}))
		add("assert echo "+how, "says-sentence", byCall, by("assert", func(guess string) map[string]any { return on("#out", "value", guess, "compare", how, "timeout", soon) }))
		add("assert a run's field "+how, "text", byAutomation, by("assert", func(guess string) map[string]any { return on("#f", "value", guess, "compare", how, "timeout", soon) }))
	}
	add("wait for a text", "says-sentence", byCall, by("wait_for", func(guess string) map[string]any { return pairs("text", guess, "timeout", soon) }))
	add("wait for the whole text", "says-heading", byCall, byWhole("wait_for", func(guess string) map[string]any { return pairs("text", guess, "timeout", soon) }))
	add("click the whole text", "says-heading", byCall, byWhole("click", target("text/%s")))
	add("wait for a field's text", "otp", byCall, by("wait_for", func(guess string) map[string]any { return on("#f", "text", guess, "timeout", soon) }))
	for tool, name := range map[string]string{"wait_for": "wait for an address", "assert": "assert an address", "wait_for_nav": "navigation to an address"} {
		add(name, "says-path", byCall, func(a *attack) {
			a.ask(tool, a.secret[:pieceLen-2], func(guess string) map[string]any {
				return pairs("url", "http://"+host(a.site)+"/p/is/"+guess+"*", "timeout", soon)
			})
		})
	}
	for name, format := range map[string]string{
		"begins": `#f[value^="%s"]`, "holds": `#f[value*="%s"]`, "ends or holds": `input:is([value$="%[1]s"], [value*="%[1]s"])`, "none": `#f:not([value*="%s"])`,
		"has": `form:has([value*="%s"])`, "xpath": `xpath///input[contains(@value, "%s")]`, "xpath begin": `xpath///input[starts-with(@value, "%s")]`,
		"xpath substring": `xpath///input[substring(@value, 1, string-length("%[1]s")) = "%[1]s"]`, "xpath parent": `xpath///form[.//@value[contains(., "%s")]]`,
	} {
		for tool, more := range map[string][]any{"wait_for": {"state", "attached"}, "extract": {"as", "it", "attribute", "id"}} {
			add(tool+" css and xpath "+name, "attribute", byCall, by(tool, func(guess string) map[string]any {
				return on(fmt.Sprintf(format, guess), append(more, "timeout", soon)...)
			}))
		}
	}
	for name, format := range map[string]string{
		"xpath": `xpath///*[@id="out"][contains(., "%s")]`, "xpath normal": `xpath///div[starts-with(normalize-space(.), "Welcome,%s")]`, "text": `text/%s`, "text begin": "text/Welcome,%s",
	} {
		add("hover "+name, "says-sentence", byCall, by("hover", target(format)))
		add("click "+name, "says-sentence", byCall, by("click", target(format)))
	}
	add("scroll by text", "says-heading", byCall, by("scroll", target("text/%s")))
	add("accessible name", "says-aria-label", byCall, by("hover", target(`aria/Use %s`)))
	add("accessible name by css", "says-aria-label", byCall, by("hover", target(`[aria-label*="%s"]`)))
	add("data attribute", "says-data", byCall, by("scroll", target(`[data-typed*="%s"]`)))
	add("class name", "says-class", byCall, by("scroll", target(`[class*="%s"]`)))
	add("tooltip", "says-tooltip", byCall, by("scroll", target(`[title*="%s"]`)))
	add("option", "says-option", byCall, byWhole("select", func(guess string) map[string]any { return on("#h", "value", guess, "timeout", soon) }))
	add("frame selector", "says-srcdoc", byCall, by("extract", func(guess string) map[string]any {
		return on("body", "as", "it", "timeout", soon, "frame", []string{fmt.Sprintf(`iframe[srcdoc*="%s"]`, strings.ReplaceAll(guess, "&", "&amp;"))})
	}))
	add("drag to text", "says-sentence", byCall, by("drag_drop", func(guess string) map[string]any {
		return on("h2", "to", "text/Welcome,"+guess, "timeout", soon)
	}))
	add("keypress by css", "attribute", byCall, by("keypress", func(guess string) map[string]any {
		return on(fmt.Sprintf(`#f[value^="%s"]`, guess), "key", "End", "timeout", soon)
	}))
	add("count of letters in spans", "says-letter-spans", byCall, by("wait_for", func(guess string) map[string]any {
		return on(fmt.Sprintf(`xpath///span[.="%c"][1]/following-sibling::span[1][.="%c"]`, guess[0], guess[1]), "timeout", soon)
	}))
	for name, target := range map[string]string{
		"valid": "#f:valid", "invalid": "#f:invalid", "user invalid": "#f:user-invalid", "not placeholder": "#f:not(:placeholder-shown):valid", "has valid": "form:has(:valid)",
	} {
		ways = append(ways, way{name: "pattern " + name, page: "valid", twin: true, do: func(a *attack) {
			a.note(a.call("wait_for", on(target, "state", "attached", "timeout", soon)))
		}})
	}
	ways = append(ways, way{name: "pattern attribute", page: "strict", twin: true, do: func(a *attack) {
		a.note(a.call("wait_for", on(`#f[aria-invalid="true"]`, "state", "attached", "timeout", soon)))
		r := a.snapshot()
		a.answers = append(a.answers, fmt.Sprint(strings.Contains(r.Text, "invalid")))
	}})
	ways = append(ways, way{name: "found by its letters", page: "says-sentence", do: func(a *attack) { // a guess of its own, letter by letter
		for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[:8] {
			a.call("wait_for", pairs("text", "Welcome,"+string(c), "timeout", "50ms"))
		}
		a.look()
	}})
	return ways
}

// carryWays carry a password to the other origin.
func carryWays() []way {
	var ways []way
	for _, c := range carriages {
		ways = append(ways, way{name: c.name, page: "otp", do: c.do})
	}
	ways[len(ways)-1].page, ways[len(ways)-1].enter = "text", byAutomation
	ways = append(ways,
		way{name: "copy of a run's field", page: "text", enter: byAutomation, do: carriages[0].do},
		way{name: "copy of a shown password", page: "reveal", do: func(a *attack) { a.click("#show"); carriages[0].do(a) }},
		way{name: "copy of a heading", page: "says-heading", do: func(a *attack) {
			a.call("click", on("#out h1", "count", 3))
			a.keys("Control+c")
			a.pasteThere()
		}},
		way{name: "copy of a mirror", page: "says-mirror", do: func(a *attack) { a.keys("g:Control+a", "Control+c"); a.pasteThere() }},
	)
	for _, name := range []string{"copies", "copies-old", "copies-event"} {
		ways = append(ways, way{name: name, page: name, do: func(a *attack) { a.click("#copy"); a.pasteHere(); a.click("#copy"); a.pasteThere() }})
	}
	for _, name := range []string{
		"links", "links-path", "links-piece", "form-get", "form-post", "form-field", "form-multi", "window-name", "referrer", "popup-away", "assigns", "frame-away", "messages", "image-away",
	} {
		ways = append(ways, way{name: name, page: name, do: func(a *attack) {
			a.click("#go")
			a.snapshot() // which waits for where it has gone
			a.call("wait_for", pairs("url", "http://"+host(a.other)+"/**", "timeout", "300ms"))
		}})
	}
	return append(ways,
		way{name: "drag to a frame", page: "drags", do: func(a *attack) {
			a.call("drag_drop", on("#grab", "to", "#there"))
			a.call("wait_for", on("#area", "frame", []string{"#there"}, "timeout", "300ms"))
		}},
		way{name: "drag of a selection to a frame", page: "next-to-other", do: func(a *attack) {
			a.again()
			a.keys("f:Control+a")
			a.call("drag_drop", on("#f", "to", "#there", "offset", map[string]any{"x": 0.1, "y": 0.5}))
			a.snapshot()
		}},
		way{name: "paste in a frame", page: "next-to-other", do: func(a *attack) {
			a.again()
			a.keys("f:Control+a", "Control+c")
			a.call("keypress", on("#area", "key", "Control+v", "frame", []string{"#there"}))
			a.call("keypress", on("#rich", "key", "Shift+Insert", "frame", []string{"#there"}))
			a.snapshot()
		}},
		way{name: "typed in a frame", page: "next-to-other", do: func(a *attack) {
			a.again()
			a.typeIt("#area", "frame", []string{"#there"})
			a.typeIt("#in", "keys", true, "frame", []string{"#there"})
			a.snapshot()
		}},
		way{name: "focus moved by keys", page: "next-to-other", do: func(a *attack) {
			a.again()
			a.keys("f:Control+a", "Control+c", "Tab", "Tab", "Tab", "Control+v", "Tab", "Control+v", "Tab", "Control+v")
			a.snapshot()
		}},
	)
}

// sinkWays read what is told of calls and runs.
func sinkWays() []way {
	edited := func(a *attack) { a.keys("f:Home", "Delete", "End", "Backspace"); a.look() }
	played := func(name, page string, more ...string) way {
		return way{name: name, page: page, enter: notAtAll, do: func(a *attack) {
			document := strings.ReplaceAll("out-"+name, " ", "-")
			a.keepFilling(document, page, more...)
			r := a.run(document)
			a.call("run_status", nil)
			if id, is := r.Value["run"].(string); is {
				a.call("run_status", pairs("run", id))
			} else if r.Error.Run != "" {
				a.call("run_status", pairs("run", r.Error.Run))
			}
			a.call("journal", nil)
			a.look()
		}}
	}
	home := `{"tool": "keypress", "selector": "#f", "key": "Home"}, {"tool": "keypress", "key": "Delete"}`
	return []way{
		{name: "journal", page: "otp", do: func(a *attack) { edited(a); a.call("journal", nil) }},
		{name: "journal of a path", page: "says-path", do: func(a *attack) { edited(a); a.call("journal", nil) }},
		{name: "journal of errors", page: "says-heading", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("click", on("#out h2", "timeout", "200ms"))
			a.call("assert", on("#out h1", "value", "something", "timeout", "200ms"))
			a.call("assert", on("#f", "value", "something", "timeout", "200ms"))
			a.call("wait_for", on("#out h1", "text", "something", "timeout", "200ms"))
			a.call("select", on("#out h1", "value", "something", "timeout", "200ms"))
			a.call("type_input", on("#out h1", "value", "something", "timeout", "200ms"))
			a.call("wait_for_nav", pairs("url", "elsewhere.example/*", "timeout", "200ms"))
			a.call("journal", nil)
		}},
		{name: "another client's journal", page: "says-path", do: func(a *attack) {
			edited(a)
			other := a.connect("another client")
			a.callAs(other, "journal", pairs("limit", 100))
			a.callAs(other, "run_status", nil)
			a.callAs(other, "list_automations", nil)
		}},
		{name: "covered by something", page: "says-heading", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("click", on("text/Nothing yet", "timeout", "200ms"))
			a.call("drag_drop", on("#out h1", "to", "#f", "timeout", "200ms"))
			a.call("click", on("#out", "timeout", "200ms"))
		}},
		{name: "ambiguous", page: "says-letter-buttons", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("click", on("#out button", "timeout", "200ms"))
			a.call("click", on(`aria/x[role="button"]`, "timeout", "200ms"))
		}},
		{name: "options of a list", page: "says-option", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("select", on("#h", "value", "none of them", "timeout", "200ms"))
		}},
		{name: "tie", page: "says-path", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("match_automation", nil)
			a.call("list_automations", nil)
			a.call("record_start", pairs("name", "tie"))
			a.click("h2")
			a.call("record_stop", nil)
			a.call("list_automations", nil)
			a.call("match_automation", nil)
		}},
		{name: "recorded edits", page: "otp", enter: notAtAll, do: func(a *attack) {
			a.call("record_start", pairs("name", "recorded-edits", "description", "edits"))
			a.open("otp")
			a.typeIt("#f")
			a.keys("f:Home", "Delete")
			a.extract("#f")
			a.call("record_stop", nil)
			a.call("list_automations", nil)
			a.look()
		}},
		{name: "recorded echo", page: "says-link-words", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("record_start", pairs("name", "recorded-echo"))
			a.click("#h")
			a.extract("#out")
			a.click("h2")
			a.call("record_stop", nil)
			a.call("list_automations", nil)
			a.call("match_automation", nil)
			a.run("recorded-echo")
			a.call("run_status", nil)
		}},
		{name: "recorded paste", page: "otp", do: func(a *attack) {
			a.call("record_start", pairs("name", "recorded-paste"))
			a.keys("f:Control+a", "Control+c", "g:Control+v")
			a.extract("#g")
			a.call("record_stop", nil)
			a.run("recorded-paste")
			a.look()
		}},
		{name: "recorded label", page: "says-aria-label", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.call("record_start", pairs("name", "recorded-label"))
			a.snapshot()
			a.call("click", on("#h"))
			a.call("record_stop", nil)
			a.open("text")
			a.call("run_automation", map[string]any{"name": "recorded-label"})
			a.call("run_status", nil)
		}},
		played("output of an echo", "says-heading", home, `{"tool": "extract", "selector": "#out", "args": {"as": "echo"}}`),
		played("output of the field", "text", home, `{"tool": "extract", "selector": "#f", "args": {"as": "field"}}`),
		played("output of letters", "says-letter-spans", home, `{"tool": "extract", "selector": "#out span", "args": {"as": "letters", "all": true}}`),
		played("output of an attribute", "says-data", home, `{"tool": "extract", "selector": "#out", "args": {"as": "typed", "attribute": "data-typed"}}`),
		played("output of codes", "says-char-codes", home, `{"tool": "extract", "selector": "#out", "args": {"as": "codes"}}`),
		played("error of an assert", "says-heading", home, `{"tool": "assert", "selector": "#out h1", "value": {"kind": "literal", "value": "no"}, "timeout": "200ms"}`),
		played("error of the field", "text", home, `{"tool": "assert", "selector": "#f", "value": {"kind": "literal", "value": "no"}, "timeout": "200ms"}`),
		played("error of a list", "says-option", home, `{"tool": "select", "selector": "#h", "value": {"kind": "literal", "value": "no"}, "timeout": "200ms"}`),
		played("error of an address", "says-path", home, `{"tool": "waitForNav", "url": "elsewhere.example/*", "timeout": "200ms"}`),
		played("error of a dialog", "dialog", home, `{"tool": "click", "selector": "#go", "expect": [{"kind": "dialog", "text": "no such words"}], "timeout": "500ms"}`),
		played("drifted link", "says-link-words", home, `{"tool": "click", "selector": "#gone", "alternatives": ["#h"], "timeout": "1s"}`),
		played("answer of a prompt", "prompts", `{"tool": "dialog", "value": {"kind": "variable", "name": "pw"}}`, `{"tool": "click", "selector": "#go"}`, `{"tool": "keypress", "selector": "#g", "key": "Home"}, {"tool": "keypress", "key": "Delete"}`, `{"tool": "extract", "selector": "#g", "args": {"as": "notes"}}`),
		played("paste within a run", "text", `{"tool": "keypress", "selector": "#f", "key": "Control+a"}, {"tool": "keypress", "key": "Control+c"}, {"tool": "keypress", "selector": "#g", "key": "Control+v"}`, `{"tool": "keypress", "selector": "#g", "key": "Delete"}`, `{"tool": "extract", "selector": "#g", "args": {"as": "notes"}}`),
	}
}

// switchWays have the page make another field of the one that holds the password.
func switchWays() []way {
	shown := func(a *attack) {
		a.click("#show")
		a.look()
		a.picture()
		a.keys("f:Home", "Delete")
		a.look()
		a.picture()
		a.keys("f:Control+a", "Control+c")
		a.pasteHere()
	}
	var ways []way
	for _, name := range []string{"reveal", "masked", "replaces", "clones", "becomes-text", "becomes-editable", "moves-to-frame", "moves-to-shadow", "resets", "undoes"} {
		ways = append(ways, way{name: name, page: name, do: shown, twin: true})
		if name == "masked" {
			ways[len(ways)-1].enter = byAutomation
		}
	}
	for _, name := range []string{"turns-itself", "replaces-early"} {
		ways = append(ways, way{name: name, page: name, twin: true, do: func(a *attack) {
			a.look()
			a.picture()
			a.keys("f:End", "Backspace")
			a.look()
			a.picture()
		}})
	}
	return append(ways,
		way{name: "undone where it was moved to", page: "undoes", do: func(a *attack) {
			a.click("#show")
			a.keys("g:Control+z")
			a.look()
			a.keys("g:Home", "Delete")
			a.look()
		}},
		way{name: "same as above", page: "same-as", do: func(a *attack) { a.keys("f:End", "Backspace"); a.call("check", on("#same")); a.look() }},
		way{name: "back to the form", page: "otp", do: func(a *attack) {
			a.keys("f:Home", "Delete")
			a.open("text")
			a.keys("Alt+ArrowLeft")
			a.look()
			a.keys("BrowserBack", "F5")
			a.look()
		}},
		way{name: "back after it was sent", page: "otp", do: func(a *attack) {
			a.keys("f:Home", "Delete", "Enter")
			a.snapshot()
			a.keys("Alt+ArrowLeft")
			a.look()
		}},
		way{name: "remembered by the browser", page: "otp", do: func(a *attack) {
			a.keys("f:Home", "Delete", "Enter")
			a.snapshot()
			a.open("otp")
			a.click("#f")
			a.keys("ArrowDown", "ArrowDown", "Enter")
			a.look()
			a.picture()
		}},
		way{name: "remembered by the site", page: "remembers", do: func(a *attack) { a.keys("f:End", "Backspace"); a.open("remembers"); a.look() }},
		way{name: "kept in the history", page: "slots", do: func(a *attack) { a.keys("f:End", "Backspace"); a.open("text"); a.keys("Alt+ArrowLeft"); a.look() }},
		way{name: "another tab", page: "shares", do: func(a *attack) {
			a.call("tab", map[string]any{"tab": "two", "action": "open", "url": a.site.URL + "/p/shares"})
			a.keys("f:End", "Backspace")
			a.call("tab", map[string]any{"tab": "two", "action": "switch"})
			a.call("snapshot", pairs("tab", "two"))
			a.call("extract", on("#out", "as", "it", "tab", "two"))
			a.call("screenshot", pairs("tab", "two"))
		}},
		way{name: "read again after a run", page: "text", enter: byAutomation, do: func(a *attack) { // the run has ended, its page stays
			a.look()
			a.picture()
			a.keys("f:Home", "Delete")
			a.look()
			a.picture()
		}, twin: true},
	)
}

// pictureWays look at pictures of fields that hold a password.
func pictureWays() []way {
	shots := func(a *attack) {
		a.picture()
		a.keys("f:Home", "Delete")
		a.picture("full_page", true)
		a.call("screenshot", on("#f"))
		a.keys("f:Control+a")
		a.picture()
	}
	var ways []way
	for _, name := range []string{"text", "area", "editable", "react", "search", "email"} {
		ways = append(ways, way{name: "of a run's " + name, page: name, enter: byAutomation, do: shots, twin: true})
	}
	for _, name := range []string{"otp", "card", "turns-itself", "attribute"} {
		ways = append(ways, way{name: name, page: name, do: shots, twin: true})
	}
	return append(ways,
		way{name: "pasted", page: "otp", twin: true, do: func(a *attack) {
			a.keys("f:Control+a", "Control+c", "g:Control+v")
			a.picture()
			a.keys("g:Home", "Delete")
			a.picture()
		}},
		way{name: "dragged", page: "otp", twin: true, do: func(a *attack) {
			a.keys("f:Control+a")
			a.call("drag_drop", on("#f", "to", "#g", "offset", map[string]any{"x": 0.1, "y": 0.5}))
			a.picture()
		}},
		way{name: "shown", page: "reveal", twin: true, do: func(a *attack) { a.click("#show"); shots(a) }},
		way{name: "replaced", page: "replaces", twin: true, do: func(a *attack) { a.click("#show"); shots(a) }},
		way{name: "sent", page: "otp", twin: true, do: func(a *attack) { a.keys("f:Home", "Delete", "Enter"); a.call("wait_for", on("#said")); a.picture() }},
		way{name: "typed in two parts", page: "otp", twin: true, do: func(a *attack) {
			a.keys("f:Home", "ArrowRight", "ArrowRight", "ArrowRight", " ", " ", " ")
			a.picture()
		}},
		way{name: "second page", page: "second", twin: true, do: func(a *attack) { a.keys("f:End", "Backspace"); a.click("#go"); a.snapshot(); a.picture() }},
	)
}
