package storetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

func wantSent(t *testing.T, s store.Store, run string, want map[int]bool) {
	t.Helper()
	got, err := s.Commits().Sent(t.Context(), run)
	if err != nil {
		t.Errorf("Sent of %s: %v", run, err)
	}
	if len(got) == 0 {
		got = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sent of %s (-want +got):\n%s", run, diff)
	}
}

// commitsNoted takes a commit all its ways: noted, taken back, noted again, done.
func commitsNoted(t *testing.T, s store.Store) {
	ctx, run := t.Context(), store.NewRunID()
	wantSent(t, s, run, nil)
	for range 2 { // what was taken back may be sent again
		if err := s.Commits().Sending(ctx, run, 3); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, map[int]bool{3: false})
		if err := s.Commits().Sending(ctx, run, 3); !errors.Is(err, store.ErrSent) {
			t.Errorf("the second Sending gives %v, want ErrSent", err)
		}
		if err := s.Commits().Settled(ctx, run, 3, false); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, nil)
	}
	if err := s.Commits().Sending(ctx, run, 3); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Commits().Settled(ctx, run, 3, true); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, map[int]bool{3: true})
	}
	for what, err := range map[string]error{
		"Sending what is done":     s.Commits().Sending(ctx, run, 3),
		"taking back what is done": s.Commits().Settled(ctx, run, 3, false),
	} {
		if !errors.Is(err, store.ErrSent) {
			t.Errorf("%s gives %v, want ErrSent", what, err)
		}
	}
	wantSent(t, s, run, map[int]bool{3: true})
}

// unresolvedCommits looks for a commit that was begun and not resolved: in a run, in one
// that is played within it, and in neighbours whose names begin alike.
func unresolvedCommits(t *testing.T, s store.Store) {
	ctx := t.Context()
	run, nested, neighbour := store.NewRunID(), store.NewRunID(), store.NewRunID()
	want := func(when string, all map[string]bool) {
		t.Helper()
		for name, want := range all {
			if got, err := s.Commits().Unresolved(ctx, name); err != nil || got != want {
				t.Errorf("%s: Unresolved(%s) is %v, %v, want %v", when, name, got, err, want)
			}
		}
	}
	note := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want("at first", map[string]bool{run: false, nested: false, neighbour: false})
	note(s.Commits().Sending(ctx, run, 3))
	note(s.Commits().Sending(ctx, nested+".12.0", 1))
	note(s.Commits().Sending(ctx, neighbour[:25], 1))
	note(s.Commits().Settled(ctx, neighbour, 0, true))
	want("when sent", map[string]bool{
		run: true, nested: true, neighbour: false, nested + ".12": true, nested + ".12.0": true, nested + ".1": false, nested + ".2": false, run + ".3": false,
	})
	note(s.Commits().Settled(ctx, run, 3, true))
	note(s.Commits().Settled(ctx, nested+".12.0", 1, false))
	want("when resolved", map[string]bool{run: false, nested: false})
	note(s.Commits().Sending(ctx, run, 4))
	want("when another was sent", map[string]bool{run: true})
}

func commitsStayApart(t *testing.T, s store.Store) {
	ctx := t.Context()
	run, other := store.NewRunID(), store.NewRunID()
	for _, c := range []struct {
		run  string
		step int
	}{{run, 1}, {run, 12}, {run + ".1", 2}, {run + ".1.2", 0}, {other, 2}, {"named", 0}} {
		if err := s.Commits().Sending(ctx, c.run, c.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commits().Settled(ctx, other, 7, true); err != nil { // done by somebody who noted nothing before
		t.Fatal(err)
	}
	if err := s.Commits().Settled(ctx, other, 8, false); err != nil {
		t.Fatal(err)
	}
	wantSent(t, s, run, map[int]bool{1: false, 12: false})
	wantSent(t, s, run+".1", map[int]bool{2: false})
	wantSent(t, s, run+".1.2", map[int]bool{0: false})
	wantSent(t, s, run+".2", nil)
	wantSent(t, s, other, map[int]bool{2: false, 7: true})
	wantSent(t, s, "named", map[int]bool{0: false})
	for r, err := range s.Runs().List(ctx) {
		t.Errorf("a commit is no record of a run, and List gives %v, %v", r, err)
	}
}

// oneSender has many ask for the same step at once.
func oneSender(t *testing.T, s store.Store) {
	run := store.NewRunID()
	for step := range rounds {
		var (
			group sync.WaitGroup
			mu    sync.Mutex
			won   int
		)
		for range writers {
			group.Go(func() {
				err := s.Commits().Sending(t.Context(), run, step)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !errors.Is(err, store.ErrSent):
					t.Errorf("Sending: %v", err)
				}
			})
		}
		group.Wait()
		if won != 1 {
			t.Errorf("%d of %d may send step %d", won, writers, step)
		}
	}
}

func invalidCommits(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, run := range []string{"", ".", "..", "../x", "a/b", "A", "a.", "a.b", "a..1"} {
		_, err := s.Commits().Sent(ctx, run)
		_, unresolved := s.Commits().Unresolved(ctx, run)
		for what, err := range map[string]error{"Unresolved": unresolved, "Sending": s.Commits().Sending(ctx, run, 0), "Settled": s.Commits().Settled(ctx, run, 0, true), "Sent": err} {
			var invalid *store.InvalidCommitError
			if !errors.As(err, &invalid) {
				t.Errorf("%s of run %q gives %v, want an InvalidCommitError", what, run, err)
			}
		}
	}
	var invalid *store.InvalidCommitError
	if err := s.Commits().Sending(ctx, "a", -1); !errors.As(err, &invalid) {
		t.Errorf("Sending of step -1 gives %v, want an InvalidCommitError", err)
	}
}
