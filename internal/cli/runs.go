package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// runsOptions are the flags of runs.
type runsOptions struct {
	id, state, name string
	limit           int
	open, follow    bool
}

// lost is what runs says of a run that ended without a word, in the place of its state.
const lost = "lost"

// states are those that --state takes.
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

A run is kept as running from its beginning on. Where the process that performed it died
without recording a result, the run is uncertain if it had sent a commit whose outcome is
unknown, and lost if it had not.

With --follow it shows the runs that have not ended, and then what happens to any, a line for
each step and each end, until it is told to stop.`,
		Example: `  reprise runs --name order --state failed
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y --open
  reprise runs --follow --json
  reprise runs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y`,
		Args: between(nil, 1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.id = args[0]
			}
			return a.runs(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.state, "state", "", "only those in this `STATE`: "+strings.Join(states, ", ")+" (default: all)")
	f.StringVar(&o.name, "name", "", "only those of this `NAME` (default: all)")
	f.IntVar(&o.limit, "limit", 20, "at most `N` of them, 0 is all")
	f.BoolVar(&o.open, "open", false, "open the report of the run in a browser, if it has one (default: tell of it here)")
	f.BoolVarP(&o.follow, "follow", "f", false, "show what happens, until it is told to stop (default: show what is kept)")
	cmd.AddCommand(a.cancelCommand())
	cmd.ValidArgsFunction = a.completeRuns(func(store.Run) bool { return true })
	const no = cobra.ShellCompDirectiveNoFileComp
	a.warn(cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, no))) // only for a flag that there is not
	a.warn(cmd.RegisterFlagCompletionFunc("name", a.completeNames(false)))
	return cmd
}

func (a *app) runs(ctx context.Context, o *runsOptions) error {
	switch {
	case o.id != "" && (o.state != "" || o.name != ""):
		return usagef("--state and --name are for the list: leave them out, or the RUN")
	case o.state != "" && !slices.Contains(states, o.state):
		return usagef("--state %.40s: it is one of %s", o.state, strings.Join(states, ", "))
	case o.open && o.id == "":
		return usagef("--open: which one? Give a RUN")
	case o.follow && (o.id != "" || o.state != ""):
		return usagef("--follow shows what happens to any run, or to those of a --name: leave RUN and --state out")
	case o.limit < 0:
		return usagef("--limit is counted from 1, and 0 is all")
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	if o.follow {
		return a.followRuns(ctx, kept, o)
	}
	if o.id == "" {
		return a.listRuns(ctx, kept, o)
	}
	run, err := kept.Runs().Get(ctx, o.id)
	if err != nil {
		return err
	}
	if o.open {
		return a.openReport(ctx, run)
	}
	return a.showRun(ctx, kept, run)
}

// matches reports whether a run, as it stands now, is one that was asked for.
func (o *runsOptions) matches(r store.RunSummary, gone bool) bool {
	if o.name != "" && r.Automation != o.name {
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

func (a *app) listRuns(ctx context.Context, kept store.Store, o *runsOptions) error {
	all := []keptRun{}
	more := false
	for r, err := range kept.Runs().List(ctx) {
		if err != nil {
			return err
		}
		now, gone, err := runner.Current(ctx, kept.Commits(), r.Run)
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
		all = append(all, keptRunOf(r, gone))
	}
	switch {
	case a.json:
		return a.printJSON(all)
	case len(all) == 0:
		a.say("No such run is kept%s.", in(a.dataDir()))
		return nil
	}
	_, err := io.WriteString(a.stdout, render.Table(rowsOfRuns(all)))
	if more {
		a.say("There are more: --limit 0 shows all.")
	}
	return err
}

func rowsOfRuns(all []keptRun) [][]string {
	rows := [][]string{{"RUN", "NAME", "ACCOUNT", "BEGAN", "TOOK", "STATE"}}
	for _, r := range all {
		if r.Error != nil {
			first, _, _ := strings.Cut(r.Error.Reason, "\n")
			rows = append(rows, []string{r.ID, "-", "-", "-", "-", "cannot be read: " + first})
			continue
		}
		state := render.RunState(r.State, r.Lost)
		if r.Code != "" && r.Code != string(r.State) {
			state += ": " + r.Code
		}
		rows = append(rows, []string{r.ID, r.Automation, r.Account, render.When(r.Started), render.Took(r.Started, r.Finished), state})
	}
	return rows
}

// stopped reports whether a run can be gone on with.
func stopped(r store.Run) bool {
	return r.State != store.Done && (!r.Finished.IsZero() || runner.Lost(r))
}

// mostCompleted is how many runs a shell is offered.
const mostCompleted = 30

// completeRuns completes the IDs of those runs that fit, the newest first.
func (a *app) completeRuns(fits func(store.Run) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		kept, err := a.openStore(cmd.Context())
		if err != nil || cmd.Name() == "runs" && len(args) > 0 {
			return nil, how
		}
		defer kept.Close()
		var found []string
		for r, err := range kept.Runs().List(cmd.Context()) {
			if err != nil || len(found) == mostCompleted {
				break
			}
			if r.Err == nil && fits(r.Run) && strings.HasPrefix(r.ID, begun) {
				now, gone, err := runner.Current(cmd.Context(), kept.Commits(), r.Run)
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
