package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// writer is what the writers of all formats share.
type writer struct {
	automation *automation.Automation
	declared   *automation.Variables
	values     map[string]any
	losses

	conditional bool // the format has conditions
	at          int  // the step that is being written
}

// checkValues refuses what must not be written down.
func (w *writer) checkValues() error {
	for _, name := range slices.Sorted(maps.Keys(w.values)) {
		switch {
		case !w.declared.Has(name):
			return &automation.ValueError{Variable: name, Reason: "not declared"}
		case w.declared.IsSecret(name):
			return &automation.ValueError{Variable: name, Reason: "a secret is not written into an export"}
		}
	}
	return nil
}

func (w *writer) step() *automation.Step { return &w.automation.Steps[w.at] }

func (w *writer) lose(kind Kind, what, do string) {
	w.add(Loss{Step: w.at, Command: w.step().Tool, Kind: kind, What: what, Do: do})
}

// each writes step after step, and tells of what no other format holds.
func (w *writer) each(write func(*automation.Step)) {
	for i := range w.automation.Steps {
		w.at = i
		w.unsaid(w.step())
		write(w.step())
	}
	w.at = whole
}

func (w *writer) unsaid(s *automation.Step) {
	if s.Optional && !w.conditional {
		w.lose(Changed, "it was optional: there it fails where its element is absent", "Take the step out where that is so")
	}
	if s.When != nil && !w.conditional {
		w.lose(Changed, "it had a condition: there it is always done", "Take the step out where the condition does not hold")
	}
	if s.Effect == automation.Commit {
		w.lose(Changed, "it is marked as a commit step: nothing there stops before it", "")
	}
	if s.TurnsTo() != "" {
		w.lose(Changed, "it turned a calendar to the month of a day: there it is pressed as often as it was recorded", "See that the calendar opens with the same month")
	}
	if s.Fingerprint != nil {
		w.often(Dropped, "the evidence by which an element is found again after the site has changed", "")
	}
}

// text is a value as the other tool types it. Where nothing may or can be written
// it is a placeholder.
func (w *writer) text(v *automation.Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case automation.Literal:
		text := plain(v.Value)
		if hole.MatchString(text) {
			w.lose(Changed, "its text holds a ${…} of its own, which is taken for a variable", "")
		}
		return text
	case automation.Variable:
		if _, known := w.known(v.Name); v.Length == 0 || !known {
			return w.variable(v.Name)
		}
	}
	filled, err := v.Resolve(func(name string) (any, error) { return w.variable(name), nil })
	if text, is := filled.(string); err == nil && is {
		return text
	}
	return v.Text
}

// variable is what stands for one: a value, or a placeholder that Import reads.
func (w *writer) variable(name string) string {
	if value, known := w.known(name); known {
		return value
	}
	what := fmt.Sprintf("the variable %q has no value: ${%s} stands in its place", name, name)
	do := "Put a value there before you play it"
	if w.declared.IsSecret(name) {
		what = fmt.Sprintf("the variable %q is a secret, and is never written: ${%s} stands in its place", name, name)
		do = "Put it there before you play it, and keep no copy"
	}
	w.add(Loss{Step: whole, Kind: Asked, What: what, Do: do})
	return "${" + name + "}"
}

// known is the value of a variable that may be written.
func (w *writer) known(name string) (string, bool) {
	if w.declared.IsSecret(name) {
		return "", false
	}
	value, given := w.values[name]
	if !given {
		value, given = w.declared.Default(name)
	}
	if !given {
		return "", false
	}
	text, err := json.Marshal(value)
	return plain(text), err == nil
}

// fillSelectors puts what stands for variables into the selectors that have holes for them, as into what is typed. With
// another value than the recorded one, a selector without a hole would find what was chosen then: it is left out.
func (w *writer) fillSelectors() {
	filled := func(path selectors.Path) selectors.Path {
		with, err := automation.FillHoles(path, w.declared, func(name string) (string, error) { return w.variable(name), nil })
		if err != nil {
			return path
		}
		return with
	}
	a := *w.automation
	a.Steps = slices.Clone(a.Steps)
	for i, s := range a.Steps {
		if !s.MayHaveHoles() {
			continue
		}
		all := paths(&s)
		if !w.asRecorded(s.SelectorNames(w.declared)) {
			all = slices.DeleteFunc(all, func(path selectors.Path) bool { return !automation.HasHoles(path, w.declared) })
		}
		for j, path := range all {
			all[j] = filled(path)
		}
		if len(all) > 0 {
			s.Selector, s.Alternatives = all[0], all[1:]
		}
		if s.DragTo() != nil {
			if with, err := s.WithDragTo(filled(s.DragTo())); err == nil {
				s = with
			}
		}
		a.Steps[i] = s
	}
	w.automation = &a
}

