package automation

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
)

// hidden is every printed form of a secret.
const hidden = "[secret]"

// Secret is a value that must not be seen: a password, a one-time code. However
// it is printed, logged or encoded, it is "[secret]"; Reveal alone gives the
// value, and is called at the moment of typing and nowhere else. Secrets cannot
// be compared with ==; use Equal. The zero Secret is an empty, unbound one.
type Secret struct {
	// The value is captured by a closure: reflection, with which fmt, go-cmp and
	// their like print unexported fields, sees only the address of its code. It
	// also makes == fail to compile.
	open func() vault
}

// vault is what a secret's closure holds.
type vault struct {
	value   string
	origins []string // normalised and sorted; nil when a person set none
}

// NewSecret returns a secret that may be typed only on the given origins, each a
// scheme, a host and a port unless it is the scheme's own, as in
// "https://accounts.google.com". With none it is unbound: what it is used for
// decides where it may go. An origin that is not exactly one is an error.
func NewSecret(value string, origins ...string) (Secret, error) {
	var normal []string
	for _, origin := range origins {
		o, err := parseOrigin(origin)
		if err != nil {
			return Secret{}, err
		}
		normal = append(normal, o)
	}
	slices.Sort(normal)
	v := vault{value: value, origins: slices.Compact(normal)}
	return Secret{open: func() vault { return v }}, nil
}

// Seal returns an unbound Secret for a plain text, and every other value as it is. It is how
// the plain text of a secret variable becomes one, wherever the value comes from.
func Seal(value any) (any, error) {
	text, plain := value.(string)
	if !plain {
		return value, nil
	}
	return NewSecret(text)
}

// Seal is the function Seal for the value of one variable, if that is marked "writeOnly".
func (v *Variables) Seal(name string, value any) (any, error) {
	if !v.IsSecret(name) {
		return value, nil
	}
	return Seal(value)
}

func (s Secret) vault() vault {
	if s.open == nil {
		return vault{}
	}
	return s.open()
}

// Reveal returns the value.
func (s Secret) Reveal() string { return s.vault().value }

// Origins lists where the secret may be typed; nil when it is unbound.
func (s Secret) Origins() []string { return slices.Clone(s.vault().origins) }

// HasOrigins reports whether a person set the origins of this secret.
func (s Secret) HasOrigins() bool { return len(s.vault().origins) > 0 }

// AllowedOn reports whether the secret is bound to this origin, or to the origin of this
// URL. An unbound secret allows none: ask Bound first.
func (s Secret) AllowedOn(origin string) bool {
	a, err := parseAddress(origin)
	return err == nil && slices.Contains(s.vault().origins, a.origin())
}

// Equal compares values and origins, in a time that does not tell the value.
func (s Secret) Equal(other Secret) bool {
	a, b := s.vault(), other.vault()
	return subtle.ConstantTimeCompare([]byte(a.value), []byte(b.value)) == 1 && slices.Equal(a.origins, b.origins)
}

// with returns a secret of a new value that may go where s and all others may.
// Two that are bound must be bound to the same origins: anyone who joins a bank's
// password and a shop's into one text has made a mistake.
func (s Secret) with(value string, others []Secret) (Secret, error) {
	origins := s.vault().origins
	for _, other := range others {
		theirs := other.vault().origins
		switch {
		case len(theirs) == 0:
		case len(origins) == 0:
			origins = theirs
		case !slices.Equal(origins, theirs):
			return Secret{}, errors.New("a template joins secrets that are bound to different origins")
		}
	}
	return NewSecret(value, origins...)
}

// Format is what fmt calls, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// String returns "[secret]".
func (s Secret) String() string { return hidden }

// GoString returns "[secret]".
func (s Secret) GoString() string { return hidden }

// MarshalText returns "[secret]", also for JSON, XML and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// GobEncode returns "[secret]".
func (s Secret) GobEncode() ([]byte, error) { return []byte(hidden), nil }

// GobDecode refuses: what was encoded is not the secret.
func (s *Secret) GobDecode([]byte) error { return errSealed }

// UnmarshalText refuses: a secret comes from a person or a vault, not from a text
// that may be "[secret]" itself.
func (s *Secret) UnmarshalText([]byte) error { return errSealed }

var errSealed = errors.New("a secret cannot be read back from its printed form")

// LogValue returns "[secret]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
