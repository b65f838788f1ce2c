package recorder

import (
	"slices"
	"strings"
)

// forgotten is what was typed in fields that a person has marked as secret since. It
// is kept until the recording ends, so that what repeats it later is not recorded
// either: the same text in a field that is called otherwise, an address, a button.
type forgotten struct {
	spoken
	variable map[string]int // text → that of the field, by its place
}

func (f *forgotten) learn(texts []string, variable int) {
	if f.variable == nil {
		f.variable = map[string]int{}
	}
	for _, text := range texts {
		f.add(text)
		f.variable[text] = variable
	}
}

// conceal takes what repeats a forgotten text out of an event. It reports false where
// nothing is left by which its element could be found.
func (m *merger) conceal(e *event) bool {
	f := &m.forgotten
	if len(f.texts) == 0 {
		return true
	}
	if e.el != nil {
		el := *e.el
		f.clearElement(&el)
		if len(el.candidates) == 0 && len(e.el.candidates) > 0 {
			return false
		}
		e.el = &el
	}
	f.concealTyped(e, m.names)
	instead := "" // of a part of an address that is gone to
	if e.asked || e.within {
		instead = "*" // of one that is come by
	}
	e.url = f.clearAddress(e.url, instead)
	for _, text := range []*string{&e.asks, &e.reason, &e.file} {
		if f.in(*text) {
			*text = f.cut(*text)
		}
	}
	return true
}

// concealTyped makes a secret of what is typed or chosen: the one it was, where it is
// all of it.
func (f *forgotten) concealTyped(e *event, names *variables) {
	isFiles := e.kind == files
	for i, value := range e.values {
		if isFiles && f.in(value) {
			e.values = slices.Clone(e.values)
			e.values[i] = "file"
		}
	}
	again := func(value string) bool { return slices.Contains(f.texts, value) || f.in(value) }
	if !again(e.value) && (isFiles || !slices.ContainsFunc(e.values, again)) {
		return
	}
	if i, known := f.variable[e.value]; known && e.el != nil {
		names.byField[e.el.id] = i
	}
	e.value, e.values, e.secret = "", nil, true
}

// cut leaves of a text what stands around the forgotten ones, nothing where they
// cannot be told from it.
func (f *forgotten) cut(text string) string {
	for _, one := range f.texts {
		text = strings.ReplaceAll(text, one, "…")
	}
	if f.in(text) {
		return ""
	}
	return text
}
