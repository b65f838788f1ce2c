package replayer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// Code is the kind of failure that ended a run.
type Code string

// The kinds of failure.
const (
	NotFound      Code = "gone"           // the element is not there
	Ambiguous     Code = "ambiguous"      // several elements fit, none of them better
	Changed       Code = "changed"        // something stands where the element stood, and is not surely the same
	NotActionable Code = "not_actionable" // the element is there and cannot be used
	OutOfScope    Code = "out_of_scope"   // the page is not one that the automation may act on
	InvalidValue  Code = "invalid_value"  // a variable is missing or unfit
	Timeout       Code = "timeout"        // what should follow did not
	Blocked       Code = "blocked"        // something that a person must deal with is in the way: a sign-in, a human check
	Uncertain     Code = "uncertain"      // what commits was sent, and what follows was not seen
	Refused       Code = "refused"        // the step may not or cannot be done here
	BrowserLost   Code = "browser_lost"   // the page or the browser has gone
	// NavigationFailed is of an address that the browser could not load: its host does not
	// resolve, refuses, does not answer, or has a bad certificate.
	NavigationFailed Code = "navigation_failed"
	Cancelled        Code = "cancelled" // the caller's context ended
)

// Error is why a run ended before its last step.
type Error struct {
	Code   Code
	Step   int    // index of the step; -1 when no step was begun
	Tool   string // of the step
	Intent string // of the step
	Reason string
	// Outcome is what became of the approval that the step had asked for, where it was not given:
	// ApprovalDenied or ApprovalExpired. Both are no consent: the caller tries no other way.
	Outcome string
	// Steps are those that were done of an automation which the step played.
	Steps []StepResult
	Tried []Attempt // the selectors of the step, and what each of them found
	// Considered are the elements that came closest, best first.
	Considered []Candidate
	// Resume goes on from here (Options.Resume), once what blocks it is gone; an
	// uncertain run is resolved first (ResolveUncertain). "" where nothing was begun.
	Resume string
	// Suggestion is a call that an agent can make to get on; nil where none would help.
	Suggestion *Suggestion
	// Picture is a PNG of the page, with what is secret covered; nil where the page could
	// not be asked any more.
	Picture []byte
	Err     error // the cause, or nil
}

// Suggestion is a tool and what to call it with.
type Suggestion struct {
	Tool      string            `json:"tool"`
	Arguments map[string]string `json:"arguments"`
}

func suggest(tool string, reason automation.Reason) *Suggestion {
	return &Suggestion{tool, map[string]string{"reason": string(reason)}}
}

// suggestionFor is what helps with most failures of a kind.
func suggestionFor(code Code) *Suggestion {
	switch code {
	case NotFound, Ambiguous, Changed, NotActionable, Timeout, Blocked:
		return suggest("handoff_start", automation.ReasonManualRecovery)
	case Uncertain:
		return suggest("handoff_start", automation.ReasonManualRecovery)
	}
	return nil
}

// Attempt is what one selector found.
type Attempt struct {
	Selector selectors.Path `json:"selector"`
	Count    int            `json:"count"`         // elements that it names
	Visible  int            `json:"visible"`       // of them, those that can be seen
	Why      string         `json:"why,omitempty"` // why the one that it names was passed over
}

