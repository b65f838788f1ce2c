package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// storedCall is a call as it stands in a line. Its keys are in this order; what is not
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

// TraceEnd is the last line of a trace: how many there are, and its hash. The zero
// value is that of a trace without lines.
type TraceEnd struct {
	Calls int
	Hash  string
}

// hashKey begins what is put behind a line's content: the hash of that content.
const hashKey = `,"hash":"`

// suffixSize is that of the hash behind a line's content.
const suffixSize = len(hashKey) + 2*sha256.Size + len(`"}`)

// EncodeCall gives the line of a call that follows an end, without a newline, the call
// as it is kept, and the new end. It is for the packages of stores.
func EncodeCall(c JournalCall, after TraceEnd) ([]byte, JournalCall, TraceEnd, error) {
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
	end := TraceEnd{c.Number, hashOf(content)}
	line := append(content[:len(content)-1:len(content)-1], hashKey+end.Hash+`"}`...)
	kept, _, err := DecodeCall(line)
	return line, kept, end, err
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

// DecodeCall reads a line, and gives the hash that it says it has.
func DecodeCall(line []byte) (JournalCall, string, error) {
	var c struct {
		storedCall
		Hash string `json:"hash"`
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return JournalCall{}, "", err
	}
	return JournalCall{
		Session: c.Session, Owner: c.Owner, Number: c.Number, ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Intent: c.Intent,
		Outcome: c.Outcome, Code: c.Code, Reason: c.Reason, Started: c.Started, Took: time.Duration(c.TookMS) * time.Millisecond,
		Run: c.Run, URL: c.URL, Evidence: c.Evidence,
	}, c.Hash, nil
}

// CheckCall holds a line to what it says of itself and of the line before, and gives
// the end behind it. The reason is "" where nothing is wrong.
func CheckCall(session string, line []byte, after TraceEnd) (end TraceEnd, reason string) {
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
	return TraceEnd{c.Number, hash}, ""
}
