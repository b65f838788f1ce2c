package sealed

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/go-reprise/reprise/store"
)

// Rotation is what became of sealing things again.
type Rotation struct {
	NewKey   bool // one was made; else the last rotation was gone on with
	Resealed int
	Left     int       // that were sealed for the right keys already
	Failed   []Refusal // that could not be opened, and are as they were
	Forgot   bool
}

// Refusal is something that could not be sealed again.
type Refusal struct {
	Kind          store.EnvelopeKind
	Name, Account string
	Err           error
}

// Rotate makes a new key and seals everything for it. It may be broken off anywhere, and
// goes on when it is called again: as long as something is sealed for an older key it
// makes no new one. The old keys stay, and open what was not sealed again, also in
// other stores; forget removes them once nothing here needs them.
func (s *SecretStore) Rotate(ctx context.Context, forget bool, progress func(done int)) (*Rotation, error) {
	r := &Rotation{}
	stale, err := s.stale(ctx)
	if err != nil {
		return nil, err
	}
	if !stale {
		r.NewKey = true
		if err := s.keys.Change(ctx, func(k *Keys) (*Keys, error) { return k.orNone(s.keys, (*Keys).rotated) }); err != nil {
			return nil, err
		}
	}
	if err := s.reseal(ctx, r, "", progress); err != nil || !forget || len(r.Failed) > 0 {
		return r, err
	}
	return r, s.forget(ctx, r)
}

// errStale is that something was sealed for an old key since everything was looked at.
var errStale = errors.New("something is sealed for an old key")

// forget drops the old keys, while no one can seal anything for them.
func (s *SecretStore) forget(ctx context.Context, r *Rotation) error {
	for {
		err := s.keys.Change(ctx, func(k *Keys) (*Keys, error) {
			if k == nil {
				return nil, &NoKeysError{Place: s.keys.String()}
			}
			stale, err := s.stale(ctx)
			if err == nil && stale {
				err = errStale
			}
			return k.newest(), err
		})
		if !errors.Is(err, errStale) {
			r.Forgot = err == nil
			return err
		}
		if err := s.reseal(ctx, r, "", nil); err != nil {
			return err
		}
	}
}

// AddRecipient has everything sealed for another recipient, too, who can open it with
// the key of this public key.
func (s *SecretStore) AddRecipient(ctx context.Context, recipient string, progress func(done int)) (*Rotation, error) {
	return s.changeOthers(ctx, "", progress, func(k *Keys) (*Keys, error) { return k.with(recipient) })
}

// RemoveRecipient has everything sealed again without a recipient. What they have opened or
// copied before they still have.
func (s *SecretStore) RemoveRecipient(ctx context.Context, recipient string, progress func(done int)) (*Rotation, error) {
	return s.changeOthers(ctx, recipient, progress, func(k *Keys) (*Keys, error) { return k.without(recipient) })
}

func (s *SecretStore) changeOthers(ctx context.Context, drop string, progress func(int), change func(*Keys) (*Keys, error)) (*Rotation, error) {
	r := &Rotation{}
	if err := s.keys.Change(ctx, func(k *Keys) (*Keys, error) { return k.orNone(s.keys, change) }); err != nil {
		return nil, err
	}
	return r, s.reseal(ctx, r, drop, progress)
}

// orNone changes keys that there are.
func (k *Keys) orNone(at KeySource, change func(*Keys) (*Keys, error)) (*Keys, error) {
	if k == nil {
		return nil, &NoKeysError{Place: at.String()}
	}
	return change(k)
}

// Keys returns the keys.
func (s *SecretStore) Keys(ctx context.Context) (*Keys, error) { return s.keys.Load(ctx) }

// stale reports whether something is sealed for older keys of ours than the newest.
func (s *SecretStore) stale(ctx context.Context) (bool, error) {
	k, err := s.keys.Load(ctx)
	if err != nil {
		return false, err
	}
	for e, err := range s.all(ctx) {
		if err != nil {
			return false, err
		}
		if e.Err != nil {
			continue
		}
		if c, err := k.open(e.Envelope); err == nil && !slices.Contains(c.Recipients, k.Public()[0]) {
			return true, nil
		}
	}
	return false, nil
}

// reseal seals what is not sealed for those that it should be.
func (s *SecretStore) reseal(ctx context.Context, r *Rotation, drop string, progress func(int)) error {
	k, err := s.keys.Load(ctx)
	if err != nil {
		return err
	}
	for e, err := range s.all(ctx) {
		if err != nil {
			return err
		}
		done, err := s.resealOne(ctx, k, e, drop)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, store.ErrNotFound): // removed meanwhile
		case err != nil:
			r.Failed = append(r.Failed, Refusal{e.Kind, e.Name, e.Account, err})
		case done:
			r.Resealed++
		default:
			r.Left++
		}
		if progress != nil {
			progress(r.Resealed + r.Left + len(r.Failed))
		}
	}
	return nil
}

// resealOne seals one thing again, unless it is as it should be. It may be replaced
// meanwhile: then it is looked at again.
func (s *SecretStore) resealOne(ctx context.Context, k *Keys, e store.EnvelopeSummary, drop string) (done bool, err error) {
	if e.Err != nil {
		return false, e.Err
	}
	for {
		c, err := k.open(e.Envelope)
		if err != nil {
			return false, err
		}
		want := k.inPlaceOf(c.Recipients, drop)
		if slices.Equal(want, c.Recipients) {
			return false, nil
		}
		c.Recipients = want
		next, err := seal(c)
		if err != nil {
			return false, err
		}
		envelopes := s.of(e.Kind)
		next.Revision = e.Revision
		if _, err = envelopes.Save(ctx, next); !errors.Is(err, store.ErrConflict) {
			return err == nil, err
		}
		if e.Envelope, err = envelopes.Get(ctx, e.Name, e.Account); err != nil {
			return false, err
		}
	}
}

// inPlaceOf are those for whom something is to be sealed that was sealed for others: who
// is no key of ours stays, unless it is to be dropped.
func (k *Keys) inPlaceOf(recipients []string, drop string) []string {
	want := k.recipients()
	own := k.Public()
	for _, r := range recipients {
		if r != drop && !slices.Contains(own, r) && !slices.Contains(want, r) {
			want = append(want, r)
		}
	}
	return want
}

// all returns everything that is sealed.
func (s *SecretStore) all(ctx context.Context) iter.Seq2[store.EnvelopeSummary, error] {
	return func(yield func(store.EnvelopeSummary, error) bool) {
		for _, envelopes := range []store.Envelopes{s.st.Tasks(), s.st.Vault(), s.st.Logins()} {
			for e, err := range envelopes.List(ctx) {
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

func (s *SecretStore) of(kind store.EnvelopeKind) store.Envelopes {
	switch kind {
	case store.TaskEnvelope:
		return s.st.Tasks()
	case store.LoginEnvelope:
		return s.st.Logins()
	}
	return s.st.Vault()
}
