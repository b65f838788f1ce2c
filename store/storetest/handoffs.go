package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// Handoff returns one that has something in all of its fields.
func Handoff() store.Handoff {
	return store.Handoff{
		Run: store.NewRunID(), Session: "s-1", Step: 3, Reason: "manual_recovery", Doing: "pay the <bill>", URL: "https://shop.example/pay",
		Instruction: "enter the code\nfrom <your> phone", Until: "text/Paid", Automation: "pay", Account: "ada@example.com", Browser: "b-1", Page: "P1", Capture: true,
		Before: json.RawMessage(`{"url": "https://shop.example/pay", "cookies": 3, "big": 12345678901234567890, "title": "<a> & \u0000"}`),
	}
}

func start(t *testing.T, s store.Store, lasting time.Duration) store.Handoff {
	t.Helper()
	h, err := s.Handoffs().Start(t.Context(), Handoff(), lasting)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return h
}

func event(id string) store.HandoffEvent {
	return store.HandoffEvent{ID: id, Kind: "viewed", Data: json.RawMessage(`{"by":"<me>"}`)}
}

func note(t *testing.T, s store.Store, handoff, id string) store.HandoffEvent {
	t.Helper()
	e, err := s.Handoffs().Note(t.Context(), handoff, event(id))
	if err != nil {
		t.Fatalf("Note: %v", err)
	}
	return e
}

func events(t *testing.T, s store.Store, handoff string) []store.HandoffEvent {
	t.Helper()
	var all []store.HandoffEvent
	for e, err := range s.Handoffs().Events(t.Context(), handoff) {
		if err != nil {
			t.Fatalf("Events: %v", err)
		}
		all = append(all, e)
	}
	return all
}

// sameJSON compares JSON by its value.
var sameJSON = cmp.Comparer(func(a, b json.RawMessage) bool {
	return len(a) == 0 && len(b) == 0 || string(compact(a)) == string(compact(b))
})

func compact(data json.RawMessage) []byte {
	text, _ := json.Marshal(data) // what is none stays as it is
	return text
}

func handoffsKept(t *testing.T, s store.Store) {
	ctx := t.Context()
	h := start(t, s, lasting)
	want := Handoff()
	want.ID, want.Run, want.State, want.Started, want.Deadline = h.ID, h.Run, store.HandoffRunning, h.Started, h.Started.Add(lasting)
	if diff := cmp.Diff(want, h, sameJSON); diff != "" || h.Started.IsZero() {
		t.Errorf("Start gives (-want +got):\n%s", diff)
	}
	got, err := s.Handoffs().Get(ctx, h.ID)
	if diff := cmp.Diff(want, got, sameJSON); diff != "" || err != nil {
		t.Errorf("Get gives %v (-want +got):\n%s", err, diff)
	}
	wide := Handoff()
	wide.Before = json.RawMessage(`{"a":` + strings.Repeat("[", 15) + "1" + strings.Repeat(",1", 130_000) + strings.Repeat("]", 15) + `}`)
	if wide, err = s.Handoffs().Start(ctx, wide, lasting); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Handoffs().End(ctx, wide.ID, store.HandoffCancelled, wide.Before); err != nil || len(got.After) != len(wide.Before) {
		t.Errorf("evidence of %d bytes is stored as %d, %v", len(wide.Before), len(got.After), err)
	}
	least, err := s.Handoffs().Start(ctx, store.Handoff{Step: -1, Reason: "payment"}, lasting)
	if err != nil || least.Before != nil || least.Step != -1 {
		t.Errorf("Start gives %+v, %v", least, err)
	}
	want.State, want.After = store.HandoffFinished, json.RawMessage(`{"cookies":4}`)
	ended, err := s.Handoffs().End(ctx, h.ID, store.HandoffFinished, want.After)
	want.Ended = ended.Ended
	if diff := cmp.Diff(want, ended, sameJSON); diff != "" || err != nil || ended.Ended.Before(h.Started) {
		t.Errorf("End gives %v (-want +got):\n%s", err, diff)
	}
	all := map[string]store.HandoffState{}
	for one, err := range s.Handoffs().List(ctx) {
		if err != nil || one.Err != nil {
			t.Fatalf("List gives %+v, %v", one, err)
		}
		all[one.ID] = one.State
	}
	if diff := cmp.Diff(map[string]store.HandoffState{h.ID: store.HandoffFinished, wide.ID: store.HandoffCancelled, least.ID: store.HandoffRunning}, all); diff != "" {
		t.Errorf("List gives (-want +got):\n%s", diff)
	}
}

