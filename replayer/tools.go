package replayer

import (
	"context"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

// call is a tool being played for a step.
type call struct {
	run  *run
	page *target.Page
	step automation.Step

	deadline time.Time // of the step
	dry      bool      // find and check, but do not act; the run ends there
}

// outcome is what a tool has to tell.
type outcome struct {
	element *reply // that was found; nil where none was needed
	skipped string
	stop    bool
}

// on is the outcome of a tool that found its element, unless err.
func on(at found, err error) outcome {
	if err != nil {
		return outcome{}
	}
	return outcome{element: &at.reply}
}

// tools are what this version plays.
var tools = map[string]func(context.Context, *call) (outcome, error){
	"navigate":   navigate,
	"click":      clickOn,
	"typeInput":  typeInput,
	"keypress":   keypress,
	"waitForNav": waitForNav,
	"select":     selectOptions,
	"check":      check,
	"upload":     upload,
	"dialog":     dialog,
	"drag":       drag,
}

func navigate(ctx context.Context, c *call) (outcome, error) {
	address := c.step.URL
	if c.step.Value != nil {
		v, err := c.run.value(c.step.Value)
		if err != nil {
			return outcome{}, err
		}
		if address, err = text(v); err != nil {
			return outcome{}, &Error{Code: InvalidValue, Reason: err.Error()}
		}
	}
	if err := automation.CheckURL(address); err != nil {
		return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	return outcome{}, c.page.Navigate(ctx, address)
}

func clickOn(ctx context.Context, c *call) (outcome, error) {
	return c.press(ctx, requestFor(c.step, "click"))
}

func check(ctx context.Context, c *call) (outcome, error) {
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	want, isBool := v.(bool)
	if c.step.Value == nil {
		want, isBool = true, true
	}
	if !isBool {
		return outcome{}, &Error{Code: InvalidValue, Reason: fmt.Sprintf("check takes true or false, not a value of type %T", v)}
	}
	req := requestFor(c.step, "check")
	req.Checked = &want
	return c.press(ctx, req)
}

func selectOptions(ctx context.Context, c *call) (outcome, error) {
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "select")
	if req.Values, err = list(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	return c.inPlace(ctx, req)
}

// list is a value as the options to choose.
func list(v any) ([]string, error) {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	texts := make([]string, len(items))
	for i, item := range items {
		var err error
		if texts[i], err = text(item); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// inPlace has the page script do all of a step.
func (c *call) inPlace(ctx context.Context, req request) (outcome, error) {
	if c.dry {
		req.Use = "see"
	}
	at, err := c.ready(ctx, req)
	out := on(at, err)
	out.stop = c.dry
	return out, err
}

func typeInput(ctx context.Context, c *call) (outcome, error) {
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	req := requestFor(c.step, "type")
	if secret, ok := v.(automation.Secret); ok {
		return c.typeSecret(ctx, req, secret)
	}
	if req.Value, err = text(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	if c.step.Keys {
		return c.typeKeys(ctx, req)
	}
	return c.insert(ctx, req)
}

// typeSecret gives the page script the origins as well: it types in the same
// task in which it has checked that its document is of one of them.
func (c *call) typeSecret(ctx context.Context, req request, secret automation.Secret) (outcome, error) {
	f, err := c.frame(ctx)
	if err != nil {
		return outcome{}, err
	}
	if err := c.run.scope.check(f.Address()); err != nil {
		return outcome{}, err
	}
	own := origin(f.Address())
	if secret.Bound() && !secret.Allows(own) {
		return outcome{}, &Error{Code: OutOfScope, Reason: fmt.Sprintf("the secret for this field may not be typed on %s, only on %v", own, secret.Origins())}
	}
	req.Secret, req.Origins, req.Value = true, []string{own}, secret.Reveal()
	return c.inPlace(ctx, req)
}

func keypress(ctx context.Context, c *call) (outcome, error) {
	k, err := automation.ParseKey(c.step.Key)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	out := outcome{}
	if len(c.step.Selector) > 0 {
		at, err := c.ready(ctx, requestFor(c.step, "focus"))
		if err != nil {
			return out, err
		}
		out = on(at, nil)
	} else if err := c.run.scope.check(c.page.Main().Address()); err != nil {
		return out, err
	}
	if c.dry {
		out.stop = true
		return out, nil
	}
	return out, input.PressKey(ctx, c.page, k.Name, k.Modifiers)
}
