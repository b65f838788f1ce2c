package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// letLogin is a saved login that agents may begin with.
type letLogin struct {
	name, account string
	any           bool // of every account
}

// letLogins reads what --login says: NAME of every account, or NAME=ACCOUNT.
func letLogins(flags []string) ([]letLogin, error) {
	var all []letLogin
	for _, flag := range flags {
		name, account, one := strings.Cut(flag, "=")
		if err := store.CheckEnvelopeName(store.LoginEnvelope, name, account); err != nil {
			return nil, usagef("--login %.80s: it is NAME or NAME=ACCOUNT: %v", flag, err)
		}
		all = append(all, letLogin{name, account, !one})
	}
	return all, nil
}

// agentLogins are the logins of a store that agents may begin with: agent.Logins.
type agentLogins struct {
	kept store.Store
	safe *sealed.Safe
	let  []letLogin
}

// agentLogins gives those that --login lets agents begin with, nil for none. One that there
// is not is told: it may be saved later, or is a slip.
func (a *app) agentLogins(ctx context.Context, kept store.Store, let []letLogin) (agent.Logins, error) {
	if len(let) == 0 {
		return nil, nil
	}
	safe, err := a.safe(kept)
	if err != nil {
		return nil, err
	}
	l := &agentLogins{kept, safe, let}
	there, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range let {
		if !slices.ContainsFunc(there, func(l agent.Login) bool { return one.is(l.Name, l.Account) }) {
			a.say("There is no login %s yet: agents can begin with it when it is saved.", label(one.name, one.account))
		}
	}
	return l, nil
}

func (l letLogin) is(name, account string) bool {
	return l.name == name && (l.any || l.account == account)
}

func (l *agentLogins) may(name, account string) bool {
	return slices.ContainsFunc(l.let, func(one letLogin) bool { return one.is(name, account) })
}

// List goes by what stands on them: no key is needed.
func (l *agentLogins) List(ctx context.Context) ([]agent.Login, error) {
	labels, err := labelsOf(ctx, l.kept.Logins())
	var all []agent.Login
	for _, found := range labels {
		if k := keptLoginOf(found); k.Error == nil && l.may(k.Name, k.Account) {
			all = append(all, agent.Login{Name: k.Name, Account: k.Account, Origins: k.Origins, Saved: k.Saved, Expires: k.Expires})
		}
	}
	return all, err
}

// Open opens one that agents may begin with.
func (l *agentLogins) Open(ctx context.Context, name, account string) (*browser.Login, error) {
	if !l.may(name, account) {
		return nil, &agent.Error{
			Code: string(replayer.Refused), Reason: fmt.Sprintf("no agent may begin with the login %s here", label(name, account)),
			Next: "list_automations tells with which they may; a person starts it with --login for another", Accounts: l.accounts(ctx, name),
		}
	}
	u, err := runner.OpenLogin(ctx, l.safe, name, account)
	if is[*store.EnvelopeNotFoundError](err) {
		return nil, &agent.Error{
			Code: agent.NotFound, Reason: fmt.Sprintf("there is no login %s", label(name, account)), Err: err,
			Next: "list_automations tells which there are; a person saves another", Accounts: l.accounts(ctx, name),
		}
	}
	if err != nil {
		return nil, err
	}
	return u.State, nil
}

// accounts are those that agents may begin with a login of.
func (l *agentLogins) accounts(ctx context.Context, name string) []string {
	all, err := l.List(ctx)
	var accounts []string
	for _, one := range all {
		if err == nil && one.Name == name && one.Account != "" {
			accounts = append(accounts, one.Account)
		}
	}
	return accounts
}

// completeLetLogins completes what --login of a server for agents says.
func (a *app) completeLetLogins(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	const no = cobra.ShellCompDirectiveNoFileComp
	all, err := a.logins(cmd.Context())
	if err != nil {
		return nil, no
	}
	var found []string
	for _, k := range all {
		for _, word := range []string{k.Name, k.Name + "=" + k.Account} {
			if strings.HasPrefix(word, begun) && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
	}
	return found, no
}