// asRecorded reports whether variables have the values that were recorded, which are their defaults.
func (w *writer) asRecorded(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		preset, has := w.declared.Default(name)
		value, given := w.values[name]
		return !has || given && !reflect.DeepEqual(value, preset)
	})
}

// plain is a JSON value as it is typed.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// options are the values of a select.
func (w *writer) options(v *automation.Value) []string {
	var several []string
	if v != nil && v.Kind == automation.Literal && json.Unmarshal(v.Value, &several) == nil {
		return several
	}
	return []string{w.text(v)}
}

// wanted is what a check sets its control to; false where only a variable knows.
func (w *writer) wanted(s *automation.Step) (want, known bool) {
	if s.Value == nil {
		return true, true
	}
	switch w.text(s.Value) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return true, false
}

// first is the address that the flow begins at, "" where it begins anywhere.
func (w *writer) first() string {
	for i := range w.automation.Steps {
		if s := &w.automation.Steps[i]; s.Tool == "navigate" {
			if s.URL != "" {
				return s.URL
			}
			return w.text(s.Value)
		}
	}
	return ""
}

// title is what the other tool shows of the flow.
func (w *writer) title() string {
	if w.automation.Description != "" {
		return w.automation.Description
	}
	return w.automation.Name
}

// environment returns each variable of a document a name in the environment, for
// programs that read its value there: REPRISE_EMAIL.
func (w *writer) environment() map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, name := range w.declared.Names() {
		base := "REPRISE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		unique := base
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", base, n)
		}
		names[name], taken[unique] = unique, true
	}
	return names
}

// indented is JSON for files that people read, <, > and & as they are.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// compact is JSON on one line.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// testIDs is CSS for a test id, whatever its attribute.
func testIDs(value string, s *automation.Step) string {
	attributes := selectors.TestIDAttributes()
	if s != nil && s.Fingerprint != nil && s.Fingerprint.TestIDAttribute != "" {
		attributes = append([]string{s.Fingerprint.TestIDAttribute}, attributes...)
	}
	each := make([]string, len(attributes))
	for i, attribute := range attributes {
		each[i] = "[" + attribute + "=" + cssString(value) + "]"
	}
	return strings.Join(each, ", ")
}

// cssString quotes a text for CSS (https://www.w3.org/TR/cssom-1/#serialize-a-string).
func cssString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// arg is an argument of a step, as text; "" where it has none.
func arg(s *automation.Step, key string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(s.Args, &all) != nil || all[key] == nil {
		return ""
	}
	return plain(all[key])
}

// formFields are the fields of a fillForm as steps of their own.
func formFields(s *automation.Step) []automation.Step {
	var all struct {
		Fields []struct {
			Frame        []selectors.Path
			Selector     selectors.Path
			Alternatives []selectors.Path
			Value        *automation.Value
		}
	}
	if json.Unmarshal(s.Args, &all) != nil {
		return nil // it was validated: cannot happen
	}
	var steps []automation.Step
	for _, f := range all.Fields {
		step := automation.Step{Tool: "typeInput", Page: s.Page, Frame: f.Frame, Selector: f.Selector, Alternatives: f.Alternatives, Value: f.Value}
		if len(f.Frame) == 0 {
			step.Frame = s.Frame
		}
		var on bool
		if f.Value != nil && json.Unmarshal(f.Value.Value, &on) == nil {
			step.Tool = "check"
		}
		steps = append(steps, step)
	}
	return steps
}

// expectation is a kind as a sentence has it.
func expectation(kind string) string {
	if kind == "element" {
		return "an element"
	}
	return "a " + kind
}

// paths are all ways to the element of a step, best first.
func paths(s *automation.Step) []selectors.Path {
	if len(s.Selector) == 0 {
		return nil
	}
	return append([]selectors.Path{s.Selector}, s.Alternatives...)
}

// exact is the address that a glob stands for, "" where it stands for several.
func exact(glob string) string {
	if glob == "" || strings.ContainsAny(glob, "*?[") {
		return ""
	}
	if strings.Contains(glob, "://") {
		return glob
	}
	if u, err := url.Parse("http://" + glob); err == nil && weburl.IsLoopback(u.Hostname()) {
		return u.String()
	}
	return "https://" + glob
}

// replacesText is what is lost where a tool can only fill a field.
const replacesText = "the text replaces what the field holds, and is not put in at the caret"

// caretOf returns where a typeInput puts its text in, "" for one that fills its field.
func caretOf(s *automation.Step) string {
	var args struct{ At string }
	if json.Unmarshal(s.Args, &args) != nil {
		return ""
	}
	return args.At
}

// onlyHere are the kinds of selector that other tools have nothing like: these look below what a part before has found, not
// around it or along a column, and at no values.
var onlyHere = []selectors.Kind{selectors.Near, selectors.Under, selectors.Value}
