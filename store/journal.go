package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/go-reprise/reprise/store/internal/rules"
)

// Journal stores what agents have called, in the order of each session: its trace.
// Every line holds the hash of the line before it, and a record next to the trace names
// the last one: a line that was changed, taken out or cut off at the end shows. An
// attacker who can write all of it can also rewrite all of it: it shows accidents and
// careless edits, and is no signature.
type Journal interface {
	// Append adds a call to the end of its session's trace, durably, and returns it as
	// it is stored: with its number. A call of an ID that the trace has already is not added
	// again.
	Append(ctx context.Context, c JournalCall) (JournalCall, error)
	// Trace returns the calls of a session in their order. It does not check them.
	Trace(ctx context.Context, session string) iter.Seq2[JournalCall, error]
	// Recent returns the last calls of all sessions, the newest first.
	Recent(ctx context.Context, limit int) ([]JournalCall, error)
	// RecentOf returns the last calls of an owner, the newest first; none for the owner "".
	RecentOf(ctx context.Context, owner string, limit int) ([]JournalCall, error)
	// Sessions returns the names of all sessions, sorted.
	Sessions(ctx context.Context) ([]string, error)
	// Verify checks the trace of a session. What is wrong with it is a
	// *BrokenTraceError; a session without a trace is ErrNotFound.
	Verify(ctx context.Context, session string) (TraceCheck, error)
}

// JournalCall is one call of a tool. What is secret is in it as a name only: the
// caller redacts it. Its times are stored to the millisecond.
type JournalCall struct {
	Session string
	// Owner is whose call it is where that outlasts the session: never a token, at most its
	// hash, of at most 64 bytes. "" means the session itself (OwnedBy).
	Owner  string
	Number int    // from 1, set by the journal
	ID     string // of the call, unique in its session
	Tool   string
	// Arguments of the call, as JSON; nil where there are none, or they are redacted.
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

// CallOutcome is how a call ended.
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
	// Torn is whether the beginning of another call follows the last one, which was never
	// acknowledged: its writer has crashed. The next call takes its place.
	Torn bool
}

// BrokenTraceError is the error for a trace that is not what was written.
type BrokenTraceError struct {
	Session string
	Line    int // from 1, the first that is wrong
	Reason  string
}

func (e *BrokenTraceError) Error() string {
	return fmt.Sprintf("store: the trace of session %.60q is not what was written: line %d: %s", e.Session, e.Line, e.Reason)
}

// InvalidCallError is why a call is not stored.
type InvalidCallError struct{ Session, Reason string }

func (e *InvalidCallError) Error() string {
	return fmt.Sprintf("store: a call of session %.60q is not written down: %s", e.Session, e.Reason)
}

var (
	sessionPattern = regexp.MustCompile(`^[0-9a-z][0-9a-z-]{0,63}$`)
	toolPattern    = regexp.MustCompile(`^[a-z][a-z0-9_]{2,63}$`)
)

// maxCallSize is that of a line: what an agent sends at once, and the answer.
const maxCallSize = 1 << 20

// maxOwner is the size of a SHA-256 in hexadecimal.
const maxOwner = 64

// OwnedBy reports whether the call is an owner's. A call without an owner is its session's.
func (c JournalCall) OwnedBy(owner string) bool {
	return owner != "" && cmp.Or(c.Owner, c.Session) == owner
}

// Validate returns what is wrong with a call, as an *InvalidCallError. A journal calls it
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

// storedCall is a call as it is in a line. Its keys are in this order; what is not
// there has no key.
type storedCall struct {
	Number    int             `json:"n"`
	ID        string          `json:"id"`
	Session   string          `json:"session"`
	Owner     string          `json:"owner,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Intent    string          `json:"intent,omitempty"`
	Outcome   CallOutcome     `json:"outcome"`
	Code      string          `json:"code,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Started   time.Time       `json:"started"`
	TookMS    int64           `json:"took_ms"`
	Run       string          `json:"run,omitempty"`
	URL       string          `json:"url,omitempty"`
	Evidence  []string        `json:"evidence,omitempty"`
	Before    string          `json:"before"` // the hash of the line before, "" for the first
}

// hashKey begins what follows a line's content: the hash of that content.
const hashKey = `,"hash":"`

// suffixSize is that of the hash after a line's content.
const suffixSize = len(hashKey) + 2*sha256.Size + len(`"}`)

