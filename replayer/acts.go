package replayer

import (
	"context"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

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
	c.run.hold.beginOther(c)
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
	if c.run.hand != nil && !c.dry {
		return c.typeByHand(ctx, req, req.Value, false)
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
	if err := f.Settled(ctx); err != nil { // it has an address then
		return outcome{}, err
	}
	if err := c.run.scope.check(f.Address()); err != nil {
		return outcome{}, err
	}
	own := origin(f.Address())
	if secret.Bound() && !secret.Allows(own) {
		return outcome{}, &Error{Code: OutOfScope, Reason: fmt.Sprintf("the secret for this field may not be typed on %s, only on %v", own, secret.Origins())}
	}
	req.Secret, req.Origins = true, []string{own}
	if req.TypedInto, err = c.receivers(ctx, f.Address()); err != nil {
		return outcome{}, err
	}
	c.page.Tree().NoteSecret(own)
	if err := c.run.confine(ctx, c.page); err != nil {
		return outcome{}, err
	}
	if c.run.hand != nil && !c.dry {
		return c.typeByHand(ctx, req, secret.Reveal(), true)
	}
	req.Value = secret.Reveal()
	return c.inPlace(ctx, req)
}

func keypress(ctx context.Context, c *call) (outcome, error) {
	k, err := automation.ParseKey(c.step.Key)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	out, f, evidence, err := c.focused(ctx, k)
	if err != nil {
		return out, err
	}
	if err := c.mayPressKey(ctx, k); err != nil {
		return out, err
	}
	if c.dry {
		out.stop = true
		return out, nil
	}
	if err := c.mayCommit(ctx, f, evidence); err != nil {
		return out, err
	}
	if c.run.hand != nil {
		return out, c.run.hand.PressKey(ctx, c.page, k.Name, k.Modifiers)
	}
	return out, input.PressKey(ctx, c.page, k.Name, k.Modifiers)
}

// focused is where a key goes, and the evidence of the control that it uses.
func (c *call) focused(ctx context.Context, k automation.Key) (out outcome, f *target.Frame, e commit.Evidence, err error) {
	if len(c.step.Selector) > 0 {
		req := requestFor(c.step, "focus")
		req.Key = k.Name
		at, err := c.ready(ctx, req)
		if err != nil {
			return out, nil, e, err
		}
		return on(at, nil), at.frame, at.Evidence, nil
	}
	e, f, err = c.usedByKey(ctx, k.Name)
	if err == nil {
		err = c.run.scope.check(f.Address())
	}
	return out, f, e, err
}

// usedByKey asks the frame that has the focus, which is the page's own where none says so.
func (c *call) usedByKey(ctx context.Context, key string) (e commit.Evidence, f *target.Frame, err error) {
	for _, f := range c.page.Frames() {
		var on struct {
			Evidence commit.Evidence `json:"evidence"`
			Within   bool            `json:"within"`
			Focused  bool            `json:"focused"`
		}
		err := f.Call(ctx, &on, "keyed", key)
		if target.IsLeft(err) || err == nil && (on.Within || !on.Focused) {
			continue // it goes to the next document, or to a frame within
		}
		return on.Evidence, f, err
	}
	return e, c.page.Main(), nil
}
