package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"time"

	"github.com/go-reprise/reprise/automation"
	"unicode/utf8"
)

// Handoffs stores when a person had the browser, what for, and how it ended. What is
// written outlives its writer: after a crash a handoff is as it was, also a RUNNING one.
//
// The clock is that of the store. Every method returns context.Cause(ctx) once ctx is
// done.
type Handoffs interface {
	// Start stores a handoff, which begins now and lasts for some time, at most
	// MaxHandoff. Its ID, State and times are set by the store.
	Start(ctx context.Context, h Handoff, lasting time.Duration) (Handoff, error)
	// End stores how it ended, once, and what was measured after it: as finished or cancelled
	// before its deadline, as timed out from then on. Any other end is a *HandoffStateError,
	// and changes nothing.
	End(ctx context.Context, id string, state HandoffState, after json.RawMessage) (Handoff, error)
	// Extend moves the deadline of one that is RUNNING to so long from now, but no further than
	// MaxHandoff after its start, and never to an earlier time. What has ended is a
	// *HandoffStateError, and is not changed.
	Extend(ctx context.Context, id string, lasting time.Duration) (Handoff, error)
	// Note adds an event to one that is RUNNING, durably, and returns it as it is stored: with
	// its number and its time. One whose ID the last event has is not added again. Of the kind
	// HandoffTold it is added after the end, too.
	Note(ctx context.Context, id string, e HandoffEvent) (HandoffEvent, error)
	// Events returns what has happened, in its order.
	Events(ctx context.Context, id string) iter.Seq2[HandoffEvent, error]
	// Get returns a handoff, or an error that is ErrNotFound.
	Get(ctx context.Context, id string) (Handoff, error)
	// List returns them, the newest first, and Running those that are RUNNING. One that cannot
	// be read is listed with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[HandoffSummary, error]
	Running(ctx context.Context) iter.Seq2[HandoffSummary, error]
}

const (
	// MaxHandoff is how long a handoff may last.
	MaxHandoff = 24 * time.Hour
	// MaxInstruction is how long the instruction of a handoff may be, in bytes.
	MaxInstruction = automation.MaxMessage
)

// Handoff is a time in which a person has the browser. One that is RUNNING when its deadline
// passes is read as TIMED_OUT, whether or not its process is there to end it.
type Handoff struct {
	ID      string // set by the store
	Run     string // that stopped for it, "" for none
	Session string // of the agent that asked for it, "" for none
	Step    int    // index of the step at which it stopped, -1 for none
	Reason  string // why a person is needed: "manual_recovery", …
	Doing   string // what was being done, for the person
	URL     string // of the page, without user, query and fragment
	// Instruction is what the person is to do, of at most 1 KiB, and Until the condition that must
	// hold when the page is returned: a glob of an address, or a selector; "" for none.
	Instruction, Until string
	// Automation and Account are those of the run, "" for none.
	Automation, Account string
	// Browser is the Session of the Browser that has the page, and Page the browser's name of that, so that
	// another process can go on with it; "" where none can.
	Browser, Page string
	Capture       bool // a picture is taken before and after, with what is secret covered
	State         HandoffState
	Started       time.Time
	// Deadline is when it times out; Ended is zero until it has ended.
	Deadline, Ended time.Time
	// Before and After are what the engine has measured, as JSON objects; nil for nothing.
	Before, After json.RawMessage
}

// HandoffEvent is something that has happened in a handoff.
type HandoffEvent struct {
	Number int    // from 1, set by the store
	ID     string // unique in its handoff, made by its writer
	At     time.Time
	Kind   string          // "opened", "viewed", …: small letters, digits and _
	Data   json.RawMessage // anything else about it; nil for nothing
}

// HandoffTold is the kind of the events that a person was told something: also how it has ended.
const HandoffTold = "told"

// HandoffSummary is a handoff in a list.
type HandoffSummary struct {
	Handoff
	Err error // why it cannot be read; then only ID is set
}

