package cli

import (
	"context"
	"os"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/cli/render"
)

// importOptions are the flags of import.
type importOptions struct {
	from, out string
	replace   bool
	exchange.ImportOptions
}

const importLong = `Import reads what another tool has recorded, and keeps it as a document: the JSON of Chrome's
recorder (DevTools, @puppeteer/replay), a project of Selenium IDE (.side), or what
"playwright codegen --target=jsonl" writes. Which of them it is, the content tells.

Everything that could not be carried over as it was is told on standard error, step by step,
with what to do about it. Scripts of a file are never taken over. What looks like a secret,
or says who somebody is, is not kept: it becomes a variable, which "reprise play" asks for.`

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Keep what Chrome, Selenium IDE or Playwright has recorded",
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
	f.StringVar(&o.Name, "name", "", "`NAME` to keep it under (default: made of the recording's title)")
	f.StringVar(&o.Account, "account", "", "`ACCOUNT` that it is for, as you call it (default: any)")
	f.StringVar(&o.Test, "test", "", "`TEST` of a project of Selenium IDE (default: the first)")
	f.StringArrayVar(&o.URLs, "url", nil, "`GLOB` of where it may be used, host/path (default: the sites of its addresses; may be repeated)")
	f.StringVar(&o.out, "out", "", "`FILE` to write the document to (default: it is kept in the data directory)")
	f.BoolVar(&o.replace, "replace", false, "replace what is kept under this name and account (default: refuse)")
	a.warn(cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{"chrome", "side", "playwright"}, cobra.ShellCompDirectiveNoFileComp)))
	a.completeAccounts(cmd)
	return cmd
}

// completeRecordings offers the files of one argument.
func completeRecordings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json", "side", "jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

// importFormats are the formats as the command line calls them.
var importFormats = map[string]exchange.Format{"": "", "chrome": exchange.Chrome, "side": exchange.Side, "playwright": exchange.JSONL, "jsonl": exchange.JSONL}

func (a *app) importFile(ctx context.Context, file string, o *importOptions) error {
	format, known := importFormats[o.from]
	if !known {
		return usagef("--from: %q is not chrome, side or playwright", o.from)
	}
	data, err := readInput(a.stdin, file, exchange.MaxSize)
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
	keeper, err := a.keeperFor(ctx, &recordOptions{name: doc.Name, account: doc.Match.Account, out: o.out, replace: o.replace})
	if err != nil {
		return err
	}
	defer keeper.close()
	saved, path, err := keeper.save(ctx, doc)
	if err != nil {
		return err
	}
	return a.tellImported(saved, path, losses)
}

// importReport is what import --json tells.
type importReport struct {
	Name      string           `json:"name"`
	Account   string           `json:"account,omitempty"`
	Revision  int              `json:"revision,omitempty"`
	Path      string           `json:"path,omitempty"`
	URLs      []string         `json:"urls"`
	Steps     int              `json:"steps"`
	Variables []variableReport `json:"variables"`
	Losses    exchange.Report  `json:"losses"`
}

func (a *app) tellImported(doc *automation.Automation, path string, losses exchange.Report) error {
	report := reportOf(doc, path, &recorded{})
	if a.json {
		return a.printJSON(importReport{
			Name: report.Name, Account: report.Account, Revision: report.Revision, Path: report.Path, URLs: report.URLs,
			Steps: report.Steps, Variables: report.Variables, Losses: all(losses),
		})
	}
	a.tellLosses(losses)
	return report.tell(a, render.StyleOf(a.stdout))
}

// all is a report that programs read as a list, also where it is empty.
func all(losses exchange.Report) exchange.Report {
	if losses == nil {
		return exchange.Report{}
	}
	return losses
}

// tellLosses tells a person what is not as it was.
func (a *app) tellLosses(losses exchange.Report) {
	if len(losses) == 0 {
		return
	}
	style := render.StyleOf(a.stderr)
	a.say("Not everything could be carried over as it was:")
	for _, loss := range losses {
		kind := style.Dim(string(loss.Kind) + strings.Repeat(" ", len(exchange.Dropped)-len(loss.Kind)))
		if loss.Kind == exchange.Dropped {
			kind = style.Yellow(string(loss.Kind))
		}
		a.say("  %s  %s", kind, loss)
	}
	a.say("")
}

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