func handoffsEndOnce(t *testing.T, s store.Store) {
	ctx := t.Context()
	refused := func(h store.Handoff, from, to store.HandoffState) {
		t.Helper()
		var stage *store.HandoffStateError
		if _, err := s.Handoffs().End(ctx, h.ID, to, nil); !errors.As(err, &stage) || stage.From != from || stage.To != to {
			t.Errorf("from %s to %s gives %v, want a HandoffStateError", from, to, err)
		}
	}
	ends := []store.HandoffState{store.HandoffFinished, store.HandoffCancelled, store.HandoffTimedOut}
	for _, first := range ends[:2] {
		h := start(t, s, lasting)
		refused(h, store.HandoffRunning, store.HandoffTimedOut) // its time is not up
		if _, err := s.Handoffs().End(ctx, h.ID, first, nil); err != nil {
			t.Fatal(err)
		}
		for _, second := range ends {
			refused(h, first, second)
		}
	}
	late := start(t, s, time.Microsecond)
	refused(late, store.HandoffTimedOut, store.HandoffFinished)
	refused(late, store.HandoffTimedOut, store.HandoffCancelled)
	if h, err := s.Handoffs().Get(ctx, late.ID); err != nil || h.State != store.HandoffTimedOut || !h.Ended.Equal(late.Deadline) {
		t.Errorf("one whose time is up, and that no process has ended, is %s since %v, %v", h.State, h.Ended, err)
	}
	for h, err := range s.Handoffs().Running(ctx) {
		if err != nil || h.ID == late.ID {
			t.Errorf("of those that are RUNNING: %s, %v", h.ID, err)
		}
	}
	if h, err := s.Handoffs().End(ctx, late.ID, store.HandoffTimedOut, nil); err != nil || h.State != store.HandoffTimedOut {
		t.Errorf("a late one is %s, %v", h.State, err)
	}
	refused(late, store.HandoffTimedOut, store.HandoffFinished)
	var invalid *store.InvalidHandoffError
	if _, err := s.Handoffs().End(ctx, late.ID, store.HandoffRunning, nil); !errors.As(err, &invalid) {
		t.Errorf("to go on with it gives %v", err)
	}
	h := start(t, s, lasting)
	runs := false
	for one, err := range s.Handoffs().Running(ctx) {
		runs = runs || err == nil && one.ID == h.ID
	}
	if !runs {
		t.Error("one that goes on is not among those that are RUNNING")
	}
	won := atOnce(t, answerers, func(i int) (bool, error) {
		_, err := s.Handoffs().End(ctx, h.ID, ends[i%2], nil)
		var stage *store.HandoffStateError
		if errors.As(err, &stage) {
			return false, nil
		}
		return err == nil, err
	})
	if got, err := s.Handoffs().Get(ctx, h.ID); len(won) != 1 || err != nil || got.State != ends[won[0]%2] {
		t.Errorf("of %d ends %v count, and it is %s, %v", answerers, won, got.State, err)
	}
}

