package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/values"
)

// importOptions are the flags of import.
type importOptions struct {
	from, out string
	replace   bool
	exchange.ImportOptions
}

const importLong = `Import reads what another tool has recorded, and saves it as a document: the JSON of Chrome's
recorder (DevTools, @puppeteer/replay), a project of Selenium IDE (.side), or what
"playwright codegen --target=jsonl" writes. Which of them it is, the content tells.

Everything that could not be carried over as it was is told on standard error, step by step,
with what to do about it. Scripts of a file are never taken over. What looks like a secret,
or says who someone is, is not stored: it becomes a variable, which "reprise play" asks for.`

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import what Chrome, Selenium IDE or Playwright has recorded",
		Long:  importLong,
		Example: `  reprise import sign-in.json
  reprise import shop.side --test 'Order a box' --name order
  reprise import codegen.jsonl --from playwright --out order.json
  reprise import - --name sign-in --json < recording.json`,
		Args:              exactly("FILE"),
		ValidArgsFunction: completeRecordings,
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.importFile(cmd.Context(), args[0], &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "`FORMAT`: chrome, side or playwright (default: told by the content)")
	f.StringVar(&o.Name, "name", "", "`NAME` to save it under (default: made of the recording's title)")
	f.StringVar(&o.Account, "account", "", "`ACCOUNT` that it is for, as you call it (default: any)")
	f.StringVar(&o.Test, "test", "", "`TEST` of a project of Selenium IDE (default: the first)")
	f.StringArrayVar(&o.URLs, "url", nil, "`GLOB` of where it may be used, host/path (default: the sites of its addresses; may be repeated)")
	f.StringVar(&o.out, "out", "", "`FILE` to write the document to (default: it is stored in the data directory)")
	f.BoolVar(&o.replace, "replace", false, "replace what is stored under this name and account (default: refuse)")
	a.warn(cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{"chrome", "side", "playwright"}, cobra.ShellCompDirectiveNoFileComp)))
	a.completeAccounts(cmd)
	return cmd
}

// completeRecordings completes one argument.
func completeRecordings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json", "side", "jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

// importFormats are the values of --from.
var importFormats = map[string]exchange.Format{"": "", "chrome": exchange.Chrome, "side": exchange.Side, "playwright": exchange.JSONL, "jsonl": exchange.JSONL}

func (a *app) importFile(ctx context.Context, file string, o *importOptions) error {
	format, known := importFormats[o.from]
	if !known {
		return failure.Usagef("--from: %q is not chrome, side or playwright", o.from)
	}
	data, err := files.Read(a.stdin, file, exchange.MaxSize)
	if err != nil {
		return err
	}
	o.Format, o.File = format, file
	if file == "-" {
		o.File = "standard input"
	}
	doc, losses, err := exchange.Import(data, &o.ImportOptions)
	if err != nil {
		return err
	}
	dest, err := a.openDestination(ctx, &recordOptions{name: doc.Name, account: doc.Match.Account, out: o.out, replace: o.replace})
	if err != nil {
		return err
	}
	defer dest.close()
	saved, path, err := dest.save(ctx, doc)
	if err != nil {
		return err
	}
	report := render.RecordedOf(saved, path, nil)
	if !a.json {
		fmt.Fprint(a.stderr, render.Losses(render.StyleOf(a.stderr), losses))
	}
	return a.result(render.ImportedOf(report, losses), report.Text)
}

// exportOptions are the flags of export.
type exportOptions struct {
	to, out, account string
	plain            []string // of --var
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
	f.StringArrayVar(&o.plain, "var", nil, "`NAME=VALUE` to write in the place of a variable that is no secret (default: its default, else ${NAME}; may be repeated)")
	a.warn(cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"chrome", "side", "jsonl", "playwright", "go"}, cobra.ShellCompDirectiveNoFileComp)))
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) export(ctx context.Context, what string, o *exportOptions) error {
	if o.to == "" {
		return failure.Usagef("--to is missing: chrome, side, jsonl, playwright or go?")
	}
	if _, err := os.Lstat(o.out); o.out != "" && err == nil && !o.replace {
		return &files.ExistsError{What: o.out, Instead: "--out"}
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
		if err := renameio.WriteFile(o.out, text, files.Private); err != nil {
			return err
		}
	}
	if a.json {
		report := render.Exported{Format: exchange.Format(o.to), Path: o.out, Losses: render.List(losses)}
		if o.out == "" {
			report.Content = string(text)
		}
		return a.printJSON(report)
	}
	fmt.Fprint(a.stderr, render.Losses(render.StyleOf(a.stderr), losses))
	if o.out == "" {
		return a.print(string(text))
	}
	a.say("%s It is in %s", render.StyleOf(a.stderr).Green("✓"), o.out)
	return nil
}

// values returns the values of --var, of their declared types.
func (o *exportOptions) values(doc *automation.Automation) (map[string]any, error) {
	declared, err := doc.Declared()
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	err = values.Each("--var", o.plain, declared, func(name, value string) error {
		if declared.IsSecret(name) {
			return failure.Usagef("--var %s: this is a secret, and is not written into an export", name)
		}
		return values.Set(declared, given, name, value)
	})
	return given, err
}
