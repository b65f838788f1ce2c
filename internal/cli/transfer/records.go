package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-reprise/reprise/store"
)

// commits copies the notes of what was sent. What is noted there is never taken back:
// that would have it sent again.
func (c *copier) commits(ctx context.Context) error {
	for run, err := range c.from.Commits().RunsWithCommits(ctx) {
		if err != nil {
			return err
		}
		what, err := c.notes(ctx, run)
		if err := c.did(ctx, run, "", what, err); err != nil {
			return err
		}
	}
	return nil
}

// notes copies those of a run.
func (c *copier) notes(ctx context.Context, run string) (outcome, error) {
	sent, err := c.from.Commits().Committed(ctx, run)
	if err != nil {
		return left, err
	}
	there, err := c.to.Commits().Committed(ctx, run)
	if err != nil {
		return left, err
	}
	what := same
	for _, step := range slices.Sorted(maps.Keys(sent)) {
		done, noted := there[step]
		if noted && (done || !sent[step]) {
			continue
		}
		if what = copied; c.DryRun {
			continue
		}
		if err := c.note(ctx, run, step, noted, sent[step]); err != nil {
			return left, err
		}
	}
	return what, nil
}

func (c *copier) note(ctx context.Context, run string, step int, noted, done bool) error {
	if !noted {
		if err := c.to.Commits().Begin(ctx, run, step); err != nil && !errors.Is(err, store.ErrAlreadySent) {
			return err
		}
	}
	if !done {
		return nil
	}
	return c.to.Commits().Resolve(ctx, run, step, true)
}

func (c *copier) runs(ctx context.Context) error {
	for s, err := range c.from.Runs().List(ctx) {
		if err != nil {
			return err
		}
		what, err := c.run(ctx, s)
		if err := c.did(ctx, s.ID, "", what, err); err != nil {
			return err
		}
	}
	return nil
}

// run copies a record. One that had not ended when it was copied before is renewed.
func (c *copier) run(ctx context.Context, s store.RunSummary) (outcome, error) {
	if s.Err != nil {
		return left, s.Err
	}
	text, err := store.EncodeRun(s.Run)
	if err != nil {
		return left, err
	}
	what := copied
	there, err := c.to.Runs().Get(ctx, s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return left, err
	default:
		stored, err := store.EncodeRun(there)
		if err == nil && bytes.Equal(stored, text) {
			return same, nil
		}
		if what = changed; !c.Overwrite && (ended(there.State) || !ended(s.State)) {
			return left, fmt.Errorf("run %s is there, and says something else: %w", s.ID, store.ErrConflict)
		}
	}
	if c.DryRun {
		return what, nil
	}
	return orLeft(what, c.to.Runs().Save(ctx, s.Run))
}

func ended(s store.RunState) bool {
	return s == store.Done || s == store.Failed || s == store.Uncertain || s == store.Cancelled
}

func (c *copier) envelopes(ctx context.Context, from, to store.Envelopes) error {
	for s, err := range from.List(ctx) {
		if err != nil {
			return err
		}
		what, err := c.envelope(ctx, s, to)
		if err := c.did(ctx, s.Name, s.Account, what, err); err != nil {
			return err
		}
	}
	return nil
}

// envelope copies what is sealed as it is.
func (c *copier) envelope(ctx context.Context, s store.EnvelopeSummary, to store.Envelopes) (outcome, error) {
	if s.Err != nil {
		return left, s.Err
	}
	e, what, have := s.Envelope, copied, s.Revision
	there, err := to.Get(ctx, s.Name, s.Account)
	switch {
	case errors.Is(err, store.ErrNotFound):
		e.Revision = 0
	case err != nil:
		return left, err
	case bytes.Equal(there.Sealed, e.Sealed):
		return same, nil
	case !c.Overwrite:
		return left, &store.EnvelopeConflictError{Kind: s.Kind, Name: s.Name, Account: s.Account, Have: have, Stored: there.Revision}
	default:
		what, e.Revision = changed, there.Revision
	}
	if c.DryRun {
		return what, nil
	}
	_, err = to.Save(ctx, e)
	return orLeft(what, err)
}
