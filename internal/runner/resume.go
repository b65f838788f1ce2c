package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// What may be sent again is decided here and in the replayer, which refuses every commit
// step that its journal knows. Here is decided where a run goes on: a step that was sent is
// never begun before, one whose outcome is unknown makes the run uncertain until someone
// resolves it, and a run that has sent nothing may begin from its first step.

// Resolution is what became of a commit step whose outcome was unknown.
type Resolution string

// The resolutions: it was done, and is not done again; or it was not, and may be.
const (
	Committed    Resolution = "committed"
	NotCommitted Resolution = "not-committed"
)

// ResumeError is a run that cannot be resumed, and why.
type ResumeError struct {
	Run store.Run
	Why ResumeProblem
	Now int // revision of the document today, where that is the reason
	Of  *automation.Automation
}

// ResumeProblem is what keeps a run from being resumed.
type ResumeProblem int

// The problems.
const (
	OtherAutomation ResumeProblem = iota + 1
	RunDone
	RunBusy // a process performs it
	OtherRevision
	RunUncertain
	PageGone          // it can only go on in its page
	NothingUnresolved // there is nothing to resolve
)

func (e *ResumeError) Error() string {
	r := e.Run
	switch e.Why {
	case OtherAutomation:
		return fmt.Sprintf("run %s is of %s, not of %s", r.ID, named(r.Automation, r.Account), named(e.Of.Name, e.Of.Match.Account))
	case RunDone:
		return fmt.Sprintf("run %s is done: there is nothing to go on with", r.ID)
	case OtherRevision:
		return fmt.Sprintf("run %s was of revision %d of %s, which is at revision %d now: play it again from the beginning", r.ID, r.Revision, r.Automation, e.Now)
	case RunUncertain:
		return "what it has sent is not known to have been done, or not"
	case PageGone:
		return fmt.Sprintf("the run %s cannot be gone on with", r.ID)
	case NothingUnresolved:
		return fmt.Sprintf("run %s has sent nothing of which it is not known what became", r.ID)
	}
	if r.Process == nil {
		return fmt.Sprintf("run %s has not ended", r.ID)
	}
	return fmt.Sprintf("run %s has not ended: process %d on %s performs it", r.ID, r.Process.PID, r.Process.Host)
}

func named(name, account string) string {
	if account == "" {
		return name
	}
	return name + " for " + account
}

// resumption is an earlier attempt at a run, and where it goes on.
type resumption struct {
	run     store.Run
	token   string // "" where nothing says where it stopped: it crashed, or its page is gone
	from    int    // index of the step to go on with, where there is no token
	decided bool   // the caller has named that step, or resolved what was sent before it
	fresh   bool   // it goes on in a page that knows nothing of it
}

// queued is the resumption of a run that was queued, from a step on.
func queued(run store.Run, from int) *resumption {
	return &resumption{run: run, from: from, decided: from > 0, fresh: true}
}

// resume finds the run that is to go on, nil for a new one, and resolves what it had sent.
func (p *Plan) resume(ctx context.Context) (*resumption, error) {
	q, st := p.request, p.runner.Store
	if q.Queued != nil {
		return p.requeued(ctx)
	}
	if q.Resume == "" {
		return nil, nil
	}
	run, err := p.stopped(ctx)
	if err != nil {
		return nil, err
	}
	r := &resumption{run: run, token: run.Resume, from: afterDone(run)}
	if q.ResumeStep > 0 {
		r.token, r.from, r.decided = "", q.ResumeStep-1, true
	}
	if q.Resolve == "" {
		return r, nil
	}
	return r, p.resolve(ctx, st.Commits(), r)
}

