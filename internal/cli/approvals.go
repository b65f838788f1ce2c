package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const approvalsLong = `Approvals answers what runs wait for that were begun with --ask store: here, or on any machine
that has the store. Each question is about one step of one run, as its page was when it was
asked; if the page says something else when it is to be sent, nothing is sent. A question is
answered once, and before its time is up: no answer is a no.`

func (a *app) approvalsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "approvals",
		Short: "Answer what runs ask a person for",
		Long:  approvalsLong,
		Example: `  reprise approvals list
  reprise approvals yes 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise approvals no 01kb3c5n7p9q2r4s6t8v0w1x3y`,
	}, a.approvalsListCommand(), a.answerCommand(true), a.answerCommand(false))
}

// keptApproval is an approval as --json tells it.
type keptApproval struct {
	ID       string              `json:"id"`
	Run      string              `json:"run,omitempty"`
	Step     int                 `json:"step"` // index
	Tool     string              `json:"tool,omitempty"`
	Intent   string              `json:"intent,omitempty"`
	Says     string              `json:"says,omitempty"`
	Origin   string              `json:"origin,omitempty"`
	URL      string              `json:"url,omitempty"`
	Payee    string              `json:"payee,omitempty"`
	Amount   string              `json:"amount,omitempty"`
	Currency string              `json:"currency,omitempty"`
	Method   string              `json:"method,omitempty"`
	Request  string              `json:"request,omitempty"`
	Type     string              `json:"type,omitempty"`
	Size     int                 `json:"size,omitempty"`
	State    store.ApprovalState `json:"state,omitempty"`
	Asked    time.Time           `json:"asked,omitzero"`
	Deadline time.Time           `json:"deadline,omitzero"`
	Answered time.Time           `json:"answered,omitzero"`
	By       string              `json:"by,omitempty"`
	Used     time.Time           `json:"used,omitzero"` // when the run went on with it
	Error    *failure            `json:"error,omitempty"`
}

func keptApprovalOf(a store.ApprovalSummary) keptApproval {
	k := keptApproval{
		ID: a.ID, Run: a.Run, Step: a.Step, Tool: a.Tool, Intent: a.Intent, Says: a.Says, Origin: a.Origin, URL: a.URL, Payee: a.Payee, Amount: a.Amount,
		Currency: a.Currency, Method: a.Method, Request: a.Request, Type: a.Type, Size: a.Size, State: a.State, Asked: a.Asked, Deadline: a.Deadline, Answered: a.Answered, By: a.By, Used: a.Spent,
	}
	if a.Err != nil {
		f := describe(a.Err)
		k.Error = &f
	}
	return k
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
				return usagef("--limit is counted from 1, and 0 is all")
			}
			return a.listApprovals(cmd.Context(), all, limit)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended (default: those that wait)")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most `N` of them, 0 is all")
	return cmd
}

func (a *app) listApprovals(ctx context.Context, ended bool, limit int) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	list := kept.Approvals().Pending
	if ended {
		list = kept.Approvals().List
	}
	all := []keptApproval{}
	for one, err := range list(ctx) {
		if err != nil {
			return err
		}
		if limit > 0 && len(all) == limit {
			break
		}
		all = append(all, keptApprovalOf(one))
	}
	switch {
	case a.json:
		return a.printJSON(all)
	case len(all) == 0:
		a.say("Nothing waits for an answer.")
		return nil
	}
	_, err = io.WriteString(a.stdout, render.Table(rowsOfApprovals(all)))
	return err
}

func rowsOfApprovals(all []keptApproval) [][]string {
	rows := [][]string{{"APPROVAL", "RUN", "STEP", "STATE", "UNTIL", "BY", "TO DO", "FOR"}}
	for _, k := range all {
		if k.Error != nil {
			first, _, _ := strings.Cut(k.Error.Reason, "\n")
			rows = append(rows, []string{k.ID, "-", "-", "cannot be read: " + first})
			continue
		}
		rows = append(rows, []string{
			k.ID, k.Run, fmt.Sprint(k.Step + 1), string(k.State), k.Deadline.Local().Format(time.DateTime), dash(k.By), k.words(), dash(k.Intent),
		})
	}
	return rows
}

func (k keptApproval) words() string {
	return asksFor(store.Approval{Question: store.Question{Tool: k.Tool, Says: k.Says, Origin: k.Origin, Payee: k.Payee, Amount: k.Amount, Currency: k.Currency, Method: k.Method, Request: k.Request, Type: k.Type, Size: k.Size}})
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

// answer answers for whoever is at this machine: who has the store may.
func (a *app) answer(ctx context.Context, id string, yes bool) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	nonce, err := kept.Approvals().Offer(ctx, id, whoIsHere())
	if err != nil {
		return err
	}
	answered, err := kept.Approvals().Answer(ctx, id, nonce, yes)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(keptApprovalOf(store.ApprovalSummary{Approval: answered}))
	}
	style := render.StyleOf(a.stdout)
	mark, word := style.Red("✗"), "no"
	if yes {
		mark, word = style.Green("✓"), "yes"
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s to step %d of run %s: %s\n", mark, word, answered.Step+1, answered.Run, asksFor(answered))
	return err
}

