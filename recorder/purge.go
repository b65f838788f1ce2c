package recorder

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
)

// learn takes what a document knows of a secret, and what is all of it: the same in
// another field is the same variable. What was recorded already and repeats it goes.
func (m *merger) learn(e event) {
	m.secrets.index.Add(e.hashes)
	if i, known := m.names.byField[e.field]; known && e.whole != 0 {
		m.same(e.field, i, e.whole)
	}
	m.purge()
}

// same notes what a secret field holds, and has it be the variable of what holds the
// same.
func (m *merger) same(field string, i int, whole uint64) {
	s := m.secrets
	before := s.wholes[field]
	s.wholes[field] = whole
	if s.variable[before] == i && !s.isHeld(before) {
		delete(s.variable, before) // it was edited since
	}
	first, known := s.variable[whole]
	if !known {
		s.variable[whole] = i
	}
	if !known || first == i {
		return
	}
	m.names.byField[field] = first
	was, is := m.names.declared[i].name, m.names.declared[first].name
	for n, en := range m.entries {
		if v := en.step.Value; en.el != nil && en.el.id == field && v != nil && v.Kind == automation.Variable && v.Name == was {
			m.entries[n].step.Value = &automation.Value{Kind: automation.Variable, Name: is}
			m.changed(Update, n)
		}
	}
}

// isHeld reports whether a field holds what has this hash.
func (s *secrets) isHeld(whole uint64) bool {
	for _, held := range s.wholes {
		if held == whole {
			return true
		}
	}
	return false
}

// purge takes what repeats a secret out of what was recorded.
func (m *merger) purge() {
	s, changed := m.secrets, false
	for was, is := range m.names.purge(s) {
		m.renamed(was, is)
	}
	for _, e := range []*event{m.pending, m.settled, m.dragging} {
		if e != nil && e.el != nil {
			e.el = s.element(e.el)
		}
	}
	for page, path := range m.paths {
		m.paths[page], _ = s.address(path)
	}
	for i := 0; i < len(m.entries); i++ {
		en := &m.entries[i]
		was := en.shown()
		if why := s.entry(en, m.names); why != "" {
			m.omit(i, en.step.Tool, why)
			m.take(i)
			i--
			changed = true
		} else if !reflect.DeepEqual(was, en.shown()) {
			m.changed(Update, i)
			changed = true
		}
	}
	if changed {
		m.redactions++
	}
}

// omitted is a step that could not be kept.
type omitted struct {
	after int // the number of the step before it
	tool  string
	why   string
}

// omit notes that a step is left out that would stand at the place i.
func (m *merger) omit(i int, tool, why string) {
	after := 0
	if i > 0 {
		after = m.entries[i-1].id
	}
	m.omitted = append(m.omitted, omitted{after: after, tool: tool, why: why})
}

// leftOut are the steps that could not be kept, by where they would stand.
func (m *merger) leftOut() (all []Omission) {
	for _, o := range m.omitted {
		all = append(all, Omission{After: m.at(o.after) + 1, Tool: o.tool, Why: o.why})
	}
	return all
}

// markSecret makes a secret of what was typed in a field and in those that are called
// like it, and redacts it wherever else the recording repeats it. It returns what
// documents are told of it.
func (m *merger) markSecret(el *element) redact.Hashes {
	s := m.secrets
	s.marks = append(s.marks, markOf(el))
	typed := m.typedIn(s.isMarked)
	variable := m.names.conceal(el, typed)
	for _, text := range typed {
		s.learnText(text, m.names.find(variable))
	}
	for i := range m.entries {
		if en := &m.entries[i]; en.typed() && s.isMarked(en.el) {
			m.names.byField[en.el.id] = m.names.find(variable)
			en.step.Value = &automation.Value{Kind: automation.Variable, Name: variable}
		}
	}
	m.purge()
	for i := range m.entries {
		m.changed(Update, i)
	}
	return s.hashesOf(typed...)
}

// typedIn is what was typed in some fields.
func (m *merger) typedIn(which func(*element) bool) (texts []string) {
	for _, en := range m.entries {
		if !en.typed() || !which(en.el) {
			continue
		}
		texts = append(texts, textOf(en.step.Value))
		if i, known := m.names.byField[en.el.id]; known {
			texts = append(texts, m.names.declared[i].typed)
		}
	}
	slices.Sort(texts)
	return slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return text == "" })
}

// conceal makes a secret of the variable of a field, and of those with the same
// value, and forgets the values. It gives the name.
func (vs *variables) conceal(el *element, typed []string) string {
	i, known := vs.byField[el.id]
	if !known {
		i = vs.addSecret(secretName(el))
		vs.byField[el.id] = i
	}
	i = vs.first(i)
	for j := range vs.declared {
		v := &vs.declared[j]
		if j == i || slices.Contains(typed, v.typed) {
			v.secret, v.typed, v.schema = true, "", map[string]any{"type": "string", "writeOnly": true}
		}
	}
	if slices.Contains(typed, vs.username) {
		vs.username = ""
	}
	return vs.declared[i].name
}

// addSecret declares another secret, and gives its place.
func (vs *variables) addSecret(name string) int {
	vs.declared = append(vs.declared, variable{name: vs.free(name), secret: true, schema: map[string]any{"type": "string", "writeOnly": true}})
	return len(vs.declared) - 1
}

// purge takes what repeats a secret out of what is said of variables, and gives those
// that have another name.
func (vs *variables) purge(s *secrets) (renamed map[string]string) {
	renamed = map[string]string{}
	vs.username = s.unless(vs.username)
	for i := range vs.declared {
		v := &vs.declared[i]
		v.schema = maps.Clone(v.schema)
		for _, name := range []string{"description", "pattern"} {
			if text, is := v.schema[name].(string); is && s.in(text) {
				delete(v.schema, name)
			}
		}
		if s.in(v.name) && !isOwnName(v.name) {
			name := vs.free("value")
			renamed[v.name], v.name = name, name
		}
	}
	return renamed
}

// isOwnName reports whether the recorder calls variables so, whatever the page says.
func isOwnName(name string) bool {
	name = strings.TrimRight(name, "_0123456789")
	for _, rules := range [][]wordRule{byWords, secretsByWords} {
		if slices.ContainsFunc(rules, func(rule wordRule) bool { return rule.name == name }) {
			return true
		}
	}
	return slices.Contains(slices.Collect(maps.Values(byToken)), name) || slices.Contains([]string{"secret", "file", "birthday", "value"}, name)
}

// secretName is what a field that is marked as secret is called: by the words for
// secrets, else like the field.
func secretName(el *element) string {
	if name := nameOf(el, true); name != "secret" {
		return name
	}
	if name := calledLike(el); name != "value" {
		return name
	}
	return "secret"
}

func textOf(v *automation.Value) string {
	var text string
	if v == nil || v.Kind != automation.Literal || json.Unmarshal(v.Value, &text) != nil {
		return ""
	}
	return text
}
