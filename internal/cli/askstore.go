package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

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
