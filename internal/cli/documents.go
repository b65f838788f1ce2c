package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

// isFile reports whether an argument means a file and not a name.
func isFile(arg string) bool {
	return strings.ContainsRune(arg, filepath.Separator) || strings.HasSuffix(arg, ".json") || arg == "-"
}

// fileError is a file that is not a document, or cannot be read.
type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string {
	separator := ": "
	if len(automation.Problems(e.err)) > 1 {
		separator = " is not a valid document:\n"
	}
	return e.file + separator + e.err.Error()
}

func (e *fileError) Unwrap() error { return e.err }

// readFile reads a document, - is standard input, of which it takes no more than a document may have.
// A program's own tools are let be: whether they can be played is for the
// replayer to say.
func readFile(stdin io.Reader, file string) (*automation.Automation, error) {
	in, name, err := openInput(stdin, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	doc, err := automation.ParseFrom(in, automation.AnyTools())
	if err != nil {
		return nil, &fileError{name, err}
	}
	return doc, nil
}

// summaries lists what is kept.
func summaries(ctx context.Context, kept store.Store) ([]store.Summary, error) {
	var all []store.Summary
	for s, err := range kept.Automations().List(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// completeNames completes the names of what is kept, and files where they are
// taken too.
func (a *app) completeNames(files bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		if files {
			directive = cobra.ShellCompDirectiveDefault
		}
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.labels(cmd.Context(), begun, func(s store.Summary) string {
			return cobra.CompletionWithDesc(s.Name, describeShortly(s))
		}), directive
	}
}

// completeAccounts completes the accounts of what is kept under the name that is
// already there, or of everything.
func (a *app) completeAccounts(cmd *cobra.Command) {
	err := cmd.RegisterFlagCompletionFunc("account", func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.labels(cmd.Context(), begun, func(s store.Summary) string {
			if len(args) > 0 && s.Name != args[0] {
				return ""
			}
			return s.Account
		}), cobra.ShellCompDirectiveNoFileComp
	})
	a.warn(err) // only for a flag that there is not
}

// labels gives what completes a word. What cannot be read completes nothing.
func (a *app) labels(ctx context.Context, begun string, label func(store.Summary) string) []string {
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil
	}
	defer kept.Close()
	all, err := summaries(ctx, kept)
	if err != nil {
		return nil
	}
	var found []string
	seen := map[string]bool{}
	for _, s := range all {
		l := label(s)
		word, _, _ := strings.Cut(l, "\t") // a description may follow
		if word != "" && strings.HasPrefix(word, begun) && !seen[word] {
			seen[word] = true
			found = append(found, l)
		}
	}
	return found
}

func describeShortly(s store.Summary) string {
	switch {
	case s.Err != nil:
		return "cannot be read"
	case s.Description != "":
		return s.Description
	case s.Account != "":
		return "for " + s.Account
	}
	return fmt.Sprintf("%d steps", s.Steps)
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what is kept",
		Long: `List shows the documents that are kept: name, account, revision, addresses and number of
steps. A document that cannot be read is listed with what is wrong with it.`,
		Example: `  reprise list
  reprise list --json --data ./flows`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              a.run(func(cmd *cobra.Command, _ []string) error { return a.list(cmd.Context()) }),
	}
}

// listed is a document as list --json tells it.
type listed struct {
	Name        string   `json:"name"`
	Account     string   `json:"account,omitempty"`
	Description string   `json:"description,omitempty"`
	Revision    int      `json:"revision"`
	URLs        []string `json:"urls"`
	Steps       int      `json:"steps"`
	Path        string   `json:"path,omitempty"`
	Error       *failure `json:"error,omitempty"` // why it cannot be used
}

func (a *app) list(ctx context.Context) error {
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	all, err := summaries(ctx, kept)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(a.listedOf(all))
	}
	if len(all) == 0 {
		a.say("Nothing is kept%s yet. Begin with: reprise record URL --name NAME", in(a.dataDir()))
		return nil
	}
	_, err = io.WriteString(a.stdout, render.Table(rowsOf(all)))
	return err
}

func in(dir string) string {
	if dir == "" {
		return ""
	}
	return " in " + dir
}

func (a *app) listedOf(all []store.Summary) []listed {
	documents := make([]listed, len(all))
	for i, s := range all {
		documents[i] = listed{
			Name: s.Name, Account: s.Account, Description: s.Description, Revision: s.Revision,
			URLs: s.URLs, Steps: s.Steps, Path: a.documentPath(s.Name, s.Account),
		}
		if s.Err != nil {
			f := describe(s.Err)
			documents[i].Error = &f
		}
	}
	return documents
}

