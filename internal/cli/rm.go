package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

func (a *app) rmCommand() *cobra.Command {
	var account string
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a document",
		Long: `Rm removes a document, also one that cannot be read. It asks first; where nobody can
answer it wants --yes. The records of its runs stay.`,
		Example: `  reprise rm sign-in
  reprise rm sign-in --account ada@example.com --yes`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames(false),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.rm(cmd.Context(), args[0], account, yes)
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` that the document is for (default: any)")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask (default: ask)")
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) rm(ctx context.Context, name, account string, yes bool) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	if err := a.isThere(ctx, kept, name, account); err != nil {
		return err
	}
	if !yes {
		sure, err := a.sure(ctx, fmt.Sprintf("Remove %s? [y/N] ", label(name, account)))
		if err != nil {
			return err
		}
		if !sure {
			a.say("Nothing was removed.")
			return &toldError{fmt.Errorf("not removed: nobody said yes")}
		}
	}
	if err := kept.Automations().Delete(ctx, name, account, store.AnyRevision); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"removed": name, "account": account})
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s is removed\n", render.StyleOf(a.stdout).Green("✓"), label(name, account))
	return err
}

// isThere keeps from asking about what is not there. A document that cannot be
// read is.
func (a *app) isThere(ctx context.Context, kept store.Store, name, account string) error {
	_, err := kept.Automations().Get(ctx, name, account)
	if isErr(store.ErrNotFound)(err) {
		return err
	}
	return nil
}

// sure asks a person.
func (a *app) sure(ctx context.Context, question string) (bool, error) {
	if !render.IsTerminal(a.stdin) {
		return false, usagef("nobody is there to be asked: give --yes")
	}
	out, done := a.questions()
	defer done()
	answer, err := readAnswer(ctx, a.stdin, out, question)
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}
