package autonomy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

// Settings are those of a guard. The zero value holds the defaults.
type Settings struct {
	Mode       Mode // default Log
	Detection  Detection
	Prevention Prevention
	Recovery   Recovery
}

// Mode is what a guard does about an answer that asks.
type Mode string

// The modes.
const (
	Log Mode = "log" // counts and logs, and changes nothing: begin with this one
	Act Mode = "act" // keeps the task in sight, and answers what asks
)

// Detection is how answers are judged.
type Detection struct {
	// Threshold is the confidence from which on an answer is held to ask, above 0
	// and at most 1; default 0.8.
	Threshold float64
	// Patterns are the program's own phrases, by class: ask, wait, offer, addr, polite and
	// so on, as in the files of phrases. They are added to the built-in ones.
	Patterns map[string][]string
}

// Prevention is how a model is discouraged from asking.
type Prevention struct {
	// NoSystemPrompt leaves out the sentences of SystemPrompt.
	NoSystemPrompt bool
	// ReminderFrequency is after how many messages the task is repeated; default 5,
	// never if negative.
	ReminderFrequency int
	// KeepMessages is how many messages of a long history are sent, the latest; all
	// of them by default. The task is always sent.
	KeepMessages int
}

// Recovery is how a model that asks is answered.
type Recovery struct {
	// MaxAttempts is how often in a row it is asked to go on; default 3, never if
	// negative.
	MaxAttempts int
}

// The defaults.
const (
	DefaultThreshold         = detect.DefaultThreshold // where precision and recall are about equal
	DefaultReminderFrequency = 5                       // instructions fade after a handful of long results
	DefaultMaxAttempts       = 3                       // what was not understood three times will not be the fourth time
)

// SettingsError is a setting that cannot be used.
type SettingsError struct {
	Path   string // as in human_in_loop.detection.threshold
	Reason string
}

func (e *SettingsError) Error() string { return e.Path + ": " + e.Reason }

// root is where the settings stand in a file.
const root = "human_in_loop"

// check finds what cannot be used.
func (s *Settings) check() error {
	switch s.Mode {
	case "", Log, Act:
	default:
		return &SettingsError{root + ".mode", fmt.Sprintf("%q is neither log nor act", s.Mode)}
	}
	if s.Prevention.KeepMessages < 0 {
		return &SettingsError{root + ".prevention.keep_messages", "must not be negative; 0 keeps all"}
	}
	return s.Detection.check()
}

func (d *Detection) check() error {
	const at = root + ".detection"
	if !(d.Threshold >= 0 && d.Threshold <= 1) { // NaN is neither
		return &SettingsError{at + ".threshold", fmt.Sprintf("%v is not between 0 and 1", d.Threshold)}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Patterns)) {
		path := at + ".patterns." + name
		if classes := detect.Classes(); !slices.Contains(classes, name) {
			return &SettingsError{path, "no such class; there are " + strings.Join(classes, ", ")}
		}
		for i, phrase := range d.Patterns[name] {
			if reason := unusable(phrase); reason != "" {
				return &SettingsError{fmt.Sprintf("%s[%d]", path, i), reason}
			}
		}
	}
	return nil
}

// maxPhrase bounds a phrase, and with it the time that a text takes.
const maxPhrase = 100

// unusable returns why a phrase cannot be looked for, or "".
func unusable(phrase string) string {
	switch {
	case strings.Trim(phrase, "*^ \t\n|") == "":
		return "has nothing to look for"
	case len(phrase) > maxPhrase:
		return fmt.Sprintf("is longer than %d bytes", maxPhrase)
	}
	return ""
}

func orElse[T comparable](v, usual T) T {
	var zero T
	if v == zero {
		return usual
	}
	return v
}

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

// fields are the keys of a mapping, and the functions that take their values.
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

// read returns every value to who takes it.
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
