package autonomy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Role is who a message is from.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // the result of a call
)

// Message is one of a conversation with a model, whichever it is. What else a
// program's own messages hold goes along as Native.
type Message struct {
	Role      Role     `json:"role"`
	Text      string   `json:"text"`
	ToolCalls []string `json:"tool_calls,omitempty"` // the names of the tools that it calls
	Added     bool     `json:"added,omitempty"`      // by this package: left out when it is injected again
	Native    any      `json:"-"`
}

// Model completes a conversation.
type Model interface {
	Complete(ctx context.Context, history []Message) (Message, error)
}

// ModelFunc is a function as a Model.
type ModelFunc func(ctx context.Context, history []Message) (Message, error)

// Complete calls f.
func (f ModelFunc) Complete(ctx context.Context, history []Message) (Message, error) {
	return f(ctx, history)
}

// TranscriptError is a line of a transcript that is no message.
type TranscriptError struct {
	Line   int // from 1 on
	Reason string
}

func (e *TranscriptError) Error() string {
	return fmt.Sprintf("line %d of the transcript: %s", e.Line, e.Reason)
}

// IsTranscript reports whether a text looks like a transcript, not like an answer: its
// first line is a JSON object that has a role.
func IsTranscript(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var m wireMessage
	return json.Unmarshal(line, &m) == nil && m.Role != ""
}

// ReadTranscript reads messages, a JSON object a line, as most programs that talk to
// models store them: {"role", "content" or "text", "tool_calls"}. The content may be
// a list of parts, of which {"type": "text", "text": …} and {"type": "tool_use",
// "name": …} are read; a call is a name, or an object that holds one.
func ReadTranscript(data []byte) ([]Message, error) {
	var all []Message
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var w wireMessage
		if err := json.Unmarshal(line, &w); err != nil {
			return nil, &TranscriptError{number, "is no message: " + err.Error()}
		}
		m, reason := w.message()
		if reason != "" {
			return nil, &TranscriptError{number, reason}
		}
		all = append(all, m)
	}
	return all, nil
}

type wireMessage struct {
	Role      string          `json:"role"`
	Text      string          `json:"text"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []wireCall      `json:"tool_calls"`
}

type wirePart struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Name string `json:"name"`
}

// wireCall is "name", {"name": …} or {"function": {"name": …}}.
type wireCall struct{ name string }

func (c *wireCall) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &c.name)
	}
	var object struct {
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	err := json.Unmarshal(data, &object)
	c.name = orElse(object.Name, object.Function.Name)
	return err
}

// message returns the message, or why there is none.
func (w *wireMessage) message() (Message, string) {
	m := Message{Text: w.Text}
	switch w.Role {
	case "system", "developer":
		m.Role = System
	case "user", "human":
		m.Role = User
	case "assistant", "model", "ai":
		m.Role = Assistant
	case "tool", "function":
		m.Role = Tool
	default:
		return m, fmt.Sprintf("the role is %q: it must be system, user, assistant or tool", w.Role)
	}
	for _, c := range w.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, c.name)
	}
	if len(w.Content) == 0 || string(w.Content) == "null" {
		return m, ""
	}
	if json.Unmarshal(w.Content, &m.Text) == nil {
		return m, ""
	}
	var parts []wirePart
	if err := json.Unmarshal(w.Content, &parts); err != nil {
		return m, "the content is neither a text nor a list of parts"
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "output_text", "input_text":
			texts = append(texts, p.Text)
		case "tool_use", "tool_call":
			m.ToolCalls = append(m.ToolCalls, p.Name)
		}
	}
	m.Text = strings.Join(texts, "\n\n")
	return m, ""
}
