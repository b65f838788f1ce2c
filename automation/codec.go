package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-reprise/reprise/selectors"
)

// field is one key of an object of the document. The same list of fields reads
// the object, writes it, and tells which keys there are: see the methods named fields.
type field struct {
	key string
	slot
	required bool
}

// slot is a place in a Go value that a JSON value is read into and written from.
type slot interface {
	read(n *node, at *place, p *problems)
	write(w *writer)
	empty() bool // stands for no key at all
}

// readObject reads n into the fields. Unknown keys are errors.
func readObject(fields []field, n *node, at *place, p *problems) {
	if !is(n, '{', at, p) {
		return
	}
	for _, m := range n.members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == m.key })
		if i < 0 {
			p.add(at.field(m.key), "unknown field%s", meant(fields, m.key))
			continue
		}
		fields[i].read(m.value, at.field(m.key), p)
	}
	for _, f := range fields {
		if f.required && n.get(f.key) == nil {
			p.close(at.field(f.key), "missing")
		}
	}
}

// meant helps where only the case of a key is wrong.
func meant(fields []field, key string) string {
	for _, f := range fields {
		if strings.EqualFold(f.key, key) {
			return fmt.Sprintf(" (it is written %q)", f.key)
		}
	}
	return ""
}

func writeObject(fields []field, w *writer) {
	w.WriteByte('{')
	first, here := true, w.at
	for _, f := range fields {
		if f.empty() && !f.required {
			continue
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.string(f.key)
		w.WriteByte(':')
		w.at = here.field(f.key)
		f.write(w)
	}
	w.at = here
	w.WriteByte('}')
}

// is reports whether n has the kind, or adds the problem.
func is(n *node, kind byte, at *place, p *problems) bool {
	if n.kind != kind {
		p.close(at, "must be %s, not %s", kindNames[kind], kindNames[n.kind])
	}
	return n.kind == kind
}

// writer builds a JSON text in which <, > and & stay as they are.
type writer struct {
	bytes.Buffer
	at *place
	problems
}

func (w *writer) value(v any) {
	enc := json.NewEncoder(&w.Buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		w.add(w.at, "cannot be written: %v", err)
		return
	}
	w.Truncate(w.Len() - 1) // the newline that Encode adds
}

// string writes what is read back the same; an encoder would put U+FFFD in the
// place of other bytes.
func (w *writer) string(s string) {
	if !utf8.ValidString(s) {
		w.add(w.at, "not valid UTF-8")
	}
	w.value(s)
}

// path is a selector, or an array of them through shadow roots.
type path struct{ to *selectors.Path }

func (s path) empty() bool     { return len(*s.to) == 0 }
func (s path) write(w *writer) { w.value(*s.to) }
func (s path) read(n *node, at *place, p *problems) {
	var parts []string
	switch n.kind {
	case '"':
		parts = []string{n.text}
	case '[':
		for _, item := range n.items {
			parts = append(parts, item.text)
		}
	}
	if n.kind != '"' && n.kind != '[' || slices.ContainsFunc(n.items, func(item *node) bool { return item.kind != '"' }) {
		p.add(at, "must be a selector, or an array of them")
		return
	}
	got, err := selectors.ParsePath(parts...)
	if err != nil {
		p.add(at, "%v", err)
		return
	}
	*s.to = got
}

// list is an array of equal things. No key and an empty array are the same.
type list[T any] struct {
	to   *[]T
	item func(*T) slot
}

func (s list[T]) empty() bool { return len(*s.to) == 0 }
func (s list[T]) write(w *writer) {
	w.WriteByte('[')
	here := w.at
	for i := range *s.to {
		if i > 0 {
			w.WriteByte(',')
		}
		w.at = here.item(i)
		s.item(&(*s.to)[i]).write(w)
	}
	w.at = here
	w.WriteByte(']')
}
func (s list[T]) read(n *node, at *place, p *problems) {
	if !is(n, '[', at, p) {
		return
	}
	*s.to = nil
	for i, item := range n.items {
		var v T
		s.item(&v).read(item, at.item(i), p)
		*s.to = append(*s.to, v)
	}
}

// object is an object that is part of its parent's Go value.
type object[T any] struct {
	to     *T
	fields func(*T) []field
}

func (s object[T]) empty() bool     { return false }
func (s object[T]) write(w *writer) { writeObject(s.fields(s.to), w) }
func (s object[T]) read(n *node, at *place, p *problems) {
	readObject(s.fields(s.to), n, at, p)
}

// optional is an object behind a pointer.
type optional[T any] struct {
	to     **T
	fields func(*T) []field
}

func (s optional[T]) empty() bool     { return *s.to == nil }
func (s optional[T]) write(w *writer) { writeObject(s.fields(*s.to), w) }
func (s optional[T]) read(n *node, at *place, p *problems) {
	*s.to = new(T)
	readObject(s.fields(*s.to), n, at, p)
}

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
		{"blocker", str(&s.Blocker), false},
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
		{"frameAlternatives", list[[]selectors.Path]{&s.FrameAlternatives, paths}, false},
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
		{"length", integer{&v.Length, 1}, false},
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
		{"rise", integer{&f.Rise, 0}, false},
		{"told", str(&f.Told), false},
		{"whole", boolean{&f.Whole}, false},
		{"newest", str(&f.Newest), false},
		{"turned", list[string]{&f.Turned, func(to *string) slot { return str(to) }}, false},
		{"testIdAttribute", testID{text[string]{to: &f.TestIDAttribute}}, false},
		{"of", str(&f.Of), false},
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

// MarshalJSON returns the document as Marshal does, on one line.
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

// MarshalJSON returns the step as it stands in the document.
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

// The slots of single values: see codec.go.

// text is a string. Where "" means the same as no key, it must not be written
// out, but for the few that say so.
type text[T ~string] struct {
	to         *T
	allowEmpty bool
}

func str[T ~string](to *T) slot        { return text[T]{to: to} }
func strOrEmpty[T ~string](to *T) slot { return text[T]{to: to, allowEmpty: true} }

func (s text[T]) empty() bool     { return *s.to == "" }
func (s text[T]) write(w *writer) { w.string(string(*s.to)) }
func (s text[T]) read(n *node, at *place, p *problems) {
	if !is(n, '"', at, p) {
		return
	}
	if *s.to = T(n.text); n.text == "" && !s.allowEmpty {
		p.add(at, "must not be empty: leave the key out")
	}
}

// intent is a string whose being empty is an error of its own.
type intent struct{ text[string] }

func (s intent) read(n *node, at *place, p *problems) {
	if !is(n, '"', at, p) {
		return
	}
	*s.to = n.text
	if err := CheckIntent(n.text); err != nil {
		p.addError(at, ErrInvalidIntent, "%v", err)
	}
}

// testID is the name of an attribute.
type testID struct{ text[string] }

func (s testID) read(n *node, at *place, p *problems) {
	if !is(n, '"', at, p) {
		return
	}
	*s.to = n.text
	if err := selectors.CheckTestIDAttribute(n.text); err != nil {
		p.add(at, "%v", err)
	}
}

type boolean struct{ to *bool }

func (s boolean) empty() bool     { return !*s.to }
func (s boolean) write(w *writer) { w.value(*s.to) }
func (s boolean) read(n *node, at *place, p *problems) {
	if is(n, 't', at, p) {
		*s.to = n.text == "true"
	}
}

type integer struct {
	to    *int
	least int
}

func (s integer) empty() bool     { return *s.to == 0 }
func (s integer) write(w *writer) { w.value(*s.to) }
func (s integer) read(n *node, at *place, p *problems) {
	if !is(n, '0', at, p) {
		return
	}
	v, err := strconv.Atoi(n.text)
	if err != nil || v < s.least {
		p.add(at, "must be a whole number of at least %d, not %s", s.least, n.text)
		return
	}
	*s.to = v
}

type float struct{ to *float64 }

func (s float) empty() bool     { return *s.to == 0 }
func (s float) write(w *writer) { w.value(*s.to) }
func (s float) read(n *node, at *place, p *problems) {
	if !is(n, '0', at, p) {
		return
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil {
		p.add(at, "must be a number, not %s", n.text)
		return
	}
	*s.to = v
}

type duration struct{ to *time.Duration }

func (s duration) empty() bool     { return *s.to == 0 }
func (s duration) write(w *writer) { w.value(s.to.String()) }
func (s duration) read(n *node, at *place, p *problems) {
	if !is(n, '"', at, p) {
		return
	}
	v, err := time.ParseDuration(n.text)
	if err != nil || v <= 0 {
		p.add(at, "must be a positive duration such as \"30s\", not %q", shorten(n.text))
		return
	}
	*s.to = v
}

// raw is any JSON value, kept as it is but for white space.
type raw struct{ to *json.RawMessage }

func (s raw) empty() bool     { return len(*s.to) == 0 }
func (s raw) write(w *writer) { w.value(*s.to) }
func (s raw) read(n *node, _ *place, _ *problems) {
	*s.to = n.compact()
}

// words is an object of strings.
type words struct{ to *map[string]string }

func (s words) empty() bool { return len(*s.to) == 0 }
func (s words) write(w *writer) {
	var fields []field
	for _, key := range slices.Sorted(maps.Keys(*s.to)) {
		value := (*s.to)[key]
		fields = append(fields, field{key, strOrEmpty(&value), true})
	}
	writeObject(fields, w)
}
func (s words) read(n *node, at *place, p *problems) {
	if !is(n, '{', at, p) {
		return
	}
	*s.to = nil
	for _, m := range n.members {
		var v string
		strOrEmpty(&v).read(m.value, at.field(m.key), p)
		if *s.to == nil {
			*s.to = map[string]string{}
		}
		(*s.to)[m.key] = v
	}
}
