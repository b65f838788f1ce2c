package autonomy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseSettings reads settings from YAML, under the key human_in_loop. A key that
// there is not is an error, and so is a value of another kind: a *SettingsError
// that names its path.
func ParseSettings(data []byte) (*Settings, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return &Settings{}, nil
	} else if err != nil {
		return nil, &SettingsError{root, "is no YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &SettingsError{root, "a second document follows the first"}
	}
	s := &Settings{}
	top := fields{root: s.decode}
	if err := top.read("", doc.Content[0]); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// fields are the keys of a mapping, and who takes their values.
type fields map[string]func(path string, n *yaml.Node) error

func (s *Settings) decode(path string, n *yaml.Node) error {
	return fields{
		"mode":       func(p string, n *yaml.Node) error { return scalar(p, n, "a word", &s.Mode) },
		"detection":  s.Detection.decode,
		"prevention": s.Prevention.decode,
		"recovery":   s.Recovery.decode,
	}.read(path, n)
}

func (d *Detection) decode(path string, n *yaml.Node) error {
	return fields{
		"threshold": func(p string, n *yaml.Node) error { return scalar(p, n, "a number", &d.Threshold) },
		"patterns":  d.decodePatterns,
	}.read(path, n)
}

func (d *Detection) decodePatterns(path string, n *yaml.Node) error {
	d.Patterns = map[string][]string{}
	return each(path, n, func(name, path string, list *yaml.Node) error {
		if list.Kind != yaml.SequenceNode {
			return &SettingsError{path, "is not a list of phrases"}
		}
		for i, item := range list.Content {
			var phrase string
			if err := scalar(fmt.Sprintf("%s[%d]", path, i), item, "a phrase", &phrase); err != nil {
				return err
			}
			d.Patterns[name] = append(d.Patterns[name], phrase)
		}
		return nil
	})
}

func (v *Prevention) decode(path string, n *yaml.Node) error {
	return fields{
		"no_system_prompt":   func(p string, n *yaml.Node) error { return scalar(p, n, "true or false", &v.NoSystemPrompt) },
		"reminder_frequency": func(p string, n *yaml.Node) error { return whole(p, n, &v.ReminderFrequency) },
		"keep_messages":      func(p string, n *yaml.Node) error { return whole(p, n, &v.KeepMessages) },
	}.read(path, n)
}

func (r *Recovery) decode(path string, n *yaml.Node) error {
	return fields{
		"max_attempts": func(p string, n *yaml.Node) error { return whole(p, n, &r.MaxAttempts) },
	}.read(path, n)
}

// read gives every value to who takes it.
func (f fields) read(path string, n *yaml.Node) error {
	return each(path, n, func(key, path string, value *yaml.Node) error {
		take, ok := f[key]
		if !ok {
			return &SettingsError{path, fmt.Sprintf("unknown key, line %d", value.Line)}
		}
		return take(path, value)
	})
}

// each calls do for every key of a mapping. No value at all is an empty one.
func each(path string, n *yaml.Node, do func(key, path string, value *yaml.Node) error) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return &SettingsError{orElse(path, root), fmt.Sprintf("is not a mapping, line %d", n.Line)}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		at := strings.TrimPrefix(path+"."+key, ".")
		if seen[key] {
			return &SettingsError{at, "stands there twice"}
		}
		seen[key] = true
		if err := do(key, at, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// scalar decodes one value; what is an alias or a list is none.
func scalar[T any](path string, n *yaml.Node, what string, to *T) error {
	if n.Kind != yaml.ScalarNode || n.Decode(to) != nil {
		return &SettingsError{path, fmt.Sprintf("is not %s, line %d", what, n.Line)}
	}
	return nil
}

// whole decodes a whole number: the library would cut 2.5.
func whole(path string, n *yaml.Node, to *int) error {
	if n.ShortTag() != "!!int" {
		return &SettingsError{path, fmt.Sprintf("is not a whole number, line %d", n.Line)}
	}
	return scalar(path, n, "a whole number", to)
}
