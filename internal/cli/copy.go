package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/transfer"
	"github.com/go-reprise/reprise/store"
)

const copyLong = `Copy copies all that one store has into another: automations, the records of runs and what they
have sent, what agents have called, and tasks, credentials and logins, sealed as they are, so
that no key is needed. What was asked of a person (reprise approvals) stays where it is waited
for, and so do limits and what was paid within them: two stores with the same limit would allow
twice as much. FROM and TO are a directory or an address such as
postgres://me@db.example/reprise.

What is there already and is the same is left. What is there and is different is told and left,
unless --overwrite is given; notes of what was sent are never taken back, and no trace of
calls is overwritten. An automation that is
new there begins at revision 1, since each store counts its own; of one that is stored in
revisions the newest is copied. It may be broken off at any point and run again.

It ends with 1 where something was different or could not be read.`

func (a *app) copyCommand() *cobra.Command {
	var o transfer.Options
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy all that a store has into another",
		Long:  copyLong,
		Example: `  reprise copy ~/.local/share/reprise postgres://me@db.example/reprise
  reprise copy postgres://me@db.example/reprise ./backup --dry-run`,
		Args: exactly("FROM", "TO"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.copy(cmd.Context(), args[0], args[1], &o)
		}),
	}
	cmd.Flags().BoolVar(&o.Overwrite, "overwrite", false, "replace what is there and different (default: leave it, and tell)")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only tell what would be copied (default: copy)")
	return cmd
}

func (a *app) copy(ctx context.Context, from, to string, o *transfer.Options) error {
	if err := isStore(from); err != nil {
		return err
	}
	if to == "" {
		return failure.Usagef("where to? Give a directory or an address")
	}
	source, err := store.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { a.warn(source.Close()) }()
	target, err := store.Open(ctx, to)
	if err != nil {
		return err
	}
	defer func() { a.warn(target.Close()) }()
	if render.IsTerminal(a.stderr) && !a.json {
		o.Progress = func(kind transfer.Kind, c *transfer.Count) {
			fmt.Fprintf(a.stderr, "\r\x1b[K%s: %d", kind, c.Copied+c.Same+c.Changed+len(c.Left)+len(c.Failed))
		}
	}
	report, broken := transfer.Copy(ctx, source, target, o)
	if o.Progress != nil {
		fmt.Fprint(a.stderr, "\r\x1b[K")
	}
	return a.printCopy(report, broken, o.DryRun)
}

func (a *app) printCopy(report transfer.Report, broken error, dry bool) error {
	copied, conflicts, failed := report.Sum()
	bad := broken
	if bad == nil && conflicts+failed > 0 {
		var words []string
		if conflicts > 0 {
			words = append(words, fmt.Sprintf("%d are there and different: --overwrite replaces them", conflicts))
		}
		if failed > 0 {
			words = append(words, fmt.Sprintf("%d could not be copied", failed))
		}
		bad = errors.New(strings.Join(words, "; "))
	}
	if a.json {
		return failure.Printed(bad, a.printJSON(report.View(broken, dry)))
	}
	if err := a.print(report.Table()); err != nil {
		return err
	}
	for _, kind := range transfer.Kinds {
		for _, p := range append(report[kind].Left, report[kind].Failed...) {
			a.warn(p.Err)
		}
	}
	switch {
	case broken != nil:
		a.say("It was broken off. Run it again to go on.")
		return broken
	case dry:
		a.say("Nothing was copied: this was --dry-run.")
	case copied > 0 && bad == nil:
		a.say("All is there.")
	}
	if bad != nil {
		a.say("%v", bad)
	}
	return failure.Printed(bad, nil)
}

// isStore refuses a mistyped directory, which would be opened as an empty store.
func isStore(from string) error {
	if strings.Contains(from, "://") {
		return nil
	}
	if _, err := os.Stat(from); from == "" || errors.Is(err, fs.ErrNotExist) {
		return failure.Usagef("there is no directory %q to copy from", from)
	}
	return nil
}
