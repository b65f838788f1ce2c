package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"
)

const (
	// handoffFormat is the number of the format of meta.json.
	handoffFormat = 1

	// What may be said of a handoff: evidence is some kilobytes, an event some hundred
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

// storedHandoff is a handoff as it stands in meta.json.
type storedHandoff struct {
	Format   int             `json:"format"`
	ID       string          `json:"id"`
	Run      string          `json:"run,omitempty"`
	Session  string          `json:"session,omitempty"`
	Step     int             `json:"step"`
	Reason   string          `json:"reason"`
	Doing    string          `json:"doing,omitempty"`
	URL      string          `json:"url,omitempty"`
	State    HandoffState    `json:"state"`
	Started  time.Time       `json:"started"`
	Deadline time.Time       `json:"deadline"`
	Ended    time.Time       `json:"ended,omitzero"`
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
}

// storedEvent is an event as it stands in a line.
type storedEvent struct {
	Number int             `json:"n"`
	ID     string          `json:"id"`
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Validate says what is wrong with a handoff that is to be started, as an
// *InvalidHandoffError. A store calls it before it writes.
func (h Handoff) Validate() error {
	reason := ""
	switch {
	case h.Run != "" && !commitRunPattern.MatchString(h.Run):
		reason = "a run is named with small letters and digits"
	case h.Session != "" && !sessionPattern.MatchString(h.Session):
		reason = "a session is named with small letters, digits and -, at most 64"
	case h.Step < -1:
		reason = "a step is counted from 0, and -1 is none"
	case h.Reason == "" || !isText(h.Reason, maxQuestionLine):
		reason = "it does not say what for, in a line of text"
	case !isText(h.Doing, maxQuestionText):
		reason = "what was being done is not text, or longer than a person reads"
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

// evidenceProblem says why evidence is none, "" for what is.
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
func depth(data json.RawMessage) (most int) {
	level := 0
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return most
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			most = max(most, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

func isObject(data json.RawMessage) bool {
	return utf8.Valid(data) && json.Valid(data) && bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

// validate says what is wrong with an event that is to be noted.
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
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(storedHandoff{
		Format: handoffFormat, ID: h.ID, Run: h.Run, Session: h.Session, Step: h.Step, Reason: h.Reason, Doing: h.Doing, URL: h.URL, State: h.State,
		Started: h.Started.UTC(), Deadline: h.Deadline.UTC(), Ended: h.Ended.UTC(), Before: compacted(h.Before), After: compacted(h.After),
	})
	return text.Bytes(), err
}

// decodeHandoff reads what encodeHandoff gives, and holds it to what a store writes.
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

// encodeEvent gives the line of an event, without a newline.
func encodeEvent(e HandoffEvent) ([]byte, error) {
	return encodePlain(storedEvent{e.Number, e.ID, e.At.UTC(), e.Kind, compacted(e.Data)})
}

// decodeEvent reads what encodeEvent gives.
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
