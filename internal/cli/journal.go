package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

const journalLong = `Journal shows what agents have called, the newest first: which tool, how it ended, and what
for. What is secret stands in it as a name only.

Each session's calls are a trace of its own, traces/SESSION.jsonl in a directory of documents.
Every line holds the hash of the line before it: ` + "`reprise journal verify`" + ` says where one was
changed, taken out, or cut off at the end, and what a crash has left.`

func (a *app) journalCommand() *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Show what agents have called",
		Long:  journalLong,
		Example: `  reprise journal --limit 100
  reprise journal verify
  reprise journal --json | jq '.[].tool'`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.journal(cmd.Context(), limit)
		}),
	}
	verify := &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Check that no line of a trace was changed, or is missing",
		Long: `Verify checks the trace of a session, or of all: that each line is as it was written, follows
the one before it, and that none is missing at the end. It says how many calls are whole, and
which line is the first that is not.

The beginning of a line at the end is no fault: anyone who wrote it was killed, or is still at
it, and no one was told that it is stored. The session's next call takes its place. Exit codes:
0 all are whole, 1 one is not.`,
		Example: `  reprise journal verify`,
		Args:    between(nil, 1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.verifyJournal(cmd.Context(), args)
		}),
	}
	verify.ValidArgsFunction = a.completeSessions
	cmd.AddCommand(verify)
	cmd.Flags().IntVar(&limit, "limit", 20, "at most `N` calls")
	return cmd
}

func (a *app) journal(ctx context.Context, limit int) error {
	if limit < 1 {
		return failure.Usagef("--limit is counted from 1")
	}
	return a.withStore(ctx, func(st store.Store) error {
		calls, err := st.Journal().Recent(ctx, limit)
		switch {
		case err != nil:
			return err
		case len(calls) == 0 && !a.json:
			a.say("No agent has called anything%s.", in(a.dataDir()))
			return nil
		}
		return a.result(render.CallsOf(calls), func(render.Style) string { return render.Calls(calls) })
	})
}

// errBrokenTrace is a trace that is not what was written.
var errBrokenTrace = errors.New("a trace is not what was written")

func (a *app) verifyJournal(ctx context.Context, sessions []string) error {
	return a.withStore(ctx, func(st store.Store) error {
		if len(sessions) == 0 {
			var err error
			if sessions, err = st.Journal().Sessions(ctx); err != nil {
				return err
			}
		}
		all, broken := []render.Trace{}, false
		for _, session := range sessions {
			found, err := st.Journal().Verify(ctx, session)
			trace := render.Trace{Session: session, Calls: found.Calls, Torn: found.Torn}
			var wrong *store.BrokenTraceError
			switch {
			case errors.As(err, &wrong):
				trace.Line, trace.Reason, broken = wrong.Line, wrong.Reason, true
			case err != nil:
				return err
			}
			all = append(all, trace)
			if !a.json {
				a.say("%s", trace.Text(render.StyleOf(a.stderr)))
			}
		}
		if a.json {
			if err := a.printJSON(all); err != nil {
				return err
			}
		}
		if broken {
			return failure.Printed(errBrokenTrace, nil)
		}
		if len(all) == 0 && !a.json {
			a.say("There is no trace%s.", in(a.dataDir()))
		}
		return nil
	})
}

func (a *app) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	st, err := a.openStore(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	names, _ := st.Journal().Sessions(cmd.Context()) // none where they cannot be read
	return names, cobra.ShellCompDirectiveNoFileComp
}
