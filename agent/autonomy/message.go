package autonomy

import "context"

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
