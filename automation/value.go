package automation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
		case !f.empty() && f.key != needs && f.key != "kind" && f.key != "x" && !(f.key == "length" && val.Kind == Variable):
			v.add(at.field(f.key), "a %s does not take it", val.Kind)
		}
	}
	if len(val.Value) > 0 && !json.Valid(val.Value) {
		v.add(at.field("value"), "not valid JSON")
	}
	if val.Name != "" {
		v.isDeclared(val.Name, at.field("name"))
	}
	if val.Length > 0 && slices.Contains(v.secrets, val.Name) {
		v.add(at.field("length"), "%q is a secret, and is typed whole", shorten(val.Name))
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

// Resolve returns what the value stands for: a literal as encoding/json decodes
// it, with numbers as json.Number; a variable as get returns it, or what its text
// begins with where the value has a length; a template as a string, or as a
// Secret when one of its variables is. Such a Secret may go only where all of its
// parts may, so parts bound to different origins are an error.
func (v *Value) Resolve(get func(name string) (any, error)) (any, error) {
	switch v.Kind {
	case Literal:
		return decodeJSON(v.Value)
	case Variable:
		value, err := get(v.Name)
		if err != nil || v.Length == 0 {
			return value, err
		}
		return v.beginning(value)
	case Template:
		return fill(v.Text, get)
	}
	return nil, fmt.Errorf("a value of kind %q cannot be resolved", v.Kind)
}

// beginning returns what a text begins with, as many characters as the value has.
func (v *Value) beginning(of any) (any, error) {
	text, is := of.(string)
	if !is {
		return nil, fmt.Errorf("variable %q: a beginning of it is asked for, and it is no text but a %T", v.Name, of)
	}
	characters := []rune(text)
	return string(characters[:min(v.Length, len(characters))]), nil
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

// maxHoles bounds a template: each hole can bring in a value of any length.
const maxHoles = 64

// piece is a part of a template: a text, or the hole of a variable.
type piece struct {
	text string
	name string // of the variable; "" in a text
}

// parseTemplate takes a text with ${name} holes apart. $${ is a plain ${, so that
// a dollar sign right before a hole cannot be written.
func parseTemplate(s string) ([]piece, error) {
	var pieces []piece
	var text strings.Builder
	holes := 0
	for s != "" {
		before, after, found := strings.Cut(s, "${")
		if !found {
			text.WriteString(s)
			break
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			text.WriteString(plain + "${")
			s = after
			continue
		}
		text.WriteString(before)
		name, rest, closed := strings.Cut(after, "}")
		if !closed {
			return nil, errors.New("a ${ is not closed: write $${ for a plain one")
		}
		if !variablePattern.MatchString(name) {
			return nil, fmt.Errorf("${%s}: not the name of a variable; write $${ for a plain ${", shorten(name))
		}
		if holes++; holes > maxHoles {
			return nil, fmt.Errorf("more than %d holes", maxHoles)
		}
		pieces = appendText(pieces, &text)
		pieces = append(pieces, piece{name: name})
		s = rest
	}
	return appendText(pieces, &text), nil
}

func appendText(pieces []piece, text *strings.Builder) []piece {
	if text.Len() == 0 {
		return pieces
	}
	defer text.Reset()
	return append(pieces, piece{text: text.String()})
}

// TemplateText returns the text of a template that yields exactly s.
func TemplateText(s string) string { return strings.ReplaceAll(s, "${", "$${") }
