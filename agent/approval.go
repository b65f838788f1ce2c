package agent

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/go-reprise/reprise/replayer"
)

// approvalTools have an agent request an approval before it presses: none where there is no one to ask.
func (s *Server) approvalTools() []*tool {
	if s.options.Commit == replayer.RefuseCommits || s.options.Person == nil && s.options.ApprovalTimeout == 0 {
		return nil
	}
	shows := func(what string) map[string]any {
		return map[string]any{"type": "string", "minLength": 1, "maxLength": 4096, "description": "Selector or reference of the element that shows " + what + ". It is read from the page."}
	}
	return []*tool{{
		name: "request_approval", title: "Request an approval", page: true, acts: true, do: s.requestApproval,
		does: "Asks a person to approve a payment before you press: they are shown who is paid what, as the page shows it, what you will press, and a picture. " +
			"Then click the same target within a minute: it is not asked for again. If anything differs by then, nothing is sent. Denied or expired is no consent.",
		schema: object(map[string]any{
			"target": targetSchema, "frame": frameSchema, "tab": tabSchema, "timeout": timeSchema,
			"payee": shows("who is paid"), "amount": shows("the amount"), "currency": shows("the currency, where the amount does not tell it"),
		}, "target", "amount"),
	}}
}

// requestApproval reads what is to be paid from the page: nothing of it is the agent's word.
func (s *Server) requestApproval(ctx context.Context, c *call) (*answer, error) {
	var fields map[string]json.RawMessage
	var args struct{ Payee, Amount, Currency string }
	if err := c.decode(&fields); err != nil {
		return nil, err
	}
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	tools, err := c.session.begin(ctx, c)
	if err != nil {
		return nil, err
	}
	click := map[string]json.RawMessage{}
	for _, name := range []string{"target", "frame", "tab", "timeout"} {
		if raw, given := fields[name]; given {
			click[name] = raw
		}
	}
	b := &building{call: c, tools: tools, tool: registered{name: "click"}, fields: click}
	step, err := b.step(ctx)
	if err != nil {
		return nil, err
	}
	query := replayer.PaymentQuery{Payee: args.Payee, Amount: args.Amount, Currency: args.Currency}
	for _, at := range []*string{&query.Payee, &query.Amount, &query.Currency} {
		if !replayer.IsRef(*at) {
			continue
		}
		element, err := tools.ResolveRef(ctx, *at)
		if err != nil {
			return nil, err
		}
		if len(element.Step.Selector) != 1 {
			return nil, &replayer.Error{Code: replayer.NotFound, Step: -1, Reason: "no one selector names that element: give a selector in its place"}
		}
		*at = element.Step.Selector.String()
	}
	if _, err := tools.RequestApproval(ctx, step, query); err != nil {
		return nil, asError(ctx, err)
	}
	return &answer{value: map[string]any{"approved": true, "next": "click the same target within a minute; nothing is sent if the page shows something else by then"}}, nil
}

// After maxDenials in a row no one is asked for the lone calls of any agent until denialsLast have passed since the
// last one: an agent that connects again has no more tries.
const (
	maxDenials  = 3
	denialsLast = 10 * time.Minute
)

// denials count how often people have denied what was asked for in a row.
type denials struct {
	mu   sync.Mutex
	n    int
	last time.Time
}

// within asks, unless people have denied too often.
func (d *denials) within(ask func() (bool, error)) (bool, error) {
	d.mu.Lock()
	if time.Since(d.last) > denialsLast {
		d.n = 0
	}
	often := d.n >= maxDenials
	d.mu.Unlock()
	if often {
		return false, replayer.ErrDeniedOften
	}
	yes, err := ask()
	if err != nil { // silence says nothing, and takes its time
		return yes, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if yes {
		d.n = 0
		return true, nil
	}
	d.n++
	d.last = time.Now()
	return false, nil
}
