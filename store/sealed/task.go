package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Task is the values of a task, as the user enters them.
type Task struct {
	ID          string
	Automations []string // that may use it; none is any
	Values      []Value  // each name once
}

// Value is a value with its name: a text, number, boolean or list, or a secret, which is
// bound to origins.
type Value struct {
	Name   string
	Plain  json.RawMessage
	Secret *automation.Secret // nil for a plain value
}

// The bounds of a task, far above what any has.
const (
	maxFields    = 200
	maxFieldName = 200
)

// originsWanted is how a secret is bound to where it may be typed.
const originsWanted = `a secret says where it may be typed: write {"secret": "…", "origins": ["https://example.com"]}, or give --secret %s=https://example.com`

// ParseTask reads the values of a task: a JSON object of values, in which a secret is
// {"secret": "…", "origins": ["https://…"]}. bound makes secrets of texts: the origins
// of each, by its name. The error is a *TaskError and quotes no value.
func ParseTask(data []byte, bound map[string][]string) ([]Value, error) {
	if len(data) > maxContents {
		return nil, &TaskError{"", "they are too large: at most 1 MB can be stored"}
	}
	members, err := readMembers(data)
	if err != nil {
		return nil, err
	}
	for i, v := range members {
		if members[i], err = v.read(bound[v.Name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		if !slices.ContainsFunc(members, func(v Value) bool { return v.Name == name }) {
			return nil, &TaskError{name, "there is no such value to make a secret of"}
		}
	}
	return members, nil
}

// readMembers reads the members of an object, in their order.
func readMembers(data []byte) ([]Value, error) {
	notObject := func(d *json.Decoder) error {
		return &TaskError{"", fmt.Sprintf("this is not a JSON object with values (at byte %d)", d.InputOffset())} // its text may hold secrets
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, notObject(d)
	}
	var members []Value
	for d.More() {
		name, err := d.Token()
		text, isName := name.(string)
		var raw json.RawMessage
		if err != nil || !isName || d.Decode(&raw) != nil {
			return nil, notObject(d)
		}
		switch {
		case text == "" || len(text) > maxFieldName:
			return nil, &TaskError{"", fmt.Sprintf("a name has 1 to %d bytes", maxFieldName)}
		case slices.ContainsFunc(members, func(v Value) bool { return v.Name == text }):
			return nil, &TaskError{text, "it is there twice"}
		case len(members) == maxFields:
			return nil, &TaskError{"", fmt.Sprintf("there are more than %d", maxFields)}
		}
		members = append(members, Value{Name: text, Plain: raw})
	}
	if _, err := d.Token(); err != nil {
		return nil, notObject(d)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, notObject(d)
	}
	return members, nil
}

// read separates a secret from a plain value.
func (v Value) read(origins []string) (Value, error) {
	fail := func(reason string) (Value, error) { return Value{}, &TaskError{v.Name, reason} }
	switch v.Plain[0] {
	case 'n':
		return fail("null is no value: leave it out")
	case '{':
		var form struct {
			Secret  *string  `json:"secret"`
			Origins []string `json:"origins"`
		}
		d := json.NewDecoder(bytes.NewReader(v.Plain))
		d.DisallowUnknownFields()
		if d.Decode(&form) != nil || form.Secret == nil {
			return fail(`an object is a secret, {"secret": "a text", "origins": ["https://…"]}, and nothing else`)
		}
		return v.secret(*form.Secret, append(form.Origins, origins...))
	}
	if len(origins) == 0 {
		return v, nil
	}
	var text string
	if json.Unmarshal(v.Plain, &text) != nil {
		return fail("a secret is a text: put it between quotation marks")
	}
	return v.secret(text, origins)
}

func (v Value) secret(text string, origins []string) (Value, error) {
	if len(origins) == 0 {
		return Value{}, &TaskError{v.Name, fmt.Sprintf(originsWanted, v.Name)}
	}
	if text == "" {
		return Value{}, &TaskError{v.Name, "the secret is empty"}
	}
	s, err := automation.NewSecret(text, origins...)
	if err != nil {
		return Value{}, &TaskError{v.Name, err.Error()}
	}
	return Value{Name: v.Name, Secret: &s}, nil
}

// fields returns what may be seen of values, and the values.
func fields(values []Value) (seen []store.Field, raws []json.RawMessage, err error) {
	for _, v := range values {
		f, raw := store.Field{Name: v.Name}, v.Plain
		if v.Secret != nil {
			f.Secret, f.Origins = true, v.Secret.Origins()
			if !v.Secret.HasOrigins() {
				return nil, nil, &TaskError{v.Name, fmt.Sprintf(originsWanted, v.Name)}
			}
			if raw, err = json.Marshal(v.Secret.Reveal()); err != nil {
				return nil, nil, &TaskError{v.Name, "it is not text"}
			}
		}
		seen, raws = append(seen, f), append(raws, raw)
	}
	return seen, raws, nil
}

// value returns a value that was stored: an automation.Secret, or the value of its JSON.
func value(f store.Field, raw json.RawMessage) (any, error) {
	if !f.Secret {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		return v, err
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, ErrDamaged
	}
	return automation.NewSecret(text, f.Origins...)
}
