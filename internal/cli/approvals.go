package cli

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const approvalsLong = `Approvals answers what runs wait for that were begun with --ask store: here, or on any machine
that has the store. Each question is about one step of one run, as its page was when it was
asked; if the page says something else when it is to be sent, nothing is sent. A question is
answered once, and before it expires; then the step is refused.`

func (a *app) approvalsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "approvals",
		Short: "Answer what runs ask a person for",
		Long:  approvalsLong,
		Example: `  reprise approvals list
  reprise approvals show 01kb3c5n7p9q2r4s6t8v0w1x3y --picture page.jpg
  reprise approvals yes 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise approvals no 01kb3c5n7p9q2r4s6t8v0w1x3y`,
	}, a.approvalsListCommand(), a.approvalsShowCommand(), a.answerCommand(true), a.answerCommand(false))
}

func (a *app) approvalsShowCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what is to be approved, with a picture of the page",
		Long:  "Show prints an approval request in full. With --picture it writes the picture of the page, as it was when it was asked, with what is secret covered.",
		Example: `  reprise approvals show 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise approvals show 01kb3c5n7p9q2r4s6t8v0w1x3y --picture page.jpg`,
		Args: exactly("ID"), ValidArgsFunction: a.completeApprovals,
	}
	cmd.RunE = a.run(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return a.withStore(ctx, func(st store.Store) error {
			found, err := st.Approvals().Get(ctx, args[0])
			if err != nil {
				return err
			}
			if file != "" {
				picture, err := st.Approvals().Picture(ctx, found.ID)
				if err == nil {
					err = renameio.WriteFile(file, picture, files.Private)
				}
				if err != nil {
					return err
				}
			}
			shown := render.ApprovalOf(store.ApprovalSummary{Approval: found})
			return a.result(shown, func(render.Style) string { return render.WholeApproval(found) })
		})
	})
	cmd.Flags().StringVar(&file, "picture", "", "write the picture of the page to `FILE` (default: none is written)")
	return cmd
}

func (a *app) approvalsListCommand() *cobra.Command {
	var all bool
	limit := 20
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what waits for an answer",
		Long:    "List shows what waits for an answer, the oldest first; with --all also what was answered, or was not in time, the newest first.",
		Example: "  reprise approvals list --json",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return failure.Usagef("--limit is counted from 1, and 0 is all")
			}
			return a.listApprovals(cmd.Context(), all, limit)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended (default: those that wait)")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most `N` of them, 0 is all")
	return cmd
}

func (a *app) listApprovals(ctx context.Context, ended bool, limit int) error {
	return a.withStore(ctx, func(st store.Store) error {
		list := st.Approvals().Pending
		if ended {
			list = st.Approvals().List
		}
		all := []render.Approval{}
		for one, err := range list(ctx) {
			if err != nil {
				return err
			}
			if limit > 0 && len(all) == limit {
				break
			}
			all = append(all, render.ApprovalOf(one))
		}
		if len(all) == 0 && !a.json {
			a.say("No pending approvals.")
			return nil
		}
		return a.result(all, func(render.Style) string { return render.Approvals(all) })
	})
}

func (a *app) answerCommand(yes bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "no ID",
		Short:   "Say no: the run ends there, refused",
		Example: "  reprise approvals no 01kb3c5n7p9q2r4s6t8v0w1x3y",
	}
	if yes {
		cmd.Use, cmd.Short = "yes ID", "Say yes: the run does it, if the page still says the same"
		cmd.Example = "  reprise approvals yes 01kb3c5n7p9q2r4s6t8v0w1x3y"
	}
	cmd.Args, cmd.ValidArgsFunction = exactly("ID"), a.completeApprovals
	cmd.RunE = a.run(func(cmd *cobra.Command, args []string) error {
		return a.answer(cmd.Context(), args[0], yes)
	})
	return cmd
}

// answer answers in the name of the user of this machine: access to the store is permission.
func (a *app) answer(ctx context.Context, id string, yes bool) error {
	return a.withStore(ctx, func(st store.Store) error {
		answered, err := runner.Answer(ctx, st, id, userAtHost(), yes)
		if err != nil {
			return err
		}
		return a.result(render.ApprovalOf(store.ApprovalSummary{Approval: answered}), func(s render.Style) string {
			return render.Answered(s, answered, yes) + "\n"
		})
	})
}

