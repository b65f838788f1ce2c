package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/cli/transfer"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	_ "github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/storetest"
)

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, address string) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), address)
	try(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

const each = 4 // of each kind

// fill puts some of each kind into a store, and gives how many that are.
func fill(t testing.TB, s store.Store) int {
	t.Helper()
	ctx := t.Context()
	for i := range each {
		a := storetest.Document(t, fmt.Sprintf("flow-%d", i), []string{"", "müller/50%"}[i%2])
		a, err := s.Automations().Save(ctx, a)
		try(t, err)
		a.Description = "changed"
		_, err = s.Automations().Save(ctx, a)
		try(t, err)
		run := store.Run{ID: store.NewRunID(), Automation: a.Name, State: store.Done, Started: time.Unix(1e9, 0).UTC()}
		try(t, s.Runs().Save(ctx, run))
		try(t, s.Commits().Begin(ctx, run.ID, i))
		try(t, s.Commits().Begin(ctx, run.ID+".2", 7))
		try(t, s.Commits().Resolve(ctx, run.ID+".2", 7, true))
		for n := range 3 {
			_, err := s.Journal().Append(ctx, call(fmt.Sprintf("session-%d", i), fmt.Sprint("id-", n)))
			try(t, err)
		}
		for _, kept := range []store.Envelopes{s.Tasks(), s.Vault(), s.Logins()} {
			_, err := kept.Save(ctx, storetest.Envelope(fmt.Sprintf("e-%d", i), ""))
			try(t, err)
		}
	}
	return 8 * each
}

func call(session, id string) store.JournalCall {
	return store.JournalCall{
		Session: session, ID: id, Tool: "click", Arguments: []byte(`{"selector": "#go"}`), Intent: "press " + id,
		Outcome: store.CallDone, Started: time.UnixMilli(1e12).UTC(), Took: time.Second,
	}
}

// contents is what is in a store, in words.
func contents(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	ctx, all := t.Context(), map[string]string{}
	for a, err := range s.Automations().List(ctx) {
		try(t, err)
		a.Revision = 0
		all["automation "+a.Name] = fmt.Sprintf("%+v", a)
	}
	for r, err := range s.Runs().List(ctx) {
		try(t, err)
		all["run "+r.ID] = fmt.Sprintf("%+v", r)
	}
	for run, err := range s.Commits().RunsWithCommits(ctx) {
		try(t, err)
		sent, err := s.Commits().Committed(ctx, run)
		try(t, err)
		all["commits of "+run] = fmt.Sprint(sent)
	}
	sessions, err := s.Journal().Sessions(ctx)
	try(t, err)
	for _, session := range sessions {
		check, err := s.Journal().Verify(ctx, session)
		try(t, err)
		all["trace "+session] = fmt.Sprint(check)
		for c, err := range s.Journal().Trace(ctx, session) {
			try(t, err)
			all["trace "+session] += fmt.Sprintf(" %+v", c)
		}
	}
	for _, kept := range []store.Envelopes{s.Tasks(), s.Vault(), s.Logins()} {
		for e, err := range kept.List(ctx) {
			try(t, err)
			all[fmt.Sprint(e.Kind, e.Name)] = fmt.Sprintf("%+v %s", e.Label, e.Sealed)
		}
	}
	return all
}

func wantSame(t testing.TB, a, b store.Store) {
	t.Helper()
	if diff := cmp.Diff(contents(t, a), contents(t, b)); diff != "" {
		t.Errorf("they differ:\n%s", diff)
	}
}

func sum(t testing.TB, r transfer.Report, copied, same int) {
	t.Helper()
	got, conflicts, failed := r.Sum()
	there := 0
	for _, c := range r {
		there += c.Same
	}
	if got != copied || there != same || conflicts+failed > 0 {
		t.Errorf("copied %d, same %d, %d conflicts, %d failed; want %d and %d", got, there, conflicts, failed, copied, same)
	}
}

func TestAStoreIsCopiedToPostgresAndBack(t *testing.T) {
	t.Parallel()
	from, database, back := open(t, t.TempDir()), open(t, postgrestest.Database(t)), open(t, t.TempDir())
	n := fill(t, from)
	for _, o := range []*transfer.Options{{DryRun: true}, nil} {
		r, err := transfer.Copy(t.Context(), from, database, o)
		try(t, err)
		sum(t, r, n, 0)
	}
	r, err := transfer.Copy(t.Context(), from, database, nil)
	try(t, err)
	sum(t, r, 0, n)
	r, err = transfer.Copy(t.Context(), database, back, nil)
	try(t, err)
	sum(t, r, n, 0)
	wantSame(t, from, database)
	wantSame(t, from, back)
}

func TestADryRunCopiesNothing(t *testing.T) {
	t.Parallel()
	from, to := open(t, t.TempDir()), filepath.Join(t.TempDir(), "to")
	fill(t, from)
	_, err := transfer.Copy(t.Context(), from, open(t, to), &transfer.Options{DryRun: true})
	try(t, err)
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// Broken off after any number of things and begun again, all is there in the end.
func TestACopyThatWasBrokenOffGoesOn(t *testing.T) {
	t.Parallel()
	from := open(t, t.TempDir())
	n := fill(t, from)
	gone := errors.New("killed")
	for after := 1; after < n; after += 5 {
		to := open(t, t.TempDir())
		ctx, cancel := context.WithCancelCause(t.Context())
		seen := 0
		_, err := transfer.Copy(ctx, from, to, &transfer.Options{Progress: func(transfer.Kind, *transfer.Count) {
			if seen++; seen == after {
				cancel(gone)
			}
		}})
		if !errors.Is(err, gone) {
			t.Errorf("broken off after %d it gives %v", after, err)
		}
		r, err := transfer.Copy(t.Context(), from, to, nil)
		try(t, err)
		sum(t, r, n-after, after)
		wantSame(t, from, to)
	}
}

func TestWhatIsDifferentThereIsToldAndLeft(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := open(t, t.TempDir()), open(t, t.TempDir())
	fill(t, from)
	_, err := transfer.Copy(ctx, from, to, nil)
	try(t, err)
	a, err := to.Automations().Get(ctx, "flow-0", "")
	try(t, err)
	a.Description = "theirs"
	_, err = to.Automations().Save(ctx, a)
	try(t, err)
	for r := range to.Runs().List(ctx) {
		r.Reason = "theirs"
		try(t, to.Runs().Save(ctx, r.Run))
		break
	}
	e, err := to.Tasks().Get(ctx, "e-0", "")
	try(t, err)
	e.Sealed = append([]byte("-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCnRoZWlycwo=\n"), "-----END AGE ENCRYPTED FILE-----"...)
	_, err = to.Tasks().Save(ctx, e)
	try(t, err)
	before := contents(t, to)
	r, err := transfer.Copy(ctx, from, to, nil)
	try(t, err)
	for _, kind := range []transfer.Kind{transfer.Automations, transfer.Runs, transfer.Tasks} {
		if left := r[kind].Left; len(left) != 1 || !errors.Is(left[0].Err, store.ErrConflict) {
			t.Errorf("%s: left are %v, want one conflict", kind, left)
		}
	}
	if diff := cmp.Diff(before, contents(t, to)); diff != "" {
		t.Errorf("what was different was changed:\n%s", diff)
	}
	r, err = transfer.Copy(ctx, from, to, &transfer.Options{Overwrite: true})
	try(t, err)
	sum(t, r, 3, 8*each-3)
	wantSame(t, from, to)
}

// What was sent there is never taken back, and a run that goes on is renewed.
func TestRunsAndTheirCommitsGoForwardOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := open(t, t.TempDir()), open(t, t.TempDir())
	run := store.Run{ID: store.NewRunID(), Automation: "flow", State: store.Running, Started: time.Unix(1e9, 0).UTC()}
	try(t, from.Runs().Save(ctx, run))
	try(t, from.Commits().Begin(ctx, run.ID, 1))
	try(t, from.Commits().Begin(ctx, run.ID, 2))
	try(t, to.Commits().Resolve(ctx, run.ID, 2, true))
	try(t, to.Commits().Begin(ctx, run.ID, 3))
	_, err := transfer.Copy(ctx, from, to, &transfer.Options{Overwrite: true})
	try(t, err)
	sent, err := to.Commits().Committed(ctx, run.ID)
	if diff := cmp.Diff(map[int]bool{1: false, 2: true, 3: false}, sent); err != nil || diff != "" {
		t.Errorf("what was sent: %v (-want +got):\n%s", err, diff)
	}
	try(t, from.Commits().Resolve(ctx, run.ID, 1, true))
	run.State, run.Finished = store.Done, time.Unix(1e9+5, 0).UTC()
	try(t, from.Runs().Save(ctx, run))
	r, err := transfer.Copy(ctx, from, to, nil)
	try(t, err)
	got, err := to.Runs().Get(ctx, run.ID)
	if sent, _ := to.Commits().Committed(ctx, run.ID); err != nil || got.State != store.Done || !sent[1] || len(r[transfer.Runs].Left) > 0 {
		t.Errorf("after it ended: %v, %v, %+v", got.State, sent, r[transfer.Runs])
	}
}

func TestWhatCannotBeReadIsToldAndTheRestIsCopied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := open(t, dir), open(t, t.TempDir())
	n := fill(t, from)
	for _, path := range []string{"automations/torn.json", "tasks/torn.age", "runs/" + store.NewRunID() + "/run.json"} {
		path = filepath.Join(dir, path)
		try(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"format": 1,`), 0o600)))
	}
	r, err := transfer.Copy(t.Context(), from, to, nil)
	try(t, err)
	copied, _, failed := r.Sum()
	if copied != n || failed != 3 {
		t.Errorf("copied %d of %d, %d failed", copied, n, failed)
	}
}

// A trace grows, and one that is another or was changed is not copied.
func TestTracesGrowAndAreNotMended(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	from, to := open(t, dir), open(t, t.TempDir())
	for _, session := range []string{"grows", "other", "broken"} {
		for _, id := range []string{"a", "b"} {
			_, err := from.Journal().Append(ctx, call(session, id))
			try(t, err)
		}
	}
	_, err := to.Journal().Append(ctx, call("grows", "a"))
	try(t, err)
	_, err = to.Journal().Append(ctx, call("other", "x"))
	try(t, err)
	path := filepath.Join(dir, "traces", "broken.jsonl")
	data, err := os.ReadFile(path)
	try(t, err)
	try(t, os.WriteFile(path, []byte(strings.Replace(string(data), "press a", "press z", 1)), 0o600))
	r, err := transfer.Copy(ctx, from, to, &transfer.Options{Overwrite: true})
	try(t, err)
	c := r[transfer.Traces]
	var broken *store.BrokenTraceError
	if c.Copied != 1 || len(c.Left) != 1 || c.Left[0].Name != "other" || len(c.Failed) != 1 || !errors.As(c.Failed[0].Err, &broken) {
		t.Errorf("traces: %+v", c)
	}
	if check, err := to.Journal().Verify(ctx, "grows"); err != nil || check.Calls != 2 {
		t.Errorf("the trace that grows: %+v, %v", check, err)
	}
}
