package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
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
