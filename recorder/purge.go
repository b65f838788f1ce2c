package recorder

import (
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// purge makes a secret of what was typed in the fields that are hidden, and forgets
// it wherever else the recording repeats it.
func (m *merger) purge(marked *element, hides func(*element) bool) {
	typed := m.typedIn(hides)
	variable := m.names.conceal(marked, typed.texts)
	m.forgotten.learn(typed.texts, m.names.find(variable))
	for i := range m.entries {
		if en := &m.entries[i]; en.typed() && hides(en.el) {
			m.names.byField[en.el.id] = m.names.find(variable)
			en.step.Value = &automation.Value{Kind: automation.Variable, Name: variable}
		} else if v := en.step.Value; textOf(v) != "" && slices.Contains(typed.texts, textOf(v)) || en.el == nil && typed.quotedInValue(v) {
			en.step.Value = &automation.Value{Kind: automation.Variable, Name: variable}
		} else if typed.quotedInValue(v) { // and something else
			en.step.Value = &automation.Value{Kind: automation.Variable, Name: m.names.conceal(en.el, nil)}
		}
	}
	for _, e := range []*event{m.pending, m.settled, m.dragging} {
		if e != nil && e.el != nil {
			typed.clearElement(e.el)
		}
	}
	for page, path := range m.paths {
		m.paths[page] = typed.clearAddress(path, "")
	}
	for i := len(m.entries) - 1; i >= 0; i-- {
		if !typed.clear(&m.entries[i]) {
			m.take(i) // nothing is left that it could be found by
		}
	}
	for i := range m.entries {
		m.changed(Update, i)
	}
}

// typedIn is what was typed in some fields.
func (m *merger) typedIn(which func(*element) bool) *spoken {
	s := &spoken{}
	for _, en := range m.entries {
		if !en.typed() || !which(en.el) {
			continue
		}
		s.add(textOf(en.step.Value))
		if i, known := m.names.byField[en.el.id]; known {
			s.add(m.names.declared[i].typed)
		}
	}
	return s
}

// conceal makes a secret of the variable of a field, and of those with the same
// value, and forgets the values. It gives the name.
func (vs *variables) conceal(el *element, typed []string) string {
	i, known := vs.byField[el.id]
	if !known {
		vs.declared = append(vs.declared, variable{name: vs.free(secretName(el)), secret: true})
		i = len(vs.declared) - 1
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

// spoken are texts that must not be repeated.
type spoken struct {
	texts []string
	forms []string // of those that are long enough to be looked for, small
}

func (s *spoken) add(text string) {
	if text == "" || slices.Contains(s.texts, text) {
		return
	}
	s.texts = append(s.texts, text)
	if len(text) < shortestQuoted {
		return
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = nil // a string: cannot happen
	}
	for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text), strings.Trim(string(quoted), `"`)} {
		s.forms = append(s.forms, strings.ToLower(form))
	}
}

// in reports whether a text repeats one of them, plain or encoded.
func (s *spoken) in(text string) bool {
	lower := strings.ToLower(text)
	plain := strings.ToLower(selectors.Plain(text)) // as a selector says it
	return slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(lower, form) || strings.Contains(plain, form) })
}

func (s *spoken) quotedInValue(v *automation.Value) bool {
	return v != nil && v.Kind == automation.Literal && s.in(string(v.Value))
}

// clear forgets the texts in a step. It reports false where the step cannot do
// without them.
func (s *spoken) clear(en *entry) bool {
	step := &en.step
	hadSelector := len(step.Selector) > 0
	paths := s.unquoted(append([]selectors.Path{step.Selector}, step.Alternatives...))
	if hadSelector {
		if len(paths) == 0 {
			return false
		}
		step.Selector, step.Alternatives = paths[0], paths[1:]
	}
	if s.inJSON(step.Fingerprint) {
		step.Fingerprint = nil
	}
	step.URL = s.clearAddress(step.URL, globFor(step.Tool))
	step.Expect = s.clearExpectations(step.Expect)
	if s.in(en.wish.intent) {
		en.wish.intent = ""
	}
	if s.in(en.submit) {
		en.submit = ""
	}
	if en.el != nil {
		s.clearElement(en.el)
	}
	return !s.inJSON(step)
}

func (s *spoken) clearElement(el *element) {
	el.candidates = s.unquoted(el.candidates)
	if s.inJSON(el.fingerprint) {
		el.fingerprint = nil
	}
	if s.in(el.label) {
		el.label = ""
	}
	el.url = s.clearAddress(el.url, "")
	el.fieldNames = slices.Clone(el.fieldNames)
	for i, name := range el.fieldNames {
		if s.in(name) {
			el.fieldNames[i] = ""
		}
	}
}

func (s *spoken) clearExpectations(all []automation.Expectation) []automation.Expectation {
	kept := slices.Clone(all)
	for i := range kept {
		kept[i].URL = s.clearAddress(kept[i].URL, "*")
		if s.in(kept[i].Text) {
			kept[i].Text = ""
		}
	}
	return kept
}

// globFor is what stands in an address for a part that is forgotten.
func globFor(tool string) string {
	if tool == "waitForNav" {
		return "*"
	}
	return ""
}

// clearAddress puts something else in the place of the parts of an address that
// repeat a text.
func (s *spoken) clearAddress(address, instead string) string {
	if !s.in(address) {
		return address
	}
	parts := strings.Split(address, "/")
	for i, part := range parts {
		if s.in(part) {
			parts[i] = instead
		}
	}
	return strings.Join(parts, "/")
}

func (s *spoken) unquoted(paths []selectors.Path) []selectors.Path {
	var kept []selectors.Path
	for _, path := range paths {
		if len(path) > 0 && !s.in(path.String()) {
			kept = append(kept, path)
		}
	}
	return kept
}

func (s *spoken) inJSON(v any) bool {
	data, err := json.Marshal(v)
	return err != nil || s.in(string(data))
}

// forget drops what else the recorder remembers of pages: a picture may show it.
func (r *Recorder) forget() { r.pictures.clear() }
