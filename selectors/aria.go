package selectors

import "strings"

// The text form of an aria selector is a name, then optionally a role:
//
//	aria/Next[role="button"]      the name "Next", the role "button"
//	aria/Next                     the name, of any role
//	aria/[role="button"]          the role, of any name
//	aria/Pay [now][role="link"]   the name "Pay [now]"
//
// Only a [role="…"] at the very end, of letters, digits, - and _, is the role;
// all before it is the name, whatever it holds, with nothing escaped. A name
// that itself ends like a role is followed by the empty role: [role=""].
const (
	roleOpen  = `[role="`
	roleClose = `"]`
)

// NewAria returns the selector of an accessible name and role; either may be
// empty, for any.
func NewAria(name, role string) (Selector, error) {
	s := Selector{Kind: Aria, Body: name}
	_, _, endsLikeRole := cutRole(name)
	if role != "" || endsLikeRole {
		s.Body += roleOpen + role + roleClose
	}
	if gotName, gotRole := s.Aria(); gotName != name || gotRole != role {
		return Selector{}, &ParseError{Text: s.String(), Reason: "the role is not a plain word"}
	}
	if err := s.Validate(); err != nil {
		return Selector{}, err
	}
	return s, nil
}

// Aria returns the accessible name and the role that an aria selector looks for;
// "" is any. For the other kinds both are empty.
func (s Selector) Aria() (name, role string) {
	if s.Kind != Aria {
		return "", ""
	}
	name, role, _ = cutRole(s.Body)
	return name, role
}

// Words returns what the selector looks for by what an element says: its text, its accessible name, or what it holds. One of
// the kind Near has those of what it looks for; "" is for none.
func (s Selector) Words() string {
	switch s.Kind {
	case Text, Value, Under:
		return s.Body
	case Aria:
		name, _ := s.Aria()
		return name
	case Near:
		inner, _ := parse(s.Body)
		return inner.Words()
	}
	return ""
}

// WithWords returns the selector with other [Selector.Words]; one that has none comes back as it is. An error is
// of type *ParseError: there are words that no selector can look for.
func (s Selector) WithWords(words string) (Selector, error) {
	switch s.Kind {
	case Text, Value, Under:
		s.Body = words
	case Aria:
		_, role := s.Aria()
		return NewAria(words, role)
	case Near:
		inner, _ := parse(s.Body)
		inner, err := inner.WithWords(words)
		if err != nil {
			return Selector{}, err
		}
		s.Body = inner.String()
	}
	return s, s.Validate()
}

// cutRole splits a trailing [role="…"] off.
func cutRole(body string) (name, role string, found bool) {
	inner, closed := strings.CutSuffix(body, roleClose)
	start := strings.LastIndex(inner, roleOpen)
	if !closed || start < 0 || !isRole(inner[start+len(roleOpen):]) {
		return body, "", false
	}
	return inner[:start], inner[start+len(roleOpen):], true
}

func isRole(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
