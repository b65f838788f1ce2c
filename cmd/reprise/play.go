package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/cmd/reprise/internal/runs"
	"github.com/go-reprise/reprise/cmd/reprise/internal/tell"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// playOptions are the flags of play.
type playOptions struct {
	what, url, account string
	values             valueFlags
	dryRun, headed     bool
	accept             bool
	timeout            time.Duration
}

const playLong = `Play does again what was recorded, with other values. What to play is NAME, as it is kept,
or FILE (an argument with a / in it, or that ends in .json; - is standard input), or what is
kept for the address of --url and the account of --account.

Values come from --var NAME=VALUE, from an environment variable with --var-env
NAME=VARIABLE, or from a JSON object in a file (--vars FILE, - is standard input); where two
of them name one variable, the first of this list counts. A secret never comes from --var:
command lines are seen by other users and kept by shells. On a terminal play asks for the
secrets that are missing. All values are checked before the browser starts.

A flow that does not begin by going somewhere begins at --url. The browser is one of its
own, without a window and without anybody's cookies, unless --browser names another. In that
one it uses the only page, if it is blank, or else a new one, which stays open.

Where the page has changed, what was recorded of an element may still be enough to know it
again. Such a step has drifted: it works, and play says so. --accept saves the document with
these steps renewed, if the run ended well, and not if it was a dry run: only a whole run
shows that what was found does what it did. ` + "`reprise diff NAME`" + ` shows what that would be.

The record of the run is kept beside the documents; it holds none of the values given to it.

Exit codes: 0 done; 1 failed, also for a value that is missing or unfit (invalid_value);
2 a wrong command line, such as a secret in --var, or a document that is not valid; 3 a
step needs a person (refused).`

func (a *app) playCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play NAME|FILE|--url URL",
		Short: "Do again what was recorded, with other values",
		Long:  playLong,
		Example: `  reprise play sign-in --var email=ada@example.com --var-env password=ADA_PASSWORD
  reprise play sign-in --account ada@example.com --vars values.json --json
  reprise play --url https://example.com/signin --account ada@example.com
  reprise play ./order.json --dry-run --headed
  reprise play sign-in --vars values.json --accept`,
		Args:              between(nil, 1),
		ValidArgsFunction: a.completeNames(true),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.what = args[0]
			}
			return a.play(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.url, "url", "", "`URL` to begin at, and to look a document up by where none is named (default: none)")
	f.StringVar(&o.account, "account", "", "`ACCOUNT` that it is played for (default: any)")
	o.values.flags(f)
	f.BoolVar(&o.dryRun, "dry-run", false, "stop before the first step that commits to something, after finding its element; no record is kept (default: play everything)")
	f.BoolVar(&o.accept, "accept", false, "after a run that ended well, save the steps that have drifted as they would be recorded now (default: only tell of them)")
	f.BoolVar(&o.headed, "headed", false, "show a window (default: none)")
	f.DurationVar(&o.timeout, "timeout", replayer.DefaultTimeout, "`DURATION` that a step may take, where the document does not say")
	a.completeAccounts(cmd)
	return cmd
}

func (a *app) play(ctx context.Context, o *playOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(kept.Close()) }()
	doc, err := a.find(ctx, kept, o)
	if err != nil {
		return err
	}
	values, err := o.values.gather(ctx, a, doc)
	if err != nil {
		return err
	}
	b, err := a.openBrowser(ctx, &browser.Options{Headed: o.headed})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	result, err := a.perform(ctx, b, doc, values, o)
	return a.report(context.WithoutCancel(ctx), kept, doc, result, err, o)
}

func (o *playOptions) check() error {
	if o.what == "" && o.url == "" {
		return usagef("what is to be played? Give a NAME, a FILE or --url")
	}
	if o.what == "-" && o.values.file == "-" {
		return usagef("standard input holds the document or the values, not both")
	}
	if o.accept && o.what == "-" {
		return usagef("--accept: what comes from standard input cannot be saved back: name a FILE")
	}
	if o.accept && o.dryRun {
		return usagef("--accept wants a whole run: a dry run does not show that what it found does what it did")
	}
	if o.timeout <= 0 {
		return usagef("--timeout: a step needs some time, %v is none", o.timeout)
	}
	if o.url == "" {
		return nil
	}
	var err error
	o.url, err = address(o.url)
	return err
}

