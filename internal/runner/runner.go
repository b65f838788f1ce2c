// Package runner is the only way a run happens. The commands, the workers of a queue and
// the server of agents say what is to be played, and for whom; the runner finds the
// document, gathers its values, takes up an earlier attempt, opens the page, writes the
// record, asks for approvals, plays, and decides what may be sent again.
//
//	r := &runner.Runner{Store: st, Secrets: safe}
//	outcome, err := r.Run(ctx, runner.Request{Name: "pay-bill", Account: "ada", Pages: pages}, runner.Events{})
//
// A caller that has something to ask before a browser opens makes a Plan first, and runs
// that.
package runner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Runner runs the automations of a store. It is safe for concurrent use.
type Runner struct {
	Store store.Store
	// Secrets returns what tasks, the vault and saved logins hold. It is called when a
	// request first needs one of them. Default: there are none.
	Secrets func() (*sealed.SecretStore, error)
	// Logger is told of each step; values are never logged. Default: silent.
	Logger *slog.Logger
	// Now and NewID are the clock and the names of runs. Default: time.Now, store.NewRunID.
	Now   func() time.Time
	NewID func() string
	// ReconnectAfter are the pauses before each attempt to connect again to a browser of which
	// the connection was lost. Default: 2, 5 and 10 seconds.
	ReconnectAfter []time.Duration
}

// Request describes what is played, for whom, and how.
type Request struct {
	// Document is played as it is; without one, the stored document of this name, and
	// without a name, the one that matches the URL. A name is looked up for the account,
	// then for any account.
	Document *automation.Automation
	Name     string
	// URL is where a document begins whose first step does not navigate.
	URL     string
	Account string

	// Values are the caller's own. What they lack comes from Stored. Default: none.
	Values replayer.Values
	// Stored returns the values that were stored for a document. Default: those of Task,
	// and of the vault for the account.
	Stored func(ctx context.Context, doc *automation.Automation) (replayer.Values, error)
	Task   string
	Login  string // saved login that it begins with, "" for none
	// SaveLogin saves the login again when the run has ended well, as the browser has it
	// then: for sites that renew a sign-in at each visit. The run then has the lease of the
	// login's sites, too.
	SaveLogin bool
	// SignIn has the login be looked at before the run, and someone be signed in again where it is
	// not good any more (see Runner.SignIn). The login has a check, and is saved. Default: the run
	// begins with the login as it is.
	SignIn bool

	// Resume is the run to go on with, or its token; "" begins a new one. InPage takes it
	// up only with the page as it was then. Resolve says what became of the commit
	// step whose outcome is unknown: Committed, NotCommitted, or "" where no one knows.
	Resume  string
	InPage  bool
	Resolve Resolution
	// ResumeStep is the step to go on with, counted from 1. Default: 0, where it stopped.
	ResumeStep int
	// Queued is the record of a run that was queued. It is that run which is performed,
	// and what keeps it from being played ends it.
	Queued *store.Run

	// Wait has it wait while another run acts for the account. Default: that is the error
	// *store.HeldError.
	Wait bool
	// Pages opens the page that it is played in.
	Pages Pages
	// Known returns secrets that pages may repeat although no step types them. It is called
	// when the page is open. Default: those of the login.
	Known func() []automation.Secret
	// Options of the replayer. The runner sets those that it answers for: Run, Resume,
	// Journal, Limits, Values, Account, Automations, OnStart, OnStep and OnPicture.
	Options replayer.Options
	// ApprovalTimeout has approvals asked for in the store, and waited for so long.
	// Default: 0, Options.Person is asked.
	ApprovalTimeout time.Duration
	// Intent is why the caller wants the run. It is told with an approval whose step has
	// no intent of its own.
	Intent string
	// Owner is the agent that the run belongs to, "" for none.
	Owner string
}

// Pages opens pages for runs.
type Pages interface {
	// Open returns the page to play in. The earlier one is the browser's name of the page
	// that an earlier attempt was played in, "" for a new run: where it is still open it
	// is returned. Release is called when the run has ended.
	Open(ctx context.Context, login *Login, earlier string) (page *browser.Page, release func(), err error)
}

// Reconnecter are Pages that can connect again to a browser of which the connection was lost.
type Reconnecter interface {
	// Reconnect returns the page over another connection. The release takes the place of the one
	// that Open returned. browser.ErrPageClosed, browser.ErrTakenOver and browser.ErrEnded say
	// that there is no point in another attempt.
	Reconnect(ctx context.Context, lost *browser.Page) (page *browser.Page, release func(), err error)
}

// Events are hooks into a run. Each may be nil.
type Events struct {
	Busy  func(*store.HeldError) // another run acts for the account, and it waits
	Begin func(store.Run)        // its record was begun
	// Lost is told that the connection to the browser was lost, before each attempt at another.
	Lost    func(attempt int, after time.Duration)
	Start   func(index int, step automation.Step)
	Step    func(replayer.StepResult)
	Picture func(replayer.StepPicture)
	// Waits is told of the approval that the run waits for, and with nil that it goes on.
	Waits func(context.Context, *store.Approval)
	// Paid is told what was paid without asking, within standing limits, and what is left of them.
	Paid func(context.Context, Payment)
	// End may add to the record before it is saved for the last time.
	End func(record *store.Run, result *replayer.Result, failed error)
}

// Outcome is how a run ended.
type Outcome struct {
	// Result is what the replayer returned, nil where nothing was played because the run
	// could not begin.
	Result *replayer.Result
	// Record is that of the run; of a dry run, what it would be.
	Record store.Run
	// Saved reports whether the record is in the store, and SaveError why it is not.
	Saved     bool
	SaveError error
	// NothingLeft reports that earlier attempts had done all of it.
	NothingLeft bool
	// LoginError is why the login was not saved again, or how it fared was not noted.
	LoginError error
}

// Run plans and plays. The error is why the run did not end well, where there is a result,
// and otherwise why it could not begin.
func (r *Runner) Run(ctx context.Context, q Request, ev Events) (Outcome, error) {
	p, err := r.Plan(ctx, q)
	if err == nil && q.Stored == nil {
		err = p.Check(ctx)
	}
	if err != nil {
		return r.cannotBegin(ctx, q, err)
	}
	return p.Run(ctx, ev)
}

// cannotBegin ends a queued run whose request is at fault. What may be better later, as a
// database that is away, is left to the next attempt.
func (r *Runner) cannotBegin(ctx context.Context, q Request, err error) (Outcome, error) {
	if q.Queued == nil || q.Document == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrLeaseLost) || ctx.Err() != nil {
		return Outcome{}, err
	}
	failed := asFailure(err)
	p := &Plan{runner: r, request: q, Document: q.Document, resumption: queued(*q.Queued, 0)}
	return p.unplayed(ctx, Events{}, failed), failed
}

// asFailure returns an error as one of a run that could not begin with what it was given.
func asFailure(err error) *replayer.Error {
	var failed *replayer.Error
	if !errors.As(err, &failed) {
		failed = &replayer.Error{Code: replayer.InvalidValue, Step: -1, Reason: err.Error(), Err: err}
	}
	return failed
}

func (r *Runner) logger() *slog.Logger {
	if r.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Logger
}
