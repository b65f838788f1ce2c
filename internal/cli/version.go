package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Long:              `Version prints the version of Reprise, of Go, and of the document format that it writes.`,
		Example:           `  reprise version --json`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(*cobra.Command, []string) error {
			v := versionOf()
			if a.json {
				return a.printJSON(v)
			}
			_, err := fmt.Fprintf(a.stdout, "reprise %s, document format %d, %s, %s\n", v.Version, v.Format, v.Go, v.System)
			return err
		}),
	}
}

type versionReport struct {
	Version string `json:"version"`
	Format  int    `json:"format"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func versionOf() versionReport {
	v := versionReport{"unknown", automation.Format, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	return v
}
