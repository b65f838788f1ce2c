package cli

import (
	"context"
	"errors"
	"time"

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
	kept    store.Store
	doc     *automation.Automation
	login   *usedLogin // that it begins with, nil for none
}

// attempt is one run of it, or one attempt at a run that had stopped.
type attempt struct {
	*playing
	values   replayer.Values
	resumed  *resumption // nil for a new run
	progress progress
	person   replayer.Person // nil for nobody

	record *runner.Recording // nil for a dry run
	album  *report.Album     // nil for no report
}

// progress is told of the steps of a run.
type progress interface {
	Start(index int, step automation.Step)
	Step(replayer.StepResult)
}

// one plays it once.
func (p *playing) one(ctx context.Context) error {
	a, o := p.app, p.options
	resumed, err := p.resumption(ctx)
	if err != nil {
		return err
	}
	values, err := o.values.gather(ctx, a, p.doc)
	if err != nil {
		return err
	}
	b, err := a.openBrowser(ctx, &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork})
	if err != nil {
		return err
	}
	defer func() { a.warn(b.Close()) }()
	page, err := p.pageFor(ctx, b, resumed)
	if err != nil {
		return err
	}
	r, err := p.inPage(ctx, page, values, resumed)
	if err != nil {
		return err
	}
	return r.tell(ctx)
}

// inPage plays it in a page, and keeps how that ended. What went wrong before the replayer
// began is no run, and the error.
func (p *playing) inPage(ctx context.Context, page *browser.Page, values replayer.Values, resumed *resumption) (*playReport, error) {
	a := p.app
	shown := render.NewPlaying(a.stderr, render.StyleOf(a.stderr), a.width(), p.doc.Steps)
	t := &attempt{playing: p, values: values, resumed: resumed, progress: shown, person: a.personFor(page.Browser(), shown)}
	result, played := t.play(ctx, page)
	var failed *replayer.Error
	if errors.As(played, &failed) {
		shown.End(failed)
	}
	if result == nil {
		return nil, played
	}
	return t.ended(context.WithoutCancel(ctx), result, played), nil
}

// pageFor gives the page to play in: that in which the run stopped, if it is there.
func (p *playing) pageFor(ctx context.Context, b *browser.Browser, resumed *resumption) (*browser.Page, error) {
	if resumed == nil {
		return p.newPage(ctx, b)
	}
	pages, err := b.Pages(ctx)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if page.ID() == resumed.run.Page {
			return page, nil
		}
	}
	resumed.anew()
	return p.newPage(ctx, b)
}

// newPage gives a page in which nothing was played.
func (p *playing) newPage(ctx context.Context, b *browser.Browser) (*browser.Page, error) {
	if p.login == nil {
		return p.app.openPage(ctx, b)
	}
	return p.login.newPage(ctx, b)
}

// play plays the document in a page.
func (t *attempt) play(ctx context.Context, page *browser.Page) (*replayer.Result, error) {
	o := t.options
	options := &replayer.Options{
		Values: t.values, Account: o.account, Timeout: o.timeout, DryRun: o.dryRun, Commit: replayer.CommitPolicy(o.commit),
		Automations: t.kept.Automations(), Logger: t.app.logger(), Known: t.login.known(),
		From: max(0, o.from-1), Until: o.until, Humanize: o.human, Seed: o.seed,
	}
	if t.resumed != nil {
		t.resumed.apply(options)
	}
	if err := t.goThere(ctx, page, options.From); err != nil {
		return nil, err
	}
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	if !o.dryRun {
		t.record = runner.Begin(ctx, t.kept, t.doc, runner.Options{Earlier: t.resumed.earlier(), Page: page.ID()})
		options.Run, options.Journal = t.record.ID(), runner.Journal(t.kept)
	}
	options.Person = t.asks()
	if o.report != "" {
		t.album = report.NewAlbum()
		options.OnPicture = t.album.Add
	}
	options.OnStart = func(index int, step automation.Step) { t.starts(ctx, index, step, quit) }
	options.OnStep = func(s replayer.StepResult) { t.did(ctx, s) }
	if t.resumed != nil && t.resumed.over(t.doc) {
		return &replayer.Result{Run: options.Run, Name: t.doc.Name, Account: t.doc.Match.Account, Started: time.Now()}, nil
	}
	result, err := replayer.Play(ctx, page, t.doc, options)
	return result, t.login.blame(err)
}

// goThere opens the address of --url for a flow that does not begin by going somewhere.
func (t *attempt) goThere(ctx context.Context, page *browser.Page, from int) error {
	begun := t.resumed != nil && !t.resumed.fresh
	if t.options.url == "" || begun || from < len(t.doc.Steps) && t.doc.Steps[from].Tool == "navigate" {
		return nil
	}
	return page.Navigate(ctx, t.options.url)
}

// starts is told of a step before it is played. With --step a person lets it be.
func (t *attempt) starts(ctx context.Context, index int, step automation.Step, quit context.CancelCauseFunc) {
	if t.options.step {
		if err := t.app.letStep(ctx, t.doc, index); err != nil {
			quit(err)
		}
	}
	if t.record != nil {
		t.record.Start(index)
	}
	t.progress.Start(index, step)
}

func (t *attempt) did(ctx context.Context, s replayer.StepResult) {
	t.progress.Step(s)
	if t.record != nil {
		t.record.Step(ctx, s)
	}
}
