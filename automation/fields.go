package automation

import (
	"encoding/json"

	"github.com/go-reprise/reprise/selectors"
)

// The document, object by object, in the order in which it is written. This is
// the one place that knows the keys; schema.json says the same for other
// programs, and a test holds the two together.

func (a *Automation) fields(format *int) []field {
	return []field{
		{"format", integer{format, 1}, true},
		{"name", str(&a.Name), true},
		{"description", strOrEmpty(&a.Description), false},
		{"match", object[Scope]{&a.Match, (*Scope).fields}, true},
		{"variables", raw{&a.Variables}, false},
		{"identity", optional[Identity]{&a.Identity, (*Identity).fields}, false},
		{"steps", list[Step]{&a.Steps, one((*Step).fields)}, true},
		{"revision", integer{&a.Revision, 0}, false},
		{"x", raw{&a.X}, false},
	}
}

func (s *Scope) fields() []field {
	return []field{
		{"urls", list[string]{&s.URLs, str[string]}, true},
		{"account", strOrEmpty(&s.Account), false},
		{"x", raw{&s.X}, false},
	}
}

func (i *Identity) fields() []field {
	return []field{
		{"frame", paths(&i.Frame), false},
		{"selector", path{&i.Selector}, true},
		{"alternatives", paths(&i.Alternatives), false},
		{"value", optional[Value]{&i.Value, (*Value).fields}, true},
		{"x", raw{&i.X}, false},
	}
}

func (s *Step) fields() []field {
	return []field{
		{"tool", str(&s.Tool), true},
		{"page", str(&s.Page), false},
		{"frame", paths(&s.Frame), false},
		{"selector", path{&s.Selector}, false},
		{"alternatives", paths(&s.Alternatives), false},
		{"fingerprint", optional[selectors.Fingerprint]{&s.Fingerprint, fingerprintFields}, false},
		{"offset", optional[Offset]{&s.Offset, (*Offset).fields}, false},
		{"url", str(&s.URL), false},
		{"value", optional[Value]{&s.Value, (*Value).fields}, false},
		{"key", str(&s.Key), false},
		{"keys", boolean{&s.Keys}, false},
		{"button", str(&s.Button), false},
		{"count", integer{&s.Count, 1}, false},
		{"hold", duration{&s.Hold}, false},
		{"modifiers", list[string]{&s.Modifiers, str[string]}, false},
		{"expect", list[Expectation]{&s.Expect, one((*Expectation).fields)}, false},
		{"optional", boolean{&s.Optional}, false},
		{"when", optional[Condition]{&s.When, (*Condition).fields}, false},
		{"timeout", duration{&s.Timeout}, false},
		{"effect", str(&s.Effect), false},
		{"intent", intent{text[string]{to: &s.Intent}}, false},
		{"args", raw{&s.Args}, false},
		{"x", raw{&s.X}, false},
	}
}

func (o *Offset) fields() []field {
	return []field{
		{"x", float{&o.X}, true},
		{"y", float{&o.Y}, true},
	}
}

func (v *Value) fields() []field {
	return []field{
		{"kind", str(&v.Kind), true},
		{"value", raw{&v.Value}, false},
		{"name", str(&v.Name), false},
		{"text", str(&v.Text), false},
		{"x", raw{&v.X}, false},
	}
}

func (e *Expectation) fields() []field {
	return []field{
		{"kind", str(&e.Kind), true},
		{"method", str(&e.Method), false},
		{"url", str(&e.URL), false},
		{"status", integer{&e.Status, 100}, false},
		{"selector", path{&e.Selector}, false},
		{"text", str(&e.Text), false},
		{"page", str(&e.Page), false},
		{"x", raw{&e.X}, false},
	}
}

func (c *Condition) fields() []field {
	return []field{
		{"selector", path{&c.Selector}, false},
		{"url", str(&c.URL), false},
		{"variable", str(&c.Variable), false},
		{"x", raw{&c.X}, false},
	}
}

func fingerprintFields(f *selectors.Fingerprint) []field {
	return []field{
		{"key", str(&f.Key), false},
		{"tag", str(&f.Tag), true},
		{"role", str(&f.Role), false},
		{"own", words{&f.Own}, false},
		{"around", words{&f.Around}, false},
		{"twins", list[int]{&f.Twins, ordinal}, false},
		{"alike", list[int]{&f.Alike, ordinal}, false},
		{"rivals", list[map[string]string]{&f.Rivals, func(to *map[string]string) slot { return words{to} }}, false},
		{"page", words{&f.Page}, false},
		{"box", list[int]{&f.Box, func(to *int) slot { return integer{to, -maxBox} }}, false},
		{"testIdAttribute", testID{text[string]{to: &f.TestIDAttribute}}, false},
		{"x", raw{&f.X}, false},
	}
}

func ordinal(to *int) slot { return integer{to, 0} }

// maxBox is beyond any page; it keeps a box within what every reader can hold.
const maxBox = 1 << 30

func paths(to *[]selectors.Path) slot {
	return list[selectors.Path]{to, func(p *selectors.Path) slot { return path{p} }}
}

func one[T any](fields func(*T) []field) func(*T) slot {
	return func(to *T) slot { return object[T]{to, fields} }
}

// Marshal writes the document: keys in a fixed order, indented by two spaces,
// <, > and & as they are, a newline at the end. It refuses only what cannot be
// written as JSON; whether Parse will read it is for Validate to say.
func Marshal(a *Automation) ([]byte, error) {
	compact, err := a.compact()
	if err != nil {
		return nil, err
	}
	var w writer
	err = json.Indent(&w.Buffer, compact, "", "  ")
	w.WriteByte('\n')
	return w.Bytes(), err
}

func (a *Automation) compact() ([]byte, error) {
	format := Format
	return compactObject(a.fields(&format))
}

func compactObject(fields []field) ([]byte, error) {
	var w writer
	writeObject(fields, &w)
	return w.Bytes(), w.err()
}

// MarshalJSON gives the document as Marshal does, on one line.
func (a Automation) MarshalJSON() ([]byte, error) { return a.compact() }

// UnmarshalJSON reads as Parse does, with AnyTools.
func (a *Automation) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data, AnyTools())
	if err != nil {
		return err
	}
	*a = *parsed
	return nil
}

// MarshalJSON gives the step as it stands in the document.
func (s Step) MarshalJSON() ([]byte, error) { return compactObject(s.fields()) }

// UnmarshalJSON reads a step of a document. It is strict about keys and types;
// what a tool needs is checked by Automation.Validate.
func (s *Step) UnmarshalJSON(data []byte) error {
	var p problems
	var step Step
	if n := readNode(data, &p); n != nil {
		readObject(step.fields(), n, nil, &p)
	}
	if err := p.err(); err != nil {
		return err
	}
	*s = step
	return nil
}
