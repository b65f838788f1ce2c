package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// object is a schema of an object that takes these properties and no others.
func object(properties map[string]any, required ...string) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// compile makes a schema that loads nothing.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded") }
	if err := c.AddResource("arguments.json", bytes.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile("arguments.json")
}

// fieldsOf reads the arguments of a call, which are an object; none are an empty one.
func fieldsOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if given := bytes.TrimSpace(raw); len(given) == 0 || string(given) == "null" {
		return fields, nil
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, refuse(InvalidArguments, argumentsNext, "the arguments are not an object of JSON")
	}
	return fields, nil
}

const argumentsNext = "look at the tool's schema and call it again; nothing was done"

// check holds arguments to a schema. What it says quotes none of them: an agent may have
// put something in the wrong place that nobody is to read.
func check(schema *jsonschema.Schema, args json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return refuse(InvalidArguments, argumentsNext, "the arguments are not JSON")
	}
	err := schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return refuse(InvalidArguments, argumentsNext, "the arguments cannot be checked")
	}
	var said []string
	for _, leaf := range leaves(invalid) {
		said = append(said, broken(leaf, schema))
	}
	slices.Sort(said)
	said = slices.Compact(said)
	return refuse(InvalidArguments, argumentsNext, "%s", strings.Join(said[:min(len(said), mostProblems)], "; "))
}

// mostProblems are told of at once.
const mostProblems = 8

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// saidBySchema are the rules of which the validator quotes the schema, and no value.
var saidBySchema = []string{"required", "type", "enum", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"}

func broken(leaf *jsonschema.ValidationError, schema *jsonschema.Schema) string {
	at, rule := leaf.InstanceLocation, leaf.KeywordLocation[strings.LastIndexByte(leaf.KeywordLocation, '/')+1:]
	depth := strings.Count(at, "/")
	if at == "" || !known(schema, at) {
		at = strings.Repeat("/…", min(1, depth))
	}
	if at == "" {
		at = "the arguments"
	}
	switch {
	case slices.Contains(saidBySchema, rule):
		return fmt.Sprintf("%s: %s", at, leaf.Message)
	case rule == "additionalProperties":
		return fmt.Sprintf("%s: there is a key that it does not take; it takes %s", at, strings.Join(taken(schema, leaf.InstanceLocation), ", "))
	}
	return fmt.Sprintf("%s does not satisfy the rule %q", at, rule)
}

// known reports whether the schema itself names what a location leads to: else the
// names in it are the caller's.
func known(s *jsonschema.Schema, location string) bool { return within(s, location) != nil }

func within(s *jsonschema.Schema, location string) *jsonschema.Schema {
	for _, part := range strings.Split(strings.TrimPrefix(location, "/"), "/") {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		switch {
		case s == nil:
			return nil
		case part == "":
		case s.Properties[part] != nil:
			s = s.Properties[part]
		default:
			s = s.Items2020 // nil where it has none
		}
	}
	return s
}

func taken(s *jsonschema.Schema, location string) []string {
	var names []string
	if at := within(s, location); at != nil {
		for name := range at.Properties {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return names
}