// encodeCall returns the line of a call that follows an end, without a newline, the call
// as it is read back, and the new end.
func encodeCall(c JournalCall, after rules.TraceEnd) ([]byte, JournalCall, rules.TraceEnd, error) {
	if err := c.Validate(); err != nil {
		return nil, c, after, err
	}
	c.Number = after.Calls + 1
	content, err := encodePlain(storedCall{
		Number: c.Number, ID: c.ID, Session: c.Session, Owner: c.Owner, Tool: c.Tool, Arguments: compacted(c.Arguments), Intent: c.Intent,
		Outcome: c.Outcome, Code: c.Code, Reason: c.Reason, Started: c.Started.UTC().Truncate(time.Millisecond), TookMS: c.Took.Milliseconds(),
		Run: c.Run, URL: c.URL, Evidence: c.Evidence, Before: after.Hash,
	})
	if err != nil {
		return nil, c, after, err
	}
	if len(content)+suffixSize > maxCallSize {
		return nil, c, after, &InvalidCallError{c.Session, fmt.Sprintf("it is larger than %d bytes", maxCallSize)}
	}
	end := rules.TraceEnd{Calls: c.Number, Hash: hashOf(content)}
	line := append(content[:len(content)-1:len(content)-1], hashKey+end.Hash+`"}`...)
	stored, err := decodeCall(line)
	return line, stored, end, err
}

// encodePlain writes JSON as it is read: <, > and & as they are.
func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// compacted is JSON without white space between its parts: a line holds no newline.
func compacted(data json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return nil
	}
	return b.Bytes()
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// decodeCall reads a line. It does not check its hash.
func decodeCall(line []byte) (JournalCall, error) {
	var c storedCall
	if err := json.Unmarshal(line, &c); err != nil {
		return JournalCall{}, err
	}
	return JournalCall{
		Session: c.Session, Owner: c.Owner, Number: c.Number, ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Intent: c.Intent,
		Outcome: c.Outcome, Code: c.Code, Reason: c.Reason, Started: c.Started, Took: time.Duration(c.TookMS) * time.Millisecond,
		Run: c.Run, URL: c.URL, Evidence: c.Evidence,
	}, nil
}

// checkCall compares a line with its hash and with the line before, and returns the end
// after it. The reason is "" where nothing is wrong.
func checkCall(session string, line []byte, after rules.TraceEnd) (end rules.TraceEnd, reason string) {
	if len(line) < suffixSize {
		return after, "it is not a line of a trace"
	}
	content, suffix := line[:len(line)-suffixSize], line[len(line)-suffixSize:]
	hash := hashOf(append(content[:len(content):len(content)], '}'))
	if string(suffix) != hashKey+hash+`"}` {
		return after, "its hash is not that of what it says: it was changed"
	}
	var c storedCall
	if err := json.Unmarshal(append(content[:len(content):len(content)], '}'), &c); err != nil {
		return after, "it is not JSON"
	}
	switch {
	case c.Session != session:
		return after, "it is of another session"
	case c.Before != after.Hash || c.Number != after.Calls+1:
		return after, fmt.Sprintf("it does not follow the line before: it is number %d, and %d is due", c.Number, after.Calls+1)
	}
	return rules.TraceEnd{Calls: c.Number, Hash: hash}, ""
}

// checkTrace compares all lines of a trace with one another, and with its recorded end.
// One line may follow that: its writer crashed before it recorded it.
func checkTrace(session string, lines [][]byte, head rules.TraceEnd, torn bool) (TraceCheck, error) {
	var end rules.TraceEnd
	for i, line := range lines {
		next, wrong := checkCall(session, line, end)
		if wrong == "" && next.Calls == head.Calls && next.Hash != head.Hash {
			wrong = "it is not the one that was the last"
		}
		if wrong == "" && next.Calls > head.Calls+1 {
			wrong = fmt.Sprintf("the trace was said to end with line %d", head.Calls)
		}
		if wrong != "" {
			return TraceCheck{Calls: i}, &BrokenTraceError{session, i + 1, wrong}
		}
		end = next
	}
	if end.Calls < head.Calls {
		return TraceCheck{Calls: end.Calls}, &BrokenTraceError{session, end.Calls + 1, fmt.Sprintf("it is missing: %d were written", head.Calls)}
	}
	return TraceCheck{Calls: end.Calls, Torn: torn}, nil
}
