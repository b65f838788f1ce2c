package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/cmd/reprise/internal/runs"
	"github.com/go-reprise/reprise/cmd/reprise/internal/tell"
	"github.com/go-reprise/reprise/store"
)

// runsOptions are the flags of runs.
type runsOptions struct {
	id, state, name string
	limit           int
	open            bool
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

A run is kept as running from its beginning on. Where the process that performed it has gone,
it ended without a word (lost); ` + "`reprise play NAME --resume RUN`" + ` finds out whether it had
sent anything of which it is not known what became.`,
		Example: `  reprise runs --name order --state failed
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise runs 01kb3c5n7p9q2r4s6t8v0w1x3y --open`,
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
	case o.limit < 0:
		return usagef("--limit is counted from 1, and 0 is all")
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
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

// keptRun is a run as runs --json tells it.
type keptRun struct {
	ID         string            `json:"id"`
	Automation string            `json:"automation,omitempty"`
	Account    string            `json:"account,omitempty"`
	Revision   int               `json:"revision,omitempty"`
	State      store.RunState    `json:"state,omitempty"`
	Lost       bool              `json:"lost,omitempty"` // it ended without a word
	Code       string            `json:"code,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Started    time.Time         `json:"started,omitzero"`
	Finished   time.Time         `json:"finished,omitzero"`
	Report     string            `json:"report,omitempty"`
	Resume     string            `json:"resume,omitempty"`
	Process    *store.Process    `json:"process,omitempty"`
	Steps      []keptStep        `json:"steps,omitempty"`
	Drift      []store.Drift     `json:"drift,omitempty"`
	Sent       []tell.SentCommit `json:"sent,omitempty"`
	Error      *failure          `json:"error,omitempty"` // why it cannot be read
}

// keptStep is one of its steps.
type keptStep struct {
	Index    int               `json:"index"`
	Tool     string            `json:"tool"`
	Intent   string            `json:"intent,omitempty"`
	Outcome  store.Outcome     `json:"outcome"`
	Effect   automation.Effect `json:"effect,omitempty"`
	Selector string            `json:"selector,omitempty"`
	Matched  int               `json:"matched,omitempty"`
	Drift    float64           `json:"drift,omitempty"`
	Skipped  string            `json:"skipped,omitempty"`
	Code     string            `json:"code,omitempty"`
	Started  time.Time         `json:"started,omitzero"`
	Duration string            `json:"duration"`
	Evidence []string          `json:"evidence,omitempty"`
}

func keptRunOf(r store.RunSummary) keptRun {
	k := keptRun{
		ID: r.ID, Automation: r.Automation, Account: r.Account, Revision: r.Revision, State: r.State, Lost: runs.Lost(r.Run),
		Code: r.Code, Reason: r.Reason, Started: r.Started, Finished: r.Finished, Report: r.Report, Resume: r.Resume,
		Process: r.Process, Drift: r.Drift,
	}
	for _, s := range r.Steps {
		k.Steps = append(k.Steps, keptStep{
			Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect, Selector: s.Selector, Matched: s.Matched,
			Drift: s.Drift, Skipped: s.Skipped, Code: s.Code, Started: s.Started, Duration: s.Duration.String(), Evidence: s.Evidence,
		})
	}
	if r.Err != nil {
		f := describe(r.Err)
		k.Error = &f
	}
	return k
}

// matches reports whether a run is one that was asked for.
func (o *runsOptions) matches(r store.RunSummary) bool {
	if o.name != "" && r.Automation != o.name {
		return false
	}
	gone := runs.Lost(r.Run)
	switch o.state {
	case "":
		return true
	case lost:
		return gone
	}
	return string(r.State) == o.state && !gone
}

func (a *app) listRuns(ctx context.Context, kept store.Store, o *runsOptions) error {
	all := []keptRun{}
	more := false
	for r, err := range kept.Runs().List(ctx) {
		if err != nil {
			return err
		}
		if !o.matches(r) {
			continue
		}
		if more = o.limit > 0 && len(all) == o.limit; more {
			break
		}
		all = append(all, keptRunOf(r))
	}
	switch {
	case a.json:
		return a.printJSON(all)
	case len(all) == 0:
		a.say("No such run is kept%s.", in(a.dataDir()))
		return nil
	}
	_, err := io.WriteString(a.stdout, tell.Table(rowsOfRuns(all)))
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
		state := tell.RunState(r.State, r.Lost)
		if r.Code != "" && r.Code != string(r.State) {
			state += ": " + r.Code
		}
		rows = append(rows, []string{r.ID, r.Automation, r.Account, tell.When(r.Started), tell.Took(r.Started, r.Finished), state})
	}
	return rows
}

// showRun tells of one run.
func (a *app) showRun(ctx context.Context, kept store.Store, run store.Run) error {
	sent, err := kept.Commits().Sent(ctx, run.ID)
	if err != nil {
		return err
	}
	k := keptRunOf(store.RunSummary{Run: run})
	k.Sent = tell.SentCommits(sent)
	if a.json {
		return a.printJSON(k)
	}
	return tell.Run(a.stdout, tell.StyleOf(a.stdout), run, k.Lost, k.Sent)
}

// openReport shows the report of a run in the person's browser, and says where it is.
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

// openerOf is the program that opens a file as a person would, "" where there is no
// screen to open it on.
func openerOf(system string, env func(string) string) string {
	switch {
	case system == "darwin":
		return "open"
	case env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}

// stopped reports whether a run can be gone on with.
func stopped(r store.Run) bool {
	return r.State != store.Done && (!r.Finished.IsZero() || runs.Lost(r))
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
				words := fmt.Sprintf("%s %s %s", r.Automation, tell.When(r.Started), tell.RunState(r.State, runs.Lost(r.Run)))
				found = append(found, cobra.CompletionWithDesc(r.ID, words))
			}
		}
		return found, how
	}
}
