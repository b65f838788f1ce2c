package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// runsOptions are the flags of runs.
type runsOptions struct {
	id, state, name string
	account, since  string
	accountGiven    bool
	after           time.Time // of since
	limit           int
	open, follow    bool
}

// lost is the --state of runs whose process died without recording a result.
const lost = "lost"

// states are the values of --state.
var states = []string{
	string(store.Queued), string(store.Running), string(store.WaitingForPerson), string(store.Done),
	string(store.Failed), string(store.Uncertain), string(store.Cancelled), lost,
}

func (a *app) runsCommand() *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "Show what was played, and how it went",
		Long: `Runs shows the records of runs, the newest first, or one of them with its steps: how long
each took, and by which selector its element was found. Records hold none of the values that
a run was given.

A run is stored as running from its beginning on. Where the process that performed it died
without recording a result, the run is uncertain if it had sent a commit whose outcome is
unknown, and lost if it had not.

With --follow it shows the runs that have not ended, and then what happens to any, a line for
each step and each end, until it is told to stop.`,
		Example: `  reprise runs --name order --state failed
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y --open
  reprise runs --follow --json
  reprise runs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise runs retry 01kb3c5n7p9q2r4s6t8v0w1x3y`,
		Args: between(nil, 1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.id = args[0]
			}
			o.accountGiven = cmd.Flags().Changed("account")
			return a.runs(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.state, "state", "", "only those in this `STATE`: "+strings.Join(states, ", ")+" (default: all)")
	f.StringVar(&o.name, "name", "", "only those of this `NAME`, or of names that a glob matches (default: all)")
	f.StringVar(&o.account, "account", "", "only those for this `ACCOUNT`, \"\" is any (default: all)")
	f.StringVar(&o.since, "since", "", "only those that began less than this `AGE` ago: 2h, 7d (default: all)")
	f.IntVar(&o.limit, "limit", 20, "at most `N` of them, 0 is all")
	f.BoolVar(&o.open, "open", false, "open the report of the run in a browser, if it has one (default: tell of it here)")
	f.BoolVarP(&o.follow, "follow", "f", false, "show what happens, until it is told to stop (default: show what is stored)")
	cmd.AddCommand(a.cancelCommand(), a.retryCommand())
	cmd.ValidArgsFunction = a.completeRuns(func(store.Run) bool { return true })
	const no = cobra.ShellCompDirectiveNoFileComp
	a.warn(cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, no))) // only for a flag that there is not
	a.warn(cmd.RegisterFlagCompletionFunc("name", a.completeNames(false)))
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) runs(ctx context.Context, o *runsOptions) error {
	switch {
	case o.id != "" && (o.state != "" || o.name != "" || o.accountGiven || o.since != ""):
		return failure.Usagef("--state, --name, --account and --since are for the list: leave them out, or the RUN")
	case o.state != "" && !slices.Contains(states, o.state):
		return failure.Usagef("--state %.40s: it is one of %s", o.state, strings.Join(states, ", "))
	case o.open && o.id == "":
		return failure.Usagef("--open: which one? Give a RUN")
	case o.follow && (o.id != "" || o.state != ""):
		return failure.Usagef("--follow shows what happens to any run, or to those of a --name: leave RUN and --state out")
	case o.limit < 0:
		return failure.Usagef("--limit is counted from 1, and 0 is all")
	}
	if _, err := path.Match(o.name, ""); err != nil {
		return failure.Usagef("--name %.60q is not a glob: %v", o.name, err)
	}
	if o.since != "" {
		age, err := parseAge(o.since)
		if err != nil {
			return failure.Usagef("--since: %v", err)
		}
		o.after = time.Now().Add(-age)
	}
	return a.withStore(ctx, func(st store.Store) error {
		if o.follow {
			return a.followRuns(ctx, st, o)
		}
		if o.id == "" {
			return a.listRuns(ctx, st, o)
		}
		run, err := st.Runs().Get(ctx, o.id)
		if err != nil {
			return err
		}
		if o.open {
			return a.openReport(ctx, run)
		}
		return a.showRun(ctx, st, run)
	})
}

// isOf reports whether the flags that are about what was played select a run. One that is queued
// began just now.
func (o *runsOptions) isOf(r store.RunSummary) bool {
	began := r.Started.IsZero() || !r.Started.Before(o.after)
	return matchesName(o.name, r.Automation) && (!o.accountGiven || cmp.Or(r.PlayedFor, r.Account) == o.account) && began
}

// matches reports whether the flags select a run.
func (o *runsOptions) matches(r store.RunSummary, gone bool) bool {
	if !o.isOf(r) {
		return false
	}
	switch o.state {
	case "":
		return true
	case lost:
		return gone && r.State != store.Uncertain
	}
	return string(r.State) == o.state && (!gone || r.State == store.Uncertain)
}

