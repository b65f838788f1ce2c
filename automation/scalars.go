package automation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-reprise/reprise/selectors"
)

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
