package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

func sampleRun() store.Run {
	started := time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	return store.Run{
		ID:         store.NewRunID(),
		Automation: "login",
		Account:    "müller/50%",
		Revision:   4,
		State:      store.Failed,
		Started:    started,
		Finished:   started.Add(1500 * time.Millisecond),
		Code:       "gone",
		Reason:     "no selector names <anything>",
		Process:    &store.Process{PID: 4711, Host: "büro", Started: started.Add(-time.Second)},
		Page:       "8F3A",
		Resume:     "r1.eyJydW4iOiJ4In0",
		PlayedFor:  "ada@example.com",
		Task:       "order-17",
		Login:      "shop.example",
		Owner:      "01kb00000000000000000000s0",
		Report:     "/tmp/a report.html",
		Steps: []store.RunStep{
			{Index: 0, Tool: "navigate", Outcome: store.StepDone, Effect: automation.Read, Started: started, Duration: 900 * time.Millisecond, Evidence: []string{"#step-1-after"}},
			{Index: 1, Tool: "click", Outcome: store.StepSkipped, Skipped: "optional, and not there"},
			{
				Index: 2, Tool: "typeInput", Intent: "enter <it>", Outcome: store.StepFailed,
				Selector: `aria/E-mail[role="textbox"]`, Duration: 20345 * time.Microsecond, Code: "gone", Matched: -1, Drift: 0.25,
				Considered: []store.Candidate{
					{Element: "input.mail", Weight: -1.25, For: []string{"tag", "type"}, Against: []string{"label"}},
					{Element: "a#<b>"},
				},
			},
			{Index: 3, Tool: "run", Outcome: store.StepDone, Steps: []store.RunStep{
				{Index: 0, Tool: "run", Outcome: store.StepDone, Duration: time.Second, Steps: []store.RunStep{{Index: 7, Tool: "click", Outcome: store.StepSkipped, Skipped: "not there"}}},
			}},
		},
		Guard: &store.GuardCounts{Answers: 5, Asking: 2, Continued: 1, NeedsPerson: 1, Reasons: map[string]int{"question": 2}, Topics: map[string]int{"payment": 1}, LogOnly: true},
		Drift: []store.Drift{{Step: 1, Score: 0.43, Healed: true, Confidence: 0.975, Lost: []string{"#go > b", `aria/Go[role="button"]`}}, {Step: 2}},
	}
}

// proposing is a run that ended well, and found what it played changed.
func proposing(t *testing.T) store.Run {
	r := sampleRun()
	r.State, r.Code, r.Steps = store.Done, "", nil
	r.Proposal = Document(t, r.Automation, r.Account)
	r.Proposal.Revision = r.Revision
	return r
}

func runKeepsItsProposal(t *testing.T, s store.Store) {
	want := proposing(t)
	if err := s.Runs().Save(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	kept := *want.Proposal
	want.Proposal.Description = "changed by the caller"
	want.Proposal = &kept
	got, err := s.Runs().Get(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Get (-want +got):\n%s", diff)
	}
	for listed, err := range s.Runs().List(t.Context()) {
		if diff := cmp.Diff(want, listed.Run); diff != "" || err != nil {
			t.Errorf("List gives %v (-want +got):\n%s", err, diff)
		}
	}
	if _, err := s.Automations().Get(t.Context(), want.Automation, want.Account); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what a run proposes is taken for a stored document: %v", err)
	}
}

