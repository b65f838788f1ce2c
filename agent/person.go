package agent

import (
	"context"

	"github.com/go-reprise/reprise/replayer"
)

// personFor is who is asked for a call, nil for nobody: they are told what it is for.
func (c *call) personFor() replayer.Person {
	person := c.session.server.options.Person
	if person == nil || c.intent == "" {
		return person
	}
	return told{person, c.session.scrubber().Text(c.intent)}
}

// told tells a person the intent of a call, where the step has none of its own.
type told struct {
	replayer.Person
	intent string
}

// Approve asks with the intent.
func (t told) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	if a.Intent == "" {
		a.Intent = t.intent
	}
	return t.Person.Approve(ctx, a)
}

// TakeOver hands over with the intent.
func (t told) TakeOver(ctx context.Context, h replayer.Handoff) error {
	if h.Message == "" {
		h.Message = t.intent
	}
	return t.Person.TakeOver(ctx, h)
}
