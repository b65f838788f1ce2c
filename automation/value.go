package automation

import (
	"encoding/json"
	"fmt"
	"strings"
)

// value checks a value, and that what it uses is declared.
func (v *validator) value(val *Value, at *place) {
	needs := map[ValueKind]string{Literal: "value", Variable: "name", Template: "text"}[val.Kind]
	if needs == "" {
		v.add(at.field("kind"), "%q must be literal, variable or template", shorten(string(val.Kind)))
		return
	}
	for _, f := range val.fields() {
		switch {
		case f.empty() && f.key == needs:
			v.add(at.field(f.key), "missing: a %s needs it", val.Kind)
		case !f.empty() && f.key != needs && f.key != "kind" && f.key != "x":
			v.add(at.field(f.key), "a %s does not take it", val.Kind)
		}
	}
	if len(val.Value) > 0 && !json.Valid(val.Value) {
		v.add(at.field("value"), "not valid JSON")
	}
	if val.Name != "" {
		v.isDeclared(val.Name, at.field("name"))
	}
	pieces, err := parseTemplate(val.Text)
	if err != nil {
		v.add(at.field("text"), "%v", err)
	}
	for _, p := range pieces {
		if p.name != "" {
			v.isDeclared(p.name, at.field("text"))
		}
	}
}

// Names lists the variables that the value uses, in order, each once.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	if v.Kind == Variable {
		return []string{v.Name}
	}
	var names []string
	seen := map[string]bool{}
	pieces, _ := parseTemplate(v.Text)
	for _, p := range pieces {
		if p.name != "" && !seen[p.name] {
			seen[p.name] = true
			names = append(names, p.name)
		}
	}
	return names
}

// Resolve gives what the value stands for: a literal as encoding/json decodes
// it, with numbers as json.Number; a variable as get gives it; a template as a
// string, or as a Secret when one of its variables is. Such a Secret may go
// only where all of its parts may, so parts bound to different origins are an
// error.
func (v *Value) Resolve(get func(name string) (any, error)) (any, error) {
	switch v.Kind {
	case Literal:
		return decodeJSON(v.Value)
	case Variable:
		return get(v.Name)
	case Template:
		return fill(v.Text, get)
	}
	return nil, fmt.Errorf("a value of kind %q cannot be resolved", v.Kind)
}

func fill(template string, get func(name string) (any, error)) (any, error) {
	pieces, err := parseTemplate(template)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	var secrets []Secret
	for _, p := range pieces {
		if p.name == "" {
			text.WriteString(p.text)
			continue
		}
		value, err := get(p.name)
		if err != nil {
			return nil, err
		}
		if secret, is := value.(Secret); is {
			secrets = append(secrets, secret)
		}
		if err := write(&text, value); err != nil {
			return nil, fmt.Errorf("variable %q: %w", p.name, err)
		}
	}
	if len(secrets) == 0 {
		return text.String(), nil
	}
	return secrets[0].with(text.String(), secrets[1:])
}

// write puts a value into a text. Only what has one obvious text can be.
func write(to *strings.Builder, value any) error {
	switch v := value.(type) {
	case string:
		to.WriteString(v)
	case Secret:
		to.WriteString(v.Reveal())
	case json.Number:
		to.WriteString(v.String())
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		fmt.Fprint(to, v)
	case float32, float64:
		text, err := json.Marshal(v)
		to.Write(text)
		return err
	default:
		return fmt.Errorf("a %T cannot stand in a text", value)
	}
	return nil
}
