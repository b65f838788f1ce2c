package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-reprise/reprise/selectors"
)

// field is one key of an object of the document. The same list of fields reads
// the object, writes it, and tells which keys there are: see fields.go.
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

// is says that n has the kind, or adds the problem.
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
