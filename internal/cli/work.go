package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
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
	saveLogins     bool
	signIn         bool
	takeover       takeoverFlags

	lease time.Duration // 0 is the default; tests shorten it
	// values are those that a run has besides the queue's; nil is those of its task and the vault.
	values func(context.Context, *worker.Turn) (replayer.Values, error)
}

const workLong = `Work takes runs that ` + "`reprise play --queue`" + ` has queued, and plays them, until it is told
to stop (Ctrl-C or SIGTERM). Any number of machines do so at once, on one Postgres database
(--store). A run for one machine (play --on) is taken by that one only; the others by any.

Of the runs for one site and account one is played at a time; the others wait. A run whose
worker has died, or was cut off, is begun again by another within a minute, if it has sent
no commit step. Otherwise it is done where that was its last
step and was seen to be done, and uncertain where it is not known. Nothing is sent twice,
not even by a worker that was only thought to be dead.

With --takeover a person is called for what blocks a run, and has its page in a live view, for
an hour at most beyond --longest. While a run waits for a person another is played in its
place.

Each run has cookies of its own, in a browser that they share. No one sits here to be asked:
what commits is done with ` + "`play --commit allow`" + `, and asked for in the store with
` + "`play --ask store`" + `, where the run waits here for its answer (` + "`reprise approvals`" + `); otherwise
it is refused. Secrets come from tasks and the vault, and logins from the store, with the key
that this machine has (--key); with --sign-in a login that is over is renewed first. Told to
stop, work waits for the runs under way, as long as --grace, and then leaves them to other
workers.`

func (a *app) workCommand() *cobra.Command {
	var o workOptions
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Play the runs that are queued, alongside other machines",
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
	f.BoolVar(&o.saveLogins, "save-login", false, "save the login that a run begins with again when it has ended well, as the site has renewed it (default: where play says so)")
	f.BoolVar(&o.signIn, "sign-in", false, "look first whether the login that a run begins with is good, by its check, and sign in again by the automation for that where it is not (default: where play says so)")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
	privateNetworkFlag(f, &o.privateNetwork)
	o.takeover.withServer(f)
	a.emulationFlags(cmd)
	return cmd
}

func (a *app) work(ctx context.Context, o *workOptions) error {
	switch {
	case o.parallel < 1:
		return failure.Usagef("--parallel is counted from 1")
	case o.longest <= 0 || o.grace <= 0:
		return failure.Usagef("--longest and --grace: runs need some time")
	}
	if err := o.takeover.check(); err != nil {
		return err
	}
	st, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(st.Close()) }()
	a.cleanupAtStart(ctx, st)
	desk, stop, err := a.serveDesk(ctx, st, &o.takeover)
	if err != nil {
		return err
	}
	defer stop()
	held := runner.NewBrowsers(st.Browsers(), a.warn)
	defer held.Close()
	pages := &runner.PrivatePages{Warn: a.warn, Held: held, Browser: func(ctx context.Context) (*browser.Browser, error) {
		return a.openHeld(ctx, held, &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork, KeepContexts: true})
	}}
	defer func() {
		if err := pages.Close(); err != nil {
			held.Leave()
			a.warn(err)
		}
	}()
	if _, err := pages.Start(ctx); err != nil { // otherwise every run that it takes would fail
		return err
	}
	p := &worker.Performer{
		Runner: runner.Runner{Logger: a.logger()}, Secrets: a.secrets, Pages: pages, Stored: o.values, Waits: a.printWaiting(quiet{}), Paid: a.printPaid(quiet{}),
		End: func(run store.Run) { a.say("%s", render.EndedRun(render.StyleOf(a.stderr), run)) },
	}
	if desk != nil {
		p.Person, o.longest = desk.Person(nil, nil), o.longest+handoff.MaxTimeout
	}
	a.say("Taking runs, %d at once. Ctrl-C ends it.", o.parallel)
	return queue.Work(ctx, &worker.Options{
		Perform: p.Perform, Parallel: o.parallel, Host: o.host, SaveLogins: o.saveLogins, SignIn: o.signIn, Longest: o.longest, Grace: o.grace, Lease: o.lease, Logger: a.logger(),
	})
}

// queueFlags are the flags of play for a run that a worker plays.
type queueFlags struct {
	queue, detach bool
	on            string
}

func (q *queueFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&q.queue, "queue", false, "have a worker play it (`reprise work`), and follow how that goes; with --store (default: play it here)")
	f.BoolVar(&q.detach, "detach", false, "with --queue: give the run's ID at once (default: follow it to its end)")
	f.StringVar(&q.on, "on", "", "with --queue: the `HOST` whose worker is to play it (default: any)")
}

