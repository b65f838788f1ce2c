package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// workOptions are the flags of work.
type workOptions struct {
	parallel       int
	host           string
	longest, grace time.Duration
	headed         bool
	privateNetwork bool

	lease time.Duration // 0 is the default, which tests do not wait for
	// values are those that a run has besides the queue's; nil is its task's and the vault's.
	values func(context.Context, *worker.Turn) (replayer.Values, error)
}

const workLong = `Work takes runs that ` + "`reprise play --queue`" + ` has queued, and plays them, until it is told
to stop (Ctrl-C or SIGTERM). Any number of machines do so at once, on one Postgres database
(--store). A run for one machine (play --on) is taken by that one only; the others by any.

Of the runs for one site and account one is played at a time; the others wait. A run whose
worker has died, or was cut off, is begun again by another within a minute, if it has sent
nothing that pays, orders, sends or deletes. Otherwise it is done where that was its last
step and was seen to be done, and uncertain where it is not known. Nothing is sent twice,
not even by a worker that was only thought to be dead.

Each run has cookies of its own, in a browser that they share. Nobody sits here to be asked:
what commits is done with ` + "`play --commit allow`" + `, and asked for in the store with
` + "`play --ask store`" + `, where the run waits here for its answer (` + "`reprise approvals`" + `); otherwise
it is refused. Secrets come from tasks and the vault, and logins from the store, with the key
that this machine has (--key). Told to stop, work waits for the runs under way, as long as
--grace, and then leaves them to other workers.`

func (a *app) workCommand() *cobra.Command {
	var o workOptions
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Play the runs that are queued, beside other machines",
		Long:  workLong,
		Example: `  reprise work --store postgres://me@db.example/reprise
  reprise work --parallel 4 --longest 10m`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.work(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.IntVar(&o.parallel, "parallel", 1, "play `N` runs at once")
	f.StringVar(&o.host, "host", "", "`NAME` of this machine, whose own runs are taken, too (default: the one that it has)")
	f.DurationVar(&o.longest, "longest", worker.DefaultLongest, "`DURATION` that a run may take")
	f.DurationVar(&o.grace, "grace", worker.DefaultGrace, "`DURATION` that runs are given to end in, once it is told to stop")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
	privateNetworkFlag(f, &o.privateNetwork)
	return cmd
}

func (a *app) work(ctx context.Context, o *workOptions) error {
	switch {
	case o.parallel < 1:
		return usagef("--parallel is counted from 1")
	case o.longest <= 0 || o.grace <= 0:
		return usagef("--longest and --grace: runs need some time")
	}
	kept, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	pages := &runner.PrivatePages{Warn: a.warn, Browser: func(ctx context.Context) (*browser.Browser, error) {
		return a.openBrowser(ctx, &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork})
	}}
	defer func() { a.warn(pages.Close()) }()
	if _, err := pages.Start(ctx); err != nil { // or every run that it takes would fail
		return err
	}
	p := &worker.Performer{
		Runner: runner.Runner{Logger: a.logger()}, Secrets: a.secrets, Pages: pages, Stored: o.values, Waits: a.showsWaiting(quiet{}),
		End: func(run store.Run) { a.say("%s", endedLine(render.StyleOf(a.stderr), run)) },
	}
	a.say("Taking runs, %d at once. Ctrl-C ends it.", o.parallel)
	return queue.Work(ctx, &worker.Options{
		Perform: p.Perform, Parallel: o.parallel, Host: o.host, Longest: o.longest, Grace: o.grace, Lease: o.lease, Logger: a.logger(),
	})
}

// openQueue opens the store that --store names, and the queue in it.
func (a *app) openQueue(ctx context.Context) (*postgres.Store, *worker.Queue, error) {
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	shared, ok := kept.(*postgres.Store)
	if !ok {
		return nil, nil, errors.Join(usagef("runs are queued in a store that several machines share: name one with --store postgres://… or $%s", storeEnv), kept.Close())
	}
	queue, err := worker.Open(ctx, shared)
	if err != nil {
		return nil, nil, errors.Join(err, shared.Close())
	}
	return shared, queue, nil
}
