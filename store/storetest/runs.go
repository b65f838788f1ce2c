package storetest

import (
	"errors"
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
		Owner:      "01kb00000000000000000000s0",
		Report:     "/tmp/a report.html",
		Steps: []store.RunStep{
			{Index: 0, Tool: "navigate", Outcome: store.StepDone, Effect: automation.Read, Started: started, Duration: 900 * time.Millisecond, Evidence: []string{"#step-1-after"}},
			{Index: 1, Tool: "click", Outcome: store.StepSkipped, Skipped: "optional, and not there"},
			{
				Index: 2, Tool: "typeInput", Intent: "enter <it>", Outcome: store.StepFailed,
				Selector: `aria/E-mail[role="textbox"]`, Duration: 20345 * time.Microsecond, Code: "gone", Matched: -1, Drift: 0.25,
				Considered: []store.Considered{
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
		t.Errorf("what a run proposes is taken for a kept document: %v", err)
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
