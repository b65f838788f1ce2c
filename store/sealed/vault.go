package sealed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Credential is what a user signs in with: secrets by the names of the variables that
// ask for them, and the exact origins where they may be typed.
type Credential struct {
	Site    string // a name for it, such as the host
	Account string // "" where there is only one
	Origins []string
	Fields  map[string]string
}

// SetCredential stores a credential, in place of what there was for this site and account.
func (s *SecretStore) SetCredential(ctx context.Context, c Credential) error {
	if len(c.Origins) == 0 {
		return &CredentialError{c.Site, "say where it may be typed: --origin https://example.com"}
	}
	if len(c.Fields) == 0 {
		return &CredentialError{c.Site, "there is nothing in it"}
	}
	var values []Value
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		v, err := (Value{Name: name}).secret(c.Fields[name], c.Origins)
		if err != nil {
			return &CredentialError{c.Site, err.Error()}
		}
		values = append(values, v)
	}
	seen, raws, err := fields(values)
	if err != nil {
		return err
	}
	in := contents{Kind: store.CredentialEnvelope, Name: c.Site, Account: c.Account, Values: raws}
	in.Fields = seen
	return s.put(ctx, s.st.Vault(), in)
}

// AddToCredential stores fields of a credential, and leaves the others that it has. A field that the vault offers
// already to the automation of values is replaced where it is, whatever the site is called there.
func (s *SecretStore) AddToCredential(ctx context.Context, c Credential, values *Values) error {
	bySite := map[string]map[string]string{}
	for name, value := range c.Fields {
		site := c.Site
		if e, err := values.find(ctx, name); err == nil {
			site = e.Name
		} else if !errors.Is(err, automation.ErrNoValue) {
			return err
		}
		if bySite[site] == nil {
			bySite[site] = map[string]string{}
		}
		bySite[site][name] = value
	}
	for site, fields := range bySite {
		one := c
		one.Site, one.Fields = site, fields
		if err := s.addTo(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func (s *SecretStore) addTo(ctx context.Context, c Credential) error {
	was, err := s.take(ctx, s.st.Vault(), c.Site, c.Account)
	if errors.Is(err, store.ErrNotFound) {
		return s.SetCredential(ctx, c)
	}
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		v, err := (Value{Name: name}).secret(c.Fields[name], c.Origins)
		if err != nil {
			return &CredentialError{c.Site, err.Error()}
		}
		seen, raws, err := fields([]Value{v})
		if err != nil {
			return err
		}
		at := slices.IndexFunc(was.Fields, func(f store.Field) bool { return f.Name == name })
		if at < 0 {
			was.Fields, was.Values = append(was.Fields, seen...), append(was.Values, raws...)
			continue
		}
		was.Fields[at], was.Values[at] = seen[0], raws[0]
	}
	return s.put(ctx, s.st.Vault(), was)
}

// Values are those of a task and of the vault, for one automation. The vault is opened
// when a secret of it is asked for, so that a run that needs none needs no key. It is for
// one run at a time.
type Values struct {
	safe     *SecretStore
	declared *automation.Variables
	origins  []string
	account  string
	task     map[string]any
	vault    []store.Envelope // what may be offered; nil until it is asked for
	listed   bool
	unread   error // of what is in the vault for the account and cannot be read
}

// Value returns the value of a variable: automation.ErrNoValue where there is none.
func (v *Values) Value(ctx context.Context, name string) (any, error) {
	if value, ok := v.task[name]; ok {
		return value, nil
	}
	e, err := v.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return v.open(ctx, e, name)
}

// Has reports whether there is a value for a variable that the keys open, by what stands
// on the envelopes: none is opened. Several credentials that fit are an *AmbiguousError.
func (v *Values) Has(ctx context.Context, name string) (bool, error) {
	if _, ok := v.task[name]; ok {
		return true, nil
	}
	e, err := v.find(ctx, name)
	if errors.Is(err, automation.ErrNoValue) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	k, err := v.safe.opening(ctx)
	if err == nil && !k.opens(e.Recipients) {
		err = &OpenError{e.Kind, e.Name, e.Account, e.Recipients, ErrWrongKey}
	}
	return err == nil, err
}

// find returns the only envelope of the vault that offers a variable.
func (v *Values) find(ctx context.Context, name string) (none store.Envelope, err error) {
	if !v.declared.IsSecret(name) || len(v.origins) == 0 {
		return none, automation.ErrNoValue
	}
	if err := v.list(ctx); err != nil {
		return none, err
	}
	var found []store.Envelope
	for _, e := range v.vault {
		if slices.ContainsFunc(e.Fields, func(f store.Field) bool { return f.Name == name && v.offered(f) }) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		if v.unread != nil && slices.Contains(v.declared.Required(), name) { // it may be what is missing
			return none, v.unread
		}
		return none, automation.ErrNoValue
	case 1:
		return found[0], nil
	}
	many := &AmbiguousError{Field: name, Account: v.account}
	for _, e := range found {
		many.Sites = append(many.Sites, e.Name)
	}
	return none, many
}

// list looks for what is in the vault for this account.
func (v *Values) list(ctx context.Context) error {
	if v.listed {
		return nil
	}
	var all []store.Envelope
	for e, err := range v.safe.st.Vault().List(ctx) {
		if err != nil {
			return err
		}
		switch {
		case e.Account != v.account:
		case e.Err != nil:
			v.unread = e.Err
		default:
			all = append(all, e.Envelope)
		}
	}
	v.vault, v.listed = all, true
	return nil
}

// offered reports whether a secret may be typed at an origin of the automation.
func (v *Values) offered(f store.Field) bool {
	return f.Secret && slices.ContainsFunc(f.Origins, func(o string) bool { return slices.Contains(v.origins, o) })
}

// open takes a secret out of the vault. What is in there counts, and it is the same that
// stands on it, or an error.
func (v *Values) open(ctx context.Context, e store.Envelope, name string) (any, error) {
	c, err := v.safe.take(ctx, v.safe.st.Vault(), e.Name, e.Account)
	if err != nil {
		return nil, err
	}
	for i, f := range c.Fields {
		if f.Name == name && v.offered(f) {
			return value(f, c.Values[i])
		}
	}
	return nil, fmt.Errorf("%w: %s was changed meanwhile", automation.ErrNoValue, nameOf(c.Kind, c.Name, c.Account))
}

// ParseFields reads the fields of a credential: a JSON object of texts.
func ParseFields(data []byte) (map[string]string, error) {
	members, err := readMembers(data)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for _, v := range members {
		var text *string
		if json.Unmarshal(v.Plain, &text) != nil || text == nil {
			return nil, &TaskError{v.Name, "a secret is a text: put it between quotation marks"}
		}
		fields[v.Name] = *text
	}
	return fields, nil
}
