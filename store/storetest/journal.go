package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// call is one of a session, so many seconds after another.
func call(session, id string, second int) store.JournalCall {
	return store.JournalCall{
		Session: session, ID: id, Tool: "click", Outcome: store.CallDone,
		Started: time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC), Took: 120 * time.Millisecond,
	}
}

// fullCall has something in every field.
func fullCall(session string) store.JournalCall {
	c := call(session, "c-full", 1)
	c.Tool, c.Outcome, c.Code, c.Reason, c.Intent = "run_login", store.CallFailed, "gone", "no <element> & nothing", "für alle"
	c.Arguments = json.RawMessage(`{"account":"<ada>","vars":{"email":"a@b.example"}}`)
	c.Owner = "task-5f2b"
	c.Run, c.URL, c.Evidence = "01kb00000000000000000000a0", "https://login.example/", []string{"picture:sha256-00", "run:x"}
	return c
}

func write(t *testing.T, s store.Store, c store.JournalCall) store.JournalCall {
	t.Helper()
	kept, err := s.Journal().Append(t.Context(), c)
	if err != nil {
		t.Fatalf("Append(%s): %v", c.ID, err)
	}
	return kept
}

func trace(t *testing.T, s store.Store, session string) []store.JournalCall {
	t.Helper()
	var all []store.JournalCall
	for c, err := range s.Journal().Trace(t.Context(), session) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func verified(t *testing.T, s store.Store, session string, calls int) {
	t.Helper()
	check, err := s.Journal().Verify(t.Context(), session)
	if err != nil || check.Calls != calls || check.Torn {
		t.Errorf("Verify(%s) gives %+v, %v, want %d calls", session, check, err, calls)
	}
}

func callsKept(t *testing.T, s store.Store) {
	want := []store.JournalCall{call("one", "a", 0), fullCall("one"), call("one", "b", 2)}
	write(t, s, call("other", "a", 0))
	for i := range want {
		want[i].Number = i + 1
		if diff := cmp.Diff(want[i], write(t, s, want[i])); diff != "" {
			t.Errorf("Append (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(want, trace(t, s, "one")); diff != "" {
		t.Errorf("Trace (-want +got):\n%s", diff)
	}
	verified(t, s, "one", 3)
	verified(t, s, "other", 1)
	names, err := s.Journal().Sessions(t.Context())
	if diff := cmp.Diff([]string{"one", "other"}, names); diff != "" || err != nil {
		t.Errorf("Sessions gives %v (-want +got):\n%s", err, diff)
	}
	for range s.Journal().Trace(t.Context(), "one") {
		break // leaving is allowed
	}
	for _, session := range []string{"none", "", "../automations", "A"} {
		_, err := s.Journal().Verify(t.Context(), session)
		wantNotFound(t, "Verify of "+session, err)
		for _, err := range s.Journal().Trace(t.Context(), session) {
			wantNotFound(t, "Trace of "+session, err)
		}
	}
}

func callsOnce(t *testing.T, s store.Store) {
	first := write(t, s, call("one", "a", 0))
	again := call("one", "a", 9)
	if diff := cmp.Diff(first, write(t, s, again)); diff != "" {
		t.Errorf("a call that was made again (-first +again):\n%s", diff)
	}
	verified(t, s, "one", 1)
}

func callsRecent(t *testing.T, s store.Store) {
	for i := range 9 {
		write(t, s, call(fmt.Sprintf("s%d", i%3), fmt.Sprint(i), i))
	}
	got, err := s.Journal().Recent(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range got {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"8", "7", "6", "5"}, ids); diff != "" {
		t.Errorf("Recent (-want +got):\n%s", diff)
	}
	if none, err := s.Journal().Recent(t.Context(), 0); len(none) > 0 || err != nil {
		t.Errorf("Recent of none gives %v, %v", none, err)
	}
}

// callsOfOwner has calls of sessions with one owner, with another, and with none but
// themselves.
func callsOfOwner(t *testing.T, s store.Store) {
	for i, owner := range []string{"one", "two", "", "one", ""} {
		c := call(fmt.Sprintf("s%d", i), fmt.Sprint(i), i)
		c.Owner = owner
		write(t, s, c)
		c.ID, c.Started = c.ID+"-again", c.Started.Add(10*time.Second)
		write(t, s, c)
	}
	for _, test := range []struct {
		owner string
		limit int
		want  []string
	}{
		{"one", 9, []string{"3-again", "0-again", "3", "0"}},
		{"one", 3, []string{"3-again", "0-again", "3"}},
		{"two", 9, []string{"1-again", "1"}},
		{"s2", 9, []string{"2-again", "2"}}, // a session without an owner is its own
		{"s4", 1, []string{"4-again"}},
		{"s0", 9, nil},
		{"none", 9, nil},
		{"", 9, nil},
		{"one", 0, nil},
	} {
		got, err := s.Journal().RecentOf(t.Context(), test.owner, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range got {
			ids = append(ids, c.ID)
		}
		if diff := cmp.Diff(test.want, ids); diff != "" {
			t.Errorf("RecentOf(%q, %d) (-want +got):\n%s", test.owner, test.limit, diff)
		}
	}
}

func callsConcurrent(t *testing.T, s store.Store) {
	const writers, each = 6, 5
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if _, err := s.Journal().Append(t.Context(), call("one", fmt.Sprintf("%d-%d", w, i), i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	verified(t, s, "one", writers*each)
	for i, c := range trace(t, s, "one") {
		if c.Number != i+1 {
			t.Errorf("line %d has number %d", i+1, c.Number)
		}
	}
}

func invalidCalls(t *testing.T, s store.Store) {
	for what, spoil := range map[string]func(*store.JournalCall){
		"no session":          func(c *store.JournalCall) { c.Session = "" },
		"a path":              func(c *store.JournalCall) { c.Session = "../x" },
		"no ID":               func(c *store.JournalCall) { c.ID = "" },
		"no tool":             func(c *store.JournalCall) { c.Tool = "" },
		"a tool that is none": func(c *store.JournalCall) { c.Tool = "type Input" },
		"half of JSON":        func(c *store.JournalCall) { c.Arguments = json.RawMessage(`{"a":`) },
		"no outcome":          func(c *store.JournalCall) { c.Outcome = "" },
		"no time":             func(c *store.JournalCall) { c.Started = time.Time{} },
		"an endless owner":    func(c *store.JournalCall) { c.Owner = strings.Repeat("x", 65) },
		"too much":            func(c *store.JournalCall) { c.Reason = strings.Repeat("x", 2<<20) },
	} {
		c := call("one", "a", 0)
		spoil(&c)
		var invalid *store.InvalidCallError
		if _, err := s.Journal().Append(t.Context(), c); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidCallError", what, err)
		}
	}
	if names, err := s.Journal().Sessions(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("Sessions gives %v, %v", names, err)
	}
}
