package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

const (
	// followEvery is how often it is looked what has happened, and followed how many of the
	// newest runs are looked at. Older ones are as long as they have not ended.
	followEvery = 500 * time.Millisecond
	followed    = 200
)

// follower tells of runs as something happens to them.
type follower struct {
	app  *app
	kept store.Store
	o    *runsOptions
	last map[string]store.RunSummary // as they were told of
}

// followRuns tells of the runs that have not ended, and then of all that happens to any,
// until it is told to stop. While a server is away it waits for it.
func (a *app) followRuns(ctx context.Context, kept store.Store, o *runsOptions) error {
	f := &follower{app: a, kept: kept, o: o, last: map[string]store.RunSummary{}}
	if err := f.look(ctx, false); err != nil {
		return err
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for away := false; ; {
		select {
		case <-ctx.Done():
			return nil // it is how this ends
		case <-tick.C:
		}
		err := f.look(ctx, true)
		if err != nil && ctx.Err() == nil && !away {
			a.warn(err) // once, while it lasts
		}
		away = err != nil
	}
}

// look tells of what has changed since it looked last; the first time, of what goes on.
func (f *follower) look(ctx context.Context, again bool) error {
	newest := map[string]bool{}
	for r, err := range f.kept.Runs().List(ctx) {
		if err != nil {
			return err
		}
		if len(newest) == followed {
			break
		}
		newest[r.ID] = true
		if err := f.see(ctx, r, again); err != nil {
			return err
		}
	}
	for id, before := range f.last { // which are no longer among them
		if newest[id] {
			continue
		}
		if before.Err != nil || runner.Ended(before.State) {
			delete(f.last, id)
			continue
		}
		now, err := f.kept.Runs().Get(ctx, id)
		if err != nil {
			return err
		}
		if err := f.see(ctx, store.RunSummary{Run: now}, again); err != nil {
			return err
		}
	}
	return nil
}

// see tells of a run, if something has happened to it.
func (f *follower) see(ctx context.Context, r store.RunSummary, again bool) error {
	ended := runner.Ended(r.State) // as its record says: one whose process died is told of
	now, gone, err := runner.Current(ctx, f.kept.Commits(), r.Run)
	if err != nil {
		return err
	}
	r.Run = now
	before, known := f.last[r.ID]
	f.last[r.ID] = r
	switch {
	case r.Err != nil, f.o.name != "" && r.Automation != f.o.name:
		return nil
	case !again && ended:
		return nil
	case known && before.State == r.State && len(before.Steps) == len(r.Steps):
		return nil
	case f.app.json:
		return json.NewEncoder(f.app.stdout).Encode(keptRunOf(r, gone)) // one in each line
	}
	_, err = io.WriteString(f.app.stdout, f.line(before.Run, r.Run, gone, known)+"\n")
	return err
}

func (f *follower) line(before, now store.Run, gone, known bool) string {
	style := render.StyleOf(f.app.stdout)
	what := render.RunState(now.State, gone)
	if known && before.State == now.State && len(now.Steps) > 0 {
		last := now.Steps[len(now.Steps)-1]
		what = fmt.Sprintf("step %d %s %s", last.Index+1, last.Tool, last.Outcome)
	}
	if runner.Ended(now.State) && now.Code != "" {
		what += ": " + now.Code
	}
	return fmt.Sprintf("%s  %s  %s  %s", time.Now().Format(time.TimeOnly), style.Dim(now.ID), label(now.Automation, now.Account), what)
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Take a queued run from the queue, or end it where it is played",
		Long: `Cancel takes a run from the queue, or ends it where a worker plays it, and says how it
ended: as cancelled, or as uncertain where it has sent something that pays, orders, sends or
deletes, and what became of that was not seen.`,
		Example:           `  reprise runs cancel 01kb3c5n7p9q2r4s6t8v0w1x3y`,
		Args:              exactly("RUN"),
		ValidArgsFunction: a.completeRuns(func(r store.Run) bool { return !runner.Ended(r.State) }),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.cancel(cmd.Context(), args[0])
		}),
	}
}

func (a *app) cancel(ctx context.Context, id string) error {
	kept, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	run, err := queue.Cancel(ctx, id)
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(keptRunOf(store.RunSummary{Run: run}, runner.Lost(run)))
	}
	_, err = io.WriteString(a.stdout, endedLine(render.StyleOf(a.stdout), run)+"\n")
	return err
}