// userAtHost names the user of this machine, for the record of an answer.
func userAtHost() string {
	name := "someone"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return name + "@" + cmp.Or(host, "a machine without a name")
}

// completeApprovals completes the IDs of pending approvals.
func (a *app) completeApprovals(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	st, err := a.openStore(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	var found []string
	for one, err := range st.Approvals().Pending(cmd.Context()) {
		if err != nil || len(found) == maxCompletions {
			break
		}
		if one.Err == nil && strings.HasPrefix(one.ID, begun) {
			found = append(found, cobra.CompletionWithDesc(one.ID, render.ApprovalLine(one.ApprovalRequest)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// askFlags are the flags for who is asked before a commit step.
type askFlags struct {
	where  string
	within time.Duration
}

// Where the approver is asked.
const (
	askTerminal = "terminal"
	askStore    = "store"
	askNone     = "nobody" // for agents, which have no terminal
)

func (f *askFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.where, "ask", askTerminal, "`WHERE` a person is asked: at this terminal, or in the store, for `reprise approvals` to answer")
	flags.DurationVar(&f.within, "answer-within", runner.DefaultApprovalTimeout, "with --ask store: `DURATION` after which the request expires, and the step is refused")
}

// check validates the flags of play. The zero value asks at the terminal.
func (f *askFlags) check() error {
	switch {
	case *f == askFlags{}:
		return nil
	case !slices.Contains([]string{askTerminal, askStore}, f.where):
		return failure.Usagef("--ask %.40s: it is terminal or store", f.where)
	}
	return f.checkTimeout()
}

func (f *askFlags) checkTimeout() error {
	switch {
	case f.within <= 0 || f.within > store.MaxApproval:
		return failure.Usagef("--answer-within: a person needs some time, and %v at most", store.MaxApproval)
	case f.where != askStore && f.within != runner.DefaultApprovalTimeout:
		return failure.Usagef("--answer-within is for what is asked in the store: give --ask store, too")
	}
	return nil
}

// agentFlags adds the flags of commands that serve agents.
func (f *askFlags) agentFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.where, "ask", askNone, "`WHERE` a person is asked before something is sent: "+askNone+", or in the store, for `reprise approvals` to answer")
	flags.DurationVar(&f.within, "answer-within", runner.DefaultApprovalTimeout, "with --ask store: `DURATION` after which the request expires, and the step is refused")
}

// checkAgent validates the flags of commands that serve agents.
func (f *askFlags) checkAgent() error {
	switch f.where {
	case askNone, askStore:
		return f.checkTimeout()
	}
	return failure.Usagef("--ask %.40s: it is %s or store", f.where, askNone)
}

// timeout is how long a run waits for an answer in the store, 0 where it is not asked there.
func (f *askFlags) timeout() time.Duration {
	if f.where != askStore {
		return 0
	}
	return f.within
}

// printWaiting returns a function that prints the approval request that a run waits for.
func (a *app) printWaiting(shown progress) func(context.Context, *store.Approval) {
	return func(ctx context.Context, asked *store.Approval) {
		if asked == nil {
			return
		}
		if line, is := shown.(interface{ Break() }); is {
			line.Break()
		}
		a.printRequest(ctx, *asked)
	}
}

// printRequest prints an approval request, and how it is answered.
func (a *app) printRequest(ctx context.Context, asked store.Approval) {
	a.logger().InfoContext(ctx, "waiting for an approval", "approval", asked.ID, "run", asked.Run, "until", asked.Deadline)
	within := asked.Deadline.Sub(asked.Asked).Round(time.Millisecond)
	a.say("Step %d waits for a person, for %v: %s.\n  reprise approvals yes %s%s\n  or the same with no", asked.Step+1, within, render.ApprovalLine(asked.ApprovalRequest), asked.ID, a.storeFlags())
}

// storeFlags are the flags with which another command finds the same store.
func (a *app) storeFlags() string {
	return repeatedFlags("data", a.data, "store", a.store)
}

// repeatedFlags repeats flags of this command line, given as names and values, in another one. An
// address is left out where it may hold a password.
func repeatedFlags(namesAndValues ...string) string {
	line := ""
	for pair := range slices.Chunk(namesAndValues, 2) {
		if pair[1] != "" && !strings.ContainsAny(pair[1], "@?") {
			line += " --" + pair[0] + " " + runner.Quote(pair[1])
		}
	}
	return line
}
