package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

const handoffsLong = `Handoffs shows when a person had the browser, what for, how it ended, and what was measured
before and after: addresses, counts and names, and nothing that was typed. People take over
where ` + "`reprise serve --takeover` or `reprise mcp --takeover`" + ` runs.`

func (a *app) handoffsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "handoffs",
		Short: "Show when a person had the browser",
		Long:  handoffsLong,
		Example: `  reprise handoffs list
  reprise handoffs show 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise handoffs link 01kb3c5n7p9q2r4s6t8v0w1x3y
  reprise handoffs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y`,
	}, a.handoffsListCommand(), a.handoffCommand(false), a.handoffLinkCommand(), a.handoffCommand(true))
}

func (a *app) handoffsListCommand() *cobra.Command {
	var all bool
	limit := 20
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the pages that a person has",
		Long:    "List shows the handoffs that are RUNNING, the newest first; with --all also those that have ended.",
		Example: "  reprise handoffs list --all --json",
		Args:    between(nil, 0),
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return failure.Usagef("--limit is counted from 1, and 0 is all")
			}
			return a.listHandoffs(cmd.Context(), all, limit)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended (default: those that are RUNNING)")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most `N` of them, 0 is all")
	return cmd
}

func (a *app) listHandoffs(ctx context.Context, ended bool, limit int) error {
	return a.withStore(ctx, func(st store.Store) error {
		list := st.Handoffs().Running
		if ended {
			list = st.Handoffs().List
		}
		all := []render.Handoff{}
		for one, err := range list(ctx) {
			if err != nil {
				return err
			}
			if limit > 0 && len(all) == limit {
				break
			}
			all = append(all, render.HandoffOf(one))
		}
		if len(all) == 0 && !a.json {
			a.say("No person has a page.")
			return nil
		}
		return a.result(all, func(render.Style) string { return render.Handoffs(all) })
	})
}

// handoffCommand shows a handoff, or cancels it first.
func (a *app) handoffCommand(cancel bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a handoff, and what was measured",
		Example: "  reprise handoffs show 01kb3c5n7p9q2r4s6t8v0w1x3y",
	}
	if cancel {
		cmd.Use, cmd.Short = "cancel ID", "End a handoff: who asked for it is told that no one has done it"
		cmd.Example = "  reprise handoffs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y"
	}
	cmd.Args, cmd.ValidArgsFunction = exactly("ID"), a.completeHandoffs
	cmd.RunE = a.run(func(cmd *cobra.Command, args []string) error {
		return a.withStore(cmd.Context(), func(st store.Store) error {
			if cancel {
				if _, err := st.Handoffs().End(cmd.Context(), args[0], store.HandoffCancelled, nil); err != nil {
					return err
				}
			}
			h, err := st.Handoffs().Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			shown := render.HandoffOf(store.HandoffSummary{Handoff: h})
			return a.result(shown, func(render.Style) string { return render.WholeHandoff(shown) })
		})
	})
	return cmd
}

// handoffLink is the result of handoffs link.
type handoffLink struct {
	ID       string    `json:"handoff_id"`
	Link     string    `json:"link"`
	Deadline time.Time `json:"deadline"`
}

func (a *app) handoffLinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link ID",
		Short: "Make another link to a page that waits for a person",
		Long: `Link makes another link to the page of a handoff that is RUNNING, for another device or in the
place of one that was lost. It opens once, and the device that had control loses it then. Who has
the link has the page: give it to one person.`,
		Example:           "  reprise handoffs link 01kb3c5n7p9q2r4s6t8v0w1x3y",
		Args:              exactly("ID"),
		ValidArgsFunction: a.completeHandoffs,
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd.Context(), func(st store.Store) error { return a.linkHandoff(cmd.Context(), st, args[0]) })
		}),
	}
}

func (a *app) linkHandoff(ctx context.Context, st store.Store, id string) error {
	h, err := st.Handoffs().Get(ctx, id)
	if err != nil {
		return err
	}
	if h.State != store.HandoffRunning {
		return fmt.Errorf("handoff %s is %s: there is no page to open", h.ID, h.State)
	}
	link, err := handoff.NewLink(ctx, st, h.ID, true)
	if err == nil && link == "" {
		err = fmt.Errorf("no process serves the page of handoff %s: `reprise serve --takeover` goes on with what a killed one has left", h.ID)
	}
	if err != nil {
		return err
	}
	return a.result(handoffLink{h.ID, link, h.Deadline}, func(render.Style) string {
		return fmt.Sprintf("%s\nUntil %s. Full access, do not forward.\n", link, h.Deadline.Local().Format("15:04"))
	})
}

// completeHandoffs completes the IDs of handoffs that are RUNNING.
func (a *app) completeHandoffs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	st, err := a.openStore(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	var found []string
	for one, err := range st.Handoffs().Running(cmd.Context()) {
		if err != nil || len(found) == maxCompletions {
			break
		}
		found = append(found, one.ID)
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
