package automation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

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
	if _, err := compileSchema(schema); err != nil {
		for _, leaf := range leaves(err) {
			v.add(at.pointer(leaf.InstanceLocation), "not a JSON Schema: %s", shorten(leaf.Message))
		}
	}
}