// find gives the document that is meant.
func (a *app) find(ctx context.Context, kept store.Store, o *playOptions) (*automation.Automation, error) {
	switch {
	case o.what == "":
		return kept.Automations().Match(ctx, o.url, o.account)
	case isFile(o.what):
		return readFile(a.stdin, o.what)
	}
	return kept.Automations().Get(ctx, o.what, o.account)
}

// perform plays the document in a page of the browser.
func (a *app) perform(ctx context.Context, b *browser.Browser, doc *automation.Automation, values replayer.Map, o *playOptions) (*replayer.Result, error) {
	page, err := a.openPage(ctx, b)
	if err != nil {
		return nil, err
	}
	if o.url != "" && doc.Steps[0].Tool != "navigate" {
		if err := page.Navigate(ctx, o.url); err != nil {
			return nil, err
		}
	}
	progress := tell.NewPlaying(a.stderr, tell.StyleOf(a.stderr), a.width(), doc.Steps)
	result, err := replayer.Play(ctx, page, doc, &replayer.Options{
		Values: values, Account: o.account, Timeout: o.timeout, DryRun: o.dryRun,
		OnStart: progress.Start, OnStep: progress.Step, Logger: a.logger(),
	})
	var failed *replayer.Error
	if errors.As(err, &failed) {
		progress.End(failed)
	}
	return result, err
}

// playReport is what play says of a run.
type playReport struct {
	Run     string         `json:"run,omitempty"` // none for a dry run
	Outcome store.RunState `json:"outcome"`
	DryRun  bool           `json:"dryRun,omitempty"`
	*replayer.Result
	Proposed bool     `json:"proposed"`           // there is something to accept
	Accepted *savedAs `json:"accepted,omitempty"` // what was accepted
	Error    *failure `json:"error,omitempty"`

	proposal *automation.Automation
}

// report keeps the record of a run, and tells of it. What went wrong before the
// replayer began is no run.
func (a *app) report(ctx context.Context, kept store.Store, doc *automation.Automation, result *replayer.Result, played error, o *playOptions) error {
	if result == nil {
		return played
	}
	if result.Steps == nil {
		result.Steps = []replayer.StepResult{} // for programs an empty list is a list
	}
	run := runs.Of(doc, result, played)
	report := playReport{Outcome: run.State, DryRun: o.dryRun, Result: result, Proposed: run.Proposal != nil, proposal: run.Proposal}
	if isFile(o.what) {
		run.Revision = 0 // it is not the stored one
	}
	if !o.dryRun {
		if err := kept.Runs().Save(ctx, run); err != nil {
			a.warn(fmt.Errorf("the record of this run is not kept: %w", err))
		} else {
			report.Run = run.ID
		}
	}
	var unsaved error
	if o.accept && report.Proposed {
		report.Accepted, unsaved = a.accept(ctx, kept, doc, report.proposal, o.what)
	}
	failed := errors.Join(played, unsaved)
	if failed != nil {
		f := describe(failed)
		report.Error = &f
	}
	if a.json {
		return told(failed, a.printJSON(report))
	}
	if err := report.tell(a, doc, played, o); err != nil || unsaved != nil {
		return errors.Join(told(played, err), unsaved)
	}
	return told(played, nil)
}

// told marks what went wrong as told. What went wrong with telling is not.
func told(played, telling error) error {
	if played == nil || telling != nil {
		return errors.Join(played, telling)
	}
	return &toldError{played}
}

func (r *playReport) tell(a *app, doc *automation.Automation, played error, o *playOptions) error {
	style := tell.StyleOf(a.stderr)
	var failed *replayer.Error
	if errors.As(played, &failed) {
		tell.Failure(a.stderr, style, doc, failed)
		if r.Run != "" {
			a.say("  The record of this run is %s.", r.Run)
		}
		return nil
	}
	verb := "done"
	if r.DryRun {
		verb = "done, without what it would commit to"
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s is %s in %s, at %s\n", tell.StyleOf(a.stdout).Green("✓"),
		label(r.Name, r.Account), verb, tell.Duration(time.Duration(r.Duration)), r.URL)
	r.tellDrift(a, o)
	return err
}
