package sealed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
)

// Keys open what is sealed, and are those that new things are sealed for: the newest of
// their own, and for others that were added. They are printed by nothing.
type Keys struct {
	own    []*age.X25519Identity // the newest first
	others []*age.X25519Recipient
}

// maxKeys bounds what one keyring or file holds. The macOS keychain takes some 3 kB.
const maxKeys = 30

// NewKeys returns one new key.
func NewKeys() (*Keys, error) { return (&Keys{}).rotated() }

// ParseKeys reads keys as they are stored: an age identity a line, the newest first, and
// the public keys of others; lines with # before them are for people. An error does not
// quote what it could not read.
func ParseKeys(data []byte) (*Keys, error) {
	k := &Keys{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		own, err := age.ParseX25519Identity(line)
		if err == nil {
			k.own = append(k.own, own)
			continue
		}
		other, err := age.ParseX25519Recipient(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is neither an age identity (AGE-SECRET-KEY-1…) nor a public key (age1…)", n)
		}
		k.others = append(k.others, other)
	}
	switch {
	case lines.Err() != nil:
		return nil, errors.New("a line is too long to be a key")
	case len(k.own) == 0:
		return nil, errors.New("there is no age identity (AGE-SECRET-KEY-1…) in it")
	case len(k.own)+len(k.others) > maxKeys:
		return nil, fmt.Errorf("there are more than %d keys in it", maxKeys)
	}
	return k, nil
}

// text is how keys are stored.
func (k *Keys) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Keys of Reprise. Anyone who has this file can open what is sealed for them: copy it to a safe place.")
	for _, own := range k.own {
		fmt.Fprintf(&b, "# public key: %s\n%s\n", own.Recipient(), own)
	}
	for _, other := range k.others {
		fmt.Fprintln(&b, other)
	}
	return b.Bytes()
}

// Format is what fmt calls, for every verb.
func (k *Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[keys]") }

// MarshalText returns "[keys]", also for JSON.
func (k *Keys) MarshalText() ([]byte, error) { return []byte("[keys]"), nil }

// Public returns the public keys of its own, the newest first. A user who seals for the
// first shares what they seal.
func (k *Keys) Public() []string {
	all := make([]string, len(k.own))
	for i, own := range k.own {
		all[i] = own.Recipient().String()
	}
	return all
}

// Others returns the public keys of others for whom things are sealed too.
func (k *Keys) Others() []string {
	all := make([]string, len(k.others))
	for i, other := range k.others {
		all[i] = other.String()
	}
	return all
}

// recipients are those for whom new things are sealed.
func (k *Keys) recipients() []string { return append(k.Public()[:1], k.Others()...) }

// rotated returns keys with a new one before the others.
func (k *Keys) rotated() (*Keys, error) {
	if len(k.own)+len(k.others) >= maxKeys {
		return nil, fmt.Errorf("there are %d keys already: have the old ones forgotten first (reprise key rotate --forget)", maxKeys)
	}
	fresh, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return &Keys{own: append([]*age.X25519Identity{fresh}, k.own...), others: k.others}, nil
}

// newest returns keys without the old ones.
func (k *Keys) newest() *Keys { return &Keys{own: k.own[:1], others: k.others} }

// with returns keys that seal for another recipient, too.
func (k *Keys) with(recipient string) (*Keys, error) {
	other, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		return nil, &RecipientError{recipient, "it is no public key of age, which begins with age1"}
	}
	switch {
	case slices.Contains(k.Public(), recipient):
		return nil, &RecipientError{recipient, "it is your own"}
	case slices.Contains(k.Others(), recipient):
		return k, nil
	case len(k.own)+len(k.others) >= maxKeys:
		return nil, &RecipientError{recipient, fmt.Sprintf("there are %d keys already", maxKeys)}
	}
	return &Keys{own: k.own, others: append(slices.Clone(k.others), other)}, nil
}

// without returns keys that no longer seal for a recipient.
func (k *Keys) without(recipient string) (*Keys, error) {
	at := slices.Index(k.Others(), recipient)
	if at < 0 {
		return nil, &RecipientError{recipient, "nothing is sealed for it: `reprise key show` tells for whom"}
	}
	return &Keys{own: k.own, others: slices.Delete(slices.Clone(k.others), at, at+1)}, nil
}
