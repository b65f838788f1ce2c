package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const pruneLong = `Prune removes the records of runs that ended some time ago, with their reports and downloads,
and the traces, approvals and handoffs that ended then. A run whose process died is one that
ended.

These stay: a run that has not ended or is uncertain, with all that belongs to it; and the
notes of commit steps that were sent, for each run that is not done: what was sent once is
never sent again. A report is removed where play has written it, if it is on this machine.

Runs may be performed meanwhile. A prune that is interrupted is completed by the next one.
Files that cannot be removed are reported, and it ends with 1.`

// minPruneAge is longer than anything that has just ended is still read for: an approval may
// wait for a day.
const minPruneAge = 24 * time.Hour

func (a *app) pruneCommand() *cobra.Command {
	var olderThan string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Remove the records of runs that ended some time ago",
		Long:  pruneLong,
		Example: `  reprise prune --older-than 30d --dry-run
  reprise prune --older-than 12w --json`,
		Args:              exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			age, err := parseAge(olderThan)
			if err != nil {
				return failure.Usagef("--older-than: %v", err)
			}
			if age < minPruneAge {
				return failure.Usagef("--older-than %s: must be at least 1d", olderThan)
			}
			return a.prune(cmd.Context(), store.PruneOptions{Before: time.Now().Add(-age), DryRun: dryRun, Lost: runner.Lost})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&olderThan, "older-than", "", "remove what ended longer than this `AGE` ago: 30d, 12w, 720h (default: none; it must be given)")
	f.BoolVar(&dryRun, "dry-run", false, "only show what would be removed (default: remove it)")
	a.warn(cmd.RegisterFlagCompletionFunc("older-than", cobra.FixedCompletions([]string{"30d", "90d", "52w"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// parseAge reads a duration in days or weeks, or one of Go's.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, fmt.Errorf("give an AGE, such as 30d")
	}
	const longest = 100 * 365 * 24 // hours: a multiple of more overflows
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		number, is := strings.CutSuffix(text, unit)
		if !is {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > longest/hours {
			break
		}
		return time.Duration(n*hours) * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, fmt.Errorf("%.40q is not an age, such as 30d, 12w or 720h", text)
	}
	return age, nil
}

func (a *app) prune(ctx context.Context, o store.PruneOptions) error {
	return a.withStore(ctx, func(st store.Store) error {
		r := render.Pruned{DryRun: o.DryRun, Removed: []store.Pruned{}}
		var failed error
		var left []error
		for p, err := range st.Prune(ctx, o) {
			if err != nil {
				failed = err // what was removed before is shown
				break
			}
			r.Removed = append(r.Removed, p)
			r.Size += p.Size
			if p.Left != "" {
				left = append(left, fmt.Errorf("files of %s %s are left: %s", p.Kind, p.ID, p.Left))
			}
		}
		if failed != nil && len(r.Removed) == 0 {
			return failed
		}
		if failed != nil {
			a.warn(fmt.Errorf("it was not completed: run it again: %w", failed))
		}
		for _, err := range left {
			a.warn(err)
		}
		return failure.Printed(errors.Join(append(left, failed)...), a.result(r, r.Text))
	})
}
