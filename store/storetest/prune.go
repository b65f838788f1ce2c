package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// ended saves a run that ended an hour ago, in a state.
func ended(t *testing.T, s store.Store, state store.RunState) string {
	t.Helper()
	r := store.Run{ID: store.NewRunID(), Automation: "login", Account: "ada", State: state, Started: time.Now().Add(-2 * time.Hour), Finished: time.Now().Add(-time.Hour)}
	if state == store.Running || state == store.Queued || state == store.WaitingForPerson {
		r.Finished = time.Time{}
	}
	must(t, s.Runs().Save(t.Context(), r))
	return r.ID
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pruned prunes and returns what was removed, as KIND ID.
func pruned(t *testing.T, s store.Store, o store.PruneOptions) []string {
	t.Helper()
	all := []string{}
	for p, err := range s.Prune(t.Context(), o) {
		must(t, err)
		if p.Size <= 0 {
			t.Errorf("%s %s takes %d bytes", p.Kind, p.ID, p.Size)
		}
		all = append(all, string(p.Kind)+" "+p.ID)
	}
	slices.Sort(all)
	return all
}

func there(t *testing.T, s store.Store, run string) bool {
	t.Helper()
	_, err := s.Runs().Get(t.Context(), run)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func pruneRuns(t *testing.T, s store.Store) {
	now := time.Now()
	done, failed, cancelled := ended(t, s, store.Done), ended(t, s, store.Failed), ended(t, s, store.Cancelled)
	var open []string
	for _, state := range []store.RunState{store.Queued, store.Running, store.WaitingForPerson, store.Uncertain} {
		open = append(open, ended(t, s, state))
	}
	if got := pruned(t, s, store.PruneOptions{Before: now.Add(-2 * time.Hour)}); len(got) > 0 {
		t.Errorf("younger ones were removed: %v", got)
	}
	if got := pruned(t, s, store.PruneOptions{}); len(got) > 0 {
		t.Errorf("without a time %v were removed", got)
	}
	want := []string{"run " + done, "run " + failed, "run " + cancelled}
	slices.Sort(want)
	if diff := cmp.Diff(want, pruned(t, s, store.PruneOptions{Before: now, DryRun: true})); diff != "" {
		t.Errorf("a dry run (-want +got):\n%s", diff)
	}
	for _, run := range []string{done, failed, cancelled} {
		if !there(t, s, run) {
			t.Errorf("a dry run removed %s", run)
		}
	}
	if diff := cmp.Diff(want, pruned(t, s, store.PruneOptions{Before: now})); diff != "" {
		t.Errorf("it removed (-want +got):\n%s", diff)
	}
	for _, run := range []string{done, failed, cancelled} {
		if there(t, s, run) {
			t.Errorf("%s is still there", run)
		}
	}
	for _, run := range open {
		if !there(t, s, run) {
			t.Errorf("%s was removed, which has not ended", run)
		}
	}
	if got := pruned(t, s, store.PruneOptions{Before: now}); len(got) > 0 {
		t.Errorf("the second time it removed %v", got)
	}
}

// A run whose process died is pruned when it is old, except where the outcome of a commit is
// unknown.
func pruneLost(t *testing.T, s store.Store) {
	ctx := t.Context()
	lost, waiting, alive, uncertain := ended(t, s, store.Running), ended(t, s, store.WaitingForPerson), ended(t, s, store.Running), ended(t, s, store.Running)
	must(t, s.Commits().Begin(ctx, uncertain, 3))
	late := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Running, Started: time.Now().Add(-2 * time.Hour)}
	late.Steps = []store.RunStep{{Tool: "click", Outcome: store.StepDone, Started: time.Now().Add(-time.Minute), Duration: time.Second}}
	must(t, s.Runs().Save(ctx, late))
	q, err := s.Approvals().Ask(ctx, Question(lost), time.Hour)
	must(t, err)
	must(t, s.Approvals().Withdraw(ctx, q.ID))
	o := store.PruneOptions{Before: time.Now().Add(-time.Hour), Lost: func(r store.Run) bool { return r.ID != alive }}
	want := []string{"run " + lost, "run " + waiting}
	slices.Sort(want)
	if diff := cmp.Diff(want, pruned(t, s, o)); diff != "" {
		t.Errorf("it removed (-want +got):\n%s", diff)
	}
	o.Before = time.Now().Add(time.Minute)
	if diff := cmp.Diff([]string{"approval " + q.ID, "run " + late.ID}, pruned(t, s, o)); diff != "" {
		t.Errorf("later it removed (-want +got):\n%s", diff)
	}
	for _, run := range []string{alive, uncertain} {
		if !there(t, s, run) {
			t.Errorf("%s was removed", run)
		}
	}
}

// What was sent is not sent again after the record of a run that could be resumed is gone.
func pruneCommits(t *testing.T, s store.Store) {
	ctx, c := t.Context(), s.Commits()
	done, failed, unresolved, within := ended(t, s, store.Done), ended(t, s, store.Failed), ended(t, s, store.Failed), ended(t, s, store.Done)
	const key = "order4711" // of a caller: there is no record
	for _, run := range []string{done, failed, failed + ".2", key, unresolved, within + ".1"} {
		must(t, c.Begin(ctx, run, 3))
		if run != unresolved && run != within+".1" {
			must(t, c.Resolve(ctx, run, 3, true))
		}
	}
	pruned(t, s, store.PruneOptions{Before: time.Now()})
	for run, want := range map[string]bool{done: false, failed: false, unresolved: true, within: true} {
		if got := there(t, s, run); got != want {
			t.Errorf("run %s is there: %v, want %v", run, got, want)
		}
	}
	for _, run := range []string{failed, failed + ".2", key, unresolved, within + ".1"} {
		if err := c.Begin(ctx, run, 3); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("sending step 3 of %s again: %v, want ErrAlreadySent", run, err)
		}
	}
	sent, err := c.Committed(ctx, done)
	must(t, err)
	if len(sent) > 0 {
		t.Errorf("the notes of a run that is done are still there: %v", sent)
	}
}

