package recorder

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/selectors"
)

// elements of an imagined page.
func field(id string) *element {
	return &element{id: id, tag: "input", role: "textbox", inputType: "text", editable: true, candidates: css("#" + id), url: "https://example.com/"}
}

func secretField(id string) *element {
	el := field(id)
	el.inputType, el.secret, el.tokens = "password", true, []string{"current-password"}
	return el
}

func mail(id string) *element {
	el := field(id)
	el.inputType = "email"
	return el
}

func user(id string) *element {
	el := field(id)
	el.tokens = []string{"username"}
	return el
}

func button(id string) *element {
	return &element{id: id, tag: "button", role: "button", candidates: css("#" + id), url: "https://example.com/"}
}

func labelOf(id string) *element {
	return &element{id: "label-" + id, tag: "label", control: id, candidates: css("label"), url: "https://example.com/"}
}

func css(texts ...string) []selectors.Path {
	var paths []selectors.Path
	for _, text := range texts {
		path, err := selectors.ParsePath(text)
		if err != nil {
			panic(err)
		}
		paths = append(paths, path)
	}
	return paths
}

var presses atomic.Int64 // of tests side by side

// pressed is a whole press: down, up, click.
func pressed(el *element, count int) []event {
	id := fmt.Sprint(presses.Add(1))
	return []event{{kind: down, el: el, press: id}, {kind: up, press: id}, {kind: click, press: id, count: count}}
}

func typed(el *element, text string) []event {
	var events []event
	for i := range text {
		events = append(events, event{kind: input, el: el, value: text[:i+1]})
	}
	return events
}

func typedSecret(el *element) []event { return []event{{kind: input, el: el, secret: true}} }

func keyed(el *element, name string, modifiers ...string) []event {
	return []event{{kind: key, el: el, key: name, modifiers: modifiers}}
}

func byKey(el *element) []event { return []event{{kind: click, el: el, byKey: true}} }

func went(url string) []event { return []event{{kind: navigation, url: url, asked: true}} }

func pushed(url string) []event { return []event{{kind: navigation, url: url, within: true}} }

func addressBar(url string) []event { return []event{{kind: navigation, url: url}} }

func declined(kind, asks string) []event {
	return []event{{kind: answered, dialog: kind, asks: asks}}
}

func accepted(kind, asks, text string) []event {
	return []event{{kind: answered, dialog: kind, asks: asks, accepted: true, value: text}}
}

func merge(groups ...[]event) *merger {
	m := newMerger(redact.NewKey(), func(Change) {})
	for _, group := range groups {
		for _, e := range group {
			m.add(e)
		}
	}
	m.finish()
	return m
}

