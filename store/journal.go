package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"time"
	"unicode/utf8"
)

// Journal keeps what agents have called, in the order of each session: its trace.
// Every line holds the hash of the line before it, and a record beside the trace says
// which is the last: a line that was changed, taken out or cut off at the end shows.
// Whoever can write all of it can write all of it anew: it tells of accidents and of
// careless hands, and is no signature.
type Journal interface {
	// Append adds a call to the end of its session's trace, durably, and gives it as it
	// is kept: with its number. A call of an ID that the trace has already is not added
	// again.
	Append(ctx context.Context, c JournalCall) (JournalCall, error)
	// Trace gives the calls of a session in their order. It does not check them.
	Trace(ctx context.Context, session string) iter.Seq2[JournalCall, error]
	// Recent gives the last calls of all sessions, the newest first.
	Recent(ctx context.Context, limit int) ([]JournalCall, error)
	// RecentOf returns the last calls of an owner, the newest first; none for the owner "".
	RecentOf(ctx context.Context, owner string, limit int) ([]JournalCall, error)
	// Sessions gives the names of all sessions, sorted.
	Sessions(ctx context.Context) ([]string, error)
	// Verify checks the trace of a session. What is wrong with it is a
	// *BrokenTraceError; a session without a trace is ErrNotFound.
	Verify(ctx context.Context, session string) (TraceCheck, error)
}

// JournalCall is one call of a tool. What is secret stands in it as a name only: who
// writes it sees to that. Its times are kept to the millisecond.
type JournalCall struct {
	Session string
	// Owner is whose call it is where that outlasts the session: never a token, at most its
	// hash, of at most 64 bytes. "" means the session itself (OwnedBy).
	Owner  string
	Number int    // from 1, set by the journal
	ID     string // of the call, unique in its session
	Tool   string
	// Arguments of the call, as JSON; nil where there are none, or none may be told.
	Arguments json.RawMessage
	Intent    string // "" is none, and then there is no key for it
	Outcome   CallOutcome
	Code      string // why it was not done: "gone", "refused", …
	Reason    string // the same in words
	Started   time.Time
	Took      time.Duration
	Run       string   // the record of the run that it played, "" for none
	URL       string   // where the page was after it, without its query
	Evidence  []string // what was seen of it: hashes of pictures, and the like
}

// CallOutcome says how a call ended.
type CallOutcome string

// The outcomes of a call.
const (
	CallDone      CallOutcome = "done"
	CallRefused   CallOutcome = "refused" // nothing was done
	CallFailed    CallOutcome = "failed"
	CallUncertain CallOutcome = "uncertain"
	CallCancelled CallOutcome = "cancelled"
)

// TraceCheck is what Verify found in a trace that is whole.
type TraceCheck struct {
	Calls int
	// Torn says that behind the last call lies the beginning of another, which was never
	// said to be kept: its writer has crashed. The next call takes its place.
	Torn bool
}

// BrokenTraceError says that a trace is not what was written.
type BrokenTraceError struct {
	Session string
	Line    int // from 1, the first that is wrong
	Reason  string
}

func (e *BrokenTraceError) Error() string {
	return fmt.Sprintf("store: the trace of session %.60q is not what was written: line %d: %s", e.Session, e.Line, e.Reason)
}

// InvalidCallError says why a call is not written down.
type InvalidCallError struct{ Session, Reason string }

func (e *InvalidCallError) Error() string {
	return fmt.Sprintf("store: a call of session %.60q is not written down: %s", e.Session, e.Reason)
}

var (
	sessionPattern = regexp.MustCompile(`^[0-9a-z][0-9a-z-]{0,63}$`)
	toolPattern    = regexp.MustCompile(`^[a-z][a-z0-9_]{2,63}$`)
)

// maxCallSize is that of a line: what an agent sends at once, and what it is told.
const maxCallSize = 1 << 20

// maxOwner is the size of a SHA-256 in hexadecimal.
const maxOwner = 64

// OwnedBy reports whether the call is an owner's. A call without an owner is its session's.
func (c JournalCall) OwnedBy(owner string) bool {
	return owner != "" && cmp.Or(c.Owner, c.Session) == owner
}

// Validate says what is wrong with a call, as an *InvalidCallError. A journal calls it
// before it writes.
func (c JournalCall) Validate() error {
	reason := ""
	switch {
	case !sessionPattern.MatchString(c.Session):
		reason = "a session is named with small letters, digits and -, at most 64"
	case c.ID == "" || len(c.ID) > 64 || !utf8.ValidString(c.ID):
		reason = "it needs an ID, of at most 64 bytes"
	case len(c.Owner) > maxOwner || !utf8.ValidString(c.Owner):
		reason = fmt.Sprintf("its owner is longer than %d bytes, or no text", maxOwner)
	case !toolPattern.MatchString(c.Tool):
		reason = fmt.Sprintf("%.60q is not the name of a tool", c.Tool)
	case len(c.Arguments) > 0 && !json.Valid(c.Arguments):
		reason = "its arguments are not JSON"
	case !knownOutcome(c.Outcome):
		reason = fmt.Sprintf("%.40q is not an outcome", c.Outcome)
	case c.Started.IsZero():
		reason = "it does not say when it began"
	default:
		return nil
	}
	return &InvalidCallError{c.Session, reason}
}

func knownOutcome(o CallOutcome) bool {
	switch o {
	case CallDone, CallRefused, CallFailed, CallUncertain, CallCancelled:
		return true
	}
	return false
}