func (a *app) listRuns(ctx context.Context, st store.Store, o *runsOptions) error {
	all := []render.Run{}
	more := false
	for r, err := range st.Runs().List(ctx) {
		if err != nil {
			return err
		}
		now, gone, err := runner.Current(ctx, st.Commits(), r.Run)
		if err != nil {
			return err
		}
		r.Run = now
		if !o.matches(r, gone) {
			continue
		}
		if more = o.limit > 0 && len(all) == o.limit; more {
			break
		}
		all = append(all, render.RunOf(r, gone))
	}
	if len(all) == 0 && !a.json {
		a.say("No such run is stored%s.", in(a.dataDir()))
		return nil
	}
	err := a.result(all, func(render.Style) string { return render.Runs(all) })
	if more && !a.json {
		a.say("There are more: --limit 0 shows all.")
	}
	return err
}

// stopped reports whether a run can be resumed.
func stopped(r store.Run) bool {
	return r.State != store.Done && (!r.Finished.IsZero() || runner.Lost(r))
}

// maxCompletions bounds what a shell is offered.
const maxCompletions = 30

// completeRuns completes the IDs of the runs that fit, newest first.
func (a *app) completeRuns(fits func(store.Run) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		st, err := a.openStore(cmd.Context())
		if err != nil || cmd.Name() == "runs" && len(args) > 0 {
			return nil, how
		}
		defer st.Close()
		var found []string
		for r, err := range st.Runs().List(cmd.Context()) {
			if err != nil || len(found) == maxCompletions {
				break
			}
			if r.Err == nil && fits(r.Run) && strings.HasPrefix(r.ID, begun) {
				now, gone, err := runner.Current(cmd.Context(), st.Commits(), r.Run)
				if err != nil {
					break
				}
				words := fmt.Sprintf("%s %s %s", r.Automation, render.When(r.Started), render.RunState(now.State, gone))
				found = append(found, cobra.CompletionWithDesc(r.ID, words))
			}
		}
		return found, how
	}
}

func (a *app) showRun(ctx context.Context, st store.Store, run store.Run) error {
	sent, err := st.Commits().Committed(ctx, run.ID)
	if err != nil {
		return err
	}
	run, lost, err := runner.Current(ctx, st.Commits(), run)
	if err != nil {
		return err
	}
	view := render.RunOf(store.RunSummary{Run: run}, lost).WithSent(sent)
	if err := a.result(view, view.Text); err != nil {
		return err
	}
	if !a.json && run.State != store.Done && whyNoRetry(run, lost, len(sent)) == "" {
		a.say("`reprise runs retry %s%s` starts it again.", run.ID, a.storeFlags())
	}
	return nil
}

// openReport prints the file of a run's report, and opens it in the user's browser.
func (a *app) openReport(ctx context.Context, run store.Run) error {
	if run.Report == "" {
		return fmt.Errorf("run %s has no report: play with --report DIR", run.ID)
	}
	if _, err := os.Stat(run.Report); err != nil {
		return fmt.Errorf("the report of run %s is no longer there: %w", run.ID, err)
	}
	if a.json {
		return a.printJSON(map[string]string{"report": run.Report})
	}
	if _, err := fmt.Fprintln(a.stdout, run.Report); err != nil {
		return err
	}
	if opener := openerOf(runtime.GOOS, os.Getenv); opener != "" {
		if err := exec.CommandContext(ctx, opener, run.Report).Run(); err != nil {
			a.say("It cannot be opened from here: open it in a browser.")
		}
	}
	return nil
}

