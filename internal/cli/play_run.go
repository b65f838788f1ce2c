package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/cli/report"
	"github.com/go-reprise/reprise/internal/cli/terminal"
	"github.com/go-reprise/reprise/internal/cli/values"
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
	desk    *handoff.Desk // nil where no one takes over but at the terminal
}

func (a *app) play(ctx context.Context, o *playOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	if o.queued.queue {
		return a.enqueue(ctx, o)
	}
	if o.downloads == "" {
		o.downloads = a.config.Emulate.Downloads
	}
	return a.withStore(ctx, func(st store.Store) error {
		p, err := a.prepare(ctx, st, o)
		if err == nil && (o.takeover.on || o.asks.where == askStore) { // who is asked is elsewhere
			desk, stop, failed := a.serveDesk(ctx, st, &o.takeover)
			if failed != nil {
				return failed
			}
			defer stop()
			p.desk = desk
		}
		switch {
		case err != nil:
			return err
		case o.values.IsTable() || o.repeat > 1:
			return p.many(ctx)
		}
		return p.one(ctx)
	})
}

// prepare finds the document.
func (a *app) prepare(ctx context.Context, st store.Store, o *playOptions) (*playing, error) {
	doc, err := a.find(ctx, st, o)
	if err != nil {
		return nil, err
	}
	return &playing{app: a, options: o, store: st, doc: doc}, o.checkSteps(doc)
}

// find returns the document that the command line names.
func (a *app) find(ctx context.Context, st store.Store, o *playOptions) (*automation.Automation, error) {
	if files.IsDocument(o.what) {
		return files.ReadDocument(a.stdin, o.what)
	}
	r := &runner.Runner{Store: st}
	return r.Find(ctx, o.request())
}

