// Package sealed stores secrets where no one can read them: the values of a task, and what
// people sign in with. It seals them with age (https://age-encryption.org) for the keys
// of those who may open them, and a store takes what comes out.
//
//	place, err := sealed.File("/etc/reprise/keys") // or sealed.Keyring()
//	if err != nil {
//		return err
//	}
//	safe := sealed.New(st, place) // st is a store.Store
//	values, err := sealed.ParseTask(data, nil)
//	if err != nil {
//		return err
//	}
//	err = safe.PutTask(ctx, sealed.Task{ID: "order-17", Values: values})
//
// [Safe] seals and opens, with the [Keys] of a [Place]: the system's keyring, or a file for
// servers, and never a store. An attacker who has the database, a dump of it, its log or
// the folder's history has nothing. What may be seen is on each envelope in plain text, so
// that a list needs no key; the same is sealed in it, and the sealed one counts. A [Grant]
// lets an agent use a task without seeing its secrets. The examples show all of them.
package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"syscall"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Backend is what a SecretStore needs of a store.
type Backend interface {
	Tasks() store.Envelopes
	Vault() store.Envelopes
	Logins() store.Envelopes
}

// SecretStore puts values into a store sealed, and takes them out again. It is safe for
// concurrent use, and looks the keys up each time: another process may have changed them.
type SecretStore struct {
	st   Backend
	keys KeySource
}

// New returns the safe that a store holds, with the keys of a place.
func New(st Backend, keys KeySource) *SecretStore { return &SecretStore{st, keys} }

// EnsureKeys makes a key where there is none, and reports whether it did: the user
// should then make a copy of it. Where something is sealed already, with a key that is
// elsewhere, it makes none.
func (s *SecretStore) EnsureKeys(ctx context.Context) (made bool, err error) {
	_, err = s.keys.Load(ctx)
	if !errors.Is(err, ErrNoKeys) {
		return false, err
	}
	for _, err := range s.all(ctx) {
		if err != nil {
			return false, err
		}
		return false, &NoKeysError{s.keys.String(), true}
	}
	return s.NewKeys(ctx)
}

// NewKeys makes a key where there is none, whatever is sealed already.
func (s *SecretStore) NewKeys(ctx context.Context) (made bool, err error) {
	err = s.keys.Change(ctx, func(now *Keys) (*Keys, error) {
		if now != nil {
			return now, nil
		}
		made = true
		return NewKeys()
	})
	return made && err == nil, err
}

// PutTask stores the values of a task, in place of those that it had.
func (s *SecretStore) PutTask(ctx context.Context, t Task) error {
	seen, values, err := fields(t.Values)
	if err != nil {
		return err
	}
	if len(seen) == 0 {
		return &TaskError{"", "there are none"}
	}
	c := contents{Kind: store.TaskEnvelope, Name: t.ID, Values: values}
	c.Fields, c.Automations = seen, t.Automations
	return s.put(ctx, s.st.Tasks(), c)
}

