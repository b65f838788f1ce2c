package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
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

// queueFlags are those of play that have a worker do it.
type queueFlags struct {
	queue, detach bool
	on            string
}

func (q *queueFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&q.queue, "queue", false, "have a worker play it (`reprise work`), and follow how that goes; with --store (default: play it here)")
	f.BoolVar(&q.detach, "detach", false, "with --queue: give the run's ID at once (default: follow it to its end)")
	f.StringVar(&q.on, "on", "", "with --queue: the `HOST` whose worker is to play it (default: any)")
}

// checkQueue keeps what needs this terminal, this machine or its browser from what a
// worker plays.
func (o *playOptions) checkQueue() error {
	if !o.queued.queue {
		if o.queued.detach || o.queued.on != "" {
			return usagef("--detach and --on are for runs that a worker plays: give --queue, too")
		}
		return nil
	}
	for _, local := range []struct {
		given bool
		flag  string
	}{
		{isFile(o.what), "FILE"}, {o.headed, "--headed"}, {o.step, "--step"}, {o.dryRun, "--dry-run"}, {o.accept, "--accept"}, {o.report != "", "--report"},
		{o.resume != "" || o.settled != "", "--resume"}, {o.from != 0 || o.until != 0, "--from and --until"},
		{o.repeat != 1 || o.parallel != 1 || o.values.isTable(), "a table, --repeat and --parallel"},
	} {
		if local.given {
			return usagef("--queue: a worker plays one run of what the store has, by its name: leave %s out", local.flag)
		}
	}
	return nil
}

// enqueue has a worker play it.
func (a *app) enqueue(ctx context.Context, o *playOptions) error {
	kept, queue, err := a.openQueue(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	doc, err := a.find(ctx, kept, o)
	if err != nil {
		return err
	}
	values, err := o.values.queued(a, doc)
	if err != nil {
		return err
	}
	run, err := queue.Put(ctx, doc, worker.Order{
		Automation: doc.Name, Document: doc.Match.Account, Account: o.account, URL: o.url, Task: o.values.task, Login: o.login, Values: values,
		Commit: o.commit, AnswerWithin: o.asks.lasting(), Human: o.human, Seed: o.seed, Timeout: o.timeout,
	}, o.queued.on)
	switch {
	case err != nil:
		return err
	case !o.queued.detach:
		return a.await(ctx, kept, doc, run)
	case a.json:
		return a.printJSON(keptRunOf(store.RunSummary{Run: run}, runner.Lost(run)))
	}
	_, err = fmt.Fprintln(a.stdout, run.ID)
	return err
}

// queued gives the values that may wait in the queue, checked as far as they can be: what
// a task and the vault have is known to the worker.
func (v *valueFlags) queued(a *app, doc *automation.Automation) (worker.Values, error) {
	declared, err := doc.Declared()
	if err != nil {
		return nil, err
	}
	values, err := v.fromFile(a, declared)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(v.fromEnv(declared, values), v.fromFlags(declared, values)); err != nil {
		return nil, err
	}
	for _, name := range declared.Secrets() {
		if _, given := values[name]; given {
			return nil, usagef("--queue: %s is a secret, and what is queued can be read by whoever can read the database: let a task have it (`reprise task put`), or the vault", name)
		}
	}
	if v.task != "" || slices.ContainsFunc(declared.Required(), declared.IsSecret) {
		return worker.Values(values), nil
	}
	if err := declared.CheckValues(values); err != nil {
		return nil, invalid(err)
	}
	return worker.Values(values), nil
}

// awaitEvery is how often it is looked what has become of a run: as quickly as people
// see, and no more.
const awaitEvery = 200 * time.Millisecond

// await follows a run that was queued to its end, and tells how it went as play does.
func (a *app) await(ctx context.Context, kept store.Store, doc *automation.Automation, run store.Run) error {
	a.say("%s is queued as run %s.", label(doc.Name, doc.Match.Account), run.ID)
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
		now, err := kept.Runs().Get(ctx, run.ID)
		switch {
		case err == nil:
			run = now
			shown.tell(run)
		case ctx.Err() == nil:
			return err
		}
	}
	return a.tellQueued(doc, run)
}