func pruneWhatBelongsToRuns(t *testing.T, s store.Store) {
	ctx := t.Context()
	old, open := ended(t, s, store.Done), ended(t, s, store.Uncertain)
	var ids []string
	for _, run := range []string{old, open, open + ".1"} {
		q := Question(run)
		a, err := s.Approvals().Ask(ctx, q, time.Hour)
		must(t, err)
		must(t, s.Approvals().Withdraw(ctx, a.ID))
		h, err := s.Handoffs().Start(ctx, store.Handoff{Run: run, Step: -1, Reason: "manual_recovery"}, time.Hour)
		must(t, err)
		_, err = s.Handoffs().End(ctx, h.ID, store.HandoffFinished, nil)
		must(t, err)
		ids = append(ids, a.ID, h.ID)
	}
	pending, err := s.Approvals().Ask(ctx, Question(old), time.Hour)
	must(t, err)
	running, err := s.Handoffs().Start(ctx, store.Handoff{Run: old, Step: -1, Reason: "manual_recovery"}, time.Hour)
	must(t, err)
	for session, run := range map[string]string{"old": old, "open": open, "none": ""} {
		c := call(session, "c", 0)
		c.Run, c.Started = run, time.Now().Add(-time.Hour)
		_, err := s.Journal().Append(ctx, c)
		must(t, err)
	}
	young := call("young", "c", 0)
	young.Started = time.Now().Add(time.Hour)
	_, err = s.Journal().Append(ctx, young)
	must(t, err)

	got := pruned(t, s, store.PruneOptions{Before: time.Now().Add(time.Minute)})
	want := []string{"approval " + ids[0], "handoff " + ids[1], "run " + old, "trace none", "trace old"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it removed (-want +got):\n%s", diff)
	}
	for _, id := range []string{ids[2], ids[4], pending.ID} {
		if _, err := s.Approvals().Get(ctx, id); err != nil {
			t.Errorf("an approval that has to stay: %v", err)
		}
	}
	for _, id := range []string{ids[3], ids[5], running.ID} {
		if _, err := s.Handoffs().Get(ctx, id); err != nil {
			t.Errorf("a handoff that has to stay: %v", err)
		}
	}
	if _, err := s.Journal().Verify(ctx, "old"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the trace that was removed: %v", err)
	}
	first, err := s.Journal().Append(ctx, call("old", "again", 0))
	must(t, err)
	if check, err := s.Journal().Verify(ctx, "old"); err != nil || check.Calls != 1 || first.Number != 1 {
		t.Errorf("the session begins again with call %d: %v, %v", first.Number, check, err)
	}
}
