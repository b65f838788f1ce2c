package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
)

const cleanupLong = `Cleanup closes orphaned browsers, whose process has ended without closing them: those of a
` + "`serve`" + ` that was killed, and what it had open in a browser that it was connected to. What
another process holds stays, and so does a page in which a run waits for a person. ` + "`serve`" + ` and
` + "`work`" + ` do the same when they start.

What is in a browser with an endpoint is closed if --browser names it, a session of a service
with the key that is there for it.`

func (a *app) cleanupCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "Close orphaned browsers",
		Long:  cleanupLong,
		Example: `  reprise cleanup --dry-run
  reprise cleanup --json`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), func(st store.Store) error {
				return a.cleanup(cmd.Context(), st, dryRun)
			})
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be closed (default: close it)")
	return cmd
}

func (a *app) cleanup(ctx context.Context, st store.Store, dryRun bool) error {
	all, err := runner.Cleanup(ctx, st, runner.CleanupOptions{DryRun: dryRun, Close: a.closeOrphan})
	if err != nil {
		return err
	}
	var text strings.Builder
	failed := 0
	for _, c := range all {
		what, why := map[bool]string{true: "closed", false: "stays "}[c.Closed], c.Why
		if dryRun && c.Closed {
			what = "would be closed"
		}
		if c.Err != nil {
			failed++
			what, why = "failed", fmt.Sprintf("%s: %v", why, c.Err)
		}
		fmt.Fprintf(&text, "%s  %s %s: %s\n", what, c.Browser.Kind, c.Browser.Session, why)
	}
	if len(all) == 0 {
		text.WriteString("No orphaned browsers.\n")
	}
	err = a.result(append([]runner.Cleaned{}, all...), func(render.Style) string { return text.String() })
	if failed > 0 && err == nil {
		return failure.Printed(fmt.Errorf("%d of %d browsers could not be closed", failed, len(all)), nil)
	}
	return err
}

// openHeld is openBrowser for a process that may be killed: a session that a service would go on with
// is noted. Nothing is noted for nil.
func (a *app) openHeld(ctx context.Context, held *runner.Browsers, o *browser.Options) (*browser.Browser, error) {
	b, err := a.openBrowser(ctx, o)
	if err != nil || held == nil || !a.rents() {
		return b, err
	}
	info := b.Session()
	if _, err := held.Note(ctx, store.Browser{Kind: info.Provider, Session: info.ID}); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// closeOrphan ends a session of a service, or closes what is in a browser that --browser names.
func (a *app) closeOrphan(ctx context.Context, left store.Browser) error {
	if providers.IsService(left.Kind) {
		rented, err := a.providerOf(left.Kind)
		if err != nil {
			return err
		}
		return rented.Close(ctx, left.Session)
	}
	endpoint := a.endpoint()
	origin, _ := weburl.OriginOf(endpoint)
	if left.Kind != store.KindEndpoint || origin != left.Session || left.Context == "" {
		return fmt.Errorf("%w: name it with --browser", runner.ErrNotReached)
	}
	b, err := browser.Connect(ctx, endpoint, &browser.Options{Logger: a.logger()})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	return b.CloseContext(ctx, left.Context)
}

// cleanupAtStart is cleanup for a command that goes on: it says what was closed.
func (a *app) cleanupAtStart(ctx context.Context, st store.Store) {
	all, err := runner.Cleanup(ctx, st, runner.CleanupOptions{Close: a.closeOrphan})
	a.warn(err)
	for _, c := range all {
		switch {
		case c.Closed:
			a.say("Closed the browser %s %s: %s.", c.Browser.Kind, c.Browser.Session, c.Why)
		case c.Err != nil:
			a.say("The browser %s %s is not closed: %v.", c.Browser.Kind, c.Browser.Session, c.Err)
		}
	}
}
