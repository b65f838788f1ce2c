package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // a wrong command line, or a document that is not valid
	exitPerson = 3
)

// usageError is a command line that asks for something that there is not.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

func usagef(format string, args ...any) error {
	return &usageError{reason: fmt.Sprintf(format, args...)}
}

// toldError is an error that the command has already told of.
type toldError struct{ err error }

func (e *toldError) Error() string { return e.err.Error() }
func (e *toldError) Unwrap() error { return e.err }

// failure is an error as --json tells it.
type failure struct {
	Code   string           `json:"code"`
	Step   *int             `json:"step,omitempty"` // index; none where no step was begun
	Tool   string           `json:"tool,omitempty"`
	Intent string           `json:"intent,omitempty"`
	Reason string           `json:"reason"`
	Tried  []replayer.Tried `json:"tried,omitempty"`
	// Considered are the elements that came closest, best first, where none was taken.
	Considered []replayer.Considered `json:"considered,omitempty"`
	Problems   []problem             `json:"problems,omitempty"` // of a document
	Kept       string                `json:"kept,omitempty"`     // the file in which a recording, or what was edited, was kept nevertheless
	exit       int
}

// problem is one thing that is wrong with a document.
type problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// kinds of errors, the first that fits. What the replayer says comes first: the
// causes that it wraps are told by its own code.
var kinds = []struct {
	fits func(error) bool
	code string
	exit int
}{
	{is[*usageError], "usage", exitUsage},
	{is[*inputTooLargeError], "too_large", exitUsage},
	{isErr(context.Canceled), string(replayer.Cancelled), exitFailed}, // a signal is one, whatever it broke off
	{func(err error) bool { return len(automation.Problems(err)) > 0 }, "invalid_document", exitUsage},
	{is[*exchange.Error], "invalid_recording", exitUsage},
	{is[*store.HeldError], "busy", exitFailed},
	{is[*store.ConflictError], "conflict", exitFailed},
	{is[*existsError], "conflict", exitFailed},
	{is[*movedError], "conflict", exitFailed},
	{is[*store.EnvelopeConflictError], "conflict", exitFailed},
	{is[*store.EnvelopeNotFoundError], "not_kept", exitFailed},
	{is[*store.InvalidEnvelopeError], "usage", exitUsage},
	{is[*sealed.TaskError], "invalid_task", exitUsage},
	{is[*sealed.CredentialError], "invalid_credential", exitUsage},
	{is[*sealed.LoginError], "invalid_login", exitUsage},
	{isErr(browser.ErrNotSignedIn), "not_signed_in", exitFailed},
	{isErr(errNotSignedIn), "not_signed_in", exitFailed},
	{is[*browser.LoginError], "invalid_login", exitFailed},
	{is[*sealed.RecipientError], "usage", exitUsage},
	{is[*sealed.UseError], "not_for_this", exitFailed},
	{is[*sealed.AmbiguousError], "ambiguous_credential", exitFailed},
	{is[*sealed.NoKeysError], "no_key", exitFailed},
	{is[*sealed.OpenError], "sealed", exitFailed},
	{is[*sealed.PlaceError], "key_place", exitFailed},
	{is[*store.ApprovalEndedError], "ended", exitFailed},
	{isErr(store.ErrNotFound), "not_found", exitFailed},
	{is[*automation.AmbiguousError], "ambiguous", exitFailed},
	{isErr(automation.ErrNoMatch), "no_match", exitFailed},
	{is[*worker.SecretError], "usage", exitUsage},
	{is[*worker.EndedError], "ended", exitFailed},
	{is[*store.SchemeError], "unknown_store", exitFailed},
	{is[*store.AccountError], "invalid_account", exitFailed},
	{is[*store.PathError], "storage", exitFailed},
	{is[*browser.NotFoundError], "no_browser", exitFailed},
	{is[*browser.StartError], "browser_not_started", exitFailed},
	{is[*browser.ConnectError], "browser_unreachable", exitFailed},
	{isErr(browser.ErrLost), string(replayer.BrowserLost), exitFailed},
	{is[*recorder.IntegrityError], "incomplete", exitFailed},
	{isErr(recorder.ErrNothingRecorded), "nothing_recorded", exitFailed},
}

func is[T error](err error) bool {
	var typed T
	return errors.As(err, &typed)
}

func isErr(sentinel error) func(error) bool {
	return func(err error) bool { return errors.Is(err, sentinel) }
}

// describe says what kind of error it is.
func describe(err error) failure {
	f := failure{Code: "failed", Reason: err.Error(), exit: exitFailed}
	var played *replayer.Error
	var kept *keptError
	if errors.As(err, &kept) {
		f.Kept = kept.file
	}
	var edited *editedError
	if errors.As(err, &edited) {
		f.Kept = edited.file
	}
	var foreign *exchange.Error
	if errors.As(err, &foreign) && foreign.Step >= 0 {
		f.Step = &foreign.Step
	}
	if errors.As(err, &played) {
		f.play(played)
		return f
	}
	for _, k := range kinds {
		if k.fits(err) {
			f.Code, f.exit = k.code, k.exit
			break
		}
	}
	for _, p := range automation.Problems(err) {
		f.Problems = append(f.Problems, problem{p.Path, p.Reason})
	}
	return f
}

func (f *failure) play(e *replayer.Error) {
	f.Code, f.Reason, f.Tried = string(e.Code), e.Reason, e.Tried
	f.Tool, f.Intent, f.Considered = e.Tool, e.Intent, e.Considered
	if e.Step >= 0 {
		f.Step = &e.Step
	}
	if e.Code == replayer.Refused || e.Code == replayer.Blocked || e.Code == replayer.Uncertain {
		f.exit = exitPerson
	}
}

// hints say what to do about an error, for people.
var hints = map[string]string{
	"not_found":           "`reprise list` shows what is kept, and where it looks is --data.",
	"no_match":            "`reprise list` shows for which addresses and accounts there is something.",
	"ambiguous":           "Name the one that is meant: reprise play NAME --account ACCOUNT.",
	"busy":                "`reprise runs` shows what is played; --wait waits for it.",
	"no_browser":          "`reprise doctor` checks the rest.",
	"browser_not_started": "`reprise doctor` looks at what may be wrong.",
}

// fail tells what went wrong, unless that is done, and gives the exit code.
func (a *app) fail(cmd *cobra.Command, err error) int {
	f := describe(err)
	switch {
	case is[*toldError](err), errors.Is(err, syscall.EPIPE): // whoever read has gone
	case a.json:
		a.warn(a.printJSON(map[string]failure{"error": f}))
	default:
		a.complain(cmd, f)
	}
	return f.exit
}

func (a *app) complain(cmd *cobra.Command, f failure) {
	style := render.StyleOf(a.stderr)
	reason := f.Reason
	if len(f.Problems) > 1 {
		reason = strings.ReplaceAll(reason, "\n", "\n  ")
	}
	a.say("%s %s", style.Red("reprise:"), reason)
	if f.Code == "usage" {
		a.say("`%s --help` says how it is used.", cmd.CommandPath())
	}
	if hint := hints[f.Code]; hint != "" {
		a.say("%s", hint)
	}
}