// Candidate is an element that was looked at closely and not taken.
type Candidate struct {
	Element string   `json:"element"` // its tag, with its id or first class
	Weight  float64  `json:"weight"`  // natural logarithm of the odds that it is the recorded one
	For     []string `json:"for,omitempty"`
	Against []string `json:"against,omitempty"`
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Step >= 0 {
		fmt.Fprintf(&b, "step %d %s", e.Step+1, e.Tool)
		if e.Intent != "" {
			fmt.Fprintf(&b, " (%s)", e.Intent)
		}
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Reason)
	for _, t := range e.Tried {
		fmt.Fprintf(&b, "; %s names %d, %d visible", t.Selector, t.Count, t.Visible)
		if t.Why != "" {
			fmt.Fprintf(&b, " (%s)", t.Why)
		}
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

var errRunTimeout = errors.New("the run took longer than it was given")

// failure makes a step's error of whatever ended it.
func failure(ctx context.Context, err error) *Error {
	var typed *Error
	var refused *gate.Refused
	var blocked errBlocked
	var unloaded *target.NavigationError
	switch {
	case errors.As(err, &typed):
		return typed
	case errors.As(err, &refused) && refused.Own:
		return &Error{Code: OutOfScope, Reason: err.Error(), Err: err}
	case errors.As(err, &refused):
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	case errors.As(err, &unloaded):
		return &Error{Code: NavigationFailed, Reason: fmt.Sprintf("loading %s: %s", shown(unloaded.URL), inWords(unloaded.Reason)), Err: err}
	case errors.As(err, &blocked):
		return blocked.failure()
	case errors.Is(err, errDry):
		return &Error{Code: Refused, Reason: err.Error(), Err: err}
	case errors.Is(err, errRunTimeout):
		return &Error{Code: Timeout, Reason: err.Error(), Err: err}
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return &Error{Code: Cancelled, Reason: err.Error(), Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Reason: "the page did not answer in time", Err: err}
	case errors.Is(err, cdp.ErrClosed), errors.Is(err, cdp.ErrCrashed), errors.Is(err, target.ErrClosed), errors.Is(err, cdp.ErrSessionGone):
		return &Error{Code: BrowserLost, Reason: err.Error(), Err: err}
	}
	return &Error{Code: NotActionable, Reason: err.Error(), Err: err}
}

// netErrors are the browser's reasons for not loading an address, in words. The first that
// begins a reason counts.
var netErrors = []struct{ begins, words string }{
	{"net::ERR_NAME_", "the name of the host does not resolve"},
	{"net::ERR_CONNECTION_REFUSED", "the host refuses the connection"},
	{"net::ERR_CONNECTION_TIMED_OUT", "the host does not answer in time"},
	{"net::ERR_TIMED_OUT", "the host does not answer in time"},
	{"net::ERR_ADDRESS_", "the host cannot be reached"},
	{"net::ERR_CONNECTION_", "the connection to the host failed"},
	{"net::ERR_EMPTY_RESPONSE", "the host closed the connection without an answer"},
	{"net::ERR_CERT_", "the certificate of the host is not valid"},
	{"net::ERR_SSL_", "the host and the browser agree on no secure connection"},
	{"net::ERR_TOO_MANY_REDIRECTS", "the host redirects without end"},
	{"net::ERR_INTERNET_DISCONNECTED", "the browser is offline"},
}

// inWords returns a reason of the browser's in words, with its own name for it.
func inWords(reason string) string {
	for _, e := range netErrors {
		if strings.HasPrefix(reason, e.begins) {
			return fmt.Sprintf("%s (%s)", e.words, reason)
		}
	}
	return reason
}

// invalid collects what is wrong with the values of a run, by variable.
func invalid(err error) *Error {
	return &Error{Code: InvalidValue, Step: -1, Reason: err.Error(), Err: err}
}

// runError returns an error that came before the first step, or after the last.
func runError(ctx context.Context, err error) *Error {
	e := *failure(ctx, err)
	e.Step = -1
	return &e
}

// stepError returns the error of a step.
func stepError(ctx context.Context, err error, index int, step automation.Step) *Error {
	e := *failure(ctx, err)
	e.Step, e.Tool, e.Intent = index, step.Tool, step.Intent
	return &e
}

// ended returns the error of a run that ended early, as the caller gets it.
func (r *run) ended(ctx context.Context, e *Error, step int) *Error {
	open := r.commits.pending
	e = r.commits.uncertain(e)
	if e.Step >= 0 {
		r.explain(ctx, e)
	}
	if e.Step >= 0 || open != nil {
		e.Resume = r.tokenFor(step, open)
	}
	if e.Suggestion == nil {
		e.Suggestion = suggestionFor(e.Code)
	}
	return r.secrets.redactor.failure(e)
}

// explain adds to a failure what the page shows: a picture, and the blocker.
func (r *run) explain(ctx context.Context, e *Error) {
	page := r.tabs.first
	if e.Step < len(r.automation.Steps) && r.tabs.named[r.automation.Steps[e.Step].Page] != nil {
		page = r.tabs.named[r.automation.Steps[e.Step].Page]
	}
	if page.Err() != nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	e.Picture, _ = r.picture(ctx, page, false) // without one there is still the error
	if mayBeBlocked[e.Code] {
		ctx, cancel := load.WithTimeout(ctx, blockerTimeout)
		defer cancel()
		r.nameBlocker(ctx, page, e)
	}
}

// blockerTimeout bounds what a page may take to report its blocker. It has a time of its own,
// because a machine that is too busy for a picture may still answer that, and the code of the
// failure depends on it.
const blockerTimeout = 5 * time.Second
