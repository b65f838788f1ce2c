package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

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
