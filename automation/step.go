package automation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (v *validator) step(s *Step, at *place) {
	v.fieldsOf(s, at)
	if s.Page != "" && !pagePattern.MatchString(s.Page) {
		v.add(at.field("page"), "%q must be letters, digits, - and _, at most 51", shorten(s.Page))
	}
	v.path(s.Selector, at.field("selector"))
	v.paths(s.Alternatives, at.field("alternatives"))
	v.paths(s.Frame, at.field("frame"))
	v.offset(s.Offset, at.field("offset"))
	v.stepURL(s, at.field("url"))
	if s.Value != nil {
		v.value(s.Value, at.field("value"))
	}
	v.input(s, at)
	for i := range s.Expect {
		v.expectation(&s.Expect[i], at.field("expect").item(i))
	}
	v.condition(s.When, at.field("when"))
	if s.Timeout < 0 {
		v.add(at.field("timeout"), "must be positive")
	}
	if s.Effect != "" && !slices.Contains([]Effect{Read, Write, Commit}, s.Effect) {
		v.add(at.field("effect"), "%q must be read, write or commit", shorten(string(s.Effect)))
	}
	if s.Intent != "" {
		if err := CheckIntent(s.Intent); err != nil {
			v.addError(at.field("intent"), ErrInvalidIntent, "%v", err)
		}
	}
	v.args(s, at.field("args"))
}

// fieldsOf holds the step to the rule of its tool.
func (v *validator) fieldsOf(s *Step, at *place) {
	r, found := tools[s.Tool]
	switch {
	case s.Tool == "":
		v.add(at.field("tool"), "missing")
		return
	case dotted.MatchString(s.Tool):
		r = ownTool
	case !found:
		v.add(at.field("tool"), "%q is not a tool%s (the tools are %s; a program's own have a dot in their name)", shorten(s.Tool), meantTool(s.Tool), strings.Join(Tools(), " "))
		return
	}
	has := map[string]bool{}
	for _, f := range s.fields() {
		has[f.key] = !f.empty()
		if has[f.key] && !slices.Contains(r.known(), f.key) {
			v.add(at.field(f.key), "%s does not take it", s.Tool)
		}
	}
	for _, key := range r.needs {
		if !has[key] {
			v.add(at.field(key), "missing: %s needs it", s.Tool)
		}
	}
	if len(r.anyOf) > 0 && !slices.ContainsFunc(r.anyOf, func(key string) bool { return has[key] }) {
		v.add(at, "%s needs one of %s", s.Tool, strings.Join(r.anyOf, ", "))
	}
	for _, key := range []string{"alternatives", "fingerprint", "offset", "frame"} {
		if has[key] && !has["selector"] && s.Tool != "fillForm" {
			v.add(at.field("selector"), "missing: %s belongs to one", key)
		}
	}
}

func meantTool(name string) string {
	for known := range tools {
		if strings.EqualFold(known, name) {
			return fmt.Sprintf(", it is written %q", known)
		}
	}
	return ""
}

func (v *validator) stepURL(s *Step, at *place) {
	switch {
	case s.URL == "":
	case s.Tool == "navigate" || s.Tool == "tab":
		if err := CheckURL(s.URL); err != nil {
			v.add(at, "%v", err)
		}
		if s.Tool == "navigate" && s.Value != nil {
			v.add(at, "navigate takes url or value, not both")
		}
	default:
		v.glob(s.URL, at)
	}
}

func (v *validator) offset(o *Offset, at *place) {
	if o == nil {
		return
	}
	if !(o.X >= 0 && o.X <= 1) { // not the other way round: NaN
		v.add(at.field("x"), "must be a fraction of the element's width, 0 to 1")
	}
	if !(o.Y >= 0 && o.Y <= 1) {
		v.add(at.field("y"), "must be a fraction of the element's height, 0 to 1")
	}
}

// consequences say which fields each kind of expectation needs and takes.
var consequences = map[string]rule{
	"popup":    {takes: []string{"url", "page"}},
	"dialog":   {takes: []string{"method", "text"}},
	"download": {takes: []string{"url", "text"}},
	"response": {needs: []string{"url"}, takes: []string{"method", "status"}},
	"element":  {needs: []string{"selector"}, takes: []string{"text"}},
	"text":     {needs: []string{"text"}, takes: []string{"selector"}},
}