func rowsOf(all []store.Summary) [][]string {
	rows := [][]string{{"NAME", "ACCOUNT", "REVISION", "STEPS", "FOR"}}
	for _, s := range all {
		account := s.Account
		if account == "" {
			account = "any"
		}
		row := []string{s.Name, account, fmt.Sprint(s.Revision), fmt.Sprint(s.Steps), strings.Join(s.URLs, " ")}
		if s.Err != nil {
			first, _, more := strings.Cut(s.Err.Error(), "\n")
			if more {
				first += " …"
			}
			row = []string{s.Name, account, "-", "-", "cannot be read: " + first}
		}
		rows = append(rows, row)
	}
	return rows
}

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

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE|NAME…",
		Short: "Check documents, and say everything that is wrong with them",
		Long: `Validate reads documents as play would, and says everything that is wrong with each, with
its place, as in steps[3].value.name. FILE is an argument with a / in it or that ends in
.json, - is standard input; NAME stands for all documents that are kept under it.

It ends with 2 when one of them is not valid.`,
		Example: `  reprise validate sign-in
  reprise validate ./flows/*.json
  reprise validate - --json < sign-in.json`,
		Args:              between([]string{"FILE or NAME"}, math.MaxInt),
		ValidArgsFunction: a.completeNames(true),
		RunE:              a.run(func(cmd *cobra.Command, args []string) error { return a.validate(cmd.Context(), args) }),
	}
}

// checked is what validate --json says of a document.
type checked struct {
	Document string    `json:"document"`
	Account  string    `json:"account,omitempty"`
	Valid    bool      `json:"valid"`
	Problems []problem `json:"problems,omitempty"`
	err      error
}

func (a *app) validate(ctx context.Context, args []string) error {
	var all []checked
	for _, arg := range args {
		some, err := a.check(ctx, arg)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	var wrong []error
	for _, c := range all {
		if c.err != nil {
			wrong = append(wrong, c.err)
		}
	}
	telling := a.tellChecked(all)
	if len(wrong) == 0 {
		return telling
	}
	return told(errors.Join(wrong...), telling)
}

// check reads what an argument stands for. Only what cannot be looked for is an
// error here.
func (a *app) check(ctx context.Context, arg string) ([]checked, error) {
	if isFile(arg) {
		_, err := readFile(a.stdin, arg)
		if err != nil && len(automation.Problems(err)) == 0 {
			return nil, err
		}
		return []checked{newChecked(arg, "", err)}, nil
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { a.warn(kept.Close()) }()
	all, err := summaries(ctx, kept)
	if err != nil {
		return nil, err
	}
	var found []checked
	for _, s := range all {
		if s.Name == arg {
			found = append(found, newChecked(arg, s.Account, s.Err))
		}
	}
	if len(found) == 0 {
		return nil, &store.NotFoundError{Name: arg}
	}
	return found, nil
}

func newChecked(document, account string, err error) checked {
	c := checked{Document: document, Account: account, Valid: err == nil, err: err}
	for _, p := range automation.Problems(err) {
		c.Problems = append(c.Problems, problem{p.Path, p.Reason})
	}
	if err != nil && len(c.Problems) == 0 {
		c.Problems = []problem{{Reason: err.Error()}}
	}
	return c
}

func (a *app) tellChecked(all []checked) error {
	if a.json {
		return a.printJSON(all)
	}
	style := render.StyleOf(a.stdout)
	for _, c := range all {
		what := label(c.Document, c.Account)
		if c.Valid {
			fmt.Fprintf(a.stdout, "%s %s is valid\n", style.Green("✓"), what)
			continue
		}
		fmt.Fprintf(a.stdout, "%s %s\n", style.Red("✗"), what)
		for _, p := range c.Problems {
			if p.Path == "" {
				p.Path = "the document"
			}
			fmt.Fprintf(a.stdout, "    %s: %s\n", style.Bold(p.Path), p.Reason)
		}
	}
	return nil
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of documents",
		Long: `Schema prints the JSON Schema of a document, for editors and for programs in other
languages. What it accepts, "reprise validate" can still refuse: that selectors can be
read, and that variables are declared, a schema cannot say.`,
		Example: `  reprise schema > reprise.schema.json`,
		Args:    exactly(),
		RunE: a.run(func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(automation.Schema())
			return err
		}),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
