package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-reprise/reprise/automation"
)

// fillForm fills several fields, as several steps would.
func fillForm(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Fields []json.RawMessage }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	for i, raw := range args.Fields {
		field, err := automation.ParseField(raw)
		if err != nil {
			return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("args.fields[%d]: %v", i, err), Err: err}
		}
		if len(field.Frame) == 0 {
			field.Frame = c.step.Frame
		}
		if err := c.fill(ctx, field); err != nil {
			return outcome{}, inField(err, i)
		}
	}
	return outcome{}, nil
}

// fill uses the tool that fits the field: it is asked what it is.
func (c *call) fill(ctx context.Context, field automation.Step) error {
	looking := *c
	looking.step = field
	req := requestFor(field, "kind")
	at, err := looking.ready(ctx, req)
	if err != nil {
		return err
	}
	field.Tool, _ = at.Said.(string)
	field.Page = c.step.Page
	return c.part(ctx, field)
}

func inField(err error, i int) error {
	var e *Error
	if errors.As(err, &e) {
		in := *e
		in.Reason = fmt.Sprintf("field %d: %s", i+1, e.Reason)
		return &in
	}
	return err
}
