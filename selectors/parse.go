package selectors

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of a selector. Real ones are far below them; they bound what a
// hostile page or document can make the engine work through.
const (
	MaxLength = 4 << 10 // bytes of the text form
	MaxParts  = 16      // roots in a path; deeper nesting has not been met
	MaxRise   = 100     // levels between an element and its row
)

// ParseError reports why a text is not a selector.
type ParseError struct {
	Text   string // as given
	Reason string
}

// Error quotes no more of the text than a line of a log can take.
func (e *ParseError) Error() string {
	if e.Text == "" {
		return "selector: " + e.Reason
	}
	return fmt.Sprintf("selector %q: %s", shorten(e.Text), e.Reason)
}

// shorten keeps an error message readable whatever the page put into it.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// prefixed are the kinds whose text form begins with their name and a slash.
var prefixed = []Kind{Aria, Text, XPath, Pierce, TestID, Value, Near, Under}

// Parse reads the text form of a selector. What it accepts, String gives back
// unchanged. It does not know whether a browser will understand the CSS or the
// XPath; it refuses what no browser could: nothing after the prefix, control
// characters, open quotes and brackets. Errors are of type *ParseError.
func Parse(s string) (Selector, error) {
	sel, reason := parse(s)
	if reason != "" {
		return Selector{}, &ParseError{Text: s, Reason: reason}
	}
	return sel, nil
}

func parse(s string) (Selector, string) {
	if reason := plainText(s); reason != "" {
		return Selector{}, reason
	}
	sel := Selector{Kind: CSS, Body: s}
	for _, kind := range prefixed {
		if body, found := strings.CutPrefix(s, string(kind)+"/"); found {
			sel = Selector{Kind: kind, Body: body}
		}
	}
	return sel, sel.refuse()
}

// Validate returns why Parse would not give this selector.
func (s Selector) Validate() error {
	parsed, err := Parse(s.String())
	if err == nil && parsed != s {
		err = &ParseError{Text: s.String(), Reason: fmt.Sprintf("reads as kind %q, not %q", parsed.Kind, s.Kind)}
	}
	return err
}

// plainText holds for every kind, and is checked before anything else reads s.
func plainText(s string) string {
	if len(s) > MaxLength {
		return fmt.Sprintf("%d bytes, more than the %d allowed", len(s), MaxLength)
	}
	if !utf8.ValidString(s) {
		return "not valid UTF-8"
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return fmt.Sprintf("control character %U", r)
		}
	}
	return ""
}

// refuse returns the reason why the body cannot be of its kind, or "".
func (s Selector) refuse() string {
	if strings.TrimSpace(s.Body) == "" {
		return "nothing to look for"
	}
	switch s.Kind {
	case CSS, Pierce:
		return refuseCSS(s.Body)
	case XPath:
		return refuseXPath(s.Body)
	case Aria:
		if name, role := s.Aria(); name == "" && role == "" {
			return "neither a name nor a role"
		}
	case Near:
		if inner, reason := parse(s.Body); reason != "" || inner.Kind == Near {
			return cmp.Or(reason, "near what is near")
		}
	}
	return ""
}

func refuseCSS(body string) string {
	if rest, found := strings.CutPrefix(body, "css/"); found {
		return fmt.Sprintf("CSS has no prefix: write %q", shorten(rest))
	}
	var b brackets
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == '\\':
			if i++; i == len(body) {
				return "ends with a backslash"
			}
		case b.quote == 0 && strings.IndexByte("/{};", c) >= 0:
			return fmt.Sprintf("%q has no place in CSS here (is the prefix one of aria/, text/, xpath/, pierce/, testid/, near/?)", c)
		default:
			if reason := b.next(c); reason != "" {
				return reason
			}
		}
	}
	return b.end()
}

func refuseXPath(body string) string {
	var b brackets
	for i := 0; i < len(body); i++ {
		if reason := b.next(body[i]); reason != "" { // XPath has no escapes
			return reason
		}
	}
	return b.end()
}

// brackets follows the quotes and brackets of a CSS or XPath text.
type brackets struct {
	quote byte   // the open quote, 0 outside one
	open  []byte // what must be closed, innermost last
}

func (b *brackets) next(c byte) string {
	switch {
	case b.quote != 0:
		if c == b.quote {
			b.quote = 0
		}
	case c == '"' || c == '\'':
		b.quote = c
	case c == '[':
		b.open = append(b.open, ']')
	case c == '(':
		b.open = append(b.open, ')')
	case c == ']' || c == ')':
		if len(b.open) == 0 || b.open[len(b.open)-1] != c {
			return fmt.Sprintf("%q closes nothing", c)
		}
		b.open = b.open[:len(b.open)-1]
	}
	return ""
}

func (b *brackets) end() string {
	if b.quote != 0 {
		return fmt.Sprintf("the quote %c is not closed", b.quote)
	}
	if len(b.open) > 0 {
		return fmt.Sprintf("%q is missing at the end", b.open[len(b.open)-1])
	}
	return ""
}
