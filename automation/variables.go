package automation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Variables are what an automation asks its caller for: names, and rules for
// their values. It is made by Automation.Declared and does not change.
type Variables struct {
	names    []string // as the document has them
	secrets  []string
	required []string
	defaults map[string]any
	schema   *jsonschema.Schema // nil when there are none
}

// ErrNoValue is the error of a source of values that does not have a variable.
var ErrNoValue = errors.New("no value")

// ValueError reports which value cannot be used, and which rule it breaks. It never
// holds the value, nor a text of the schema validator, which may quote it.
type ValueError struct {
	Variable string // "" where several values together break a rule
	Reason   string
}

func (e *ValueError) Error() string {
	if e.Variable == "" {
		return "variables: " + e.Reason
	}
	return fmt.Sprintf("variable %q: %s", shorten(e.Variable), e.Reason)
}

// Declared returns the variables of the automation. The error is as Validate
// gives it.
func (a *Automation) Declared() (*Variables, error) {
	v := &Variables{defaults: map[string]any{}}
	if len(a.Variables) == 0 {
		return v, nil
	}
	var p problems
	check := &validator{problems: &p, declared: map[string]bool{}}
	check.variables(a.Variables, (*place)(nil).field("variables"))
	if err := p.err(); err != nil {
		return nil, err
	}
	v.schema = check.compiled
	root := readNode(a.Variables, &p)
	if list := root.get("required"); list != nil {
		for _, item := range list.items {
			v.required = append(v.required, item.text)
		}
	}
	return v, v.take(root.get("properties"))
}

func (v *Variables) take(properties *node) error {
	if properties == nil {
		return nil
	}
	for _, m := range properties.members {
		v.names = append(v.names, m.key)
		if mark := m.value.get("writeOnly"); mark != nil && mark.text == "true" {
			v.secrets = append(v.secrets, m.key)
		}
		if preset := m.value.get("default"); preset != nil {
			value, err := decodeJSON(preset.raw)
			if err != nil {
				return err
			}
			v.defaults[m.key] = value
		}
	}
	return nil
}

// Names lists all variables in the order of the document.
func (v *Variables) Names() []string { return slices.Clone(v.names) }

// Secrets lists the variables that are marked "writeOnly".
func (v *Variables) Secrets() []string { return slices.Clone(v.secrets) }

// Required lists the variables that a caller must give, unless they have a
// default.
func (v *Variables) Required() []string { return slices.Clone(v.required) }

// Has reports whether the variable is declared.
func (v *Variables) Has(name string) bool { return slices.Contains(v.names, name) }

// IsSecret reports whether the variable is marked "writeOnly".
func (v *Variables) IsSecret(name string) bool { return slices.Contains(v.secrets, name) }

// Default returns what a variable is when the caller does not give it.
func (v *Variables) Default(name string) (any, bool) {
	value, found := v.defaults[name]
	return value, found
}

// Coerce turns what was typed on a command line into a value of the declared
// type: an integer or number becomes a json.Number, a boolean a bool, an array
// or an object what its JSON says, a secret an unbound Secret, anything else is
// the text. The error is a *ValueError.
func (v *Variables) Coerce(name, text string) (any, error) {
	if !v.Has(name) {
		return nil, &ValueError{name, notDeclared}
	}
	if v.IsSecret(name) {
		return Seal(text)
	}
	declared := v.property(name).Types
	if len(declared) == 0 || slices.Contains(declared, "string") {
		return text, nil
	}
	value, err := decodeJSON([]byte(text))
	if number, is := value.(json.Number); err == nil && is && !plainNumber(string(number)) {
		err = errors.New("too large")
	}
	if _, is := value.(string); err != nil || is || strings.TrimSpace(text) != text {
		return nil, &ValueError{name, mustBe(declared)}
	}
	return value, nil
}

// property is the schema of a variable, followed to where it is written.
func (v *Variables) property(name string) *jsonschema.Schema {
	s := v.schema.Properties[name]
	for hops := 0; s.Ref != nil && len(s.Types) == 0 && hops < maxDepth; hops++ {
		s = s.Ref
	}
	return s
}

const notDeclared = "not declared"

// CheckValues returns what is wrong with the values, all of it: each problem is a
// *ValueError, several are joined. A variable with a default can be left out.
// Secrets are revealed to the check alone.
func (v *Variables) CheckValues(values map[string]any) error {
	found := map[string]string{}
	instance := map[string]any{}
	for name, preset := range v.defaults {
		instance[name] = preset
	}
	for name, value := range values {
		plain, reason := plainValue(value)
		if !v.Has(name) {
			reason = notDeclared
		}
		if instance[name] = plain; reason != "" {
			found[name] = reason
		}
	}
	for _, name := range v.required {
		if _, given := instance[name]; !given && found[name] == "" {
			found[name] = "missing"
		}
	}
	v.checkRules(instance, values, found)
	return v.joined(found)
}

