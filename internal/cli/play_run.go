package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/report"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// playing is a document that is played, once or many times.
type playing struct {
	app     *app
	options *playOptions
	store   store.Store
	doc     *automation.Automation
	plan    *runner.Plan
}

// request is what a command line asks of the runner.
func (o *playOptions) request() runner.Request {
	q := runner.Request{
		Name: o.what, URL: o.url, Account: o.account, Task: o.values.task, Login: o.login,
		Resume: o.resume, ApprovalTimeout: o.asks.lasting(), Wait: o.wait,
		Options: replayer.Options{
			Timeout: o.timeout, DryRun: o.dryRun, Commit: replayer.CommitPolicy(o.commit),
			From: max(0, o.from-1), Until: o.until, Humanize: o.human, Seed: o.seed,
		},
	}
	if o.resume != "" {
		q.ResumeStep = o.from
	}
	switch o.settled {
	case "done":
		q.Resolve = runner.Committed
	case "not-done":
		q.Resolve = runner.NotCommitted
	}
	return q
}

// prepare finds what is to be played, and what is stored for it.
func (a *app) prepare(ctx context.Context, st store.Store, o *playOptions) (*playing, error) {
	p := &playing{app: a, options: o, store: st}
	var err error
	if p.doc, err = a.find(ctx, st, o); err != nil {
		return nil, err
	}
	return p, o.checkSteps(p.doc)
}

// in plans to play it in pages, with a person to ask, nil for no one.
func (p *playing) in(ctx context.Context, pages runner.Pages, person replayer.Person) error {
	q := p.options.request()
	q.Document, q.Pages, q.Options.Person = p.doc, pages, person
	r := &runner.Runner{Store: p.store, Logger: p.app.logger(), Secrets: p.app.secrets(p.store)}
	var err error
	p.plan, err = r.Plan(ctx, q)
	var refused *runner.ResumeError
	if errors.As(err, &refused) {
		return resumeRefused(refused)
	}
	return err
}

// resumeRefused is why a run cannot go on: mostly, that the command line names another.
func resumeRefused(e *runner.ResumeError) error {
	switch e.Why {
	case runner.RunBusy:
		return e
	case runner.NothingUnresolved:
		return usagef("--settled: %v: leave it out", e)
	}
	return usagef("%v", e)
}

// one plays it once.
func (p *playing) one(ctx context.Context) error {
	a, o := p.app, p.options
	shown := render.NewPlaying(a.stderr, render.StyleOf(a.stderr), a.width(), p.doc.Steps)
	pages := &ownPages{app: a, options: &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork}}
	defer func() { a.warn(pages.close()) }()
	r, err := p.shown(ctx, pages, shown, pages.hasWindow)
	if err != nil {
		return err
	}
	return r.tell(ctx)
}

// shown plays it once, and shows its steps meanwhile. What went wrong before the replayer
// began is no run, and the error.
func (p *playing) shown(ctx context.Context, pages runner.Pages, shown *render.Playing, window func(context.Context) bool) (*playReport, error) {
	a := p.app
	if err := p.in(ctx, pages, a.personFor(window, shown)); err != nil {
		return nil, err
	}
	values, err := p.options.values.gather(ctx, a, p.plan)
	if err != nil {
		return nil, err
	}
	t := &attempt{playing: p, plan: p.plan.With(values), progress: shown}
	outcome, played := t.play(ctx)
	if outcome.Result == nil {
		return nil, played
	}
	var failed *replayer.Error
	if errors.As(played, &failed) {
		shown.End(failed)
	}
	return t.reported(outcome, played), nil
}

// attempt is one run of it, or one attempt at a run that had stopped.
type attempt struct {
	*playing
	plan     *runner.Plan
	progress progress

	report string // the file that shows it, "" for none
}

// progress is told of the steps of a run.
type progress interface {
	Start(index int, step automation.Step)
	Step(replayer.StepResult)
}

// play plays it.
func (t *attempt) play(ctx context.Context) (runner.Outcome, error) {
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	ev := runner.Events{
		Start: func(index int, step automation.Step) { t.starts(ctx, index, step, quit) },
		Step:  t.progress.Step,
		Waits: t.app.showsWaiting(t.progress),
		Busy:  t.app.showsBusy,
	}
	var album *report.Album
	if t.options.report != "" {
		album = report.NewAlbum()
		ev.Picture = album.Add
	}
	ev.End = func(record *store.Run, result *replayer.Result, played error) {
		if isFile(t.options.what) {
			record.Revision = 0 // it is not the stored one
		}
		if album != nil {
			var failed *replayer.Error
			_ = errors.As(played, &failed)
			t.report = t.write(report.Run{Document: t.doc, Record: record, URL: result.URL, Failed: failed, Album: album})
		}
	}
	outcome, err := t.plan.Run(ctx, ev)
	if outcome.SaveError != nil {
		t.app.warn(fmt.Errorf("the record of this run is not kept: %w", outcome.SaveError))
	}
	return outcome, err
}

// starts is told of a step before it is played. With --step a person lets it be.
func (t *attempt) starts(ctx context.Context, index int, step automation.Step, quit context.CancelCauseFunc) {
	if t.options.step {
		if err := t.app.letStep(ctx, t.doc, index); err != nil {
			quit(err)
		}
	}
	t.progress.Start(index, step)
}

// showsBusy prints that a run waits for another.
func (a *app) showsBusy(held *store.HeldError) { a.say("Waiting: %v.", held) }

// ownPages are those of the browser that a command works in: one that it launches, or
// that --browser names.
type ownPages struct {
	app     *app
	options *browser.Options
	browser *browser.Browser
}

// Open returns the page to play in: that in which the run stopped, if it is there.
func (p *ownPages) Open(ctx context.Context, login *runner.Login, earlier string) (*browser.Page, func(), error) {
	var err error
	if p.browser, err = p.app.openBrowser(ctx, p.options); err != nil {
		return nil, nil, err
	}
	page, err := p.page(ctx, login, earlier)
	return page, func() {}, err
}

func (p *ownPages) page(ctx context.Context, login *runner.Login, earlier string) (*browser.Page, error) {
	if earlier != "" {
		pages, err := p.browser.Pages(ctx)
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			if page.ID() == earlier {
				return page, nil
			}
		}
	}
	if login == nil {
		return p.app.openPage(ctx, p.browser)
	}
	return login.NewPage(ctx, p.browser)
}

func (p *ownPages) hasWindow(ctx context.Context) bool {
	return p.browser != nil && p.browser.HasWindow(ctx)
}

func (p *ownPages) close() error {
	if p.browser == nil {
		return nil
	}
	return p.browser.Close()
}

// thisPage is the only page that there is.
type thisPage struct{ *browser.Page }

func (p thisPage) Open(context.Context, *runner.Login, string) (*browser.Page, func(), error) {
	return p.Page, func() {}, nil
}
