package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

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
