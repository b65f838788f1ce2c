package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// Handoffs keeps when a person had the browser, what for, and what became of it. What is
// written outlives its writer: after a crash a handoff is as it was, RUNNING too.
//
// The clock is that of the store. Every method returns context.Cause(ctx) once ctx is
// done.
type Handoffs interface {
	// Start keeps a handoff, which begins now and lasts as long as is said, at most for
	// MaxHandoff. Its ID, State and times are set by the store.
	Start(ctx context.Context, h Handoff, lasting time.Duration) (Handoff, error)
	// End keeps how it ended, once, and what was measured after it: as finished before its
	// deadline, as timed out not before it, as cancelled at any time. What is no such way
	// is a *HandoffStateError, and changes nothing.
	End(ctx context.Context, id string, state HandoffState, after json.RawMessage) (Handoff, error)
	// Note adds an event to one that is RUNNING, durably, and gives it as it is kept: with
	// its number and its time. One whose ID the last event has is not added again.
	Note(ctx context.Context, id string, e HandoffEvent) (HandoffEvent, error)
	// Events gives what has happened, in its order.
	Events(ctx context.Context, id string) iter.Seq2[HandoffEvent, error]
	// Get gives a handoff, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Handoff, error)
	// List gives them, the newest first. One that cannot be read is listed with its
	// reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[HandoffSummary, error]
}

// MaxHandoff is how long a handoff may last.
const MaxHandoff = 24 * time.Hour

// Handoff is a time in which a person has the browser.
type Handoff struct {
	ID      string // set by the store
	Run     string // that stopped for it, "" for none
	Session string // of the agent that asked for it, "" for none
	Step    int    // index of the step at which it stopped, -1 for none
	Reason  string // why a person is needed: "manual_recovery", …
	Doing   string // what was being done, for the person
	URL     string // of the page, without user, query and fragment
	State   HandoffState
	Started time.Time
	// Deadline is when it times out; Ended is zero until it has ended.
	Deadline, Ended time.Time
	// Before and After are what the engine has measured, as JSON objects; nil for nothing.
	Before, After json.RawMessage
}

// HandoffEvent is something that has happened in a handoff.
type HandoffEvent struct {
	Number int    // from 1, set by the store
	ID     string // unique in its handoff, made by who notes it
	At     time.Time
	Kind   string          // "opened", "viewed", …: small letters, digits and _
	Data   json.RawMessage // what else there is to say of it; nil for nothing
}

// HandoffSummary is a handoff in a list.
type HandoffSummary struct {
	Handoff
	Err error // why it cannot be read; then only ID is set
}

// HandoffState says where a handoff stands.
type HandoffState string

// The states of a handoff. All but the first are ends.
const (
	HandoffRunning   HandoffState = "RUNNING"
	HandoffFinished  HandoffState = "FINISHED"
	HandoffCancelled HandoffState = "CANCELLED"
	HandoffTimedOut  HandoffState = "TIMED_OUT"
)

// HandoffStateError says that a handoff is in a state from which no such way leads.
type HandoffStateError struct {
	ID       string
	From, To HandoffState // To is "" for an event
	Reason   string
}

func (e *HandoffStateError) Error() string {
	what := "does not become " + string(e.To)
	if e.To == "" {
		what = "takes no more events"
	}
	return fmt.Sprintf("store: handoff %s is %s, and %s: %s", e.ID, e.From, what, e.Reason)
}

// InvalidHandoffError says why a handoff, its end or an event is not kept.
type InvalidHandoffError struct{ ID, Reason string }

func (e *InvalidHandoffError) Error() string {
	if e.ID == "" {
		return "store: the handoff is not kept: " + e.Reason
	}
	return fmt.Sprintf("store: what is said of handoff %.40s is not kept: %s", e.ID, e.Reason)
}

// handoffNotFound is the error for a handoff that there is not.
func handoffNotFound(id string) error {
	return fmt.Errorf("store: handoff %.40q: %w", id, ErrNotFound)
}
