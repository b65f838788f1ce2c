package agent

import (
	"context"

	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
)

// personFor is who is asked in a call, nil for nobody: they are told what it is for. The
// record is that of the run that the call plays, nil for none.
func (c *call) personFor(record *runner.Recording) replayer.Person {
	o := c.session.server.options
	person := o.Person
	if o.Ask > 0 {
		person = &runner.Person{Approvals: o.Store.Approvals(), Within: o.Ask, Others: person, Waits: c.waits(record)}
	}
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

// person is who is asked in calls of lone tools, nil for nobody: their session in the
// page is begun once, and each call asks for itself.
func (s *session) person() replayer.Person {
	if o := s.server.options; o.Person == nil && o.Ask == 0 {
		return nil
	}
	return underWay{s}
}

// underWay asks for the call that is under way.
type underWay struct{ session *session }

func (u underWay) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	return u.session.call.personFor(nil).Approve(ctx, a)
}

func (u underWay) TakeOver(ctx context.Context, h replayer.Handoff) error {
	return u.session.call.personFor(nil).TakeOver(ctx, h)
}
