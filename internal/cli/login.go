package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

const loginLong = `Login keeps what a browser has after somebody has signed in, sealed: cookies, and the local
storage of the origins that it is for. ` + "`reprise play --login NAME`" + ` begins with it, and so needs
no password, and no second factor that only a person can give.

Whoever opens one is signed in. What a site keeps elsewhere is not in it: in session storage,
IndexedDB or caches. The site decides how long it takes one: when it no longer does, a run ends
with blocked at the sign-in, and says so.`

func (a *app) loginCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "login",
		Short: "Keep a browser's sign-in, sealed, to begin runs with",
		Long:  loginLong,
		Example: `  reprise login save shop.example --account ada@example.com
  reprise login list
  reprise play order --account ada@example.com --login shop.example`,
	}, a.loginSaveCommand(), a.loginListCommand(), a.loginRmCommand())
}

// keptLogin is a login as --json tells it.
type keptLogin struct {
	Name    string    `json:"name"`
	Account string    `json:"account,omitempty"`
	Origins []string  `json:"origins"`
	Saved   time.Time `json:"saved,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // when it has surely run out; none where only the site knows
	Expired bool      `json:"expired,omitempty"`
	Cookies int       `json:"cookies,omitempty"` // of one that was saved just now
	Stored  int       `json:"stored,omitempty"`
	Error   *failure  `json:"error,omitempty"` // why it cannot be read
}

func keptLoginOf(l labelled) keptLogin {
	k := keptLogin{Name: l.Name, Account: l.Account, Origins: []string{}, Saved: l.Updated, Expires: l.Expires, Error: l.Error}
	for _, f := range l.Fields {
		k.Origins = append(k.Origins, f.Origins...)
	}
	k.Expired = !l.Expires.IsZero() && !l.Expires.After(time.Now())
	return k
}

// words says for which origins it is.
func (k keptLogin) words() string {
	if k.Error != nil {
		return labelled{Error: k.Error}.words()
	}
	return strings.Join(k.Origins, " ")
}

// until says when it has run out, as far as that is known.
func (k keptLogin) until() string {
	switch {
	case k.Expired:
		return "has run out"
	case k.Expires.IsZero():
		return "-"
	}
	return k.Expires.Local().Format(time.DateTime)
}

func (a *app) loginListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the logins that are kept",
		Long:    "List tells for whom and for which origins there is a login, and since when. It needs no key.",
		Example: "  reprise login list --json",
		Args:    between(nil, 0),
		RunE:    a.run(func(cmd *cobra.Command, _ []string) error { return a.listLogins(cmd.Context()) }),
	}
}

func (a *app) listLogins(ctx context.Context) error {
	all, err := a.logins(ctx)
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(all)
	case len(all) == 0:
		a.say("Nothing is kept%s yet. Begin with: reprise login save NAME --account ACCOUNT --url https://…", in(a.dataDir()))
		return nil
	}
	rows := [][]string{{"LOGIN", "ACCOUNT", "SAVED", "EXPIRES", "FOR"}}
	for _, k := range all {
		saved := "-"
		if !k.Saved.IsZero() {
			saved = k.Saved.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{k.Name, dash(k.Account), saved, k.until(), k.words()})
	}
	_, err = io.WriteString(a.stdout, render.Table(rows))
	return err
}

func (a *app) logins(ctx context.Context) ([]keptLogin, error) {
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(kept.Close()) }()
	labels, err := labelsOf(ctx, kept.Logins())
	all := []keptLogin{}
	for _, l := range labels {
		all = append(all, keptLoginOf(l))
	}
	return all, err
}

func (a *app) loginRmCommand() *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a login",
		Long: `Rm removes what is kept. The site does not hear of it: to end the sign-in itself, sign out there
of all devices.`,
		Example:           "  reprise login rm shop.example --account ada@example.com",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeLogins(1),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.rmSealed(cmd.Context(), store.Store.Logins, args[0], account)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` whose it is (default: none)")
	return cmd
}

// completeLogins completes the names of logins.
func (a *app) completeLogins(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		const no = cobra.ShellCompDirectiveNoFileComp
		if len(args) >= most {
			return nil, no
		}
		all, err := a.logins(cmd.Context())
		if err != nil {
			return nil, no
		}
		var found []string
		for _, k := range all {
			if strings.HasPrefix(k.Name, begun) {
				found = append(found, cobra.CompletionWithDesc(k.Name, strings.TrimSpace(k.Account+" "+k.words())))
			}
		}
		return found, no
	}
}

// savedLogin tells of a login that was saved.
func (a *app) savedLogin(name, account string, l *browser.Login) error {
	if a.json {
		return a.printJSON(keptLogin{
			Name: name, Account: account, Origins: l.Origins(), Saved: l.Saved(), Expires: l.Expires(), Cookies: l.Cookies(), Stored: l.Stored(),
		})
	}
	_, err := fmt.Fprintf(a.stdout, "%s login %s is kept, with %d cookies and %d items of storage for %s\n",
		render.StyleOf(a.stdout).Green("✓"), label(name, account), l.Cookies(), l.Stored(), strings.Join(l.Origins(), " "))
	return err
}