func runsKept(t *testing.T, s store.Store) {
	ctx := t.Context()
	r := sampleRun()
	queued := store.Run{ID: r.ID, Automation: r.Automation, State: store.Queued}
	for _, want := range []store.Run{queued, r} {
		if err := s.Runs().Save(ctx, want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Runs().Get(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Get (-want +got):\n%s", diff)
		}
	}
	r.Steps[0].Tool = "spoiled"
	got, err := s.Runs().Get(ctx, r.ID)
	if err != nil || got.Steps[0].Tool != "navigate" {
		t.Errorf("changing the caller's run changed the stored one: %+v, %v", got, err)
	}
	for _, id := range []string{"", ".", "../automations", store.NewRunID(), r.ID + "/"} {
		_, err := s.Runs().Get(ctx, id)
		wantNotFound(t, "Runs.Get of "+id, err)
	}
}

func runsListed(t *testing.T, s store.Store) {
	ids := []string{"01kb00000000000000000000a0", "01kb00000000000000000000b0", "01kc00000000000000000000a0"}
	for _, i := range []int{1, 0, 2} {
		r := sampleRun()
		r.ID = ids[i]
		if err := s.Runs().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for r, err := range s.Runs().List(t.Context()) {
		if err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
		if len(r.Steps) != len(sampleRun().Steps) || r.State != store.Failed {
			t.Errorf("List gives %+v", r)
		}
		got = append(got, r.ID)
	}
	if diff := cmp.Diff([]string{ids[2], ids[1], ids[0]}, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	for range s.Runs().List(t.Context()) {
		break // leaving is allowed
	}
}

// runsOfOwner has runs of two owners and of no one in one store.
func runsOfOwner(t *testing.T, s store.Store) {
	owners := map[string]string{
		"01kb00000000000000000000a0": "one", "01kb00000000000000000000b0": "other", "01kb00000000000000000000c0": "",
		"01kb00000000000000000000d0": "one", "01kb00000000000000000000e0": "one's",
	}
	for id, owner := range owners {
		r := sampleRun()
		r.ID, r.Owner = id, owner
		if err := s.Runs().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for owner, want := range map[string][]string{
		"one": {"01kb00000000000000000000d0", "01kb00000000000000000000a0"}, "other": {"01kb00000000000000000000b0"},
		"one's": {"01kb00000000000000000000e0"}, "none": nil, "": nil,
	} {
		var got []string
		for r, err := range s.Runs().ListOf(t.Context(), owner) {
			if err != nil || r.Err != nil || r.Owner != owner {
				t.Errorf("ListOf(%q) gives a run of %q, %v, %v", owner, r.Owner, err, r.Err)
			}
			got = append(got, r.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ListOf(%q) (-want +got):\n%s", owner, diff)
		}
	}
	for range s.Runs().ListOf(t.Context(), "one") {
		break // leaving is allowed
	}
}

func invalidRun(t *testing.T, s store.Store) {
	for what, spoil := range map[string]func(*store.Run){
		"no ID":                             func(r *store.Run) { r.ID = "" },
		"a path for an ID":                  func(r *store.Run) { r.ID = "../../../../../../etc/xxx" },
		"no automation":                     func(r *store.Run) { r.Automation = "" },
		"no state":                          func(r *store.Run) { r.State = "" },
		"an unknown state":                  func(r *store.Run) { r.State = "lost" },
		"an unknown outcome":                func(r *store.Run) { r.Steps[1].Outcome = "maybe" },
		"a proposal of another document":    func(r *store.Run) { r.Proposal = Document(t, "other", r.Account) },
		"a proposal for another account":    func(r *store.Run) { r.Proposal = Document(t, r.Automation, "") },
		"a proposal that is not a document": func(r *store.Run) { *r = proposing(t); r.Proposal.Steps = nil },
	} {
		r := sampleRun()
		spoil(&r)
		var invalid *store.InvalidRunError
		if err := s.Runs().Save(t.Context(), r); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidRunError", what, err)
		}
	}
	for r, err := range s.Runs().List(t.Context()) {
		t.Errorf("List gives %v, %v", r, err)
	}
}

func wantSent(t *testing.T, s store.Store, run string, want map[int]bool) {
	t.Helper()
	got, err := s.Commits().Committed(t.Context(), run)
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
		if err := s.Commits().Begin(ctx, run, 3); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, map[int]bool{3: false})
		if err := s.Commits().Begin(ctx, run, 3); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("the second Sending gives %v, want ErrAlreadySent", err)
		}
		if err := s.Commits().Resolve(ctx, run, 3, false); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, nil)
	}
	if err := s.Commits().Begin(ctx, run, 3); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Commits().Resolve(ctx, run, 3, true); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, run, map[int]bool{3: true})
	}
	for what, err := range map[string]error{
		"Sending what is done":     s.Commits().Begin(ctx, run, 3),
		"taking back what is done": s.Commits().Resolve(ctx, run, 3, false),
	} {
		if !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("%s gives %v, want ErrAlreadySent", what, err)
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
	note(s.Commits().Begin(ctx, run, 3))
	note(s.Commits().Begin(ctx, nested+".12.0", 1))
	note(s.Commits().Begin(ctx, neighbour[:25], 1))
	note(s.Commits().Resolve(ctx, neighbour, 0, true))
	want("when sent", map[string]bool{
		run: true, nested: true, neighbour: false, nested + ".12": true, nested + ".12.0": true, nested + ".1": false, nested + ".2": false, run + ".3": false,
	})
	note(s.Commits().Resolve(ctx, run, 3, true))
	note(s.Commits().Resolve(ctx, nested+".12.0", 1, false))
	want("when resolved", map[string]bool{run: false, nested: false})
	note(s.Commits().Begin(ctx, run, 4))
	want("when another was sent", map[string]bool{run: true})
}

func commitsStayApart(t *testing.T, s store.Store) {
	ctx := t.Context()
	run, other := store.NewRunID(), store.NewRunID()
	for _, c := range []struct {
		run  string
		step int
	}{{run, 1}, {run, 12}, {run + ".1", 2}, {run + ".1.2", 0}, {other, 2}, {"named", 0}} {
		if err := s.Commits().Begin(ctx, c.run, c.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commits().Resolve(ctx, other, 7, true); err != nil { // done by a process that noted nothing before
		t.Fatal(err)
	}
	if err := s.Commits().Resolve(ctx, other, 8, false); err != nil {
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
				err := s.Commits().Begin(t.Context(), run, step)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !errors.Is(err, store.ErrAlreadySent):
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
		_, err := s.Commits().Committed(ctx, run)
		_, unresolved := s.Commits().Unresolved(ctx, run)
		for what, err := range map[string]error{"Unresolved": unresolved, "Sending": s.Commits().Begin(ctx, run, 0), "Resolve": s.Commits().Resolve(ctx, run, 0, true), "Sent": err} {
			var invalid *store.InvalidCommitError
			if !errors.As(err, &invalid) {
				t.Errorf("%s of run %q gives %v, want an InvalidCommitError", what, run, err)
			}
		}
	}
	var invalid *store.InvalidCommitError
	if err := s.Commits().Begin(ctx, "a", -1); !errors.As(err, &invalid) {
		t.Errorf("Sending of step -1 gives %v, want an InvalidCommitError", err)
	}
}