// request converts the flags for the runner.
func (o *playOptions) request() runner.Request {
	q := runner.Request{
		Name: o.what, URL: o.url, Account: o.account, Task: o.values.Task, Login: o.login, SaveLogin: o.saveLogin, SignIn: o.signIn,
		Resume: o.resume, ApprovalTimeout: o.asks.timeout(), Wait: o.wait,
		Options: replayer.Options{
			Timeout: o.timeout, DryRun: o.dryRun, Commit: replayer.CommitPolicy(o.commit),
			From: max(0, o.from-1), Until: o.until, Humanize: o.human, Seed: o.seed, Downloads: o.downloads,
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

// makePlan plans the run in pages; person approves commit steps, nil for no one.
func (p *playing) makePlan(ctx context.Context, pages runner.Pages, person replayer.Person) error {
	q := p.options.request()
	q.Document, q.Pages, q.Options.Person = p.doc, pages, person
	r := &runner.Runner{Store: p.store, Logger: p.app.logger(), Secrets: p.app.secrets(p.store)}
	var err error
	p.plan, err = r.Plan(ctx, q)
	var refused *runner.ResumeError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Why == runner.RunBusy:
		return refused
	case refused.Why == runner.NothingUnresolved:
		return failure.Usagef("--settled: %v: leave it out", refused)
	}
	return failure.Usagef("%v", refused) // mostly: the command line names another run
}

// one plays it once.
func (p *playing) one(ctx context.Context) error {
	a, o := p.app, p.options
	pages := &ownPages{app: a, options: &browser.Options{Headed: o.headed, AllowPrivateNetwork: o.privateNetwork}}
	defer func() { a.warn(pages.close()) }()
	t, err := p.playIn(ctx, pages, pages.hasWindow)
	if err != nil {
		return err
	}
	return t.print(ctx)
}

// playIn plays it once, and shows its progress. It fails where the replayer has not started.
func (p *playing) playIn(ctx context.Context, pages runner.Pages, window func(context.Context) bool) (*attempt, error) {
	a := p.app
	shown := render.NewPlaying(a.stderr, render.StyleOf(a.stderr), a.width(), p.doc.Steps)
	if err := p.makePlan(ctx, pages, p.personFor(window, shown)); err != nil {
		return nil, err
	}
	values, err := a.reader(&p.options.values).One(ctx, p.plan)
	if err != nil {
		return nil, err
	}
	t := &attempt{playing: p, plan: p.plan.With(values), progress: shown}
	t.play(ctx)
	if t.outcome.Result == nil {
		return nil, t.err
	}
	var failed *replayer.Error
	if errors.As(t.err, &failed) {
		shown.End(failed)
	}
	return t, nil
}

// personFor returns who is asked, nil where there is no one: at the terminal, and where pages are handed over in a
// live view, there.
func (p *playing) personFor(window func(context.Context) bool, progress interface{ Break() }) replayer.Person {
	var person replayer.Person
	if t := p.app.terminal(); t.Interactive() {
		person = &terminal.Person{Terminal: t, Progress: progress, HasWindow: window}
	}
	if p.desk != nil {
		person = p.desk.Person(person, nil)
	}
	return person
}

// reader returns the reader of the values that flags name.
func (a *app) reader(flags *values.Flags) *values.Reader {
	return &values.Reader{Flags: *flags, Terminal: a.terminal(), Warn: a.warn}
}

// attempt is one run of it, or one attempt to resume a run.
type attempt struct {
	*playing
	plan     *runner.Plan
	progress progress

	outcome runner.Outcome
	err     error  // why the run failed
	report  string // the file of the report, "" for none
}

// progress is notified of the steps of a run.
type progress interface {
	Start(index int, step automation.Step)
	Step(replayer.StepResult)
}

// play plays it.
func (t *attempt) play(ctx context.Context) {
	a, o := t.app, t.options
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	ev := runner.Events{
		Start: func(index int, step automation.Step) {
			if o.step {
				if err := a.terminal().AwaitStep(ctx, t.doc, index); err != nil {
					quit(err)
				}
			}
			t.progress.Start(index, step)
		},
		Step:  t.progress.Step,
		Waits: a.printWaiting(t.progress),
		Paid:  a.printPaid(t.progress),
		Busy:  a.printBusy,
		Lost:  a.printLost,
	}
	var album *report.Album
	if o.report != "" {
		album = report.NewAlbum()
		ev.Picture = album.Add
	}
	ev.End = func(record *store.Run, result *replayer.Result, played error) {
		if files.IsDocument(o.what) {
			record.Revision = 0 // it is not the stored document
		}
		if album == nil {
			return
		}
		var failed *replayer.Error
		_ = errors.As(played, &failed)
		file, err := t.writeReport(report.Run{Document: t.doc, Record: record, URL: result.URL, Failed: failed, Album: album})
		if err != nil {
			a.warn(fmt.Errorf("the report is not written: %w", err))
			return
		}
		record.Report, t.report = file, file
	}
	t.outcome, t.err = t.plan.Run(ctx, ev)
	t.suggestCommand()
	if t.outcome.LoginError != nil {
		a.warn(t.outcome.LoginError)
	}
	if t.outcome.SaveError != nil {
		a.warn(fmt.Errorf("the record of this run is not stored: %w", t.outcome.SaveError))
	}
}

// suggestCommand has the failure of a run suggest a command, if one helps, where an agent would hand the page to a person.
func (t *attempt) suggestCommand() {
	var failed *replayer.Error
	if !errors.As(t.err, &failed) || failed.Suggestion == nil || failed.Suggestion.Tool != "handoff_start" {
		return
	}
	if failed.Suggestion = nil; failed.Code == replayer.Blocked && !t.options.takeover.on {
		arguments := map[string]string{"name": t.doc.Name}
		if t.options.account != "" {
			arguments["account"] = t.options.account
		}
		failed.Suggestion = &replayer.Suggestion{Tool: render.TakeoverCommand, Arguments: arguments}
	}
}

// printBusy prints that a run waits for another.
func (a *app) printBusy(held *store.HeldError) { a.say("Waiting: %v.", held) }

// printLost tells that the connection to the browser was lost.
func (a *app) printLost(attempt int, after time.Duration) {
	a.say("The connection to the browser was lost. Attempt %d to connect again is in %v.", attempt, after)
}

// reportDirPerm is the mode of the directory of reports, which show an account's pages.
const reportDirPerm = 0o700

// writeReport writes the page that shows a run, and returns its file.
func (t *attempt) writeReport(run report.Run) (string, error) {
	dir, err := filepath.Abs(t.options.report)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, reportDirPerm); err != nil {
		return "", err
	}
	page, err := report.Page(run)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, run.Record.Automation+"-"+run.Record.ID+".html")
	return file, renameio.WriteFile(file, page, files.Private)
}

