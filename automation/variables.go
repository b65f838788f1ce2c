package automation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// valueKeywords can hold an example of a value in a schema.
var valueKeywords = []string{"default", "const", "enum", "examples"}

// variables checks the schema, and takes down the names that it declares.
func (v *validator) variables(schema []byte, at *place) {
	if len(schema) == 0 {
		return
	}
	var p problems
	n := readNode(schema, &p)
	if n == nil || len(p.list) > 0 || n.kind != '{' {
		v.add(at, "must be a JSON Schema, an object with each key once")
		return
	}
	if t := n.get("type"); t == nil || t.text != "object" {
		v.add(at.field("type"), "must be \"object\"")
	}
	properties := n.get("properties")
	if properties != nil && properties.kind == '{' {
		v.declare(properties, at.field("properties"))
	}
	v.keywords(n, at, true)
	v.secrets(n, at, secretsOf(properties), false)
	if len(v.list) == 0 {
		v.compiles(schema, at)
	}
}

func (v *validator) declare(properties *node, at *place) {
	for _, m := range properties.members {
		if !variablePattern.MatchString(m.key) {
			v.add(at.field(m.key), "not a name for a variable: letters, digits, - and _, at most 64")
		}
		v.declared[m.key] = true
	}
}

// keywords refuses what would load something, what cannot be run, and what
// would not be checked though it looks as if.
func (v *validator) keywords(n *node, at *place, isRoot bool) {
	for i, item := range n.items {
		v.keywords(item, at.item(i), false)
	}
	for _, m := range n.members {
		here := at.field(m.key)
		if reason := refuseKeyword(m); reason != "" {
			v.add(here, "%s", reason)
		}
		if m.key == "patternProperties" {
			for _, pattern := range m.value.members {
				v.pattern(pattern.key, here.field(pattern.key))
			}
		}
		if m.key == "pattern" && m.value.kind == '"' {
			v.pattern(m.value.text, here)
		}
		v.keywords(m.value, here, false)
	}
}

func refuseKeyword(m member) string {
	switch m.key {
	case "$schema":
		if m.value.text != draft {
			return "must be " + draft + ", or left out"
		}
	case "$ref", "$dynamicRef", "$recursiveRef":
		if m.value.kind == '"' && !strings.HasPrefix(m.value.text, "#") {
			return "must point into the same schema: nothing is loaded"
		}
	case "$id", "$vocabulary":
		if m.value.kind != '{' || m.key == "$vocabulary" {
			return "has no use here: nothing is loaded"
		}
	case "format":
		if _, known := jsonschema.Formats[m.value.text]; m.value.kind == '"' && !known {
			return "\"" + shorten(m.value.text) + "\" is not a format that can be checked"
		}
	}
	return ""
}

func (v *validator) pattern(pattern string, at *place) {
	if _, err := regexp.Compile(pattern); err != nil {
		v.add(at, "Go's RE2 cannot run this pattern: %v", err)
	}
}

// secretsOf lists the variables that are marked as secrets.
func secretsOf(properties *node) []string {
	if properties == nil {
		return nil
	}
	var names []string
	for _, m := range properties.members {
		if mark := m.value.get("writeOnly"); mark != nil && mark.text == "true" {
			names = append(names, m.key)
		}
	}
	return names
}

// secrets sees to it that no schema holds a secret, or an example of one.
func (v *validator) secrets(n *node, at *place, names []string, inside bool) {
	for i, item := range n.items {
		v.secrets(item, at.item(i), names, inside)
	}
	for _, m := range n.members {
		here := at.field(m.key)
		named := slices.Contains(names, m.key)
		switch {
		case (inside || at.parent == nil && len(names) > 0) && slices.Contains(valueKeywords, m.key):
			v.add(here, "a document must not hold the value of a secret")
		case named && strings.IndexByte(`"0`, m.value.kind) >= 0:
			v.add(here, "a document must not hold the value of a secret")
		}
		v.secrets(m.value, here, names, inside || named)
	}
}

func (v *validator) compiles(schema []byte, at *place) {
	if _, err := compileSchema(schema); err != nil {
		for _, leaf := range leaves(err) {
			v.add(at.pointer(leaf.InstanceLocation), "not a JSON Schema: %s", shorten(leaf.Message))
		}
	}
}
