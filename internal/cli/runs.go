package cli

import (
	"context"
	"encoding/json"
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

// keptRun is a run as runs --json tells it.
type keptRun struct {
	ID         string              `json:"id"`
	Automation string              `json:"automation,omitempty"`
	Account    string              `json:"account,omitempty"`
	Revision   int                 `json:"revision,omitempty"`
	State      store.RunState      `json:"state,omitempty"`
	Lost       bool                `json:"lost,omitempty"` // it ended without a word
	Code       string              `json:"code,omitempty"`
	Reason     string              `json:"reason,omitempty"`
	Started    time.Time           `json:"started,omitzero"`
	Finished   time.Time           `json:"finished,omitzero"`
	Report     string              `json:"report,omitempty"`
	Resume     string              `json:"resume,omitempty"`
	Process    *store.Process      `json:"process,omitempty"`
	Steps      []keptStep          `json:"steps,omitempty"`
	Drift      []store.Drift       `json:"drift,omitempty"`
	Sent       []render.SentCommit `json:"sent,omitempty"`
	Guard      *store.GuardCounts  `json:"guard,omitempty"`
	Error      *failure            `json:"error,omitempty"` // why it cannot be read
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
	Steps    []keptStep        `json:"steps,omitempty"` // of the automation that it played
}

func keptRunOf(r store.RunSummary, lost bool) keptRun {
	k := keptRun{
		ID: r.ID, Automation: r.Automation, Account: r.Account, Revision: r.Revision, State: r.State, Lost: lost,
		Code: r.Code, Reason: r.Reason, Started: r.Started, Finished: r.Finished, Report: r.Report, Resume: r.Resume,
		Process: r.Process, Drift: r.Drift, Guard: r.Guard, Steps: keptSteps(r.Steps),
	}
	if r.Err != nil {
		f := describe(r.Err)
		k.Error = &f
	}
	return k
}

func keptSteps(steps []store.RunStep) []keptStep {
	var kept []keptStep
	for _, s := range steps {
		kept = append(kept, keptStep{
			Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect, Selector: s.Selector, Matched: s.Matched,
			Drift: s.Drift, Skipped: s.Skipped, Code: s.Code, Started: s.Started, Duration: s.Duration.String(), Evidence: s.Evidence,
			Steps: keptSteps(s.Steps),
		})
	}
	return kept
}

// showRun tells of one run.
func (a *app) showRun(ctx context.Context, kept store.Store, run store.Run) error {
	sent, err := kept.Commits().Sent(ctx, run.ID)
	if err != nil {
		return err
	}
	run, lost, err := runner.Current(ctx, kept.Commits(), run)
	if err != nil {
		return err
	}
	k := keptRunOf(store.RunSummary{Run: run}, lost)
	k.Sent = render.SentCommits(sent)
	if a.json {
		return a.printJSON(k)
	}
	return render.Run(a.stdout, render.StyleOf(a.stdout), run, k.Lost, k.Sent)
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

// endedLine tells of a run that has ended.
func endedLine(style render.Style, run store.Run) string {
	mark, why := style.Green("✓"), ""
	if run.State != store.Done {
		mark, why = style.Red("✗"), ": "+run.Reason
	}
	return fmt.Sprintf("%s %s  %s is %s after %s%s", mark, style.Dim(run.ID), label(run.Automation, run.Account),
		render.RunState(run.State, false), render.Took(run.Started, run.Finished), why)
}

const (
	// followEvery is how often it is looked what has happened, and followed how many of the
	// newest runs are looked at. Older ones are as long as they have not ended.
	followEvery = 500 * time.Millisecond
	followed    = 200
)

// follower tells of runs as something happens to them.
type follower struct {
	app  *app
	kept store.Store
	o    *runsOptions
	last map[string]store.RunSummary // as they were told of
}

// followRuns tells of the runs that have not ended, and then of all that happens to any,
// until it is told to stop. While a server is away it waits for it.
func (a *app) followRuns(ctx context.Context, kept store.Store, o *runsOptions) error {
	f := &follower{app: a, kept: kept, o: o, last: map[string]store.RunSummary{}}
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

// look tells of what has changed since it looked last; the first time, of what goes on.
func (f *follower) look(ctx context.Context, again bool) error {
	newest := map[string]bool{}
	for r, err := range f.kept.Runs().List(ctx) {
		if err != nil {
			return err
		}
		if len(newest) == followed {
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
		now, err := f.kept.Runs().Get(ctx, id)
		if err != nil {
			return err
		}
		if err := f.see(ctx, store.RunSummary{Run: now}, again); err != nil {
			return err
		}
	}
	return nil
}

// see tells of a run, if something has happened to it.
func (f *follower) see(ctx context.Context, r store.RunSummary, again bool) error {
	ended := runner.Ended(r.State) // as its record says: one whose process died is told of
	now, gone, err := runner.Current(ctx, f.kept.Commits(), r.Run)
	if err != nil {
		return err
	}
	r.Run = now
	before, known := f.last[r.ID]
	f.last[r.ID] = r
	switch {
	case r.Err != nil, f.o.name != "" && r.Automation != f.o.name:
		return nil
	case !again && ended:
		return nil
	case known && before.State == r.State && len(before.Steps) == len(r.Steps):
		return nil
	case f.app.json:
		return json.NewEncoder(f.app.stdout).Encode(keptRunOf(r, gone)) // one in each line
	}
	_, err = io.WriteString(f.app.stdout, f.line(before.Run, r.Run, gone, known)+"\n")
	return err
}

func (f *follower) line(before, now store.Run, gone, known bool) string {
	style := render.StyleOf(f.app.stdout)
	what := render.RunState(now.State, gone)
	if known && before.State == now.State && len(now.Steps) > 0 {
		last := now.Steps[len(now.Steps)-1]
		what = fmt.Sprintf("step %d %s %s", last.Index+1, last.Tool, last.Outcome)
	}
	if runner.Ended(now.State) && now.Code != "" {
		what += ": " + now.Code
	}
	return fmt.Sprintf("%s  %s  %s  %s", time.Now().Format(time.TimeOnly), style.Dim(now.ID), label(now.Automation, now.Account), what)
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Take a queued run from the queue, or end it where it is played",
		Long: `Cancel takes a run from the queue, or ends it where a worker plays it, and says how it
ended: as cancelled, or as uncertain where it has sent something that pays, orders, sends or
deletes, and what became of that was not seen.`,
		Example:           `  reprise runs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y`,
		Args:              exactly("RUN"),
		ValidArgsFunction: a.completeRuns(func(r store.Run) bool { return !runner.Ended(r.State) }),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.cancel(cmd.Context(), args[0])
		}),
	}
}

func (a *app) cancel(ctx context.Context, id string) error {
	kept, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	run, err := queue.Cancel(ctx, id)
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(keptRunOf(store.RunSummary{Run: run}, runner.Lost(run)))
	}
	_, err = io.WriteString(a.stdout, endedLine(render.StyleOf(a.stdout), run)+"\n")
	return err
}
