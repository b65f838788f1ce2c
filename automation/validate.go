package automation

import (
	"fmt"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/selectors"
)

// The lengths of what people write, in characters.
const (
	maxIntent      = 120  // a line of a log
	maxAccount     = 200  // longer than any e-mail address or user name in use
	maxDescription = 2000 // some paragraphs
)

var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,50}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	pagePattern     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,50}$`)
	lineBreaks      = strings.NewReplacer("\n", " ", "\t", " ")
)

// Validate returns everything that is wrong with an automation, as Parse would. A
// dotted tool is taken as known. Errors are as Parse gives them.
func (a *Automation) Validate() error {
	var p problems
	a.validate(&p)
	if err := p.err(); err != nil {
		return err
	}
	// What Go's types allow and the document does not shows when it is read.
	data, err := a.compact()
	if err == nil {
		_, err = Parse(data, AnyTools())
	}
	return err
}

// validator carries what the checks of one document share.
type validator struct {
	*problems
	declared map[string]bool
	secrets  []string           // of these
	compiled *jsonschema.Schema // of the variables, where they are right
}

func (a *Automation) validate(p *problems) {
	top := (*place)(nil)
	v := &validator{problems: p, declared: map[string]bool{}}
	if !namePattern.MatchString(a.Name) {
		p.add(top.field("name"), "%q must be 1 to 51 lower-case letters, digits and hyphens, a letter first", shorten(a.Name))
	}
	if reason := refuseLine(lineBreaks.Replace(a.Description), maxDescription); reason != "" {
		p.add(top.field("description"), "%s", reason)
	}
	if a.Revision < 0 {
		p.add(top.field("revision"), "must not be negative")
	}
	v.scope(&a.Match, top.field("match"))
	v.variables(a.Variables, top.field("variables"))
	if a.Identity != nil {
		v.identity(a.Identity, top.field("identity"))
	}
	if len(a.Steps) == 0 {
		p.add(top.field("steps"), "at least one is needed")
	}
	for i := range a.Steps {
		v.step(&a.Steps[i], top.field("steps").item(i))
	}
}

func (v *validator) scope(s *Scope, at *place) {
	if len(s.URLs) == 0 {
		v.add(at.field("urls"), "at least one is needed: nothing is typed outside them")
	}
	for i, glob := range s.URLs {
		here := at.field("urls").item(i)
		if g := v.glob(glob, here); g != nil && g.wide() {
			v.add(here, "%q takes in hosts of anyone: write out at least the last two parts", shorten(glob))
		}
	}
	if reason := refuseLine(s.Account, maxAccount); reason != "" {
		v.add(at.field("account"), "%s", reason)
	}
	if strings.TrimSpace(s.Account) != s.Account {
		v.add(at.field("account"), "begins or ends with white space")
	}
	if s.Blocker != "" && !s.Blocker.CanBeLearned() {
		v.add(at.field("blocker"), "%q must be login, captcha or permission", shorten(string(s.Blocker)))
	}
}

func (v *validator) glob(glob string, at *place) *Glob {
	g, err := ParseGlob(glob)
	if err != nil {
		v.add(at, "%v", err)
	}
	return g
}

func (v *validator) identity(i *Identity, at *place) {
	if len(i.Selector) == 0 {
		v.add(at.field("selector"), "missing")
	}
	v.path(i.Selector, at.field("selector"))
	v.paths(i.Alternatives, at.field("alternatives"))
	v.paths(i.Frame, at.field("frame"))
	if i.Value == nil {
		v.add(at.field("value"), "missing")
		return
	}
	v.value(i.Value, at.field("value"))
}

func (v *validator) path(p selectors.Path, at *place) {
	if len(p) == 0 {
		return
	}
	if err := p.Validate(); err != nil {
		v.add(at, "%v", err)
	}
}

func (v *validator) paths(list []selectors.Path, at *place) {
	for i, p := range list {
		if len(p) == 0 {
			v.add(at.item(i), "must not be empty")
		}
		v.path(p, at.item(i))
	}
}

func (v *validator) isDeclared(name string, at *place) {
	if !v.declared[name] {
		v.add(at, "variable %q is not declared in variables.properties", shorten(name))
	}
}

// CheckIntent returns why an intent is not one: it has 1 to 120 characters, on one
// line. The error is ErrInvalidIntent.
func CheckIntent(intent string) error {
	if strings.TrimSpace(intent) == "" {
		return fmt.Errorf("%w: empty; leave the key out", ErrInvalidIntent)
	}
	if reason := refuseLine(intent, maxIntent); reason != "" {
		return fmt.Errorf("%w: %s", ErrInvalidIntent, reason)
	}
	return nil
}

// refuseLine refuses what cannot stand on one line of a log.
func refuseLine(s string, most int) string {
	if n := utf8.RuneCountInString(s); n > most {
		return fmt.Sprintf("%d characters, more than the %d allowed", n, most)
	}
	if !utf8.ValidString(s) {
		return "not valid UTF-8"
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "holds a control character"
	}
	return ""
}

func (v *validator) step(s *Step, at *place) {
	v.fieldsOf(s, at)
	if s.Page != "" && !pagePattern.MatchString(s.Page) {
		v.add(at.field("page"), "%q must be letters, digits, - and _, at most 51", shorten(s.Page))
	}
	v.path(s.Selector, at.field("selector"))
	v.paths(s.Alternatives, at.field("alternatives"))
	v.paths(s.Frame, at.field("frame"))
	if len(s.FrameAlternatives) > len(s.Frame) {
		v.add(at.field("frameAlternatives"), "has %d lists, and there are %d frames", len(s.FrameAlternatives), len(s.Frame))
	}
	for i, list := range s.FrameAlternatives {
		v.paths(list, at.field("frameAlternatives").item(i))
	}
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
	for _, key := range []string{"alternatives", "fingerprint", "offset", "frame", "frameAlternatives"} {
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
	"change":   {},
	"update":   {},
	"popup":    {takes: []string{"url", "page"}},
	"dialog":   {takes: []string{"method", "text"}},
	"download": {takes: []string{"url", "text"}},
	"response": {needs: []string{"url"}, takes: []string{"method", "status"}},
	"request":  {needs: []string{"url"}},
	"element":  {needs: []string{"selector"}, takes: []string{"text"}},
	"text":     {needs: []string{"text"}, takes: []string{"selector"}},
}

func (v *validator) expectation(e *Expectation, at *place) {
	r, found := consequences[e.Kind]
	if !found {
		v.add(at.field("kind"), "%q must be change, update, popup, dialog, download, response, request, element or text", shorten(e.Kind))
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

// maxHold bounds how long a button is held down.
const maxHold = time.Minute

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
	if s.Hold < 0 || s.Hold > maxHold {
		v.add(at.field("hold"), "must be at most %v", maxHold)
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
