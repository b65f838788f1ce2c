package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

// listOptions are the flags of list.
type listOptions struct {
	name, account, url string
	limit              int
	accountGiven       bool
}

// selects reports whether the flags, which were checked, select a document.
func (o *listOptions) selects(s store.Summary) bool {
	return matchesName(o.name, s.Name) && (!o.accountGiven || s.Account == o.account) &&
		(o.url == "" || automation.Scope{URLs: s.URLs}.MatchURL(o.url))
}

func (a *app) listCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is stored",
		Long: `List shows the documents that are stored: name, account, revision, addresses and number of
steps. A document that cannot be read is listed with what is wrong with it.`,
		Example: `  reprise list
  reprise list --name 'pay-*' --account ada --limit 20
  reprise list --url https://shop.example/cart
  reprise list --json --data ./flows`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			o.accountGiven = cmd.Flags().Changed("account")
			return a.list(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "only those whose name matches this `GLOB` (default: all)")
	f.StringVar(&o.account, "account", "", "only those for this `ACCOUNT`, \"\" is any (default: all)")
	f.StringVar(&o.url, "url", "", "only those that may be used at this `URL` (default: all)")
	f.IntVar(&o.limit, "limit", 0, "at most `N` of them, 0 is all")
	a.warn(cmd.RegisterFlagCompletionFunc("name", a.completeNames(false)))
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) list(ctx context.Context, o *listOptions) error {
	if _, err := path.Match(o.name, ""); err != nil {
		return failure.Usagef("--name %.60q is not a glob: %v", o.name, err)
	}
	if o.url != "" {
		if _, err := automation.Places(o.url); err != nil {
			return failure.Usagef("--url: %v", err)
		}
	}
	if o.limit < 0 {
		return failure.Usagef("--limit is counted from 1, and 0 is all")
	}
	return a.withStore(ctx, func(st store.Store) error {
		all, more := []render.Listed{}, false
		for s, err := range st.Automations().List(ctx) {
			if err != nil {
				return err
			}
			if !o.selects(s) {
				continue
			}
			if more = o.limit > 0 && len(all) == o.limit; more {
				break
			}
			all = append(all, render.ListedOf(s, a.documentPath(s.Name, s.Account)))
		}
		if len(all) == 0 && !a.json {
			if o.name != "" || o.url != "" || o.accountGiven {
				a.say("No such document is stored%s.", in(a.dataDir()))
				return nil
			}
			a.say("Nothing is stored%s yet. Begin with: reprise record URL --name NAME", in(a.dataDir()))
			return nil
		}
		err := a.result(all, func(render.Style) string { return render.Documents(all) })
		if more && !a.json {
			a.say("There are more: --limit 0 shows all.")
		}
		return err
	})
}

// matchesName reports whether a glob, which was checked, takes a name; "" takes all.
func matchesName(glob, name string) bool {
	matched, _ := path.Match(glob, name)
	return glob == "" || matched
}

// in returns where a store is, as far as it is a directory.
func in(dir string) string {
	if dir == "" {
		return ""
	}
	return " in " + dir
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
				return failure.Usagef("--output: %q is neither text nor json", output)
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

// document returns a document from a file, or from the store.
func (a *app) document(ctx context.Context, what, account string) (doc *automation.Automation, err error) {
	if files.IsDocument(what) {
		return files.ReadDocument(a.stdin, what)
	}
	err = a.withStore(ctx, func(st store.Store) error {
		doc, err = st.Automations().Get(ctx, what, account)
		return err
	})
	return doc, err
}

func (a *app) rmCommand() *cobra.Command {
	var account string
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a document",
		Long: `Rm removes a document, also one that cannot be read. It asks first; where no one can
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
	return a.withStore(ctx, func(st store.Store) error {
		if _, err := st.Automations().Get(ctx, name, account); errors.Is(err, store.ErrNotFound) {
			return err // there is nothing to ask about; a document that cannot be read can be removed
		}
		if !yes {
			if !a.terminal().Interactive() {
				return failure.Usagef("no one is there to be asked: give --yes")
			}
			sure, err := a.terminal().Confirm(ctx, fmt.Sprintf("Remove %s? [y/N] ", render.Label(name, account)))
			if err != nil {
				return err
			}
			if !sure {
				a.say("Nothing was removed.")
				return failure.Printed(errors.New("not removed: no one said yes"), nil)
			}
		}
		if err := st.Automations().Delete(ctx, name, account, store.AnyRevision); err != nil {
			return err
		}
		return a.result(map[string]string{"removed": name, "account": account}, func(s render.Style) string {
			return fmt.Sprintf("%s %s is removed\n", s.Green("✓"), render.Label(name, account))
		})
	})
}

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE|NAME…",
		Short: "Check documents, and say everything that is wrong with them",
		Long: `Validate reads documents as play would, and says everything that is wrong with each, with
its place, as in steps[3].value.name. FILE is an argument with a / in it or that ends in
.json, - is standard input; NAME stands for all documents that are stored under it.

It ends with 2 when one of them is not valid.`,
		Example: `  reprise validate sign-in
  reprise validate ./flows/*.json
  reprise validate - --json < sign-in.json`,
		Args:              between([]string{"FILE or NAME"}, math.MaxInt),
		ValidArgsFunction: a.completeNames(true),
		RunE:              a.run(func(cmd *cobra.Command, args []string) error { return a.validate(cmd.Context(), args) }),
	}
}

func (a *app) validate(ctx context.Context, args []string) error {
	var all []render.Checked
	for _, arg := range args {
		some, err := a.check(ctx, arg)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	var wrong []error
	for _, c := range all {
		wrong = append(wrong, c.Err)
	}
	return failure.Printed(errors.Join(wrong...), a.result(all, func(s render.Style) string {
		text := ""
		for _, c := range all {
			text += c.Text(s)
		}
		return text
	}))
}

// check validates the documents that an argument names. Only what cannot be looked up is an error.
func (a *app) check(ctx context.Context, arg string) (found []render.Checked, err error) {
	if files.IsDocument(arg) {
		_, err := files.ReadDocument(a.stdin, arg)
		if err != nil && len(automation.Problems(err)) == 0 {
			return nil, err
		}
		return []render.Checked{render.CheckedOf(arg, "", err)}, nil
	}
	err = a.withStore(ctx, func(st store.Store) error {
		all, err := summaries(ctx, st)
		for _, s := range all {
			if s.Name == arg {
				found = append(found, render.CheckedOf(arg, s.Account, s.Err))
			}
		}
		if err == nil && len(found) == 0 {
			return &store.NotFoundError{Name: arg}
		}
		return err
	})
	return found, err
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

// summaries lists the stored documents.
func summaries(ctx context.Context, st store.Store) ([]store.Summary, error) {
	var all []store.Summary
	for s, err := range st.Automations().List(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// completeNames completes the names of stored documents, and files where they are accepted too.
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
			return cobra.CompletionWithDesc(s.Name, render.Completion(s))
		}), directive
	}
}

// completeAccounts completes the accounts of the documents with the name that was typed, or of all.
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

// labels returns the completions of a word, none where the store cannot be read.
func (a *app) labels(ctx context.Context, begun string, label func(store.Summary) string) []string {
	st, err := a.openStore(ctx)
	if err != nil {
		return nil
	}
	defer st.Close()
	all, err := summaries(ctx, st)
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