// requeued is the resumption of a queued run. Where nothing was sent, what was done
// before is of no importance, and it begins from its first step. Where everything was sent
// and seen to be done, only waits are left. All else the replayer calls uncertain.
func (p *Plan) requeued(ctx context.Context) (*resumption, error) {
	run := *p.request.Queued
	sent, err := p.runner.Store.Commits().Committed(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	if len(sent) == 0 {
		run.Steps, run.Drift = nil, nil
		return queued(run, 0), nil
	}
	last := 0
	for step, seen := range sent {
		if !seen {
			return queued(run, 0), nil
		}
		last = max(last, step)
	}
	if from := afterWaits(p.Document, last); from >= len(p.Document.Steps) {
		return queued(run, from), nil
	}
	return queued(run, 0), nil
}

// stopped returns the run that is to go on, if it can.
func (p *Plan) stopped(ctx context.Context) (store.Run, error) {
	run, err := p.earlier(ctx)
	if err != nil {
		return run, err
	}
	if p.request.InPage {
		if run, _, err = Current(ctx, p.runner.Store.Commits(), run); err != nil {
			return run, err
		}
	}
	refused := func(why ResumeProblem) error {
		return &ResumeError{Run: run, Why: why, Now: p.Document.Revision, Of: p.Document}
	}
	switch same := run.Automation == p.Document.Name && run.Account == p.Document.Match.Account; {
	case !same:
		return run, refused(OtherAutomation)
	case run.State == store.Done:
		return run, refused(RunDone)
	case run.State == store.Uncertain && p.request.InPage:
		return run, refused(RunUncertain)
	case run.Finished.IsZero() && !Lost(run):
		return run, refused(RunBusy)
	case run.Revision != 0 && p.Document.Revision != run.Revision:
		return run, refused(OtherRevision)
	case run.Resume == "" && p.request.InPage:
		return run, refused(PageGone)
	}
	return run, nil
}

// earlier finds a run by its name or its token.
func (p *Plan) earlier(ctx context.Context) (store.Run, error) {
	token, runs := p.request.Resume, p.runner.Store.Runs()
	if !strings.Contains(token, ".") {
		return runs.Get(ctx, token)
	}
	for r, err := range runs.List(ctx) {
		if err != nil {
			return store.Run{}, err
		}
		if r.Err == nil && r.Resume == token {
			return r.Run, nil
		}
	}
	return store.Run{}, fmt.Errorf("no run stored here has stopped with this token: %w", store.ErrNotFound)
}

// resolve writes down what became of what the run had sent.
func (p *Plan) resolve(ctx context.Context, commits store.Commits, r *resumption) error {
	done, resolved := p.request.Resolve == Committed, false
	for _, name := range p.names(r.run.ID) {
		sent, err := commits.Committed(ctx, name)
		if err != nil {
			return err
		}
		for step, seen := range sent {
			if seen {
				continue
			}
			if err := commits.Resolve(ctx, name, step, done); err != nil {
				return err
			}
			resolved = true
			if name != r.run.ID || p.request.ResumeStep > 0 {
				continue
			}
			if r.from, r.decided = step, true; done {
				r.from = afterWaits(p.Document, step)
			}
		}
	}
	token, err := replayer.ResolveUncertain(r.token, done)
	switch {
	case err == nil:
		r.token = token
	case !resolved:
		return &ResumeError{Run: r.run, Why: NothingUnresolved}
	}
	return nil
}

// names are those under which the run, and those that its steps play, note what they send.
func (p *Plan) names(run string) []string {
	names := []string{run}
	for i, step := range p.Document.Steps {
		if step.Tool == "run" {
			names = append(names, fmt.Sprintf("%s.%d", run, i))
		}
	}
	return names
}

// afterDone is the step after the last that was done.
func afterDone(run store.Run) int {
	from := 0
	for _, s := range run.Steps {
		if s.Outcome == store.StepDone || s.Outcome == store.StepSkipped {
			from = max(from, s.Index+1)
		}
	}
	return from
}

// afterWaits is the step after a step and the waits for where it leads.
func afterWaits(doc *automation.Automation, step int) int {
	step++
	for step < len(doc.Steps) && doc.Steps[step].Tool == "waitForNav" {
		step++
	}
	return step
}

// inNewPage has it go on in another page: from its beginning, unless the caller has named
// the step, or resolved what was sent. What was sent is not sent again.
func (r *resumption) inNewPage() {
	r.token, r.fresh = "", true
	if !r.decided {
		r.from = 0
	}
}

// over reports whether nothing is left to be played, and no page shows it.
func (r *resumption) over(doc *automation.Automation) bool {
	return r != nil && r.fresh && r.decided && r.from >= len(doc.Steps)
}

// earlier is the record so far, nil for none.
func (r *resumption) earlier() *store.Run {
	if r == nil {
		return nil
	}
	return &r.run
}

// The causes that end a run's context before its time.
var (
	ErrStopping  = errors.New("the worker was told to stop")
	ErrCancelled = errors.New("the run was cancelled")
	ErrTooLong   = errors.New("the run took longer than the worker gives one")
)

// ErrInterrupted is a queued run that was broken off, and that another worker may take up.
var ErrInterrupted = errors.New("the run is given back")

// interrupted reports whether a run was broken off that another worker can take up: this
// one was told to stop, or has lost its lease. What was sent by then is noted, and anyone who
// takes it up finds that. Of a run that is uncertain no other worker can find out more.
func interrupted(ctx context.Context, played error) bool {
	var e *replayer.Error
	if !errors.As(played, &e) || e.Code == replayer.Uncertain {
		return false
	}
	cause := context.Cause(ctx)
	return errors.Is(cause, ErrStopping) || errors.Is(cause, store.ErrLeaseLost)
}

// tooLong is how a run ended; of one that took too long, that it did.
func tooLong(ctx context.Context, played error) error {
	var e *replayer.Error
	if !errors.Is(context.Cause(ctx), ErrTooLong) || !errors.As(played, &e) || e.Code != replayer.Cancelled {
		return played
	}
	late := *e
	late.Code, late.Reason = replayer.Timeout, ErrTooLong.Error()
	return &late
}

// Requeue saves a run as one that waits for a worker. What it has done is of no
// importance, unless it has sent something: then anyone who takes it up must know.
func Requeue(ctx context.Context, st store.Store, id string) error {
	sent, err := st.Commits().Committed(ctx, id)
	if err != nil {
		return err
	}
	run, err := st.Runs().Get(ctx, id)
	if err != nil {
		return err
	}
	waiting := store.Run{ID: run.ID, Automation: run.Automation, Account: run.Account, Revision: run.Revision, State: store.Queued}
	if len(sent) > 0 {
		waiting.Started, waiting.Steps = run.Started, run.Steps
	}
	return st.Runs().Save(ctx, waiting)
}

// NoteHandoff adds to the record of a run that has ended the ID of a handoff in which a person had its page.
func NoteHandoff(ctx context.Context, st store.Store, runID, handoffID string) error {
	run, err := st.Runs().Get(ctx, runID)
	if err != nil || run.Finished.IsZero() || slices.Contains(run.Handoffs, handoffID) {
		return err
	}
	run.Handoffs = append(run.Handoffs, handoffID)
	return st.Runs().Save(ctx, run)
}

// Abandon saves the record of a run that is not performed: as cancelled or failed, or as
// uncertain where it has sent something whose outcome is unknown.
func Abandon(ctx context.Context, st store.Store, run store.Run, why error) error {
	sent, err := st.Commits().Committed(ctx, run.ID)
	if err != nil {
		return err
	}
	run.State, run.Code = store.Failed, "failed"
	if errors.Is(why, ErrCancelled) {
		run.State, run.Code = store.Cancelled, "cancelled"
	}
	if errors.Is(why, store.ErrNotFound) {
		run.Code = "not_found"
	}
	for _, seen := range sent {
		if !seen {
			run.State, run.Code = store.Uncertain, "uncertain"
		}
	}
	run.Reason, run.Finished = why.Error(), time.Now()
	return st.Runs().Save(ctx, run)
}

// Ended reports whether nothing more becomes of a run unless someone resumes it.
func Ended(state store.RunState) bool {
	switch state {
	case store.Done, store.Failed, store.Uncertain, store.Cancelled:
		return true
	}
	return false
}
