// Package selectors describes how an element of a page is named: the kinds of
// selector, their text form, and which of several is the best to store.
//
//	s, err := selectors.Parse(`aria/Pay now[role="button"]`)
//	if err != nil {
//		return err // what cannot be read, and how it is written
//	}
//	name, role := s.Aria()
//
// A [Path] leads to the element through shadow roots, one selector for each, or from the text of
// a row to the control in it. [Rank] orders
// the selectors of one element, the one that changes least often first. A [Fingerprint] is
// what is remembered of the element for when none of its selectors finds it. The examples
// of [Parse], [ParsePath] and [Rank] show more. The package is pure.
package selectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Kind is a way to name an element. Its value is the prefix of the text form,
// without the slash; CSS has none.
type Kind string

// The kinds, in the syntax of Chrome's recorder, plus TestID, Value, Near and Under.
const (
	CSS    Kind = "css"    // #email (no prefix)
	Aria   Kind = "aria"   // aria/Next[role="button"]
	Text   Kind = "text"   // text/Sign in
	XPath  Kind = "xpath"  // xpath///*[@id="email"]
	Pierce Kind = "pierce" // pierce/#email, through open shadow roots
	TestID Kind = "testid" // testid/submit
	Value  Kind = "value"  // value/Garage, a one-line field that shows it and holds no secret
	Near   Kind = "near"   // near/aria/Delete[role="button"], next to what the part before it found
	Under  Kind = "under"  // under/Edit, the only control of a cell in the column whose head says so
)

// Selector is one part of a path: it names an element within one root (a
// document or a shadow root).
type Selector struct {
	Kind Kind
	Body string // what follows the prefix; for CSS, the whole text
}

// String returns the text form, which Parse reads back as the same selector.
func (s Selector) String() string {
	if s.Kind == CSS {
		return s.Body
	}
	return string(s.Kind) + "/" + s.Body
}

// MarshalText returns the text form, and an error where Parse would refuse it.
func (s Selector) MarshalText() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads the text form, as Parse does.
func (s *Selector) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// Path is one or more parts: each one after the first is looked up in the
// shadow root of the element that the part before it found. One of the kind Near
// is looked up around that element instead: in its nearest ancestor that holds
// what the rest of it names, and is refused where it holds several. So
// ["text/Invoice 17", "near/aria/Delete[role=\"button\"]"] is the button in that
// row. In JSON a path is a string when it has one part, and an array of strings
// when it has more.
type Path []Selector

// ParsePath reads the text forms of a path's parts, outermost root first.
func ParsePath(parts ...string) (Path, error) {
	if len(parts) == 0 {
		return nil, &ParseError{Reason: "a path needs at least one selector"}
	}
	if len(parts) > MaxParts {
		return nil, &ParseError{Text: parts[0], Reason: fmt.Sprintf("begins a path of %d parts, more than the %d allowed", len(parts), MaxParts)}
	}
	path := make(Path, len(parts))
	for i, part := range parts {
		s, err := Parse(part)
		if err != nil {
			return nil, err
		}
		if i == 0 && s.Kind == Near {
			return nil, &ParseError{Text: part, Reason: "is near nothing: it needs a part before it"}
		}
		path[i] = s
	}
	return path, nil
}

// Strings returns the text form of every part.
func (p Path) Strings() []string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.String()
	}
	return parts
}

// String is for people: the parts, with ">>>" where a shadow root is entered.
func (p Path) String() string {
	return strings.ReplaceAll(strings.Join(p.Strings(), " >>> "), " >>> near/", " near/")
}

// Validate returns why ParsePath would not give this path.
func (p Path) Validate() error {
	parsed, err := ParsePath(p.Strings()...)
	if err != nil {
		return err
	}
	for i := range p {
		if p[i] != parsed[i] {
			return p[i].Validate()
		}
	}
	return nil
}

// MarshalJSON returns a string for one part, an array for more, null for none.
func (p Path) MarshalJSON() ([]byte, error) {
	switch len(p) {
	case 0:
		return []byte("null"), nil
	case 1:
		return marshal(p[0].String())
	default:
		return marshal(p.Strings())
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Path) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		*p = nil
		return nil
	}
	parts := make([]string, 1)
	var into any = &parts[0]
	if bytes.HasPrefix(data, []byte("[")) {
		into = &parts
	}
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	parsed, err := ParsePath(parts...)
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// marshal leaves <, > and & as they are: selectors are full of them, and an
// encoder above this one escapes them again if its reader needs it.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
