package sealed

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Login is a browser's state in which a user is signed in, as package browser captures
// and restores it. What is in it is not looked at here.
type Login struct {
	Name    string // of the site, or any other
	Account string // "" where there is only one
	// State is a JSON object, and a secret of the origins that it is for.
	State automation.Secret
	// Check is a JSON object that says how to see who is signed in; nil for none. It is
	// sealed, as it may hold a user's name.
	Check json.RawMessage
	// Expires is when it has surely run out; the zero time is not known.
	Expires time.Time
	// Status can be read without a key.
	Status store.LoginStatus
	// Revision is that of the envelope; SaveLogin replaces no other one. 0 is any.
	Revision int
}

const (
	// loginField and checkField are the names of the values of a login.
	loginField, checkField = "state", "check"

	// maxNotes bounds the notes of a login, in bytes.
	maxNotes = 500
)

// CheckLoginNotes returns why notes cannot be stored with a login, as a *LoginError: everyone
// who reads the store can read them, so that they must not look like a secret.
func CheckLoginNotes(name, notes string) error {
	switch {
	case len(notes) > maxNotes || !utf8.ValidString(notes) || strings.ContainsFunc(notes, unicode.IsControl):
		return &LoginError{name, "its notes are one line of at most 500 bytes"}
	case automation.DetectSecret(notes) != "":
		return &LoginError{name, "its notes are stored in plain text, and look like " + automation.DetectSecret(notes)}
	}
	return nil
}

// SaveLogin stores a login, in place of what there was under this name for this account.
// Where it has a revision, and another one is stored by now, nothing changes, and the error
// is store.ErrConflict.
func (s *SecretStore) SaveLogin(ctx context.Context, l Login) error {
	var object map[string]json.RawMessage
	switch {
	case !l.State.HasOrigins():
		return &LoginError{l.Name, "it says of no origin that it is for it"}
	case json.Unmarshal([]byte(l.State.Reveal()), &object) != nil || object == nil:
		return &LoginError{l.Name, "its state is no JSON object"}
	}
	if err := CheckLoginNotes(l.Name, l.Status.Notes); err != nil {
		return err
	}
	c := contents{Kind: store.LoginEnvelope, Name: l.Name, Account: l.Account, Values: []json.RawMessage{json.RawMessage(l.State.Reveal())}}
	c.Fields = []store.Field{{Name: loginField, Secret: true, Origins: l.State.Origins()}}
	if len(l.Check) > 0 {
		c.Values = append(c.Values, l.Check)
		c.Fields = append(c.Fields, store.Field{Name: checkField, Secret: true, Origins: l.State.Origins()})
	}
	if !l.Expires.IsZero() {
		c.Expires = l.Expires.UTC().Truncate(time.Second)
	}
	c.Login = statusOf(l.Status)
	if l.Revision == 0 {
		return s.put(ctx, s.st.Logins(), c)
	}
	return s.holding(ctx, func(k *Keys) error {
		was, err := s.st.Logins().Get(ctx, l.Name, l.Account)
		if err != nil {
			return err
		}
		c.Recipients, c.Created, c.Updated = k.recipients(), was.Created, now()
		return s.replace(ctx, c, l.Revision)
	})
}

// statusOf is a status as it is stored, nil for one that says nothing.
func statusOf(status store.LoginStatus) *store.LoginStatus {
	status.LastUsed, status.LastVerified = status.LastUsed.UTC().Truncate(time.Second), status.LastVerified.UTC().Truncate(time.Second)
	if status == (store.LoginStatus{}) {
		return nil
	}
	return &status
}

// replace seals contents in the place of the login of this revision.
func (s *SecretStore) replace(ctx context.Context, c contents, revision int) error {
	e, err := seal(c)
	if err != nil {
		return err
	}
	e.Revision = revision
	_, err = s.st.Logins().Save(ctx, e)
	return err
}

// MarkLogin changes the status of a login as long as it has the state of l: one that was
// saved again since is another sign-in, and is left as it is. It reports whether it did.
func (s *SecretStore) MarkLogin(ctx context.Context, l Login, change func(*store.LoginStatus)) (marked bool, err error) {
	err = s.holding(ctx, func(k *Keys) error {
		for {
			e, err := s.st.Logins().Get(ctx, l.Name, l.Account)
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			c, err := k.open(e)
			if err != nil || len(c.Values) == 0 || string(c.Values[0]) != l.State.Reveal() {
				return err
			}
			var status store.LoginStatus
			if c.Login != nil {
				status = *c.Login
			}
			change(&status)
			if c.Login = statusOf(status); sameLabel(c.Label, e.Label) {
				return nil
			}
			if err := s.replace(ctx, c, e.Revision); !errors.Is(err, store.ErrConflict) {
				marked = err == nil
				return err
			}
		}
	})
	return marked, err
}

// Login opens the login of exactly this name and account. Its state is bound to the
// origins that it was saved with.
func (s *SecretStore) Login(ctx context.Context, name, account string) (Login, error) {
	e, err := s.st.Logins().Get(ctx, name, account)
	if err != nil {
		return Login{}, err
	}
	k, err := s.opening(ctx)
	if err != nil {
		return Login{}, err
	}
	c, err := k.open(e)
	if err != nil {
		return Login{}, err
	}
	damaged := &OpenError{c.Kind, c.Name, c.Account, c.Recipients, ErrDamaged}
	if n := len(c.Fields); n < 1 || n > 2 || !c.Fields[0].Secret || len(c.Fields[0].Origins) == 0 || n == 2 && c.Fields[1].Name != checkField {
		return Login{}, damaged
	}
	state, err := automation.NewSecret(string(c.Values[0]), c.Fields[0].Origins...)
	if err != nil {
		return Login{}, damaged
	}
	l := Login{Name: c.Name, Account: c.Account, State: state, Expires: c.Expires, Revision: e.Revision}
	if len(c.Values) == 2 {
		l.Check = c.Values[1]
	}
	if c.Login != nil {
		l.Status = *c.Login
	}
	return l, nil
}