// result returns the result of the run for printing.
func (t *attempt) result() *render.Played {
	result, run := t.outcome.Result, t.outcome.Record
	result.Steps = render.List(result.Steps)
	p := &render.Played{DryRun: t.options.dryRun, Result: result, Outcome: run.State, Proposed: run.Proposal != nil, Report: t.report}
	var failed *replayer.Error
	if errors.As(t.err, &failed) {
		p.Resume, p.Suggestion = failed.Resume, failed.Suggestion
	}
	if t.outcome.Saved {
		p.Run = run.ID
	}
	if t.err != nil {
		p.Error = failure.Ptr(t.err)
	}
	return p
}

// print prints the result, after saving what the run proposes where --accept asks for that.
func (t *attempt) print(ctx context.Context) error {
	a, o := t.app, t.options
	p := t.result()
	var unsaved error
	if o.accept && p.Proposed {
		p.Accepted, unsaved = a.accept(ctx, t.store, t.doc, t.outcome.Record.Proposal, o.what)
	}
	if a.json {
		failed := errors.Join(t.err, unsaved)
		p.Error = failure.Ptr(failed)
		return failure.Printed(failed, a.printJSON(p))
	}
	c := render.PlayContext{
		Document: t.doc, Until: o.until, Accept: o.accept, Stdin: o.what == "-", Name: runner.Named(p.Name, p.Account), Command: t.commandLine(),
		PageOpen:    a.endpoint() != "" && t.plan.Login == nil && a.config.PageOptions() == nil, // otherwise it is a page of its own
		NothingLeft: t.outcome.NothingLeft,
	}
	if files.IsDocument(o.what) {
		c.Name = runner.Quote(o.what)
	}
	if t.plan.Login != nil {
		c.SaveLogin = t.plan.Login.SaveAgain()
	}
	var failed *replayer.Error
	if errors.As(t.err, &failed) {
		p.WriteFailure(a.stderr, render.StyleOf(a.stderr), failed, c)
		return errors.Join(failure.Printed(t.err, nil), unsaved)
	}
	err := p.Write(a.stdout, render.StyleOf(a.stdout), a.stderr, render.StyleOf(a.stderr), c)
	return errors.Join(failure.Printed(t.err, err), unsaved)
}

// commandLine returns the command line that plays the same document, without its values.
func (t *attempt) commandLine() string {
	a, o := t.app, t.options
	line := "reprise play "
	switch {
	case o.what == "":
		line += runner.Named(t.doc.Name, t.doc.Match.Account)
	case files.IsDocument(o.what):
		line += runner.Quote(o.what)
	default:
		line += runner.Named(o.what, o.account)
	}
	line += repeatedFlags("data", a.data, "store", a.store, "browser", a.browser, "config", a.configFile, "login", o.login)
	for _, f := range a.set {
		line += " " + f.Name + "=" + runner.Quote(f.Text)
	}
	return line
}

// unsavedError is a proposal that could not be saved after a run that ended well.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	why := e.err.Error()
	if errors.Is(e.err, store.ErrConflict) {
		why = "someone changed the document while it was played. Play it again with --accept"
	}
	return "the run went well, but the renewed steps are not saved: " + why
}

func (e *unsavedError) Unwrap() error { return e.err }

// changedError is a file that was changed while it was played.
type changedError struct{ file string }

func (e *changedError) Error() string {
	return e.file + " was changed while it was played: play it again"
}

// Unwrap makes it a conflict.
func (e *changedError) Unwrap() error { return failure.ErrConflict }

// accept replaces the document that was played with the proposal of its run, unless it was
// changed meanwhile.
func (a *app) accept(ctx context.Context, st store.Store, played, proposal *automation.Automation, what string) (*render.Saved, error) {
	if files.IsDocument(what) {
		if err := a.replaceFile(what, played, proposal); err != nil {
			return nil, &unsavedError{err}
		}
		return &render.Saved{Path: what}, nil
	}
	saved, err := st.Automations().Save(ctx, proposal)
	if err != nil {
		return nil, &unsavedError{err}
	}
	return &render.Saved{Revision: saved.Revision, Path: a.documentPath(saved.Name, saved.Match.Account)}, nil
}

// replaceFile replaces a file as a whole or not at all, with its permissions. Of a link it replaces
// the target.
func (a *app) replaceFile(file string, played, proposal *automation.Automation) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	now, err := files.ReadDocument(a.stdin, target)
	if err != nil {
		return err
	}
	before, err := automation.Marshal(played)
	if err != nil {
		return err
	}
	content, err := automation.Marshal(now)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(before, content):
		return &changedError{file}
	}
	return files.WriteDocument(target, proposal)
}