func short(m *merger) []string {
	var steps []string
	for _, en := range m.entries {
		s := en.step
		parts := []string{s.Tool, s.Selector.String(), s.URL, s.Key}
		if s.Value != nil {
			parts = append(parts, s.Value.Name+string(s.Value.Value))
		}
		if s.Optional {
			parts = append(parts, "optional")
		}
		if s.Count > 1 {
			parts = append(parts, fmt.Sprintf("×%d", s.Count))
		}
		steps = append(steps, strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
	return steps
}

func TestEventsBecomeWhatThePersonMeant(t *testing.T) {
	t.Parallel()
	city, next, terms := field("city"), button("next"), &element{id: "terms", tag: "input", role: "checkbox", inputType: "checkbox", candidates: css("#terms")}
	chooses := pressed(next, 1) // the files
	list := &element{id: "list", tag: "select", role: "combobox", inputType: "select", candidates: css("#list")}
	date, born := field("date"), field("born")
	date.inputType, born.inputType, born.label = "date", "date", "Date of birth"
	checked := []event{{kind: check, el: terms, checked: true}}
	for name, test := range map[string]struct {
		events [][]event
		want   []string
	}{
		"keys are one text":                              {[][]event{typed(city, "Linz")}, []string{`typeInput #city "Linz"`}},
		"the click into a field is a part of typing":     {[][]event{pressed(city, 1), typed(city, "Linz")}, []string{`typeInput #city "Linz"`}},
		"a click into a field alone is recorded":         {[][]event{pressed(city, 1), pressed(next, 1)}, []string{"click #city", "click #next"}},
		"a click on a field's label is a part of typing": {[][]event{pressed(labelOf("city"), 1), typed(city, "Linz")}, []string{`typeInput #city "Linz"`}},
		"Tab between fields is not a step":               {[][]event{typed(city, "Linz"), keyed(city, "Tab"), typed(field("zip"), "4020")}, []string{`typeInput #city "Linz"`, `typeInput #zip "4020"`}},
		"Tab before a click is not a step":               {[][]event{keyed(city, "Tab"), pressed(next, 1)}, []string{"click #next"}},
		"a last Tab is recorded":                         {[][]event{typed(city, "Linz"), keyed(city, "Tab")}, []string{`typeInput #city "Linz"`, "keypress #city Tab"}},
		"correcting later is a step of its own":          {[][]event{typed(city, "Linz"), pressed(next, 1), typed(city, "Graz")}, []string{`typeInput #city "Linz"`, "click #next", `typeInput #city "Graz"`}},
		"what the page made of a text is told when it is left": {
			[][]event{typed(city, "linz"), {{kind: down, el: next, press: "l"}, {kind: input, el: city, value: "LINZ", late: true}, {kind: up, press: "l"}, {kind: click, press: "l"}}},
			[]string{`typeInput #city "LINZ"`, "click #next"},
		},
		"what was typed before anyone listened comes before the press that left it": {
			[][]event{pressed(date, 1), {{kind: down, el: next, press: "l"}, {kind: input, el: city, value: "Linz", late: true}, {kind: up, press: "l"}, {kind: click, press: "l"}}},
			[]string{"click #date", `typeInput #city "Linz"`, "click #next"},
		},
		"and before the key that sent it": {
			[][]event{keyed(city, "Enter"), {{kind: input, el: city, value: "Linz", late: true}}, byKey(next)},
			[]string{`typeInput #city "Linz"`, "keypress #city Enter"},
		},
		"a consent banner need not be there": {
			[][]event{pressed(&element{id: "ok", tag: "button", consent: true, candidates: css("#ok")}, 1)},
			[]string{"click #ok optional"},
		},
		"what is typed twice is one variable":      {[][]event{typed(mail("a"), "ada@example.com"), typed(mail("b"), "ada@example.com")}, []string{"typeInput #a email", "typeInput #b email"}},
		"in fields of other names, too":            {[][]event{typed(mail("a"), "ada@example.com"), typed(user("b"), "ada@example.com")}, []string{"typeInput #a email", "typeInput #b email"}},
		"two values are two variables":             {[][]event{typed(mail("a"), "ada@example.com"), typed(mail("b"), "bob@example.com")}, []string{"typeInput #a email", "typeInput #b email_2"}},
		"a card number in any field is a variable": {[][]event{typed(city, "4111 1111 1111 1111")}, []string{"typeInput #city secret"}},
		"and stays one while it is corrected":      {[][]event{typed(city, "4111 1111 1111 1111"), {{kind: input, el: city, value: "4111"}}}, []string{"typeInput #city secret"}},
		"Tab within a date is a part of it": {
			[][]event{typed(date, "2"), keyed(date, "Tab"), {{kind: input, el: date, value: "2026-12-31"}}},
			[]string{`typeInput #date "2026-12-31"`},
		},
		"a date of birth is a variable":                  {[][]event{{{kind: input, el: born, value: "1815-12-10"}}}, []string{"typeInput #born birthday"}},
		"an answer stands before what made the page ask": {[][]event{pressed(next, 1), went("https://example.com/two"), declined("confirm", "Sure?")}, []string{"dialog", "click #next", "waitForNav example.com/two"}},
		"answers stand in their order":                   {[][]event{pressed(next, 1), accepted("prompt", "Which?", "a"), accepted("prompt", "And?", "b")}, []string{`dialog "a"`, `dialog "b"`, "click #next"}},
		"what a prompt asks for may be a secret":         {[][]event{pressed(next, 1), accepted("prompt", "PIN", "1234")}, []string{"dialog pin", "click #next"}},
		"a page that was left was left":                  {[][]event{pressed(next, 1), accepted("beforeunload", "", "")}, []string{"click #next"}},
		"a file is a variable, and the press that asked for it no step": {
			[][]event{chooses, {{kind: files, el: field("cv"), press: chooses[0].press, values: []string{"me.pdf"}}}},
			[]string{"upload #cv file"},
		},
		"a drag ends on another element": {
			[][]event{{{kind: down, el: next, press: "d"}, {kind: up, press: "d", moved: true}, {kind: drag, el: city, press: "d"}, {kind: click, press: "d"}}},
			[]string{"drag #next"},
		},
		"a drag that changes the address is no click": {
			[][]event{addressBar("https://example.com/"), {{kind: down, el: next, press: "d"}}, pushed("https://example.com/#5"), {{kind: up, press: "d", moved: true}, {kind: drag, el: city, press: "d"}}},
			[]string{"navigate https://example.com/", "drag #next"},
		},
		"what a suggestion made of a text is not typed": {
			[][]event{typed(city, "Li"), pressed(next, 1), {{kind: down, el: date, press: "l"}, {kind: input, el: city, value: "Linz, Austria", late: true}, {kind: up, press: "l"}, {kind: click, press: "l"}}},
			[]string{`typeInput #city "Li"`, "click #next", "click #date"},
		},
		"a secret is a variable":               {[][]event{typedSecret(secretField("pw"))}, []string{"typeInput #pw password"}},
		"a double click is one step":           {[][]event{pressed(next, 1), pressed(next, 2)}, []string{"click #next ×2"}},
		"Enter in a field is not also a click": {[][]event{typed(city, "Linz"), keyed(city, "Enter"), byKey(next)}, []string{`typeInput #city "Linz"`, "keypress #city Enter"}},
		"Enter on a button is a click":         {[][]event{keyed(next, "Enter"), byKey(next)}, []string{"click #next"}},
		"Space on a button is a click":         {[][]event{keyed(next, " "), byKey(next)}, []string{"click #next"}},
		"a checkbox is a state, not a click":   {[][]event{pressed(terms, 1), checked}, []string{"check #terms true"}},
		"a label's checkbox is recorded once":  {[][]event{pressed(labelOf("terms"), 1), byKey(terms), checked}, []string{"check #terms true"}},
		"Space on a checkbox is a state":       {[][]event{keyed(terms, " "), byKey(terms), checked}, []string{"check #terms true"}},
		"changing one's mind is one state": {
			[][]event{pressed(terms, 1), checked, pressed(terms, 1), {{kind: check, el: terms, checked: false}}},
			[]string{"check #terms false"},
		},
		"a list is what was chosen":                  {[][]event{pressed(list, 1), {{kind: choose, el: list, values: []string{"AT"}}}}, []string{`select #list "AT"`}},
		"a list of several":                          {[][]event{{{kind: choose, el: list, values: []string{"AT", "DE"}, many: true}}}, []string{`select #list ["AT","DE"]`}},
		"what follows a click is waited for":         {[][]event{pressed(next, 1), went("https://example.com/two?x=1")}, []string{"click #next", "waitForNav example.com/two"}},
		"a chain of redirects is waited for once":    {[][]event{pressed(next, 1), went("https://example.com/a"), went("https://example.com/b")}, []string{"click #next", "waitForNav example.com/b"}},
		"a page's own address change is waited for":  {[][]event{pressed(next, 1), pushed("https://example.com/pwd")}, []string{"click #next", "waitForNav example.com/pwd"}},
		"a query alone is no place":                  {[][]event{addressBar("https://example.com/a"), pressed(next, 1), pushed("https://example.com/a?tab=2")}, []string{"navigate https://example.com/a", "click #next"}},
		"the address bar is a step":                  {[][]event{addressBar("https://example.com/a"), pressed(next, 1), addressBar("https://example.com/b")}, []string{"navigate https://example.com/a", "click #next", "navigate https://example.com/b"}},
		"where an address leads on its own is not":   {[][]event{addressBar("https://example.com/"), went("https://example.com/home")}, []string{"navigate https://example.com/"}},
		"numbers and tokens in a path are left open": {[][]event{pressed(next, 1), went("https://example.com/orders/1234567/show")}, []string{"click #next", "waitForNav example.com/orders/[0-9]*/show"}},
		"a short number names what was made":         {[][]event{addressBar("https://example.com/issues/new"), pressed(next, 1), went("https://example.com/issues"), went("https://example.com/issues/5")}, []string{"navigate https://example.com/issues/new", "click #next", "waitForNav example.com/issues/[0-9]*"}},
		"what is saved again has its number":         {[][]event{addressBar("https://example.com/issues/5"), pressed(next, 1), went("https://example.com/issues/5?saved=1")}, []string{"navigate https://example.com/issues/5", "click #next", "waitForNav example.com/issues/[0-9]*"}},
		"a number that counts steps stays":           {[][]event{addressBar("https://example.com/order/step/2"), pressed(next, 1), went("https://example.com/order/step/3")}, []string{"navigate https://example.com/order/step/2", "click #next", "waitForNav example.com/order/step/3"}},
		"a press whose element went away is a click": {[][]event{{{kind: down, el: next, press: "p"}, {kind: up, press: "p"}}, went("https://example.com/two")}, []string{"click #next", "waitForNav example.com/two"}},
		"a drag is not a click":                      {[][]event{{{kind: down, el: next, press: "q"}, {kind: up, press: "q", moved: true}}}, nil},
		"a shortcut has its modifiers":               {[][]event{keyed(nil, "k", "Control")}, []string{"keypress Control+k"}},
		"Shift is a part of its character":           {[][]event{keyed(nil, "?", "Shift")}, []string{"keypress ?"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, short(merge(test.events...))); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangesRebuildTheSteps(t *testing.T) {
	t.Parallel()
	var rebuilt []automation.Step
	m := newMerger(redact.NewKey(), func(c Change) {
		switch c.Op {
		case Add:
			rebuilt = slices.Insert(rebuilt, c.Index, c.Step)
		case Update:
			rebuilt[c.Index] = c.Step
		case Remove:
			rebuilt = slices.Delete(rebuilt, c.Index, c.Index+1)
		}
	})
	for _, group := range [][]event{pressed(field("city"), 1), typed(field("city"), "Linz"), keyed(field("city"), "Tab"), pressed(button("next"), 1), declined("confirm", "Sure?"), went("https://example.com/two"), declined("confirm", "Really?")} {
		for _, e := range group {
			m.add(e)
		}
	}
	m.finish()
	var want []automation.Step
	for _, en := range m.entries {
		want = append(want, en.shown())
	}
	if diff := cmp.Diff(want, rebuilt); diff != "" {
		t.Errorf("steps rebuilt from the changes (-want +got):\n%s", diff)
	}
}

// FuzzMerge feeds any sequence of events: the steps are always a valid
// automation, and the last text of a field is what was typed there last.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"))
	f.Add([]byte("aAbBcCdDeEfFgG"))
	f.Fuzz(func(t *testing.T, data []byte) {
		els := []*element{field("a"), field("b"), secretField("c"), button("d"), labelOf("a"), {id: "e", tag: "select", candidates: css("#e")}}
		texts := map[string]string{}
		m := newMerger(redact.NewKey(), func(Change) {})
		for i := 0; i+1 < len(data); i += 2 {
			el := els[int(data[i+1]>>3)%len(els)]
			e := event{kind: kind(int(data[i]) % int(downloaded+1)), el: el, press: fmt.Sprint(data[i+1] % 5), count: int(data[i+1] % 4), key: []string{"Enter", " ", "Tab", "a", "Escape"}[data[i+1]%5], byKey: data[i]&0x80 != 0, moved: data[i]&0x40 != 0, url: fmt.Sprintf("https://example.com/%d", data[i+1]%7), asked: data[i]&0x20 != 0, within: data[i]&0x10 != 0, popup: "popup1"}
			switch e.kind {
			case input:
				e.secret = el.secret
				if !e.secret {
					e.value = fmt.Sprintf("v%d", data[i+1])
					texts[el.id] = e.value
				}
			case choose:
				e.values = []string{"x"}
			case files:
				e.values, e.many = []string{"a.txt", "b.txt"}[:data[i+1]%3], data[i+1]%3 > 1
			case navigation, opened:
				e.el = nil
			case downloaded:
				e.el, e.file = nil, []string{"", "a.csv", "v1.pdf", "..", "4111 1111 1111 1111.exe"}[data[i+1]%5]
			case answered:
				e.el, e.dialog, e.accepted = nil, []string{"alert", "confirm", "prompt", "beforeunload"}[data[i+1]%4], data[i+1]&8 != 0
				e.asks, e.value = []string{"Your password", "Which colour"}[data[i+1]>>4&1], "typed"
			}
			m.add(e)
		}
		m.finish()
		a := &automation.Automation{Name: "fuzzed", Match: automation.Scope{URLs: []string{"example.com/*"}}}
		used, last := map[string]bool{}, map[string]string{}
		for _, en := range m.entries {
			a.Steps = append(a.Steps, en.step)
			for _, name := range valueNames(en.step.Value) {
				used[name] = true
			}
			if en.step.Tool == "typeInput" && en.step.Value.Kind == automation.Literal {
				last[en.el.id] = strings.Trim(string(en.step.Value.Value), `"`)
			}
		}
		if len(a.Steps) == 0 {
			return
		}
		var err error
		if a.Variables, err = m.names.schema(used, nil); err != nil {
			t.Fatal(err)
		}
		if err := a.Validate(); err != nil {
			t.Fatalf("%v\n%q", err, short(m))
		}
		if diff := cmp.Diff(texts, last); diff != "" {
			t.Fatalf("the fields' last texts (-typed +recorded):\n%s", diff)
		}
	})
}
