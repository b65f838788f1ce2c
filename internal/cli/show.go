package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
)

func (a *app) showCommand() *cobra.Command {
	var account, output string
	cmd := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Show a document: its steps, and the values it asks for",
		Long: `Show tells what a document does: where it may be used, which values it asks for, and its
steps. With --json or -o json it gives the document itself, as the store writes it.`,
		Example: `  reprise show sign-in
  reprise show sign-in --account ada@example.com
  reprise show sign-in -o json > sign-in.json`,
		Args:              exactly("NAME or FILE"),
		ValidArgsFunction: a.completeNames(true),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if output != "text" && output != "json" {
				return usagef("--output: %q is neither text nor json", output)
			}
			return a.show(cmd.Context(), args[0], account, a.json || output == "json")
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "`ACCOUNT` that the document is for (default: any)")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT`: text, or json for the document itself")
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) show(ctx context.Context, what, account string, whole bool) error {
	doc, err := a.document(ctx, what, account)
	if err != nil {
		return err
	}
	if !whole {
		return render.Summary(a.stdout, render.StyleOf(a.stdout), doc)
	}
	text, err := automation.Marshal(doc)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(text)
	return err
}

// document gives a file's document, or a kept one.
func (a *app) document(ctx context.Context, what, account string) (*automation.Automation, error) {
	if isFile(what) {
		return readFile(a.stdin, what)
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(kept.Close()) }()
	return kept.Automations().Get(ctx, what, account)
}