// HandoffState is the state of a handoff.
type HandoffState string

// The states of a handoff. All but the first are ends.
const (
	HandoffRunning   HandoffState = "RUNNING"
	HandoffFinished  HandoffState = "FINISHED"
	HandoffCancelled HandoffState = "CANCELLED"
	HandoffTimedOut  HandoffState = "TIMED_OUT"
)

// HandoffStateError is the error for an end, or an event, that the state of a handoff
// does not allow.
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

// InvalidHandoffError is why a handoff, its end or an event is not stored.
type InvalidHandoffError struct{ ID, Reason string }

func (e *InvalidHandoffError) Error() string {
	if e.ID == "" {
		return "store: the handoff is not stored: " + e.Reason
	}
	return fmt.Sprintf("store: what is said of handoff %.40s is not stored: %s", e.ID, e.Reason)
}

// checkStart returns what is wrong with a handoff that is to be started, or with how long
// it is to last, as an *InvalidHandoffError.
func checkStart(h Handoff, lasting time.Duration) error {
	if err := h.Validate(); err != nil {
		return err
	}
	return checkLasting(h.ID, lasting)
}

// checkLasting returns what is wrong with how long a handoff is to last.
func checkLasting(id string, lasting time.Duration) error {
	if lasting <= 0 || lasting > MaxHandoff {
		return &InvalidHandoffError{id, fmt.Sprintf("it lasts for at most %v, and for some time", MaxHandoff)}
	}
	return nil
}

// checkEnd returns what is wrong with an end of a handoff.
func checkEnd(id string, state HandoffState, after json.RawMessage) error {
	if !isEnd(state) {
		return &InvalidHandoffError{id, fmt.Sprintf("%.40q is no end of a handoff", state)}
	}
	if reason := evidenceProblem(after); reason != "" {
		return &InvalidHandoffError{id, reason}
	}
	return nil
}

// asOf returns the handoff as it is read at a time.
func (h Handoff) asOf(now time.Time) Handoff {
	if h.State == HandoffRunning && !now.Before(h.Deadline) {
		h.State, h.Ended = HandoffTimedOut, h.Deadline
	}
	return h
}

