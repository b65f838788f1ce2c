package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// The codes of errors in addition to those of replayer.Code.
const (
	InvalidIntent    = "INVALID_INTENT"    // the intent is empty, too long or no text; nothing was done, and nothing written down
	InvalidArguments = "invalid_arguments" // they do not fit the tool's schema; nothing was done
	NotFound         = "not_found"
	NoMatch          = "no_match"
	Conflict         = "conflict"
	NotRecording     = "not_recording"
	Failed           = "failed"
)

// Error is why a call was not done, as the agent is told.
type Error struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Next is what to do about it.
	Next string `json:"next,omitempty"`
	// Suggestion is a call that gets on, where one does.
	Suggestion *replayer.Suggestion `json:"suggestion,omitempty"`
	// Outcome is what became of the approval that was asked for and not given: denied, expired. Consent is
	// then false.
	Outcome string `json:"outcome,omitempty"`
	Consent *bool  `json:"consent,omitempty"`

	// Intent is why it was done: of the step, or else of the call.
	Intent string `json:"intent,omitempty"`

	Step  *int               `json:"step,omitempty"` // of an automation, from 1
	Tool  string             `json:"tool,omitempty"` // of that step
	Tried []replayer.Attempt `json:"tried,omitempty"`
	// Run is the record of the run that ended so; Resumable that it can be gone on with.
	Run       string   `json:"run,omitempty"`
	Resumable bool     `json:"resumable,omitempty"`
	Accounts  []string `json:"accounts,omitempty"` // that there is something for
	Logins    []Login  `json:"logins,omitempty"`   // that lead past the blocker
	// Consequences are what pages did because of the call all the same.
	replayer.Consequences
	Err error `json:"-"`
}

func (e *Error) Error() string { return e.Code + ": " + e.Reason }

func (e *Error) Unwrap() error { return e.Err }

func refuse(code, next, format string, args ...any) *Error {
	return &Error{Code: code, Next: next, Reason: fmt.Sprintf(format, args...)}
}

// nexts say what to do about a failure of each kind.
var nexts = map[replayer.Code]string{
	replayer.NotFound:         "take a snapshot: the element may be called otherwise, or stand on another page",
	replayer.Ambiguous:        "take a snapshot and name the one that is meant by its reference",
	replayer.Changed:          "take a snapshot and look whether it is the same element",
	replayer.NotActionable:    "take a snapshot: something may lie over it, or it waits for something else first",
	replayer.OutOfScope:       "navigate to the site where it is to be done, if that is meant",
	replayer.InvalidValue:     "give the variable in vars; a secret comes from a task, or from what a person has stored for the account",
	replayer.Timeout:          "take a snapshot: what should have followed may have come late, or not at all",
	replayer.Blocked:          "a person must deal with it; ask match_automation whether something is recorded for this page",
	replayer.Uncertain:        "do not do it again: a person must look whether it was done",
	replayer.Refused:          "it is not done without a person's leave: do something else",
	replayer.BrowserLost:      "call again: a new page is opened, and no one is signed in there",
	replayer.NavigationFailed: "check the address, or try later: nothing was loaded",
	replayer.Cancelled:        "nothing more was done",
}

// unapproved say what to do about an approval that was not given.
var unapproved = map[string]string{
	replayer.ApprovalExpired: "no one answered in time, which is no consent: do not try it in another way; tell the user",
	replayer.ApprovalDenied:  "a person has denied it: do something else, and not the same in another way",
}

// asError makes what the agent is told of whatever ended a call.
func asError(ctx context.Context, err error) *Error {
	var own *Error
	var played *replayer.Error
	var missing *store.NotFoundError
	var tie *automation.AmbiguousError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &played):
		return ofReplayer(played)
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)), errors.Is(err, context.Canceled), errors.Is(err, errLeft):
		return &Error{Code: string(replayer.Cancelled), Reason: "the call was cancelled", Next: nexts[replayer.Cancelled], Err: err}
	case errors.As(err, &missing):
		return &Error{Code: NotFound, Reason: missing.Error(), Next: "list_automations shows what there is", Accounts: named(missing.Accounts), Err: err}
	case errors.Is(err, store.ErrNotFound):
		return &Error{Code: NotFound, Reason: err.Error(), Next: "leave the name out to see what there is", Err: err}
	case errors.As(err, &tie):
		return &Error{Code: string(replayer.Ambiguous), Reason: tie.Error(), Next: "run the one that is meant by its name", Err: err}
	case errors.Is(err, store.ErrConflict):
		return &Error{Code: Conflict, Reason: err.Error(), Next: "choose another name", Err: err}
	case errors.Is(err, browser.ErrDisconnected), errors.Is(err, browser.ErrPageClosed), errors.Is(err, browser.ErrPageCrashed):
		return &Error{Code: string(replayer.BrowserLost), Reason: err.Error(), Next: nexts[replayer.BrowserLost], Err: err}
	}
	return &Error{Code: Failed, Reason: err.Error(), Err: err}
}

// named are account labels, without that of any account.
func named(accounts []string) []string {
	var all []string
	for _, account := range accounts {
		if account != "" {
			all = append(all, account)
		}
	}
	return all
}

func ofReplayer(e *replayer.Error) *Error {
	told := &Error{
		Code: string(e.Code), Reason: e.Reason, Next: nexts[e.Code], Suggestion: e.Suggestion, Intent: e.Intent, Tool: e.Tool, Tried: e.Tried, Err: e,
	}
	if e.Code == replayer.Refused && e.Suggestion == nil {
		told.Next = "it is not done in this way, as the reason says: do something else"
	}
	if next := unapproved[e.Outcome]; next != "" {
		told.Outcome, told.Consent, told.Next = e.Outcome, new(bool), next
	}
	if e.Step >= 0 {
		step := e.Step + 1
		told.Step = &step
	}
	return told
}

// SuggestNext ends Error.Next where Error.Suggestion helps.
const SuggestNext = "; or call what suggestion says"

// served drops a suggestion of a tool that this server does not serve. Where it stays, Next
// says so.
func (e *Error) served(s *Server) *Error {
	switch {
	case e.Suggestion == nil:
	case !s.offers(e.Suggestion.Tool):
		e.Suggestion = nil
	default:
		e.Next += SuggestNext
	}
	return e
}