// checkQueue refuses with --queue what needs this terminal, this machine or its browser.
func (o *playOptions) checkQueue() error {
	if !o.queued.queue {
		if o.queued.detach || o.queued.on != "" {
			return failure.Usagef("--detach and --on are for runs that a worker plays: give --queue, too")
		}
		return nil
	}
	for _, local := range []struct {
		given bool
		flag  string
	}{
		{files.IsDocument(o.what), "FILE"}, {o.headed, "--headed"}, {o.step, "--step"}, {o.takeover.on, "--takeover"}, {o.dryRun, "--dry-run"}, {o.accept, "--accept"}, {o.report != "", "--report"}, {o.downloads != "", "--downloads"},
		{o.resume != "" || o.settled != "", "--resume"}, {o.from != 0 || o.until != 0, "--from and --until"},
		{o.repeat != 1 || o.parallel != 1 || o.values.IsTable(), "a table, --repeat and --parallel"},
	} {
		if local.given {
			return failure.Usagef("--queue: a worker plays one run of what the store has, by its name: leave %s out", local.flag)
		}
	}
	return nil
}

// enqueue queues a run for a worker.
func (a *app) enqueue(ctx context.Context, o *playOptions) error {
	st, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(st.Close()) }()
	doc, err := a.find(ctx, st, o)
	if err != nil {
		return err
	}
	values, err := a.reader(&o.values).Queued(doc)
	if err != nil {
		return err
	}
	run, err := queue.Put(ctx, doc, worker.Order{
		Automation: doc.Name, Document: doc.Match.Account, Account: o.account, URL: o.url, Task: o.values.Task, Login: o.login, SaveLogin: o.saveLogin, SignIn: o.signIn, Values: values,
		Commit: o.commit, AnswerWithin: o.asks.timeout(), Human: o.human, Seed: o.seed, Timeout: o.timeout,
	}, o.queued.on)
	switch {
	case err != nil:
		return err
	case !o.queued.detach:
		return a.await(ctx, st, doc, run)
	}
	return a.result(render.RunOf(store.RunSummary{Run: run}, runner.Lost(run)), func(render.Style) string { return run.ID + "\n" })
}

// awaitEvery is how often the record of a queued run is read: as quickly as people notice.
const awaitEvery = 200 * time.Millisecond

// await follows a queued run to its end, and prints its result as play does.
func (a *app) await(ctx context.Context, st store.Store, doc *automation.Automation, run store.Run) error {
	a.say("%s is queued as run %s.", render.Label(doc.Name, doc.Match.Account), run.ID)
	shown := &awaited{app: a, doc: doc, playing: render.NewPlaying(a.stderr, render.StyleOf(a.stderr), nil, doc.Steps)}
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for !runner.Ended(run.State) {
		select {
		case <-ctx.Done():
			a.say("It goes on: `reprise runs --follow` follows it, `reprise runs cancel %s` ends it.", run.ID)
			return context.Cause(ctx)
		case <-tick.C:
		}
		now, err := st.Runs().Get(ctx, run.ID)
		switch {
		case err == nil:
			run = now
			shown.print(run)
		case ctx.Err() == nil:
			return err
		}
	}
	return a.printQueued(doc, run)
}

// awaited prints the progress of a run from its record.
type awaited struct {
	app     *app
	doc     *automation.Automation
	playing *render.Playing
	state   store.RunState
	steps   int // that were printed
}

func (w *awaited) print(run store.Run) {
	switch {
	case run.State == store.Running && w.state == store.WaitingForPerson: // the approver has answered
	case run.State == store.Running && w.state != store.Running && run.Process != nil:
		w.app.say("%s plays it.", run.Process.Host)
	case run.State == store.WaitingForPerson && w.state != store.WaitingForPerson:
		w.app.say("It waits for a person: `reprise approvals list%s` says what for.", w.app.storeFlags())
	case run.State == store.Queued && (w.state == store.Running || w.state == store.WaitingForPerson):
		w.app.say("It was given back, and waits for another worker.")
	}
	w.state = run.State
	if len(run.Steps) < w.steps { // it was restarted
		w.steps = 0
	}
	for _, s := range run.Steps[w.steps:] {
		if s.Index < len(w.doc.Steps) && (s.Outcome == store.StepDone || s.Outcome == store.StepSkipped) {
			w.playing.Step(render.PlayedStep(s))
		}
	}
	w.steps = len(run.Steps)
}

// printQueued prints how a run ended that a worker has played: with the same words, JSON and exit
// codes as if it had been played here.
func (a *app) printQueued(doc *automation.Automation, run store.Run) error {
	var failed error
	if e := render.RunError(run); e != nil {
		failed = e
	}
	switch {
	case a.json:
		return failure.Printed(failed, a.printJSON(render.PlayedOf(run)))
	case failed != nil:
		render.WriteQueuedFailure(a.stderr, render.StyleOf(a.stderr), doc, run, runner.Named(doc.Name, doc.Match.Account))
		return failure.Printed(failed, nil)
	}
	return a.print(render.EndedRun(render.StyleOf(a.stdout), run) + "\n" + render.Downloads(run.Downloads))
}

// openQueue opens the store that --store names, and the queue in it.
func (a *app) openQueue(ctx context.Context) (*postgres.Store, *worker.Queue, error) {
	st, err := a.openStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	shared, ok := st.(*postgres.Store)
	if !ok {
		return nil, nil, errors.Join(failure.Usagef("runs are queued in a store that several machines share: name one with --store postgres://… or $%s", storeEnv), st.Close())
	}
	queue, err := worker.Open(ctx, shared)
	if err != nil {
		return nil, nil, errors.Join(err, shared.Close())
	}
	return shared, queue, nil
}