// whoIsHere is the user of this machine, as an answer says whose it is.
func whoIsHere() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return name + "@" + cmp.Or(host, "a machine without a name")
}

// completeApprovals completes the IDs of those that wait.
func (a *app) completeApprovals(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	kept, err := a.openStore(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer kept.Close()
	var found []string
	for one, err := range kept.Approvals().Pending(cmd.Context()) {
		if err != nil || len(found) == mostCompleted {
			break
		}
		if one.Err == nil && strings.HasPrefix(one.ID, begun) {
			found = append(found, cobra.CompletionWithDesc(one.ID, asksFor(one.Approval)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// askFlags are those of play that say who is asked before something is sent.
type askFlags struct {
	where  string
	within time.Duration
}

// Where a person is asked.
const (
	askTerminal = "terminal"
	askStore    = "store"
	askNobody   = "nobody" // of an agent's calls: it speaks where a terminal would be
)

func (f *askFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.where, "ask", askTerminal, "`WHERE` a person is asked: at this terminal, or in the store, for `reprise approvals` to answer")
	flags.DurationVar(&f.within, "answer-within", runner.DefaultApprovalTimeout, "with --ask store: `DURATION` after which no answer is a no")
}

// check finds what cannot be meant. The zero value asks at the terminal.
func (f *askFlags) check() error {
	switch {
	case *f == askFlags{}:
		return nil
	case !slices.Contains([]string{askTerminal, askStore}, f.where):
		return usagef("--ask %.40s: it is terminal or store", f.where)
	}
	return f.times()
}

// times finds what is wrong with how long is waited.
func (f *askFlags) times() error {
	switch {
	case f.within <= 0 || f.within > store.MaxApproval:
		return usagef("--answer-within: a person needs some time, and %v at most", store.MaxApproval)
	case f.where != askStore && f.within != runner.DefaultApprovalTimeout:
		return usagef("--answer-within is for what is asked in the store: give --ask store, too")
	}
	return nil
}

// agentFlags are those of what serves agents.
func (f *askFlags) agentFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.where, "ask", askNobody, "`WHERE` a person is asked before something is sent: nobody, or in the store, for `reprise approvals` to answer")
	flags.DurationVar(&f.within, "answer-within", runner.DefaultApprovalTimeout, "with --ask store: `DURATION` after which no answer is a no")
}

// checkAgent is check for these.
func (f *askFlags) checkAgent() error {
	switch f.where {
	case askNobody, askStore:
		return f.times()
	}
	return usagef("--ask %.40s: it is nobody or store", f.where)
}

// lasting is how long a run waits for an answer, 0 where it asks nobody.
func (f *askFlags) lasting() time.Duration {
	if f.where != askStore {
		return 0
	}
	return f.within
}

// showsWaiting returns what prints the approval that a run waits for.
func (a *app) showsWaiting(shown progress) func(context.Context, *store.Approval) {
	return func(ctx context.Context, asked *store.Approval) {
		if asked == nil {
			return
		}
		if line, is := shown.(interface{ Break() }); is {
			line.Break()
		}
		a.sayAsked(ctx, *asked)
	}
}

// sayAsked says what a run waits for, and how it is answered.
func (a *app) sayAsked(ctx context.Context, asked store.Approval) {
	a.logger().InfoContext(ctx, "waiting for an approval", "approval", asked.ID, "run", asked.Run, "until", asked.Deadline)
	within := asked.Deadline.Sub(asked.Asked).Round(time.Millisecond)
	a.say("Step %d waits for a person, for %v: %s.\n  reprise approvals yes %s%s\n  or the same with no", asked.Step+1, within, asksFor(asked), asked.ID, a.storeWords())
}

// storeWords are the flags with which another command finds the same store.
func (a *app) storeWords() string {
	line := ""
	for _, flag := range []struct{ name, value string }{{"data", a.data}, {"store", a.store}} {
		if flag.value != "" && !strings.ContainsAny(flag.value, "@?") { // there a password may be
			line += " --" + flag.name + " " + runner.Quote(flag.value)
		}
	}
	return line
}

// asksFor says in a line what an approval is asked for.
func asksFor(a store.Approval) string {
	words := a.Tool
	if a.Says != "" {
		words += " " + quotedIf(oneLine(a.Says))
	}
	if a.Payee != "" {
		words += " to " + oneLine(a.Payee)
	}
	if a.Amount != "" {
		words += ", " + oneLine(a.Amount+" "+a.Currency)
	}
	if sends := requestWords(a.Method, a.Request, a.Type, a.Size); sends != "" {
		words += ", sends " + oneLine(sends)
	}
	return fmt.Sprintf("%s at %s", words, oneLine(a.Origin))
}

// oneLine is a page's text in a line of ours.
func oneLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}