func (v *validator) expectation(e *Expectation, at *place) {
	r, found := consequences[e.Kind]
	if !found {
		v.add(at.field("kind"), "%q must be popup, dialog, download, response, element or text", shorten(e.Kind))
		return
	}
	for _, f := range e.fields() {
		switch {
		case f.empty() && slices.Contains(r.needs, f.key):
			v.add(at.field(f.key), "missing: a %s needs it", e.Kind)
		case !f.empty() && !slices.Contains(slices.Concat(r.needs, r.takes, []string{"kind", "x"}), f.key):
			v.add(at.field(f.key), "a %s does not take it", e.Kind)
		}
	}
	if e.URL != "" {
		v.glob(e.URL, at.field("url"))
	}
	if e.Status != 0 && (e.Status < 100 || e.Status > 599) {
		v.add(at.field("status"), "must be 100 to 599")
	}
	if e.Page != "" && !pagePattern.MatchString(e.Page) {
		v.add(at.field("page"), "%q must be letters, digits, - and _, at most 51", shorten(e.Page))
	}
	v.path(e.Selector, at.field("selector"))
}

func (v *validator) condition(c *Condition, at *place) {
	if c == nil {
		return
	}
	if len(c.Selector) == 0 && c.URL == "" && c.Variable == "" {
		v.add(at, "needs a selector, a url or a variable")
	}
	v.path(c.Selector, at.field("selector"))
	if c.URL != "" {
		v.glob(c.URL, at.field("url"))
	}
	if c.Variable != "" {
		v.isDeclared(c.Variable, at.field("variable"))
	}
}

// The values of a step's small fields.
var (
	buttons   = []string{"", "left", "middle", "right"}
	maxClicks = 3 // a triple click selects a paragraph; there is no more
)

// longestHold bounds how long a button is held down.
const longestHold = time.Minute

// input checks what the mouse and the keyboard are told.
func (v *validator) input(s *Step, at *place) {
	if s.Key != "" {
		if _, err := ParseKey(s.Key); err != nil {
			v.add(at.field("key"), "%v", err)
		}
	}
	if !slices.Contains(buttons, s.Button) {
		v.add(at.field("button"), "%q must be left, middle or right", shorten(s.Button))
	}
	if s.Count < 0 || s.Count > maxClicks {
		v.add(at.field("count"), "must be 1 to %d", maxClicks)
	}
	if s.Hold < 0 || s.Hold > longestHold {
		v.add(at.field("hold"), "must be at most %v", longestHold)
	}
	for i, m := range s.Modifiers {
		if !slices.Contains(keyModifiers, m) || slices.Contains(s.Modifiers[:i], m) {
			v.add(at.field("modifiers").item(i), "%q must be one of %s, once", shorten(m), strings.Join(keyModifiers, ", "))
		}
	}
	if s.Value != nil && s.Value.Kind == Literal {
		v.literal(s, at.field("value").field("value"))
	}
}

// literals say which JSON values a tool can use, by their first byte as node
// does; a tool that is not here takes any.
var literals = map[string]string{
	"navigate":  `"`,
	"typeInput": `"0`,
	"select":    `"0[`,
	"check":     `t`,
	"upload":    `"[`,
	"dialog":    `"0`,
}

func (v *validator) literal(s *Step, at *place) {
	var p problems
	n := readNode(s.Value.Value, &p)
	kinds := literals[s.Tool]
	if n == nil || kinds == "" {
		return // what is not JSON was reported with the value
	}
	if strings.IndexByte(kinds, n.kind) < 0 {
		v.add(at, "%s cannot use %s", s.Tool, kindNames[n.kind])
	}
	for i, item := range n.items {
		if item.kind != '"' {
			v.add(at.item(i), "must be a string")
		}
	}
	if s.Tool == "navigate" && n.kind == '"' {
		if err := CheckURL(n.text); err != nil {
			v.add(at, "%v", err)
		}
	}
}
