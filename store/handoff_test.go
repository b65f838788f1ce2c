package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func startHandoff(t testing.TB, s store.Store) store.Handoff {
	t.Helper()
	h, err := s.Handoffs().Start(t.Context(), storetest.Handoff(), time.Hour)
	try(t, err)
	return h
}

func noteEvent(t testing.TB, s store.Store, handoff, id string) store.HandoffEvent {
	t.Helper()
	e, err := s.Handoffs().Note(t.Context(), handoff, store.HandoffEvent{ID: id, Kind: "viewed", Data: json.RawMessage(`{"by":"ada"}`)})
	try(t, err)
	return e
}

func eventsOf(t testing.TB, s store.Store, handoff string) (ids []string) {
	t.Helper()
	for e, err := range s.Handoffs().Events(t.Context(), handoff) {
		try(t, err)
		ids = append(ids, e.ID)
		if e.Number != len(ids) {
			t.Errorf("event %s has the number %d, want %d", e.ID, e.Number, len(ids))
		}
	}
	return ids
}

// What a crash leaves of a line, at each of its bytes.
func TestATornEventIsWrittenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	h := startHandoff(t, s)
	file := filepath.Join(dir, "handoffs", h.ID, "events.jsonl")
	noteEvent(t, s, h.ID, "a")
	one, err := os.ReadFile(file)
	try(t, err)
	noteEvent(t, s, h.ID, "b")
	two, err := os.ReadFile(file)
	try(t, err)
	for length := len(one); length < len(two); length++ {
		try(t, os.WriteFile(file, two[:length], 0o600))
		if got := eventsOf(t, s, h.ID); len(got) != 1 {
			t.Fatalf("with %d bytes of a second event the events are %v", length-len(one), got)
		}
	}
	long := bytes.Repeat([]byte("x"), 2*len(one)) // of an event that was to be longer than the next
	try(t, os.WriteFile(file, append(bytes.Clone(one), long...), 0o600))
	if e := noteEvent(t, s, h.ID, "c"); e.Number != 2 {
		t.Errorf("the next event is %+v", e)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.HasSuffix(now, []byte("\n")) {
		t.Errorf("something is left behind the last event: %s, %v", now, err)
	}
	if got := fmt.Sprint(eventsOf(t, s, h.ID)); got != "[a c]" {
		t.Errorf("the events are %s", got)
	}
	for length := range one { // of the first
		try(t, os.WriteFile(file, one[:length], 0o600))
		if got := eventsOf(t, s, h.ID); len(got) != 0 {
			t.Fatalf("%d bytes of an event are %v", length, got)
		}
	}
	if e := noteEvent(t, s, h.ID, "d"); e.Number != 1 {
		t.Errorf("the first event is %+v", e)
	}
}

func TestADirectoryWithoutAHandoffIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	id := store.NewRunID() // whose writer was killed between the two
	try(t, os.MkdirAll(filepath.Join(dir, "handoffs", id), 0o700))
	for h, err := range s.Handoffs().List(t.Context()) {
		t.Errorf("List gives %+v, %v", h, err)
	}
	if _, err := s.Handoffs().Get(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get gives %v", err)
	}
}

const (
	handoffKills = 12
	// maxHandoffTime before a kill is some dozen writes.
	maxHandoffTime = 40 * time.Millisecond
	eventsEach     = 3
)

// handOverUntilKilled starts handoffs, notes what happens and ends them, and prints what is
// stored by now.
func handOverUntilKilled(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		h, err := s.Handoffs().Start(ctx, storetest.Handoff(), time.Hour)
		if err != nil {
			return err
		}
		fmt.Println(h.ID)
		for i := range eventsEach {
			if _, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: fmt.Sprint(i), Kind: "viewed"}); err != nil {
				return err
			}
			fmt.Println(h.ID)
		}
		if _, err := s.Handoffs().End(ctx, h.ID, store.HandoffFinished, json.RawMessage(`{}`)); err != nil {
			return err
		}
		fmt.Println(h.ID)
	}
}

func TestWhatWasSaidToBeKeptOfAHandoffSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged, kept := map[string]int{}, 0
	for range handoffKills {
		c := startChild(t, "hand over", dir)
		if c.lines.Scan() { // one is stored, however slow the machine is
			acknowledged[c.lines.Text()]++
		}
		// The moment is the point of the test: it waits for nothing more.
		<-time.After(rand.N(maxHandoffTime))
		try(t, c.cmd.Process.Kill())
		for c.lines.Scan() {
			acknowledged[c.lines.Text()]++
		}
		_ = c.cmd.Wait() // it was killed
		s := open(t, dir)
		for h, err := range s.Handoffs().List(t.Context()) {
			try(t, errors.Join(err, h.Err))
			wrote := 1 + len(eventsOf(t, s, h.ID)) // and whether it has ended
			if h.State != store.HandoffRunning {
				wrote++
			}
			if said := acknowledged[h.ID]; wrote != said && wrote != said+1 || h.State == store.HandoffRunning && wrote > 1+eventsEach {
				t.Fatalf("of handoff %s %d writes are stored, %s, and %d were said to be", h.ID, wrote, h.State, said)
			}
			acknowledged[h.ID] = wrote
			kept++
		}
	}
	s := open(t, dir)
	for id, wrote := range acknowledged {
		if wrote > 1+eventsEach { // it has ended
			continue
		}
		noteEvent(t, s, id, "after")
		if _, err := s.Handoffs().End(t.Context(), id, store.HandoffCancelled, nil); err != nil {
			t.Errorf("what was broken off does not go on: %v", err)
		}
	}
	if kept < handoffKills {
		t.Errorf("only %d handoffs were stored: they were killed too early to prove anything", kept)
	}
}
