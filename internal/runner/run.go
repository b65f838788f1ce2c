package runner

import (
	"context"
	"errors"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// Run plays what was planned, when it has the lease of the account. See Runner.Run.
func (p *Plan) Run(ctx context.Context, ev Events) (o Outcome, err error) {
	if p.leased || p.request.Queued != nil {
		return p.run(ctx, ev)
	}
	unheld := p.Hold(ctx, ev, func(ctx context.Context, held *Plan) error {
		o, err = held.run(ctx, ev)
		return nil
	})
	switch {
	case unheld == nil:
	case o.Result == nil && err == nil:
		err = unheld
	default:
		p.runner.logger().WarnContext(ctx, "the lease of the account was not released", "error", unheld)
	}
	return o, err
}

func (p *Plan) run(ctx context.Context, ev Events) (Outcome, error) {
	if p.request.Resume != "" { // another process may have taken it up since it was planned
		if _, err := p.stopped(ctx); err != nil {
			return Outcome{}, err
		}
	}
	if p.resumption.over(p.Document) {
		return p.unplayed(ctx, ev, nil), nil
	}
	earlier := ""
	if p.resumption != nil {
		earlier = p.resumption.run.Page
	}
	open := p.request.Pages.Open
	if p.request.SignIn {
		open = func(ctx context.Context, l *Login, earlier string) (*browser.Page, func(), error) {
			return openSignedIn(ctx, p.request.Pages, l, earlier)
		}
	}
	page, release, err := open(ctx, p.Login, earlier)
	if isLogin(err) && p.request.Queued != nil { // it has a record, which must end
		failed := asFailure(err)
		return p.unplayed(ctx, ev, failed), failed
	}
	if err != nil {
		return Outcome{}, err
	}
	defer func() { release() }()
	if p.resumption != nil && !p.request.InPage && (earlier == "" || page.ID() != earlier) {
		p.resumption.inNewPage()
	}
	if p.request.SignIn && p.Login != nil && p.request.Resume == "" {
		q := SignInRequest{Login: p.Login.Name, Account: p.Login.Account, Task: p.request.Task, Person: p.request.Options.Person}
		if _, err := p.runner.signIn(ctx, page, p.Login, q); err != nil {
			failed := asFailure(err)
			return p.unplayed(ctx, ev, failed), failed
		}
		if p.Login, err = p.login(ctx); err != nil { // as it was saved
			return Outcome{}, err
		}
	}
	return p.play(ctx, ev, &held{page, &release})
}

// held is the page of a run, and what releases it. Both are others after the connection to its
// browser was lost.
type held struct {
	page    *browser.Page
	release *func()
}

// isLogin reports whether an error is of a login that cannot be used.
func isLogin(err error) bool {
	var broken *browser.LoginError
	return errors.As(err, &broken) || errors.Is(err, browser.ErrLoginExpired)
}

// play plays the document in a page.
func (p *Plan) play(ctx context.Context, ev Events, in *held) (Outcome, error) {
	q, st := p.request, p.runner.Store
	options, err := p.options(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if err := p.begin(ctx, in.page, options.From); err != nil {
		return Outcome{}, err
	}
	var record *recording
	if !q.Options.DryRun {
		record = p.record(ctx, ev, in.page.ID())
		notes := newJournal(st, ev.Paid)
		options.Run, options.Journal, options.Limits = record.run.ID, notes, notes
	}
	if options.Downloads == "" && record != nil {
		options.Downloads = DownloadDir(st, record.run.ID)
	}
	options.Person = p.approver(record, ev)
	if !p.learned {
		options.Unblock = p.unblock(options.Person)
	}
	options.OnPicture = ev.Picture
	options.OnStart = func(index int, step automation.Step) {
		if ev.Start != nil {
			ev.Start(index, step)
		}
		record.start(index)
	}
	options.OnStep = func(s replayer.StepResult) {
		if ev.Step != nil {
			ev.Step(s)
		}
		record.step(ctx, s)
	}
	if p.resumption.over(p.Document) {
		return p.end(ctx, ev, record, p.nothing(options.Run), nil), nil
	}
	result, played := p.perform(ctx, ev, in, options)
	if q.Queued != nil && interrupted(ctx, played) {
		return Outcome{}, ErrInterrupted
	}
	unsaved := p.updateLogin(ctx, in.page, played, record.isLate())
	played = p.Login.blame(tooLong(ctx, played))
	if result == nil {
		result = p.nothing(options.Run)
	}
	o := p.end(ctx, ev, record, result, played)
	o.LoginError = unsaved
	return o, played
}

// options are those of the replayer, but for what belongs to the record.
func (p *Plan) options(ctx context.Context) (*replayer.Options, error) {
	q := p.request
	stored := p.stored
	if p.several {
		var err error
		if stored, err = p.storedValues(ctx); err != nil {
			return nil, err
		}
	}
	o := q.Options
	o.Values = stored
	if q.Values != nil {
		o.Values = replayer.First(q.Values, stored)
	}
	o.Account, o.Automations, o.Logger = q.Account, p.runner.Store.Automations(), p.runner.logger()
	o.Redact = append(append([]automation.Secret{}, q.Options.Redact...), p.Login.secrets()...)
	if q.Known != nil {
		o.Redact = append(o.Redact, q.Known()...)
	}
	if r := p.resumption; r != nil {
		if o.From = r.from; r.token != "" {
			o.Resume, o.From = r.token, 0
		}
	}
	return &o, nil
}

// begin goes to the request's address, for a document that does not begin by navigating.
func (p *Plan) begin(ctx context.Context, page *browser.Page, from int) error {
	there := p.resumption != nil && !p.resumption.fresh
	if p.request.URL == "" || there || from < len(p.Document.Steps) && p.Document.Steps[from].Tool == "navigate" {
		return nil
	}
	return page.Navigate(ctx, p.request.URL)
}

// record begins the record of the run.
func (p *Plan) record(ctx context.Context, ev Events, page string) *recording {
	record := begin(ctx, p.runner, p.Document, recordOptions{id: p.id, earlier: p.resumption.earlier(), owner: p.request.Owner, account: p.account(), task: p.request.Task, login: p.request.Login, page: page})
	if ev.Begin != nil {
		ev.Begin(record.run)
	}
	return record
}

// unplayed ends a run of which nothing is played.
func (p *Plan) unplayed(ctx context.Context, ev Events, failed error) Outcome {
	record := p.record(ctx, ev, "")
	return p.end(ctx, ev, record, p.nothing(record.run.ID), failed)
}

// nothing is the result of a run that had nothing played.
func (p *Plan) nothing(run string) *replayer.Result {
	return &replayer.Result{Run: run, Name: p.Document.Name, Account: p.Document.Match.Account, Started: p.runner.now()}
}

// end saves how a run ended.
func (p *Plan) end(ctx context.Context, ev Events, record *recording, result *replayer.Result, failed error) Outcome {
	ctx = context.WithoutCancel(ctx)
	o := Outcome{Result: result, NothingLeft: failed == nil && p.resumption.over(p.Document)}
	if record == nil {
		o.Record = RecordOf(p.Document, result, failed)
	} else {
		o.Record = record.end(ctx, result, failed)
	}
	if ev.End != nil {
		ev.End(&o.Record, result, failed)
	}
	if record != nil {
		o.SaveError = record.save(ctx, o.Record)
		o.Saved = o.SaveError == nil
	}
	return o
}

// approver is who is asked in the run, nil where there is no one.
func (p *Plan) approver(record *recording, ev Events) replayer.Person {
	q := p.request
	person := q.Options.Person
	if q.ApprovalTimeout > 0 && record != nil {
		person = &StoreApprover{
			Approvals: p.runner.Store.Approvals(), Timeout: q.ApprovalTimeout, Others: person,
			Waits: func(ctx context.Context, asked *store.Approval) {
				record.wait(ctx, asked != nil)
				if ev.Waits != nil {
					ev.Waits(ctx, asked)
				}
			},
		}
	}
	if person != nil && record != nil {
		person = &waitingPerson{person, record}
	}
	return WithIntent(person, q.Intent)
}

// waitingPerson has the record of a run say that it waits while a person has its page.
type waitingPerson struct {
	replayer.Person
	record *recording
}

func (w *waitingPerson) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	w.record.wait(ctx, true)
	defer w.record.wait(ctx, false)
	returned, err := w.Person.TakeOver(ctx, h)
	w.record.mu.Lock()
	defer w.record.mu.Unlock()
	w.record.late = err == nil && returned.Status == replayer.TimedOut
	if returned.Handoff != "" {
		w.record.run.Handoffs = append(w.record.run.Handoffs, returned.Handoff)
	}
	return returned, err
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *Runner) newID() string {
	if r.NewID == nil {
		return store.NewRunID()
	}
	return r.NewID()
}
