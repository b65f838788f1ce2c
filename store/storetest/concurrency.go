package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

const (
	writers = 8
	rounds  = 5 // of each writer
)

// lostUpdates has each writer add lines to one description; in the end every
// line is there, and every save has raised the revision by one.
func lostUpdates(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Description = "lines"
	save(t, s, a)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				if err := addLine(t.Context(), s, fmt.Sprintf(" %d.%d.", w, r)); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	group.Wait()
	got := get(t, s, "login", "")
	if want := 1 + writers*rounds; got.Revision != want {
		t.Errorf("the revision is %d, want %d", got.Revision, want)
	}
	for w := range writers {
		for r := range rounds {
			if line := fmt.Sprintf(" %d.%d.", w, r); !strings.Contains(got.Description, line) {
				t.Errorf("the update%s is lost", line)
			}
		}
	}
}

func addLine(ctx context.Context, s store.Store, line string) error {
	for {
		a, err := s.Automations().Get(ctx, "login", "")
		if err != nil {
			return err
		}
		before := a.Revision
		a.Description += line
		saved, err := s.Automations().Save(ctx, a)
		if errors.Is(err, store.ErrConflict) {
			continue // another writer was first
		}
		if err == nil && saved.Revision != before+1 {
			return fmt.Errorf("revision %d was saved as %d", before, saved.Revision)
		}
		return err
	}
}

func creators(t *testing.T, s store.Store) {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		won   []*automation.Automation
	)
	for w := range writers {
		group.Go(func() {
			a := Document(t, "login", "")
			a.Description = fmt.Sprintf("by %d", w)
			saved, err := s.Automations().Save(t.Context(), a)
			if errors.Is(err, store.ErrConflict) {
				return
			}
			if err != nil {
				t.Errorf("writer %d: %v", w, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			won = append(won, saved)
		})
	}
	group.Wait()
	if len(won) != 1 {
		t.Fatalf("%d writers made the same new automation", len(won))
	}
	same(t, "Get gave", get(t, s, "login", ""), won[0])
}

// readersAndWriters reads while it is written; what is read must hold together.
func readersAndWriters(t *testing.T, s store.Store) {
	a := Document(t, "login", "")
	a.Description = "1"
	saved := save(t, s, a)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for saved.Revision < writers*rounds {
			saved.Description = fmt.Sprint(saved.Revision + 1)
			var err error
			if saved, err = s.Automations().Save(t.Context(), saved); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-done }()
	for last, more := 0, true; more; {
		select {
		case <-done:
			more = false // and one more look
		default:
		}
		got := get(t, s, "login", "")
		if got.Description != fmt.Sprint(got.Revision) || got.Revision < last {
			t.Fatalf("after revision %d came revision %d, which says %q", last, got.Revision, got.Description)
		}
		last = got.Revision
		found, err := s.Automations().Match(t.Context(), "https://login.example/", "")
		if err != nil || found.Revision < last {
			t.Fatalf("Match after revision %d: %v, %v", last, found, err)
		}
	}
}

// matchesWhatItGives moves an automation to and fro between two sites while it
// is looked up; what is given is never for the other site.
func matchesWhatItGives(t *testing.T, s store.Store) {
	const here, there = "here.example/*", "there.example/*"
	saved := save(t, s, Document(t, "login", "", here))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2 * writers * rounds {
			saved.Match.URLs = []string{[]string{there, here}[i%2]}
			var err error
			if saved, err = s.Automations().Save(t.Context(), saved); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-done }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		a, err := s.Automations().Match(t.Context(), "https://here.example/", "")
		switch {
		case err == nil && a.Match.URLs[0] != here:
			t.Fatalf("Match gave one that is for %v", a.Match.URLs)
		case err != nil && !errors.Is(err, automation.ErrNoMatch):
			t.Fatal(err)
		}
	}
}
