// Package failure describes why a command failed: an exit code, a code for programs and a
// reason for people. What the commands print of errors, as JSON or as text, starts here.
package failure

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/settings"
	"github.com/go-reprise/reprise/internal/worker"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// The exit codes.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2 // a wrong command line, or an invalid document
	ExitPerson = 3 // a person is needed
)

// Failure is an error as --json prints it.
type Failure struct {
	Code   string             `json:"code"`
	Step   *int               `json:"step,omitempty"` // index; nil where no step was begun
	Tool   string             `json:"tool,omitempty"`
	Intent string             `json:"intent,omitempty"`
	Reason string             `json:"reason"`
	Tried  []replayer.Attempt `json:"tried,omitempty"`
	// Considered are the elements that came closest, best first, where none was taken.
	Considered []replayer.Candidate `json:"considered,omitempty"`
	// Outcome is what became of the approval that was asked for and not given: denied, expired. Consent is
	// then false.
	Outcome  string    `json:"outcome,omitempty"`
	Consent  *bool     `json:"consent,omitempty"`
	Problems []Problem `json:"problems,omitempty"` // of a document
	Kept     string    `json:"kept,omitempty"`     // the file of a RescuedError
	Exit     int       `json:"-"`
}

// Problem is one thing that is wrong with a document or with settings.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Line   int    `json:"line,omitempty"` // of a settings file, from 1
	Column int    `json:"column,omitempty"`
}

// Of describes an error.
func Of(err error) Failure {
	f := Failure{Code: "failed", Reason: err.Error(), Exit: ExitFailed}
	var rescued *RescuedError
	if errors.As(err, &rescued) {
		f.Kept = rescued.File
	}
	var foreign *exchange.Error
	if errors.As(err, &foreign) && foreign.Step >= 0 {
		f.Step = &foreign.Step
	}
	var played *replayer.Error
	if errors.As(err, &played) { // before the causes that it wraps
		f.Code, f.Reason, f.Tried = string(played.Code), played.Reason, played.Tried
		f.Tool, f.Intent, f.Considered = played.Tool, played.Intent, played.Considered
		if played.Step >= 0 {
			f.Step = &played.Step
		}
		if f.Outcome = played.Outcome; f.Outcome != "" {
			f.Consent = new(bool)
		}
		if played.Code == replayer.Refused || played.Code == replayer.Blocked || played.Code == replayer.Uncertain {
			f.Exit = ExitPerson
		}
		return f
	}
	for _, k := range kinds {
		if k.fits(err) {
			f.Code, f.Exit = k.code, k.exit
			break
		}
	}
	var rented *browser.ProviderError
	if f.Code == providerFailed && errors.As(err, &rented) {
		f.Code += "_" + string(rented.Code)
	}
	f.Problems = Problems(err)
	return f
}

// Ptr describes an error for an optional field; it is nil where there is no error.
func Ptr(err error) *Failure {
	if err == nil {
		return nil
	}
	f := Of(err)
	return &f
}

// Problems returns what an error says is wrong with a document, or with settings.
func Problems(err error) []Problem {
	var all []Problem
	for _, p := range automation.Problems(err) {
		all = append(all, Problem{Path: p.Path, Reason: p.Reason})
	}
	var unset *settings.Error
	if errors.As(err, &unset) {
		for _, p := range unset.Problems {
			all = append(all, Problem{p.Path, p.Reason, p.Origin.Line, p.Column})
		}
	}
	return all
}