func handoffsExtended(t *testing.T, s store.Store) {
	ctx := t.Context()
	h := start(t, s, lasting)
	later, err := s.Handoffs().Extend(ctx, h.ID, 2*lasting)
	if err != nil || !later.Deadline.After(h.Deadline) || !later.Started.Equal(h.Started) || later.State != store.HandoffRunning {
		t.Errorf("it lasts until %v, %v; before %v", later.Deadline, err, h.Deadline)
	}
	if same, err := s.Handoffs().Extend(ctx, h.ID, time.Second); err != nil || !same.Deadline.Equal(later.Deadline) {
		t.Errorf("a shorter time makes it %v, %v; want %v", same.Deadline, err, later.Deadline)
	}
	if last, err := s.Handoffs().Extend(ctx, h.ID, store.MaxHandoff); err != nil || !last.Deadline.Equal(h.Started.Add(store.MaxHandoff)) {
		t.Errorf("at most it lasts until %v, %v; it began at %v", last.Deadline, err, h.Started)
	}
	if got, err := s.Handoffs().Get(ctx, h.ID); err != nil || !got.Deadline.Equal(h.Started.Add(store.MaxHandoff)) {
		t.Errorf("it is stored until %v, %v", got.Deadline, err)
	}
	ended := start(t, s, lasting)
	if _, err := s.Handoffs().End(ctx, ended.ID, store.HandoffCancelled, nil); err != nil {
		t.Fatal(err)
	}
	late := start(t, s, time.Microsecond)
	for _, h := range []store.Handoff{ended, late} {
		var stage *store.HandoffStateError
		if _, err := s.Handoffs().Extend(ctx, h.ID, lasting); !errors.As(err, &stage) {
			t.Errorf("what has ended: %v, want a HandoffStateError", err)
		}
	}
	if _, err := s.Handoffs().Extend(ctx, store.NewRunID(), lasting); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	var invalid *store.InvalidHandoffError
	if _, err := s.Handoffs().Extend(ctx, h.ID, 0); !errors.As(err, &invalid) {
		t.Errorf("for no time: %v", err)
	}
}

func handoffEvents(t *testing.T, s store.Store) {
	ctx := t.Context()
	h, other := start(t, s, lasting), start(t, s, lasting)
	first := note(t, s, h.ID, "a")
	want := event("a")
	want.Number, want.At = 1, first.At
	if diff := cmp.Diff(want, first, sameJSON); diff != "" || first.At.IsZero() {
		t.Errorf("Note gives (-want +got):\n%s", diff)
	}
	if again := note(t, s, h.ID, "a"); again.Number != 1 || !again.At.Equal(first.At) {
		t.Errorf("the same event again gives %+v", again)
	}
	note(t, s, other.ID, "a")
	bare, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: "b", Kind: "opened"})
	if err != nil || bare.Number != 2 || len(bare.Data) > 0 {
		t.Errorf("Note gives %+v, %v", bare, err)
	}
	if diff := cmp.Diff([]store.HandoffEvent{first, bare}, events(t, s, h.ID), sameJSON); diff != "" {
		t.Errorf("Events gives (-want +got):\n%s", diff)
	}
	won := atOnce(t, writers, func(i int) (bool, error) {
		for r := range rounds {
			if _, err := s.Handoffs().Note(ctx, other.ID, event(fmt.Sprintf("w%d-%d", i, r))); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	all := events(t, s, other.ID)
	for i, e := range all {
		if e.Number != i+1 {
			t.Fatalf("event %d has the number %d", i+1, e.Number)
		}
	}
	if len(won) != writers || len(all) != 1+writers*rounds {
		t.Errorf("%d events are stored, want %d", len(all), 1+writers*rounds)
	}
	if _, err := s.Handoffs().End(ctx, h.ID, store.HandoffCancelled, nil); err != nil {
		t.Fatal(err)
	}
	var stage *store.HandoffStateError
	if _, err := s.Handoffs().Note(ctx, h.ID, event("late")); !errors.As(err, &stage) {
		t.Errorf("an event after the end gives %v", err)
	}
	if _, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: "end", Kind: store.HandoffTold}); err != nil {
		t.Errorf("that a person was told of the end: %v", err)
	}
	if left := events(t, s, h.ID); len(left) != 3 {
		t.Errorf("it has the events %+v", left)
	}
}

