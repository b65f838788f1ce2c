package replayer

import (
	"context"
	"errors"
)

// Journal keeps what must outlive a crash of the program: which steps of a run have
// committed to something. A store's is one; several machines may share it.
type Journal interface {
	// Sending notes, durably, that a step is about to be sent. ErrSent says that it was
	// noted before and not taken back: whoever asks must not send it.
	Sending(ctx context.Context, run string, step int) error
	// Settled notes what became of it: true that its consequence was seen, false that it
	// never left, and may be sent again.
	Settled(ctx context.Context, run string, step int, done bool) error
	// Sent gives the steps that were sent: true for those whose consequence was seen.
	Sent(ctx context.Context, run string) (map[int]bool, error)
}

// ErrSent is the error of Journal.Sending for a step that was sent before.
var ErrSent = errors.New("it was sent before")

// recall takes over what earlier attempts at this run have sent.
func (r *run) recall(ctx context.Context) error {
	if r.options.Journal == nil {
		return nil
	}
	sent, err := r.options.Journal.Sent(ctx, r.id)
	if err != nil {
		return &Error{Code: Refused, Reason: "what this run has sent before could not be read: " + err.Error(), Err: err}
	}
	for step, seen := range sent {
		r.sent[step] = true
		switch {
		case !seen:
			return &Error{Code: Uncertain, Reason: sentBefore(step)}
		case step >= r.from:
			return &Error{Code: Uncertain, Reason: sentAlready(step)}
		}
	}
	return nil
}
