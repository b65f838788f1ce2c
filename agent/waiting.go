package agent

import (
	"context"
	"time"

	"github.com/go-reprise/reprise/store"
)

// What an agent is told while a call waits for a person.

// tellEvery is how often a client is told that a call still waits: clients that give up
// calls of which they hear nothing do so after half a minute, or more.
const tellEvery = 10 * time.Second

// waits returns what is told of the approval that a call waits for, and with nil that it
// goes on. It notes that, and tells the operator, and the client again and again.
func (c *call) waits(note func(*store.Approval)) func(context.Context, *store.Approval) {
	stop := func() {}
	return func(ctx context.Context, asked *store.Approval) {
		note(asked)
		stop()
		stop = func() {}
		if asked == nil {
			return
		}
		if told := c.session.server.options.Asked; told != nil {
			told(ctx, *asked)
		}
		stop = again(tellEvery, func() { c.stillWaits(ctx, *asked) })
	}
}

// again tells at once and then each time, until it is stopped.
func again(every time.Duration, tell func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			tell()
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// stillWaits tells the client that a person is waited for: each time somewhat nearer to
// the next step, as progress has to be more each time.
func (c *call) stillWaits(ctx context.Context, asked store.Approval) {
	c.waited++
	part := 1 - 1/float64(c.waited+1)
	c.tell(ctx, float64(c.step)+part, "waits for a person: approval "+asked.ID)
}

// waitFor notes what a lone call waits for, nil for nothing.
func (s *session) waitFor(asked *store.Approval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = asked
}

// waitsFor is what a lone call of the session waits for, nil for nothing.
func (s *session) waitsFor() *store.Approval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// pending are the approvals that runs wait for, by their runs.
func (s *Server) pending(ctx context.Context) (map[string]store.Approval, error) {
	all := map[string]store.Approval{}
	for one, err := range s.options.Store.Approvals().Pending(ctx) {
		if err != nil {
			return nil, err
		}
		if one.Err == nil {
			all[one.Run] = one.Approval
		}
	}
	return all, nil
}

// toldApproval is what an agent is told of a question to a person: with it nobody answers.
func toldApproval(a store.Approval) map[string]any {
	told := map[string]any{"approval": a.ID, "step": a.Step + 1, "tool": a.Tool, "until": a.Deadline}
	for key, value := range map[string]string{
		"intent": a.Intent, "says": a.Says, "origin": a.Origin, "payee": a.Payee, "amount": a.Amount, "currency": a.Currency,
		"method": a.Method, "request": a.Request, "type": a.Type,
	} {
		if value != "" {
			told[key] = value
		}
	}
	return told
}

// waitingNext is what an agent does about a run that waits.
const waitingNext = "a person answers it, or its time runs out: tell them, and ask again for the status"
