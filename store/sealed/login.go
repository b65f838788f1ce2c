package sealed

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Login is a browser's state in which somebody is signed in, as package browser captures
// and restores it. What is in it is not looked at here.
type Login struct {
	Name    string // of the site, or any other
	Account string // "" where there is only one
	// State is a JSON object, and a secret of the origins that it is for.
	State automation.Secret
	// Expires is when it has surely run out; the zero time is not known.
	Expires time.Time
}

// loginField is under what the state of a login stands.
const loginField = "state"

// SaveLogin keeps a login, in place of what there was under this name for this account.
func (s *Safe) SaveLogin(ctx context.Context, l Login) error {
	var object map[string]json.RawMessage
	switch {
	case !l.State.Bound():
		return &LoginError{l.Name, "it says of no origin that it is for it"}
	case json.Unmarshal([]byte(l.State.Reveal()), &object) != nil || object == nil:
		return &LoginError{l.Name, "its state is no JSON object"}
	}
	c := contents{Kind: store.LoginEnvelope, Name: l.Name, Account: l.Account, Values: []json.RawMessage{json.RawMessage(l.State.Reveal())}}
	c.Fields = []store.Field{{Name: loginField, Secret: true, Origins: l.State.Origins()}}
	if !l.Expires.IsZero() {
		c.Expires = l.Expires.UTC().Truncate(time.Second)
	}
	return s.put(ctx, s.kept.Logins(), c)
}

// Login opens the login of exactly this name and account. Its state is bound to the
// origins that it was kept with.
func (s *Safe) Login(ctx context.Context, name, account string) (Login, error) {
	c, err := s.take(ctx, s.kept.Logins(), name, account)
	if err != nil {
		return Login{}, err
	}
	damaged := &OpenError{c.Kind, c.Name, c.Account, c.Recipients, ErrDamaged}
	if len(c.Fields) != 1 || !c.Fields[0].Secret || len(c.Fields[0].Origins) == 0 {
		return Login{}, damaged
	}
	state, err := automation.NewSecret(string(c.Values[0]), c.Fields[0].Origins...)
	if err != nil {
		return Login{}, damaged
	}
	return Login{c.Name, c.Account, state, c.Expires}, nil
}