// awaited tells of a run as its record grows.
type awaited struct {
	app     *app
	doc     *automation.Automation
	playing *render.Playing
	state   store.RunState
	steps   int // that were told of
}

func (w *awaited) tell(run store.Run) {
	switch {
	case run.State == store.Running && w.state == store.WaitingForPerson: // they have answered
	case run.State == store.Running && w.state != store.Running && run.Process != nil:
		w.app.say("%s plays it.", run.Process.Host)
	case run.State == store.WaitingForPerson && w.state != store.WaitingForPerson:
		w.app.say("It waits for a person: `reprise approvals list%s` says what for.", w.app.storeWords())
	case run.State == store.Queued && (w.state == store.Running || w.state == store.WaitingForPerson):
		w.app.say("It was given back, and waits for another worker.")
	}
	w.state = run.State
	if len(run.Steps) < w.steps { // it has begun again
		w.steps = 0
	}
	for _, s := range run.Steps[w.steps:] {
		if s.Index < len(w.doc.Steps) && (s.Outcome == store.StepDone || s.Outcome == store.StepSkipped) {
			w.playing.Step(playedStep(s))
		}
	}
	w.steps = len(run.Steps)
}

// playedStep is a step of a record as the replayer tells it.
func playedStep(s store.RunStep) replayer.StepResult {
	var path selectors.Path
	if s.Selector != "" {
		path, _ = selectors.ParsePath(strings.Split(s.Selector, " >>> ")...) // as it is told to people; what is none is left out
	}
	var inner []replayer.StepResult
	for _, one := range s.Steps {
		inner = append(inner, playedStep(one))
	}
	return replayer.StepResult{
		Steps: inner, Index: s.Index, Tool: s.Tool, Intent: s.Intent, Effect: s.Effect, Selector: path, Matched: s.Matched, Drift: s.Drift,
		Skipped: s.Skipped, Duration: replayer.Duration(s.Duration),
	}
}

// tellQueued tells how a run ended that a worker has played: with the same words, JSON
// and exit codes as if it had been played here.
func (a *app) tellQueued(doc *automation.Automation, run store.Run) error {
	failed := failureOf(run)
	if a.json {
		r := &playReport{Run: run.ID, Outcome: run.State, Result: resultOf(run), Proposed: run.Proposal != nil, Report: run.Report, Resume: run.Resume}
		if failed != nil {
			f := describe(failed)
			r.Error = &f
			return told(failed, a.printJSON(r))
		}
		return a.printJSON(r)
	}
	if failed == nil {
		_, err := io.WriteString(a.stdout, endedLine(render.StyleOf(a.stdout), run)+"\n")
		return err
	}
	render.Failure(a.stderr, render.StyleOf(a.stderr), doc, failed)
	a.say("  The record of this run is %s.", run.ID)
	if run.State == store.Uncertain {
		a.say("  When you know:\n    reprise play %s --resume %s --settled done\n    and the same with not-done, which does it now", runner.Named(doc.Name, doc.Match.Account), run.ID)
	}
	return told(failed, nil)
}

func resultOf(run store.Run) *replayer.Result {
	r := &replayer.Result{Run: run.ID, Name: run.Automation, Account: run.Account, Started: run.Started, Steps: []replayer.StepResult{}}
	if !run.Started.IsZero() {
		r.Duration = replayer.Duration(run.Finished.Sub(run.Started))
	}
	for _, s := range run.Steps {
		if s.Outcome == store.StepDone || s.Outcome == store.StepSkipped {
			r.Steps = append(r.Steps, playedStep(s))
		}
	}
	return r
}

// failureOf is why a run did not end well, nil for one that did.
func failureOf(run store.Run) *replayer.Error {
	if run.State == store.Done {
		return nil
	}
	e := &replayer.Error{Code: replayer.Code(run.Code), Step: -1, Reason: run.Reason, Resume: run.Resume}
	i := slices.IndexFunc(run.Steps, func(s store.RunStep) bool { return s.Outcome == store.StepFailed || s.Outcome == store.StepUncertain })
	if i >= 0 {
		s := run.Steps[i]
		e.Step, e.Tool, e.Intent = s.Index, s.Tool, s.Intent
		for _, c := range s.Considered {
			e.Considered = append(e.Considered, replayer.Considered(c))
		}
	}
	return e
}
