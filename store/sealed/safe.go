package sealed

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Kept is what a Safe needs of a store.
type Kept interface {
	Tasks() store.Envelopes
	Vault() store.Envelopes
	Logins() store.Envelopes
}

// Safe puts values into a store sealed, and takes them out again. It is safe for
// concurrent use, and looks the keys up each time: another process may have changed them.
type Safe struct {
	kept Kept
	keys Place
}

// New gives the safe that a store holds, with the keys of a place.
func New(kept Kept, keys Place) *Safe { return &Safe{kept, keys} }

// EnsureKeys makes a key where there is none, and says whether it did: whoever is told
// should keep a copy of it. Where something is sealed already, with a key that is
// elsewhere, it makes none.
func (s *Safe) EnsureKeys(ctx context.Context) (made bool, err error) {
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
func (s *Safe) NewKeys(ctx context.Context) (made bool, err error) {
	err = s.keys.Change(ctx, func(now *Keys) (*Keys, error) {
		if now != nil {
			return now, nil
		}
		made = true
		return NewKeys()
	})
	return made && err == nil, err
}

// PutTask keeps the values of a task, in place of those that it had.
func (s *Safe) PutTask(ctx context.Context, t Task) error {
	seen, values, err := fields(t.Values)
	if err != nil {
		return err
	}
	if len(seen) == 0 {
		return &TaskError{"", "there are none"}
	}
	c := contents{Kind: store.TaskEnvelope, Name: t.ID, Values: values}
	c.Fields, c.Automations = seen, t.Automations
	return s.put(ctx, s.kept.Tasks(), c)
}

// put seals contents and keeps them. Whoever puts last wins.
func (s *Safe) put(ctx context.Context, kept store.Envelopes, c contents) error {
	return s.holding(ctx, func(k *Keys) error {
		c.Recipients, c.Updated = k.recipients(), now()
		for {
			was, err := kept.Get(ctx, c.Name, c.Account)
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
			if _, err = kept.Save(ctx, e); !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	})
}

// holding calls do while nobody changes the keys: what is sealed for a key that is
// forgotten meanwhile would be lost. Keys that this process cannot change, as those in a
// read-only folder, it does not hold.
func (s *Safe) holding(ctx context.Context, do func(*Keys) error) error {
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

// now is the time as it is kept.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Use says for whom values are taken out.
type Use struct {
	Task    string // "" for none
	Account string // whose credentials; "" is the automation's own
}

// Values gives the values of a task, and for secrets that it does not have those of the
// vault. A secret comes from the vault where somebody has put one of the variable's name,
// for exactly this account, and for an origin that the automation's scope writes out.
//
// What cannot be right is an error here, before anything is played: a task that is for
// other automations, or that has a variable marked as secret in plain text, which is
// bound to nothing.
func (s *Safe) Values(ctx context.Context, a *automation.Automation, use Use) (*Values, error) {
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
	c, err := s.take(ctx, s.kept.Tasks(), use.Task, "")
	if err != nil {
		return nil, err
	}
	if len(c.Automations) > 0 && !slices.Contains(c.Automations, a.Name) {
		return nil, &UseError{use.Task, a.Name, "it is kept for other automations (reprise task put --for)"}
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
func (s *Safe) take(ctx context.Context, kept store.Envelopes, name, account string) (contents, error) {
	e, err := kept.Get(ctx, name, account)
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
func (s *Safe) opening(ctx context.Context) (*Keys, error) {
	k, err := s.keys.Load(ctx)
	var missing *NoKeysError
	if errors.As(err, &missing) {
		return nil, &NoKeysError{missing.Place, true}
	}
	return k, err
}