// running returns those of a list that are RUNNING, or cannot be read.
func running(all iter.Seq2[HandoffSummary, error]) iter.Seq2[HandoffSummary, error] {
	return func(yield func(HandoffSummary, error) bool) {
		for h, err := range all {
			if err == nil && h.Err == nil && h.State != HandoffRunning {
				continue
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// whyNotEnd returns the error of an end that a handoff cannot have at a time, nil for one
// that it can.
func whyNotEnd(h Handoff, to HandoffState, now time.Time) error {
	reason := ""
	late := !now.Before(h.Deadline)
	switch {
	case h.State != HandoffRunning:
		reason = "it ends once"
	case late && to != HandoffTimedOut:
		reason = "its time was up before"
	case !late && to == HandoffTimedOut:
		reason = "its time is up at " + h.Deadline.Format(time.RFC3339)
	default:
		return nil
	}
	return &HandoffStateError{h.ID, h.asOf(now).State, to, reason}
}

// whyNoEvent returns the error of an event that comes after so many, nil for one that may.
func whyNoEvent(h Handoff, kind string, events int) error {
	reason := ""
	switch {
	case h.State != HandoffRunning && kind != HandoffTold:
		reason = "it has ended"
	case events >= maxHandoffEvents:
		reason = fmt.Sprintf("it has %d of them", events)
	default:
		return nil
	}
	return &HandoffStateError{ID: h.ID, From: h.State, Reason: reason}
}

const (
	// handoffFormat is the number of the format of meta.json.
	handoffFormat = 1

	// What a handoff may hold: evidence is some kilobytes, an event some hundred
	// bytes, and of events there are some in a minute.
	maxEvidence      = 256 << 10
	maxEvidenceDepth = 16
	maxEventData     = 16 << 10
	maxHandoffEvents = 10_000

	// maxHandoffSize bounds meta.json. Evidence is indented there: two bytes of it become
	// a line, of two spaces for each level.
	maxHandoffSize = maxEvidence*(2*maxEvidenceDepth+6) + 1<<20
	maxEventSize   = maxEventData + 1<<10
)

var (
	eventKind        = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	eventID          = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)
	errHandoffFormat = errors.New("not a format of handoffs that this version reads")
	errNoHandoff     = errors.New("it is no handoff")
	errNoEvent       = errors.New("it is no event of a handoff")
)

// storedHandoff is a handoff as it is in meta.json.
type storedHandoff struct {
	Format  int    `json:"format"`
	ID      string `json:"id"`
	Run     string `json:"run,omitempty"`
	Session string `json:"session,omitempty"`
	Step    int    `json:"step"`
	Reason  string `json:"reason"`
	Doing   string `json:"doing,omitempty"`
	URL     string `json:"url,omitempty"`

	Instruction string `json:"instruction,omitempty"`
	Until       string `json:"until,omitempty"`
	Automation  string `json:"automation,omitempty"`
	Account     string `json:"account,omitempty"`
	Browser     string `json:"browser,omitempty"`
	Page        string `json:"page,omitempty"`
	Capture     bool   `json:"capture,omitempty"`

	State    HandoffState    `json:"state"`
	Started  time.Time       `json:"started"`
	Deadline time.Time       `json:"deadline"`
	Ended    time.Time       `json:"ended,omitzero"`
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
}

// storedEvent is an event as it is in a line.
type storedEvent struct {
	Number int             `json:"n"`
	ID     string          `json:"id"`
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Validate returns what is wrong with a handoff that is to be started, as an
// *InvalidHandoffError. A store calls it before it writes.
func (h Handoff) Validate() error {
	reason := ""
	switch {
	case h.Run != "" && !runPattern.MatchString(h.Run):
		reason = "a run is named with small letters and digits"
	case h.Session != "" && !sessionPattern.MatchString(h.Session):
		reason = "a session is named with small letters, digits and -, at most 64"
	case h.Step < -1:
		reason = "a step is counted from 0, and -1 is none"
	case h.Reason == "" || !isText(h.Reason, maxQuestionLine):
		reason = "it does not say what for, in a line of text"
	case !isText(h.Doing, maxQuestionText):
		reason = "what was being done is not text, or longer than a person reads"
	case !isText(h.Instruction, MaxInstruction):
		reason = fmt.Sprintf("its instruction is not text, or longer than %d bytes", MaxInstruction)
	case !isText(h.Until, maxQuestionText) || !isText(h.Account, maxBrowserName) || !isText(h.Automation, maxBrowserName) || !isText(h.Browser, maxBrowserName) || !isText(h.Page, maxBrowserName):
		reason = "one of its names is not text, or too long"
	case !isAddress(h.URL):
		reason = "its address holds more than where the page is: leave out user, query and fragment"
	default:
		reason = evidenceProblem(h.Before)
	}
	if reason == "" {
		return nil
	}
	return &InvalidHandoffError{h.ID, reason}
}

// evidenceProblem returns what is wrong with evidence, "" for nothing.
func evidenceProblem(data json.RawMessage) string {
	switch {
	case len(data) == 0:
		return ""
	case len(data) > maxEvidence:
		return fmt.Sprintf("its evidence is larger than %d bytes", maxEvidence)
	case !isObject(data):
		return "its evidence is no JSON object"
	case depth(data) > maxEvidenceDepth:
		return fmt.Sprintf("its evidence is nested more than %d times", maxEvidenceDepth)
	}
	return ""
}

// depth is how often JSON is nested at most.
func depth(data json.RawMessage) (deepest int) {
	level := 0
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

func isObject(data json.RawMessage) bool {
	return utf8.Valid(data) && json.Valid(data) && bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

// validate returns what is wrong with an event that is to be noted.
func (e HandoffEvent) validate(handoff string) error {
	reason := ""
	switch {
	case !eventID.MatchString(e.ID):
		reason = "an event needs an ID of letters, digits, - and _, at most 64"
	case !eventKind.MatchString(e.Kind):
		reason = fmt.Sprintf("%.60q is no kind of an event", e.Kind)
	case len(e.Data) > maxEventData:
		reason = fmt.Sprintf("the event is larger than %d bytes", maxEventData)
	case len(e.Data) > 0 && !(utf8.Valid(e.Data) && json.Valid(e.Data)):
		reason = "what the event says is not JSON"
	default:
		return nil
	}
	return &InvalidHandoffError{handoff, reason}
}

func encodeHandoff(h Handoff) ([]byte, error) {
	return encodeIndented(storedHandoff{
		Format: handoffFormat, ID: h.ID, Run: h.Run, Session: h.Session, Step: h.Step, Reason: h.Reason, Doing: h.Doing, URL: h.URL, State: h.State,
		Instruction: h.Instruction, Until: h.Until, Automation: h.Automation, Account: h.Account, Browser: h.Browser, Page: h.Page, Capture: h.Capture,
		Started: h.Started.UTC(), Deadline: h.Deadline.UTC(), Ended: h.Ended.UTC(), Before: compacted(h.Before), After: compacted(h.After),
	})
}

// decodeHandoff reads what encodeHandoff returns, and refuses what no store writes.
func decodeHandoff(data []byte) (Handoff, error) {
	var s storedHandoff
	if err := json.Unmarshal(data, &s); err != nil {
		return Handoff{}, err
	}
	if s.Format < 1 || s.Format > handoffFormat {
		return Handoff{}, fmt.Errorf("%w: format %d", errHandoffFormat, s.Format)
	}
	h := Handoff{
		ID: s.ID, Run: s.Run, Session: s.Session, Step: s.Step, Reason: s.Reason, Doing: s.Doing, URL: s.URL, State: s.State,
		Instruction: s.Instruction, Until: s.Until, Automation: s.Automation, Account: s.Account, Browser: s.Browser, Page: s.Page, Capture: s.Capture,
		Started: s.Started, Deadline: s.Deadline, Ended: s.Ended, Before: compacted(s.Before), After: compacted(s.After),
	}
	if err := h.Validate(); err != nil {
		return Handoff{}, err
	}
	if reason := evidenceProblem(h.After); reason != "" {
		return Handoff{}, &InvalidHandoffError{h.ID, reason}
	}
	known := h.State == HandoffRunning || isEnd(h.State)
	if !idPattern.MatchString(h.ID) || !known || (h.State == HandoffRunning) != h.Ended.IsZero() || h.Started.IsZero() || h.Deadline.Sub(h.Started) > MaxHandoff {
		return Handoff{}, errNoHandoff
	}
	return h, nil
}

func isEnd(s HandoffState) bool {
	return s == HandoffFinished || s == HandoffCancelled || s == HandoffTimedOut
}

// encodeEvent returns the line of an event, without a newline.
func encodeEvent(e HandoffEvent) ([]byte, error) {
	return encodePlain(storedEvent{e.Number, e.ID, e.At.UTC(), e.Kind, compacted(e.Data)})
}

// decodeEvent reads what encodeEvent returns.
func decodeEvent(line []byte) (HandoffEvent, error) {
	var s storedEvent
	if err := json.Unmarshal(line, &s); err != nil {
		return HandoffEvent{}, err
	}
	e := HandoffEvent(s)
	if e.Number < 1 || e.Number > maxHandoffEvents || e.At.IsZero() || e.validate("") != nil {
		return HandoffEvent{}, errNoEvent
	}
	return e, nil
}
