package cdp

import (
	"context"
	"encoding/json"
)

// Call is a command on its way. Nobody has to wait for it.
type Call struct {
	id                uint64
	method, sessionID string
	then              func(json.RawMessage) // may be nil

	done   chan struct{}
	result json.RawMessage // readable once done is closed, like err
	err    error
}

// Done is closed when the reply, or the reason why there will be none, is here.
func (call *Call) Done() <-chan struct{} { return call.done }

// Wait returns the result object of the reply, or an *Error of the protocol,
// ErrCrashed, ErrSessionGone or ErrClosed (all to be tested with errors.Is and
// errors.As). When it returns, the handlers of all events that came before the
// reply have returned. When ctx ends first it returns its cause; the command
// may still take effect.
func (call *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-call.done:
		return call.result, call.err
	default:
	}
	select {
	case <-call.done:
		return call.result, call.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (call *Call) finish(result json.RawMessage, err error) {
	call.result, call.err = result, err
	close(call.done)
}
