package cli

import (
	"context"
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/cli/render"
)

// exportOptions are the flags of export.
type exportOptions struct {
	to, out, account string
	vars             valueFlags
	replace          bool
}

const exportLong = `Export writes a document as another tool's recording, or as a program:

  chrome      for Chrome's recorder and @puppeteer/replay (JSON)
  side        a project of Selenium IDE
  jsonl       the actions of Playwright's recorder
  playwright  a test in TypeScript, for @playwright/test
  go          a program that uses Reprise as a library, complete

What that form cannot hold is told on standard error, step by step, with what to do about it.
The value of a secret is never written: in its place stands ${NAME}, or code that reads it
from the environment, as REPRISE_NAME.`

func (a *app) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export NAME|FILE --to FORMAT",
		Short: "Write a document for another tool, or as a program",
		Long:  exportLong,
		Example: `  reprise export sign-in --to chrome -o sign-in-chrome.json
  reprise export sign-in --to playwright -o sign-in.spec.ts
  reprise export ./sign-in.json --to side --var email=ada@example.com > sign-in.side
  reprise export sign-in --to go -o main.go`,
		Args:              exactly("NAME or FILE"),
		ValidArgsFunction: a.completeNames(true),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "`FORMAT`: chrome, side, jsonl, playwright or go (default: none, it must be given)")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` to write to (default: standard output)")
	f.BoolVar(&o.replace, "replace", false, "replace the file where it is there (default: refuse)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that the document is for (default: any)")
	f.StringArrayVar(&o.vars.plain, "var", nil, "`NAME=VALUE` to write in the place of a variable that is no secret (default: its default, else ${NAME}; may be repeated)")
	a.warn(cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"chrome", "side", "jsonl", "playwright", "go"}, cobra.ShellCompDirectiveNoFileComp)))
	a.completeAccounts(cmd)
	return cmd
}

// exportReport is what export --json tells.
type exportReport struct {
	Format  exchange.Format `json:"format"`
	Path    string          `json:"path,omitempty"`
	Content string          `json:"content,omitempty"` // where it is in no file
	Losses  exchange.Report `json:"losses"`
}

func (a *app) export(ctx context.Context, what string, o *exportOptions) error {
	if o.to == "" {
		return usagef("--to is missing: chrome, side, jsonl, playwright or go?")
	}
	if _, err := os.Lstat(o.out); o.out != "" && err == nil && !o.replace {
		return &existsError{what: o.out, instead: "--out"}
	}
	doc, err := a.document(ctx, what, o.account)
	if err != nil {
		return err
	}
	values, err := o.values(doc)
	if err != nil {
		return err
	}
	text, losses, err := exchange.Export(doc, exchange.Format(o.to), &exchange.ExportOptions{Values: values})
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := renameio.WriteFile(o.out, text, ownFile); err != nil {
			return err
		}
	}
	return a.tellExported(text, losses, o)
}

// values are those that the flags give, of their declared types.
func (o *exportOptions) values(doc *automation.Automation) (map[string]any, error) {
	declared, err := doc.Declared()
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	err = each("--var", o.vars.plain, declared, func(name, value string) error {
		if declared.IsSecret(name) {
			return usagef("--var %s: this is a secret, and is not written into an export", name)
		}
		return coerce(declared, values, name, value)
	})
	return values, err
}

func (a *app) tellExported(text []byte, losses exchange.Report, o *exportOptions) error {
	if a.json {
		report := exportReport{Format: exchange.Format(o.to), Path: o.out, Losses: all(losses)}
		if o.out == "" {
			report.Content = string(text)
		}
		return a.printJSON(report)
	}
	a.tellLosses(losses)
	if o.out == "" {
		_, err := a.stdout.Write(text)
		return err
	}
	a.say("%s It is in %s", render.StyleOf(a.stderr).Green("✓"), o.out)
	return nil
}
