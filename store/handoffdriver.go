package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// What follows is for the packages of other stores, so that each keeps the same text and
// goes the same ways.

// CheckStart says what is wrong with a handoff that is to be started, or with how long it
// is to last, as an *InvalidHandoffError.
func CheckStart(h Handoff, lasting time.Duration) error {
	if err := h.Validate(); err != nil {
		return err
	}
	if lasting <= 0 || lasting > MaxHandoff {
		return &InvalidHandoffError{h.ID, fmt.Sprintf("it lasts for at most %v, and for some time", MaxHandoff)}
	}
	return nil
}

// CheckEnd says what is wrong with an end of a handoff.
func CheckEnd(id string, state HandoffState, after json.RawMessage) error {
	if !isEnd(state) {
		return &InvalidHandoffError{id, fmt.Sprintf("%.40q is no end of a handoff", state)}
	}
	if reason := evidenceProblem(after); reason != "" {
		return &InvalidHandoffError{id, reason}
	}
	return nil
}

// CheckNote says what is wrong with an event that is to be noted.
func CheckNote(id string, e HandoffEvent) error { return e.validate(id) }

// WhyNotEnd is the error of an end that a handoff cannot have at a time, nil for one that
// it can.
func WhyNotEnd(h Handoff, to HandoffState, now time.Time) error {
	reason := ""
	late := !now.Before(h.Deadline)
	switch {
	case h.State != HandoffRunning:
		reason = "it ends once"
	case to == HandoffFinished && late:
		reason = "its time was up before; it has timed out, or is cancelled"
	case to == HandoffTimedOut && !late:
		reason = "its time is up at " + h.Deadline.Format(time.RFC3339)
	default:
		return nil
	}
	return &HandoffStateError{h.ID, h.State, to, reason}
}

// WhyNoEvent is the error of an event that comes after so many, nil for one that may.
func WhyNoEvent(h Handoff, events int) error {
	reason := ""
	switch {
	case h.State != HandoffRunning:
		reason = "it has ended"
	case events >= maxHandoffEvents:
		reason = fmt.Sprintf("it has %d of them", events)
	default:
		return nil
	}
	return &HandoffStateError{ID: h.ID, From: h.State, Reason: reason}
}

// EncodeHandoff gives the text in which a handoff is kept.
func EncodeHandoff(h Handoff) ([]byte, error) { return encodeHandoff(h) }

// DecodeHandoff reads what EncodeHandoff gives.
func DecodeHandoff(data []byte) (Handoff, error) { return decodeHandoff(data) }

// EncodeEvent gives the line in which an event is kept, without a newline.
func EncodeEvent(e HandoffEvent) ([]byte, error) { return encodeEvent(e) }

// DecodeEvent reads what EncodeEvent gives.
func DecodeEvent(line []byte) (HandoffEvent, error) { return decodeEvent(line) }

// HandoffNotFound is the error for a handoff that there is not. It is ErrNotFound.
func HandoffNotFound(id string) error { return handoffNotFound(id) }