// put seals contents and stores them. The last one wins.
func (s *SecretStore) put(ctx context.Context, envelopes store.Envelopes, c contents) error {
	return s.holding(ctx, func(k *Keys) error {
		c.Recipients, c.Updated = k.recipients(), now()
		for {
			was, err := envelopes.Get(ctx, c.Name, c.Account)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if c.Created = was.Created; c.Created.IsZero() {
				c.Created = c.Updated
			}
			e, err := seal(c)
			if err != nil {
				return err
			}
			e.Revision = was.Revision
			if _, err = envelopes.Save(ctx, e); !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	})
}

// holding calls do while no one changes the keys: what is sealed for a key that is
// removed meanwhile would be lost. Keys that this process cannot change, as those in a
// read-only folder, it does not hold.
func (s *SecretStore) holding(ctx context.Context, do func(*Keys) error) error {
	held := false
	err := s.keys.Change(ctx, func(k *Keys) (*Keys, error) {
		held = true
		return k.orNone(s.keys, func(k *Keys) (*Keys, error) { return k, do(k) })
	})
	if held || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	k, err := s.keys.Load(ctx)
	if err != nil {
		return err
	}
	return do(k)
}

// now is the time as it is stored.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Scope is what values are taken out for.
type Scope struct {
	Task    string // "" for none
	Account string // whose credentials; "" is the automation's own
}

// Values returns the values of a task, and for secrets that it does not have those of the
// vault. A secret comes from the vault where there is one of the variable's name,
// for exactly this account, and for an origin that the automation's scope writes out.
//
// What cannot be right is an error here, before anything is played: a task that is for
// other automations, or that has a variable marked as secret in plain text, which is
// bound to nothing.
func (s *SecretStore) Values(ctx context.Context, a *automation.Automation, use Scope) (*Values, error) {
	declared, err := a.Declared()
	if err != nil {
		return nil, err
	}
	origins, err := a.Match.Origins()
	if err != nil {
		return nil, err
	}
	v := &Values{safe: s, declared: declared, origins: origins, account: use.Account, task: map[string]any{}}
	if v.account == "" {
		v.account = a.Match.Account
	}
	if use.Task == "" {
		return v, nil
	}
	c, err := s.take(ctx, s.st.Tasks(), use.Task, "")
	if err != nil {
		return nil, err
	}
	if len(c.Automations) > 0 && !slices.Contains(c.Automations, a.Name) {
		return nil, &UseError{use.Task, a.Name, "it is stored for other automations (reprise task put --for)"}
	}
	for i, f := range c.Fields {
		if declared.IsSecret(f.Name) && !f.Secret {
			return nil, &UseError{use.Task, a.Name, f.Name + " is a secret there, and the task has it as a plain value: put it again with --secret " + f.Name + "=https://…"}
		}
		if v.task[f.Name], err = value(f, c.Values[i]); err != nil {
			return nil, &OpenError{c.Kind, c.Name, c.Account, c.Recipients, ErrDamaged}
		}
	}
	return v, nil
}

// take opens an envelope.
func (s *SecretStore) take(ctx context.Context, envelopes store.Envelopes, name, account string) (contents, error) {
	e, err := envelopes.Get(ctx, name, account)
	if err != nil {
		return contents{}, err
	}
	k, err := s.opening(ctx)
	if err != nil {
		return contents{}, err
	}
	return k.open(e)
}

// opening returns the keys with which something is to be opened.
func (s *SecretStore) opening(ctx context.Context) (*Keys, error) {
	k, err := s.keys.Load(ctx)
	var missing *NoKeysError
	if errors.As(err, &missing) {
		return nil, &NoKeysError{missing.Place, true}
	}
	return k, err
}

// contents is what is in an envelope: its label again, so that no one can move it or
// change the label, and the values.
type contents struct {
	Kind    store.EnvelopeKind `json:"kind"`
	Name    string             `json:"name"`
	Account string             `json:"account,omitempty"`
	store.Label
	Values []json.RawMessage `json:"values"` // of the fields, in their order
}

// maxContents bounds what is in an envelope, and maxLoginContents what is in that of a login:
// package browser bounds the state at 16 MiB.
const (
	maxContents      = 1 << 20
	maxLoginContents = 17 << 20
)

func (c contents) max() int {
	if c.Kind == store.LoginEnvelope {
		return maxLoginContents
	}
	return maxContents
}

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
	if len(data) > c.max() {
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
		return &LoginError{c.Name, "it is too large: at most 16 MiB can be stored"}
	}
	return &TaskError{"", "they are too large: at most 1 MB can be stored"}
}

// open takes the contents out of an envelope, if they have the same label.
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
	return io.ReadAll(io.LimitReader(out, maxLoginContents+1))
}

// opens reports whether one of the keys is among those that something is sealed for.
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