func invalidHandoffs(t *testing.T, s store.Store) {
	ctx := t.Context()
	var invalid *store.InvalidHandoffError
	huge := json.RawMessage(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for what, spoil := range map[string]func(*store.Handoff){
		"a path for a run":     func(h *store.Handoff) { h.Run = "../x" },
		"a path for a session": func(h *store.Handoff) { h.Session = "../x" },
		"a step before all":    func(h *store.Handoff) { h.Step = -2 },
		"no reason":            func(h *store.Handoff) { h.Reason = "" },
		"bytes for a text":     func(h *store.Handoff) { h.Doing = "a\xff" },
		"a query":              func(h *store.Handoff) { h.URL += "?token=1" },
		"a list for evidence":  func(h *store.Handoff) { h.Before = json.RawMessage(`[1]`) },
		"half an object":       func(h *store.Handoff) { h.Before = json.RawMessage(`{"a":`) },
		"bytes in evidence":    func(h *store.Handoff) { h.Before = json.RawMessage("{\"a\":\"\xff\"}") },
		"a well of evidence": func(h *store.Handoff) {
			h.Before = json.RawMessage(`{"a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`)
		},
		"too much evidence": func(h *store.Handoff) { h.Before = huge },
	} {
		h := Handoff()
		spoil(&h)
		if _, err := s.Handoffs().Start(ctx, h, lasting); !errors.As(err, &invalid) {
			t.Errorf("a handoff with %s gives %v, want an InvalidHandoffError", what, err)
		}
	}
	for _, lasts := range []time.Duration{0, store.MaxHandoff + 1} {
		if _, err := s.Handoffs().Start(ctx, Handoff(), lasts); !errors.As(err, &invalid) {
			t.Errorf("a handoff of %v gives %v", lasts, err)
		}
	}
	h := start(t, s, lasting)
	if _, err := s.Handoffs().End(ctx, h.ID, store.HandoffFinished, json.RawMessage(`1`)); !errors.As(err, &invalid) {
		t.Errorf("a number for evidence gives %v", err)
	}
	for what, e := range map[string]store.HandoffEvent{
		"no ID": {Kind: "opened"}, "a path for an ID": {ID: "../x", Kind: "opened"}, "no kind": {ID: "a"}, "a line for a kind": {ID: "a", Kind: "a\nb"},
		"half an object": {ID: "a", Kind: "opened", Data: json.RawMessage(`{`)}, "too much": {ID: "a", Kind: "opened", Data: huge},
	} {
		if _, err := s.Handoffs().Note(ctx, h.ID, e); !errors.As(err, &invalid) {
			t.Errorf("an event with %s gives %v, want an InvalidHandoffError", what, err)
		}
	}
	for _, id := range []string{"", "..", "../" + h.ID, h.ID + "\x00", store.NewRunID()} {
		for what, call := range handoffCalls(s, id) {
			if what != "Handoffs.Start" && what != "Handoffs.List" {
				wantNotFound(t, what+" of "+id, call(ctx))
			}
		}
	}
}

// handoffCalls is every method that takes a context.
func handoffCalls(s store.Store, id string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Handoffs.Start": func(ctx context.Context) error {
			_, err := s.Handoffs().Start(ctx, Handoff(), lasting)
			return err
		},
		"Handoffs.End": func(ctx context.Context) error {
			_, err := s.Handoffs().End(ctx, id, store.HandoffFinished, nil)
			return err
		},
		"Handoffs.Note": func(ctx context.Context) error {
			_, err := s.Handoffs().Note(ctx, id, event("a"))
			return err
		},
		"Handoffs.Events": func(ctx context.Context) error { return firstError(s.Handoffs().Events(ctx, id)) },
		"Handoffs.Get": func(ctx context.Context) error {
			_, err := s.Handoffs().Get(ctx, id)
			return err
		},
		"Handoffs.List": func(ctx context.Context) error { return firstError(s.Handoffs().List(ctx)) },
	}
}