// checkRules holds the values to the schema. What it says about them together
// counts only when there is nothing to say about one: it would mostly follow.
func (v *Variables) checkRules(instance, values map[string]any, found map[string]string) {
	if v.schema == nil {
		return
	}
	alone := len(found) == 0
	together := ""
	for _, leaf := range leaves(v.schema.Validate(instance)) {
		name, reason := v.explain(leaf, values)
		if name == "" {
			together = reason
			continue
		}
		if alone = false; found[name] == "" {
			found[name] = reason
		}
	}
	if alone && together != "" {
		found[""] = together
	}
}

func (v *Variables) joined(found map[string]string) error {
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return v.position(a) - v.position(b) })
	var all []error
	for _, name := range names {
		all = append(all, &ValueError{name, found[name]})
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// position puts what is not declared last.
func (v *Variables) position(name string) int {
	if i := slices.Index(v.names, name); i >= 0 {
		return i
	}
	return len(v.names)
}

// explain turns what the validator found into a reason without the value.
func (v *Variables) explain(leaf *jsonschema.ValidationError, values map[string]any) (name, reason string) {
	keyword := leaf.KeywordLocation[strings.LastIndexByte(leaf.KeywordLocation, '/')+1:]
	name, _, _ = strings.Cut(strings.TrimPrefix(leaf.InstanceLocation, "/"), "/")
	if !v.Has(name) {
		return "", fmt.Sprintf("together they break the rule %q of the schema", shorten(keyword))
	}
	if _, is := values[name].(Secret); is || v.IsSecret(name) {
		return name, fmt.Sprintf("does not satisfy the rule %q", shorten(keyword))
	}
	return name, brokenRule(keyword, v.property(name))
}

// plainValue returns a value as the validator takes it. What it says about a value
// that is none is free of the value.
func plainValue(value any) (any, string) {
	switch v := value.(type) {
	case nil, bool, string, int, int64: // a float goes through JSON, which has no NaN
		return v, ""
	case Secret:
		return v.Reveal(), ""
	case json.Number:
		if !plainNumber(string(v)) {
			return nil, "too large a number"
		}
		return v, ""
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Sprintf("a %T is not a value of JSON", value)
	}
	if strings.Contains(string(data), strconv.Quote(hidden)) {
		return nil, "a secret stands alone, not within another value"
	}
	plain, err := decodeJSON(data)
	if err != nil {
		return nil, fmt.Sprintf("a %T is not a value of JSON", value)
	}
	return plain, ""
}

// valueKeywords can hold a value, or an example of one, in a schema.
var valueKeywords = []string{"default", "const", "enum", "examples"}

// declarations checks the schema of the variables.
type declarations struct {
	*problems
	secrets []string
	direct  map[*node]bool // the schemas of the variables themselves
}

// variables checks the schema, and takes down the names that it declares.
func (v *validator) variables(schema []byte, at *place) {
	if len(schema) == 0 {
		return
	}
	before := len(v.list)
	root := readNode(schema, &problems{})
	if root == nil || root.kind != '{' {
		v.add(at, "must be a JSON Schema, which is an object")
		return
	}
	if t := root.get("type"); t == nil || t.text != "object" {
		v.add(at.field("type"), "must be \"object\"")
	}
	d := &declarations{problems: v.problems, direct: map[*node]bool{}}
	if properties := root.get("properties"); properties != nil {
		for _, m := range properties.members {
			v.declared[m.key] = true
			d.declare(m, at.field("properties").field(m.key))
		}
	}
	d.required(root.get("required"), v.declared, at.field("required"))
	d.keywords(root, at)
	v.secrets = d.secrets
	d.values(root, at, true, false)
	if len(v.list) == before {
		v.compiles(schema, at)
	}
}

func (d *declarations) declare(m member, at *place) {
	d.direct[m.value] = true
	if !variablePattern.MatchString(m.key) {
		d.add(at, "not a name for a variable: letters, digits, - and _, at most 64")
	}
	if mark := m.value.get("writeOnly"); mark == nil || mark.text != "true" {
		return
	}
	d.secrets = append(d.secrets, m.key)
	if t := m.value.get("type"); t == nil || t.text != "string" {
		d.add(at.field("type"), "must be \"string\": a secret is typed as it is")
	}
	if m.value.get("$ref") != nil {
		d.add(at.field("$ref"), "a secret is described in its own place")
	}
}

func (d *declarations) required(list *node, declared map[string]bool, at *place) {
	if list == nil {
		return
	}
	for i, item := range list.items {
		if item.kind == '"' && !declared[item.text] {
			d.add(at.item(i), "variable %q is not declared in properties", shorten(item.text))
		}
	}
}

// keywords refuses what would load something, what cannot be run, and what
// would not be checked though it looks as if.
func (d *declarations) keywords(n *node, at *place) {
	for i, item := range n.items {
		d.keywords(item, at.item(i))
	}
	for _, m := range n.members {
		here := at.field(m.key)
		if reason := refuseKeyword(m); reason != "" {
			d.add(here, "%s", reason)
		}
		if m.key == "writeOnly" && m.value.kind == 't' && !d.direct[n] {
			d.add(here, "only a variable as a whole can be a secret")
		}
		if m.key == "patternProperties" {
			for _, pattern := range m.value.members {
				d.pattern(pattern.key, here.field(pattern.key))
			}
		}
		if m.key == "pattern" && m.value.kind == '"' {
			d.pattern(m.value.text, here)
		}
		d.keywords(m.value, here)
	}
}

func refuseKeyword(m member) string {
	if m.value.kind != '"' { // it is the name of a variable, or the compiler refuses it
		return ""
	}
	switch m.key {
	case "$schema":
		if m.value.text != draft {
			return "must be " + draft + ", or left out"
		}
	case "$ref", "$dynamicRef", "$recursiveRef":
		if !strings.HasPrefix(m.value.text, "#") {
			return "must point into the same schema: nothing is loaded"
		}
	case "$id":
		return "has no use here: nothing is loaded"
	case "format":
		if _, known := jsonschema.Formats[m.value.text]; !known {
			return fmt.Sprintf("%q is not a format that can be checked", shorten(m.value.text))
		}
	}
	return ""
}

func (d *declarations) pattern(pattern string, at *place) {
	if _, err := regexp.Compile(pattern); err != nil {
		d.add(at, "Go's RE2 cannot run this pattern: %v", err)
	}
}

// values sees to it that no schema holds a secret, or an example of one: not at
// the secret's own schema, not at another that names it, not as part of an
// example of the whole.
func (d *declarations) values(n *node, at *place, isRoot, inside bool) {
	for i, item := range n.items {
		d.values(item, at.item(i), false, inside)
	}
	for _, m := range n.members {
		here := at.field(m.key)
		named := slices.Contains(d.secrets, m.key)
		holds := (inside || isRoot && len(d.secrets) > 0) && slices.Contains(valueKeywords, m.key)
		if holds || named && (m.value.kind == '"' || m.value.kind == '0') {
			d.add(here, "a document must not hold the value of a secret")
		}
		d.values(m.value, here, false, inside || named)
	}
}

func (v *validator) compiles(schema []byte, at *place) {
	var err error
	if v.compiled, err = compileSchema(schema); err != nil {
		for _, leaf := range leaves(err) {
			v.add(at.pointer(leaf.InstanceLocation), "not a JSON Schema: %s", shorten(leaf.Message))
		}
	}
}

// brokenRule returns what a rule of a variable's schema asks for. It is given the
// rule and never the value.
func brokenRule(keyword string, s *jsonschema.Schema) string {
	switch keyword {
	case "type":
		return mustBe(s.Types)
	case "format":
		return "not a valid " + orThe(s.Format, "value of its format")
	case "pattern":
		if s.Pattern != nil {
			return "does not match the pattern " + shorten(s.Pattern.String())
		}
	case "minLength":
		return "must have " + atLeast(s.MinLength, "character")
	case "maxLength":
		return "must have " + atMost(s.MaxLength, "character")
	case "minItems":
		return "must have " + atLeast(s.MinItems, "item")
	case "maxItems":
		return "must have " + atMost(s.MaxItems, "item")
	case "minimum":
		return "must be at least " + number(s.Minimum)
	case "maximum":
		return "must be at most " + number(s.Maximum)
	case "exclusiveMinimum":
		return "must be more than " + number(s.ExclusiveMinimum)
	case "exclusiveMaximum":
		return "must be less than " + number(s.ExclusiveMaximum)
	case "multipleOf":
		return "must be a multiple of " + number(s.MultipleOf)
	case "enum":
		return "must be " + oneOf(s.Enum)
	case "const":
		return "must be " + oneOf(s.Constant)
	}
	return fmt.Sprintf("does not satisfy the rule %q", shorten(keyword))
}

func mustBe(types []string) string {
	if len(types) == 0 {
		return "is of the wrong type"
	}
	named := make([]string, len(types))
	for i, t := range types {
		article := "a "
		if strings.ContainsAny(t[:1], "aio") {
			article = "an "
		}
		if t == "null" {
			article = ""
		}
		named[i] = article + t
	}
	return "must be " + strings.Join(named, " or ")
}

func orThe(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return shorten(s)
}

func atLeast(n int, what string) string { return "at least " + count(n, what) }
func atMost(n int, what string) string  { return "at most " + count(n, what) }

// count returns how many, where the rule stands at the variable itself.
func count(n int, what string) string {
	switch n {
	case -1:
		return "as many " + what + "s as the schema says"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func number(r *big.Rat) string {
	if r == nil {
		return "what the schema says"
	}
	if r.IsInt() {
		return r.Num().String()
	}
	return r.FloatString(4)
}

func oneOf(allowed []any) string {
	if len(allowed) == 0 {
		return "one of what the schema allows"
	}
	texts := make([]string, len(allowed))
	for i, v := range allowed {
		text, err := json.Marshal(v)
		if err != nil {
			return "one of what the schema allows"
		}
		texts[i] = string(text)
	}
	return shorten(strings.Join(texts, " or "))
}
