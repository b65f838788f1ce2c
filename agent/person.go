package agent

import (
	"context"

	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
)

// person is who is asked in calls of lone tools, nil where there is no one: their session
// in the page is begun once, and each call asks for itself.
func (s *session) person() replayer.Person {
	if o := s.server.options; o.Person == nil && o.Ask == 0 {
		return nil
	}
	return callsPerson{s}
}

// callsPerson asks for the call that is under way.
type callsPerson struct{ session *session }

func (p callsPerson) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	return p.session.call.person().Approve(ctx, a)
}

func (p callsPerson) TakeOver(ctx context.Context, h replayer.Handoff) error {
	return p.session.call.person().TakeOver(ctx, h)
}

// person is who is asked in a call of a lone tool.
func (c *call) person() replayer.Person {
	o := c.session.server.options
	person := o.Person
	if o.Ask > 0 {
		person = &runner.StoreApprover{Approvals: o.Store.Approvals(), Timeout: o.Ask, Others: person, Waits: c.waits(c.session.waitFor)}
	}
	return runner.WithIntent(person, c.redactedIntent())
}

func (c *call) redactedIntent() string { return c.session.scrubber().Text(c.intent) }
