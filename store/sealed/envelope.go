package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/go-reprise/reprise/store"
)

// contents is what is in an envelope: what stands on it again, so that no one can put it
// elsewhere or have it say something else, and the values.
type contents struct {
	Kind    store.EnvelopeKind `json:"kind"`
	Name    string             `json:"name"`
	Account string             `json:"account,omitempty"`
	store.Label
	Values []json.RawMessage `json:"values"` // of the fields, in their order
}

// maxContents bounds what is in an envelope.
const maxContents = 1 << 20

// seal puts contents into an envelope for those whom its label names.
func seal(c contents) (store.Envelope, error) {
	var recipients []age.Recipient
	for _, text := range c.Recipients {
		r, err := age.ParseX25519Recipient(text)
		if err != nil {
			return store.Envelope{}, &RecipientError{text, "it is no public key of age"}
		}
		recipients = append(recipients, r)
	}
	data, err := c.text()
	if err != nil {
		return store.Envelope{}, err
	}
	if len(data) > maxContents {
		return store.Envelope{}, c.tooLarge()
	}
	var text bytes.Buffer
	armored := armor.NewWriter(&text)
	in, err := age.Encrypt(armored, recipients...)
	if err != nil {
		return store.Envelope{}, err
	}
	_, err = in.Write(data)
	if err := errors.Join(err, in.Close(), armored.Close()); err != nil {
		return store.Envelope{}, err
	}
	return store.Envelope{Kind: c.Kind, Name: c.Name, Account: c.Account, Label: c.Label, Sealed: text.Bytes()}, nil
}

// text is what is sealed. Signs like < stay themselves: storage of a page is full of them.
func (c contents) text() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(c)
	return text.Bytes(), err
}

func (c contents) tooLarge() error {
	if c.Kind == store.LoginEnvelope {
		return &LoginError{c.Name, "it is too large: at most 1 MB can be kept"}
	}
	return &TaskError{"", "they are too large: at most 1 MB can be kept"}
}

// open takes the contents out of an envelope, if they are those that stand on it.
func (k *Keys) open(e store.Envelope) (contents, error) {
	fail := func(err error) (contents, error) {
		return contents{}, &OpenError{e.Kind, e.Name, e.Account, e.Recipients, err}
	}
	data, err := k.decrypt(e.Sealed)
	var foreign *age.NoIdentityMatchError
	switch {
	case errors.As(err, &foreign) && !k.opens(e.Recipients):
		return fail(ErrWrongKey)
	case err != nil:
		return fail(ErrDamaged)
	}
	var c contents
	if json.Unmarshal(data, &c) != nil || len(c.Values) != len(c.Fields) {
		return fail(ErrDamaged)
	}
	if c.Kind != e.Kind || c.Name != e.Name || c.Account != e.Account || !sameLabel(c.Label, e.Label) {
		return fail(ErrAltered)
	}
	return c, nil
}

func (k *Keys) decrypt(sealed []byte) ([]byte, error) {
	identities := make([]age.Identity, len(k.own))
	for i, own := range k.own {
		identities[i] = own
	}
	out, err := age.Decrypt(armor.NewReader(bytes.NewReader(sealed)), identities...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(out, maxContents+1))
}

// opens says that one of the keys is among those that something is sealed for.
func (k *Keys) opens(recipients []string) bool {
	return slices.ContainsFunc(k.Public(), func(own string) bool { return slices.Contains(recipients, own) })
}

// sameLabel compares labels as they are written.
func sameLabel(a, b store.Label) bool {
	if !a.Created.Equal(b.Created) || !a.Updated.Equal(b.Updated) || !a.Expires.Equal(b.Expires) {
		return false
	}
	b.Created, b.Updated, b.Expires = a.Created, a.Updated, a.Expires
	return reflect.DeepEqual(normal(a), normal(b))
}

func normal(l store.Label) store.Label {
	l.Fields, l.Automations, l.Recipients = emptyAsNil(l.Fields), emptyAsNil(l.Automations), emptyAsNil(l.Recipients)
	l.Fields = slices.Clone(l.Fields)
	for i := range l.Fields {
		l.Fields[i].Origins = emptyAsNil(l.Fields[i].Origins)
	}
	return l
}

func emptyAsNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
