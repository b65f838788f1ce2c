package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
	"github.com/go-reprise/reprise/store/sealed"
)

// taskValues gives the values that a queued run has besides those in the queue.
type taskValues func(ctx context.Context, t *worker.Turn) (replayer.Values, error)

// performer performs the runs that a worker takes, each in a page that shares nothing with
// the others.
type performer struct {
	app     *app
	options *workOptions

	mu      sync.Mutex
	browser *browser.Browser
}

// open gives the browser, another one where that has gone.
func (p *performer) open(ctx context.Context) (*browser.Browser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser != nil && p.browser.Err() == nil {
		return p.browser, nil
	}
	if p.browser != nil {
		_ = p.browser.Close() // it has gone: what is left of it is no matter
	}
	var err error
	p.browser, err = p.app.openBrowser(ctx, &browser.Options{Headed: p.options.headed, AllowPrivateNetwork: p.options.privateNetwork})
	return p.browser, err
}

func (p *performer) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser == nil {
		return nil
	}
	return p.browser.Close()
}

// perform is worker.Options.Perform.
func (p *performer) perform(ctx context.Context, t *worker.Turn) error {
	sent, err := t.Store.Commits().Sent(ctx, t.Run.ID)
	if err != nil {
		return err
	}
	if len(sent) == 0 {
		t.Run.Steps, t.Run.Drift = nil, nil // it begins anew
	}
	if over(t, sent) {
		record := runner.Begin(ctx, t.Store, t.Document, runner.Options{Earlier: &t.Run})
		return p.keep(ctx, record, nothing(t), nil)
	}
	b, err := p.open(ctx)
	if err != nil {
		return err
	}
	page, login, err := p.signIn(ctx, t, b)
	var unusable *replayer.Error
	if errors.As(err, &unusable) {
		return p.keep(ctx, runner.Begin(ctx, t.Store, t.Document, runner.Options{Earlier: &t.Run}), nothing(t), unusable)
	}
	if err != nil {
		return err
	}
	defer func() { // before another may act for the account
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := page.Close(closing); err != nil && b.Err() == nil {
			p.app.warn(err)
		}
	}()
	return p.play(ctx, t, page, login)
}

// over reports whether an earlier attempt has done all, and only its last word is missing:
// what it sent was seen to be done, and nothing but waiting comes after that.
func over(t *worker.Turn, sent map[int]bool) bool {
	last := -1
	for step, seen := range sent {
		if last = max(last, step); !seen {
			return false
		}
	}
	for i := last + 1; i < len(t.Document.Steps); i++ {
		if t.Document.Steps[i].Tool != "waitForNav" {
			return false
		}
	}
	return last >= 0
}

// play plays a run, and keeps its record.
func (p *performer) play(ctx context.Context, t *worker.Turn, page *browser.Page, login *usedLogin) error {
	o, doc := t.Order, t.Document
	if o.URL != "" && doc.Steps[0].Tool != "navigate" {
		if err := page.Navigate(ctx, o.URL); err != nil {
			return err
		}
	}
	record := runner.Begin(ctx, t.Store, doc, runner.Options{Earlier: &t.Run, Page: page.ID()})
	values, err := p.values(ctx, t)
	if is[*postgres.Error](err) { // the database's, which may know better later
		return err
	}
	if err != nil {
		failed := &replayer.Error{Code: replayer.InvalidValue, Step: -1, Reason: err.Error(), Err: err}
		return p.keep(ctx, record, nothing(t), failed)
	}
	result, played := replayer.Play(ctx, page, doc, &replayer.Options{
		Run: t.Run.ID, Journal: runner.Journal(t.Store), Values: values, Account: o.Account, Commit: replayer.CommitPolicy(o.Commit),
		Timeout: o.Timeout, Humanize: o.Human, Seed: o.Seed, Automations: t.Store.Automations(), Logger: p.app.logger(),
		Person:  p.asks(t, record),
		Known:   login.known(),
		OnStart: func(index int, _ automation.Step) { record.Start(index) },
		OnStep:  func(s replayer.StepResult) { record.Step(ctx, s) },
	})
	if givesBack(ctx, played) {
		return worker.ErrGiveBack
	}
	return p.keep(ctx, record, result, login.blame(tooLong(ctx, played)))
}

// nothing is the result of a run that had nothing played.
func nothing(t *worker.Turn) *replayer.Result {
	return &replayer.Result{Run: t.Run.ID, Name: t.Document.Name, Account: t.Document.Match.Account, Started: time.Now()}
}

// values are those in the queue, and those that a task and the vault have.
func (p *performer) values(ctx context.Context, t *worker.Turn) (replayer.Values, error) {
	sealed := p.options.values
	if sealed == nil {
		sealed = p.app.sealedFor
	}
	others, err := sealed(ctx, t)
	return replayer.First(replayer.Map(t.Order.Values), others), err
}

// sealedFor gives what a task and the vault have for a queued run. This machine has the key.
func (a *app) sealedFor(ctx context.Context, t *worker.Turn) (replayer.Values, error) {
	return a.sealedValues(ctx, t.Store, t.Document, sealed.Use{Task: t.Order.Task, Account: t.Order.Account})
}

// givesBack reports whether a run was broken off that another worker can take up: this one
// was told to stop, or is no longer the one to do it. What was sent by then is noted, and
// whoever takes it up finds that. Of a run that is uncertain no other can find out more.
func givesBack(ctx context.Context, played error) bool {
	var e *replayer.Error
	if !errors.As(played, &e) || e.Code == replayer.Uncertain {
		return false
	}
	cause := context.Cause(ctx)
	return errors.Is(cause, worker.ErrStopping) || errors.Is(cause, postgres.ErrLeaseLost)
}

// tooLong says of a run that was broken off because it took too long that it did.
func tooLong(ctx context.Context, played error) error {
	var e *replayer.Error
	if !errors.Is(context.Cause(ctx), worker.ErrTooLong) || !errors.As(played, &e) || e.Code != replayer.Cancelled {
		return played
	}
	late := *e
	late.Code, late.Reason = replayer.Timeout, worker.ErrTooLong.Error()
	return &late
}

// keep keeps how a run ended, and tells of it.
func (p *performer) keep(ctx context.Context, record *runner.Recording, result *replayer.Result, played error) error {
	away := context.WithoutCancel(ctx)
	run := record.End(away, result, played)
	if err := record.Keep(away, run); err != nil {
		return err
	}
	p.app.say("%s", endedLine(render.StyleOf(p.app.stderr), run))
	return nil
}

// endedLine tells of a run that has ended.
func endedLine(style render.Style, run store.Run) string {
	mark, why := style.Green("✓"), ""
	if run.State != store.Done {
		mark, why = style.Red("✗"), ": "+run.Reason
	}
	return fmt.Sprintf("%s %s  %s is %s after %s%s", mark, style.Dim(run.ID), label(run.Automation, run.Account),
		render.RunState(run.State, false), render.Took(run.Started, run.Finished), why)
}