// openerOf is the program that opens a file for the user, "" where there is no screen.
func openerOf(system string, env func(string) string) string {
	switch {
	case system == "darwin":
		return "open"
	case env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}

const (
	followEvery = 500 * time.Millisecond // the store is read this often
	// followNewest is how many of the newest runs are read. Older ones are read until they have ended.
	followNewest = 200
)

// follower prints changes of runs.
type follower struct {
	app  *app
	st   store.Store
	o    *runsOptions
	last map[string]store.RunSummary // as they were printed
}

// followRuns prints the runs that have not ended, and then changes of all runs, until ctx ends.
// While the store's server is unavailable it waits.
func (a *app) followRuns(ctx context.Context, st store.Store, o *runsOptions) error {
	f := &follower{app: a, st: st, o: o, last: map[string]store.RunSummary{}}
	if err := f.look(ctx, false); err != nil {
		return err
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for away := false; ; {
		select {
		case <-ctx.Done():
			return nil // it is how this ends
		case <-tick.C:
		}
		err := f.look(ctx, true)
		if err != nil && ctx.Err() == nil && !away {
			a.warn(err) // once, while it lasts
		}
		away = err != nil
	}
}

// look prints what has changed since it last read the store; at first, the runs that have not ended.
func (f *follower) look(ctx context.Context, again bool) error {
	newest := map[string]bool{}
	for r, err := range f.st.Runs().List(ctx) {
		if err != nil {
			return err
		}
		if len(newest) == followNewest {
			break
		}
		newest[r.ID] = true
		if err := f.see(ctx, r, again); err != nil {
			return err
		}
	}
	for id, before := range f.last { // which are no longer among them
		if newest[id] {
			continue
		}
		if before.Err != nil || runner.Ended(before.State) {
			delete(f.last, id)
			continue
		}
		now, err := f.st.Runs().Get(ctx, id)
		if err != nil {
			return err
		}
		if err := f.see(ctx, store.RunSummary{Run: now}, again); err != nil {
			return err
		}
	}
	return nil
}

// see prints a run if it has changed.
func (f *follower) see(ctx context.Context, r store.RunSummary, again bool) error {
	ended := runner.Ended(r.State) // by its record: one whose process died is printed
	now, gone, err := runner.Current(ctx, f.st.Commits(), r.Run)
	if err != nil {
		return err
	}
	r.Run = now
	before, known := f.last[r.ID]
	f.last[r.ID] = r
	switch {
	case r.Err != nil, !f.o.isOf(r):
		return nil
	case !again && ended:
		return nil
	case known && before.State == r.State && len(before.Steps) == len(r.Steps):
		return nil
	case f.app.json:
		return json.NewEncoder(f.app.stdout).Encode(render.RunOf(r, gone)) // one on each line
	}
	return f.app.print(render.RunChange(render.StyleOf(f.app.stdout), before.Run, r.Run, gone, known) + "\n")
}

const retryLong = `Retry starts a run again as a new one: the same automation, for the same account, with the task
and the login that it had. Other values are not in its record: give them as to ` + "`reprise play`" + `,
whose flags it has.

A run that has sent a commit step, or may have, is not started again: what was sent would be sent
twice. ` + "`reprise play --resume`" + ` goes on with it.`

func (a *app) retryCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "retry RUN",
		Short: "Start a run that has ended again, as a new one",
		Long:  retryLong,
		Example: `  reprise runs retry 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise runs retry 01kb3c5n7p9q2r4s6t8v0w1x3y --var-env password=ADA_PASSWORD`,
		Args:              exactly("RUN"),
		ValidArgsFunction: a.completeRuns(func(r store.Run) bool { return runner.Ended(r.State) && r.State != store.Uncertain && r.Revision > 0 }),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if o.resume != "" {
				return failure.Usagef("--resume is for `reprise play`: retry starts a new run")
			}
			if err := a.withStore(cmd.Context(), func(st store.Store) error { return o.as(cmd.Context(), st, args[0]) }); err != nil {
				return err
			}
			return a.play(cmd.Context(), &o)
		}),
	}
	o.flags(cmd.Flags())
	a.emulationFlags(cmd)
	a.completeAccounts(cmd)
	a.completePlay(cmd)
	return cmd
}

// as takes from the record of a run what no flag has said.
func (o *playOptions) as(ctx context.Context, st store.Store, id string) error {
	run, err := st.Runs().Get(ctx, id)
	if err != nil {
		return err
	}
	sent, err := st.Commits().Committed(ctx, run.ID)
	if err != nil {
		return err
	}
	run, lost, err := runner.Current(ctx, st.Commits(), run)
	if err != nil {
		return err
	}
	if why := whyNoRetry(run, lost, len(sent)); why != "" {
		return fmt.Errorf("run %s is not started again: %s", run.ID, why)
	}
	o.what, o.account, o.values.Task, o.login = run.Automation, cmp.Or(o.account, run.PlayedFor, run.Account), cmp.Or(o.values.Task, run.Task), cmp.Or(o.login, run.Login)
	return nil
}

// whyNoRetry returns why a run is not to be started again, "" where it may be.
func whyNoRetry(run store.Run, lost bool, sent int) string {
	if !runner.Ended(run.State) && !lost {
		return "it has not ended"
	}
	return runner.WhyNoRetry(run, sent)
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Take a queued run from the queue, or end it where it is played",
		Long: `Cancel takes a run from the queue, or ends it where a worker plays it, and says how it
ended: as cancelled, or as uncertain where it has sent a commit step whose outcome
was not seen.`,
		Example:           `  reprise runs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y`,
		Args:              exactly("RUN"),
		ValidArgsFunction: a.completeRuns(func(r store.Run) bool { return !runner.Ended(r.State) }),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.cancel(cmd.Context(), args[0])
		}),
	}
}

func (a *app) cancel(ctx context.Context, id string) error {
	st, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(st.Close()) }()
	run, err := queue.Cancel(ctx, id)
	if err != nil {
		return err
	}
	return a.result(render.RunOf(store.RunSummary{Run: run}, runner.Lost(run)), func(s render.Style) string { return render.EndedRun(s, run) + "\n" })
}
