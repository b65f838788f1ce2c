package cli

import (
	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
)

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
