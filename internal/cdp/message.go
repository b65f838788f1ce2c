package cdp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// maxKept is the largest buffer that is kept for the next message; a larger one
// (a script to inject, a screenshot) is given back at once.
const maxKept = 64 << 10

// message is an encoded command in a reused buffer.
type message struct {
	bytes.Buffer
	enc *json.Encoder
}

var messages = sync.Pool{New: func() any {
	m := &message{}
	m.enc = json.NewEncoder(&m.Buffer)
	m.enc.SetEscapeHTML(false) // scripts are full of <, > and &
	return m
}}

// encode writes {"id":…,"sessionId":…,"method":…,"params":…}.
func encode(id uint64, sessionID, method string, params any) (*message, error) {
	m := messages.Get().(*message)
	m.WriteString(`{"id":`)
	m.Write(strconv.AppendUint(m.AvailableBuffer(), id, 10))
	if sessionID != "" {
		m.WriteString(`,"sessionId":`)
		m.quote(sessionID)
	}
	m.WriteString(`,"method":`)
	m.quote(method)
	if params != nil {
		m.WriteString(`,"params":`)
		if err := m.enc.Encode(params); err != nil {
			m.free()
			return nil, err
		}
	}
	m.WriteByte('}')
	return m, nil
}

func (m *message) quote(s string) { _ = m.enc.Encode(s) } // no string fails

// free keeps the buffer for another message.
func (m *message) free() {
	m.Reset()
	if m.Cap() <= maxKept {
		messages.Put(m)
	}
}

// incoming is a reply (ID) or an event (Method). Its parts are copies: they do
// not share memory with what decode was given.
type incoming struct {
	ID        uint64          `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *Error          `json:"error"`
}

// decode never quotes the message in an error: pages' texts are in it.
func decode(data []byte) (incoming, error) {
	var in incoming
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("the browser sent %d bytes that are not a protocol message: %w", len(data), err)
	}
	if in.ID == 0 && in.Method == "" && in.Error != nil {
		// Chrome answers so when it could not read a command; whose it was is
		// not said, so nobody may wait any longer.
		return in, fmt.Errorf("the browser could not read a command: %w", in.Error)
	}
	if in.ID == 0 && in.Method == "" {
		return in, errors.New("the browser sent a message that is neither a reply nor an event")
	}
	return in, nil
}
