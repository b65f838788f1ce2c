package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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

The beginning of a line at the end is no fault: whoever wrote it was killed, or is still at
it, and nobody was told that it is kept. The session's next call takes its place. Exit codes:
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

// keptCall is a call as --json tells it.
type keptCall struct {
	Session   string   `json:"session"`
	Number    int      `json:"number"`
	Tool      string   `json:"tool"`
	Arguments any      `json:"arguments,omitempty"`
	Intent    string   `json:"intent,omitempty"`
	Outcome   string   `json:"outcome"`
	Code      string   `json:"code,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Started   string   `json:"started"`
	TookMS    int64    `json:"took_ms"`
	Run       string   `json:"run,omitempty"`
	URL       string   `json:"url,omitempty"`
	Evidence  []string `json:"evidence,omitempty"`
}

func keptCallOf(c store.JournalCall) keptCall {
	k := keptCall{
		Session: c.Session, Number: c.Number, Tool: c.Tool, Intent: c.Intent, Outcome: string(c.Outcome), Code: c.Code, Reason: c.Reason,
		Started: c.Started.Format("2006-01-02T15:04:05.000Z07:00"), TookMS: c.Took.Milliseconds(), Run: c.Run, URL: c.URL, Evidence: c.Evidence,
	}
	if len(c.Arguments) > 0 {
		k.Arguments = c.Arguments
	}
	return k
}

func (a *app) journal(ctx context.Context, limit int) error {
	if limit < 1 {
		return usagef("--limit is counted from 1")
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	calls, err := kept.Journal().Recent(ctx, limit)
	if err != nil {
		return err
	}
	if a.json {
		all := []keptCall{}
		for _, c := range calls {
			all = append(all, keptCallOf(c))
		}
		return a.printJSON(all)
	}
	if len(calls) == 0 {
		a.say("No agent has called anything%s.", in(a.dataDir()))
		return nil
	}
	rows := [][]string{{"BEGAN", "TOOL", "OUTCOME", "TOOK", "INTENT", "SESSION"}}
	for _, c := range calls {
		outcome := string(c.Outcome)
		if c.Code != "" && c.Code != outcome {
			outcome += ": " + c.Code
		}
		rows = append(rows, []string{render.When(c.Started), c.Tool, outcome, fmt.Sprint(c.Took), c.Intent, fmt.Sprintf("%s #%d", c.Session, c.Number)})
	}
	_, err = io.WriteString(a.stdout, render.Table(rows))
	return err
}

// checkedTrace is what verify found of a session, as --json tells it.
type checkedTrace struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`          // that are whole, from the first
	Torn    bool   `json:"torn,omitempty"` // of one more there is the beginning
	Line    int    `json:"line,omitempty"` // the first that is wrong
	Reason  string `json:"reason,omitempty"`
}

// errBrokenTrace is that of a trace that is not what was written.
var errBrokenTrace = errors.New("a trace is not what was written")

func (a *app) verifyJournal(ctx context.Context, sessions []string) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	if len(sessions) == 0 {
		if sessions, err = kept.Journal().Sessions(ctx); err != nil {
			return err
		}
	}
	all, broken := []checkedTrace{}, false
	for _, session := range sessions {
		found, err := kept.Journal().Verify(ctx, session)
		checked := checkedTrace{Session: session, Calls: found.Calls, Torn: found.Torn}
		var wrong *store.BrokenTraceError
		switch {
		case errors.As(err, &wrong):
			checked.Line, checked.Reason, broken = wrong.Line, wrong.Reason, true
		case err != nil:
			return err
		}
		all = append(all, checked)
		if !a.json {
			a.tellTrace(checked)
		}
	}
	if a.json {
		if err := a.printJSON(all); err != nil {
			return err
		}
	}
	if broken {
		return &toldError{errBrokenTrace}
	}
	if len(all) == 0 && !a.json {
		a.say("There is no trace%s.", in(a.dataDir()))
	}
	return nil
}

func (a *app) tellTrace(c checkedTrace) {
	style := render.StyleOf(a.stderr)
	switch {
	case c.Reason != "":
		a.say("%s: %s line %d: %s; %s before it", c.Session, style.Red("broken"), c.Line, c.Reason, wholeCalls(c.Calls))
	case c.Torn:
		a.say("%s: %s; line %d is torn: its writer was killed, or is still at it, and nobody was told that it is kept", c.Session, wholeCalls(c.Calls), c.Calls+1)
	default:
		a.say("%s: %s", c.Session, wholeCalls(c.Calls))
	}
}

func wholeCalls(n int) string {
	if n == 1 {
		return "whole, 1 call"
	}
	return fmt.Sprintf("whole, %d calls", n)
}

func (a *app) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	kept, err := a.openStore(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer kept.Close()
	names, _ := kept.Journal().Sessions(cmd.Context()) // none are offered where it cannot be read
	return names, cobra.ShellCompDirectiveNoFileComp
}
