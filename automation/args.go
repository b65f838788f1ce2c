package automation

import (
	"encoding/json"
	"slices"
	"strings"
)

// args checks the arguments of a tool of the format: which keys there are, and
// what stands in those that hold selectors and values.
func (v *validator) args(s *Step, at *place) {
	if len(s.Args) == 0 {
		return
	}
	var p problems
	n := readNode(s.Args, &p)
	if n == nil || len(p.list) > 0 || n.kind != '{' {
		v.add(at, "must be an object of JSON")
		return
	}
	r, found := tools[s.Tool]
	if !found {
		return
	}
	for _, key := range r.args {
		if name, needed := strings.CutPrefix(key, "!"); needed && n.get(name) == nil {
			v.add(at.field(name), "missing: %s needs it", s.Tool)
		}
	}
	for _, m := range n.members {
		if !slices.Contains(r.args, m.key) && !slices.Contains(r.args, "!"+m.key) && m.key != "x" {
			v.add(at.field(m.key), "unknown field")
			continue
		}
		v.arg(s.Tool, m, at.field(m.key))
	}
}

// States are those that waitFor waits for and assert holds an element to.
var States = []string{"attached", "checked", "detached", "disabled", "editable", "enabled", "focused", "hidden", "readonly", "unchecked", "visible"}

// Comparisons are how assert compares what an element says: as a whole, as a part of
// it, or that it is something else. White space counts as a person sees it.
var Comparisons = []string{"contains", "equals", "not"}

// TabActions are what the tool tab does: make the page's tab, have it shown, close it.
var TabActions = []string{"close", "open", "switch"}

// argWords are the arguments that are one of a few words.
var argWords = map[string][]string{
	"waitFor.state": States, "assert.state": States, "assert.compare": Comparisons, "tab.action": TabActions,
}

// argKinds are the JSON values of the arguments that are single values, by their first
// byte as node has it.
var argKinds = map[string]byte{
	"scroll.dx": '0', "scroll.dy": '0', "waitFor.text": '"', "assert.attribute": '"', "extract.as": '"', "extract.attribute": '"', "extract.all": 't',
	"screenshot.as": '"', "screenshot.fullPage": 't', "dialog.accept": 't',
	"approve.payee": '"', "approve.amount": '"', "approve.currency": '"', "approve.origin": '"',
	"handoff.reason": '"', "handoff.message": '"', "handoff.until": '"', "run.account": '"', "run.name": '"',
}

func (v *validator) arg(tool string, m member, at *place) {
	key := tool + "." + m.key
	if words := argWords[key]; words != nil && !slices.Contains(words, m.value.text) {
		v.add(at, "%q must be one of %s", shorten(m.value.text), strings.Join(words, ", "))
	}
	if kind := argKinds[key]; kind != 0 && !is(m.value, kind, at, v.problems) {
		return
	}
	switch key {
	case "waitFor.response":
		var response *Expectation
		optional[Expectation]{&response, responseFields}.read(m.value, at, v.problems)
		if response != nil && response.URL == "" {
			v.add(at.field("url"), "missing")
		} else if response != nil {
			v.glob(response.URL, at.field("url"))
		}
	case "fillForm.fields":
		var fields []Step
		list[Step]{&fields, one(formFields)}.read(m.value, at, v.problems)
		for i := range fields {
			v.formField(&fields[i], at.item(i))
		}
	case "drag.to":
		var to Step
		path{&to.Selector}.read(m.value, at, v.problems)
	case "drag.offset":
		var to *Offset
		optional[Offset]{&to, (*Offset).fields}.read(m.value, at, v.problems)
		v.offset(to, at)
	case "run.values":
		v.runValues(m.value, at)
	case "run.name":
		if !namePattern.MatchString(m.value.text) {
			v.add(at, "%q is not the name of an automation", shorten(m.value.text))
		}
	}
}

// responseFields are the keys of a reply that is waited for: those of an expectation.
func responseFields(e *Expectation) []field {
	return slices.DeleteFunc(e.fields(), func(f field) bool { return f.key != "method" && f.key != "url" && f.key != "status" })
}

// formFields are the keys of one field of a form: a typeInput without its tool.
func formFields(s *Step) []field {
	allowed := append(slices.Clone(target), "value", "x")
	return slices.DeleteFunc(s.fields(), func(f field) bool { return !slices.Contains(allowed, f.key) })
}

// ParseField reads one of the fields of a fillForm step: a step without a tool.
func ParseField(data json.RawMessage) (Step, error) {
	var s Step
	var p problems
	if n := readNode(data, &p); n != nil {
		one(formFields)(&s).read(n, nil, &p)
	}
	return s, p.err()
}

func (v *validator) formField(s *Step, at *place) {
	if len(s.Selector) == 0 {
		v.add(at.field("selector"), "missing")
	}
	if s.Value == nil {
		v.add(at.field("value"), "missing")
		return
	}
	v.value(s.Value, at.field("value"))
}

func (v *validator) runValues(n *node, at *place) {
	if !is(n, '{', at, v.problems) {
		return
	}
	for _, m := range n.members {
		var value Value
		readObject(value.fields(), m.value, at.field(m.key), v.problems)
		v.value(&value, at.field(m.key))
	}
}

// NamesInArgs gives the variables that the arguments of a step name: those of the fields
// of a form, and of the values for another automation.
func NamesInArgs(s Step) []string {
	var args struct {
		Fields []struct{ Value *Value }
		Values map[string]*Value
	}
	if json.Unmarshal(s.Args, &args) != nil {
		return nil
	}
	var names []string
	for _, f := range args.Fields {
		if f.Value != nil {
			names = append(names, f.Value.Names()...)
		}
	}
	for _, v := range args.Values {
		names = append(names, v.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
