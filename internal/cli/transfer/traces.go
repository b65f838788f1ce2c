package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/store"
)

// traces copies what agents have called, session by session.
func (c *copier) traces(ctx context.Context) error {
	sessions, err := c.from.Journal().Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		what, err := c.trace(ctx, session)
		if err := c.did(ctx, session, "", what, err); err != nil {
			return err
		}
	}
	return nil
}

// trace adds what the trace there does not have yet. One that is not what was written is
// not copied: there it would look whole. None is ever overwritten.
func (c *copier) trace(ctx context.Context, session string) (outcome, error) {
	if _, err := c.from.Journal().Verify(ctx, session); err != nil {
		return left, err
	}
	ours, err := calls(ctx, c.from, session)
	if err != nil {
		return left, err
	}
	theirs, err := calls(ctx, c.to, session)
	if err != nil {
		return left, err
	}
	for i := range min(len(ours), len(theirs)) {
		if !sameCall(ours[i], theirs[i]) {
			return left, fmt.Errorf("the trace of session %s is there, and is another from call %d on: %w", session, i+1, store.ErrConflict)
		}
	}
	if len(theirs) >= len(ours) {
		return same, nil
	}
	if c.DryRun {
		return copied, nil
	}
	for _, call := range ours[len(theirs):] {
		if _, err := c.to.Journal().Append(ctx, call); err != nil {
			return left, err
		}
	}
	return copied, nil
}

// calls returns a trace, empty where there is none.
func calls(ctx context.Context, s store.Store, session string) (all []store.JournalCall, err error) {
	for call, err := range s.Journal().Trace(ctx, session) {
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, call)
	}
	return all, nil
}

func sameCall(a, b store.JournalCall) bool {
	one, err := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, two)
}