// kinds are the kinds of errors; the first that fits counts.
var kinds = []struct {
	fits func(error) bool
	code string
	exit int
}{
	{Is[*UsageError], "usage", ExitUsage},
	{Is[*TooLargeError], "too_large", ExitUsage},
	{Is[*settings.Error], "invalid_settings", ExitUsage},
	{isErr(context.Canceled), string(replayer.Cancelled), ExitFailed}, // whatever the signal interrupted
	{func(err error) bool { return len(automation.Problems(err)) > 0 }, "invalid_document", ExitUsage},
	{Is[*exchange.Error], "invalid_recording", ExitUsage},
	{Is[*store.HeldError], "busy", ExitFailed},
	{Is[*store.ConflictError], "conflict", ExitFailed},
	{isErr(ErrConflict), "conflict", ExitFailed},
	{Is[*store.EnvelopeConflictError], "conflict", ExitFailed},
	{Is[*store.EnvelopeNotFoundError], "not_kept", ExitFailed},
	{Is[*store.InvalidEnvelopeError], "usage", ExitUsage},
	{Is[*sealed.TaskError], "invalid_task", ExitUsage},
	{Is[*sealed.CredentialError], "invalid_credential", ExitUsage},
	{Is[*sealed.LoginError], "invalid_login", ExitUsage},
	{isErr(browser.ErrNotSignedIn), "not_signed_in", ExitFailed},
	{isErr(ErrNotSignedIn), "not_signed_in", ExitFailed},
	{isErr(ErrNotExported), "refused", ExitFailed},
	{isErr(runner.ErrNoLoginCheck), "no_check", ExitUsage},
	{Is[*browser.LoginError], "invalid_login", ExitFailed},
	{Is[*sealed.RecipientError], "usage", ExitUsage},
	{Is[*sealed.UseError], "not_for_this", ExitFailed},
	{Is[*sealed.AmbiguousError], "ambiguous_credential", ExitFailed},
	{Is[*sealed.NoKeysError], "no_key", ExitFailed},
	{Is[*sealed.OpenError], "sealed", ExitFailed},
	{Is[*sealed.PlaceError], "key_place", ExitFailed},
	{Is[*store.ApprovalEndedError], "ended", ExitFailed},
	{Is[*runner.EndedRunError], "run_ended", ExitFailed},
	{Is[*store.InvalidLimitError], "usage", ExitUsage},
	{isErr(store.ErrAmount), "usage", ExitUsage},
	{isErr(store.ErrNotFound), "not_found", ExitFailed},
	{Is[*automation.AmbiguousError], "ambiguous", ExitFailed},
	{isErr(automation.ErrNoMatch), "no_match", ExitFailed},
	{Is[*worker.SecretError], "usage", ExitUsage},
	{Is[*worker.EndedError], "ended", ExitFailed},
	{Is[*store.SchemeError], "unknown_store", ExitFailed},
	{Is[*store.AccountError], "invalid_account", ExitFailed},
	{Is[*store.PathError], "storage", ExitFailed},
	{Is[*browser.NotFoundError], "no_browser", ExitFailed},
	{Is[*browser.StartError], "browser_not_started", ExitFailed},
	{Is[*browser.ConnectError], "browser_unreachable", ExitFailed},
	{Is[*browser.ProviderError], providerFailed, ExitFailed},
	{isErr(browser.ErrDisconnected), string(replayer.BrowserLost), ExitFailed},
	{Is[*recorder.IntegrityError], "incomplete", ExitFailed},
	{isErr(recorder.ErrNothingRecorded), "nothing_recorded", ExitFailed},
}

// providerFailed is the code of a *browser.ProviderError, before its own code.
const providerFailed = "provider"

// Is reports whether an error is, or wraps, a T.
func Is[T error](err error) bool {
	var typed T
	return errors.As(err, &typed)
}

func isErr(sentinel error) func(error) bool {
	return func(err error) bool { return errors.Is(err, sentinel) }
}

// UsageError is a wrong command line.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// TooLargeError is an input that has more than Limit bytes.
type TooLargeError struct {
	Name  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has more than the %d bytes that are read of it", e.Name, e.Limit)
}

// ErrConflict is wrapped by errors of commands that would overwrite something else.
var ErrConflict = errors.New("conflict")

// ErrNotSignedIn is a user who has given up signing in.
var ErrNotSignedIn = errors.New("nothing was stored: no one signed in")

// ErrNotExported is a user who was asked, and did not want a login to be written.
var ErrNotExported = errors.New("nothing was written")

// RescuedError is a failure whose work was saved nevertheless, in a file.
type RescuedError struct {
	Err  error
	What string // such as "What was recorded"
	File string
}

func (e *RescuedError) Error() string { return fmt.Sprintf("%v\n%s is in %s", e.Err, e.What, e.File) }
func (e *RescuedError) Unwrap() error { return e.Err }

// PrintedError is an error that the command has already printed.
type PrintedError struct{ err error }

func (e *PrintedError) Error() string { return e.err.Error() }
func (e *PrintedError) Unwrap() error { return e.err }

// Printed marks an error as printed, unless printing itself failed. Either may be nil.
func Printed(err, printing error) error {
	if err == nil || printing != nil {
		return errors.Join(err, printing)
	}
	return &PrintedError{err}
}
