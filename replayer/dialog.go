package replayer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// dialogs are what pages have asked in dialogs, and what they are to be answered.
type dialogs struct {
	seen  []shownDialog
	armed []answer // for the next ones, in order
}

type shownDialog struct {
	page *target.Page
	target.Dialog
}

// answer is what a dialog step says of the next dialog.
type answer struct {
	page   *target.Page
	accept bool
	text   any // string or automation.Secret; nil leaves a prompt as it is
}

// dialog says how the next dialog of a page is answered: the page waits for that
// within the step that makes it ask, which comes after this one.
func dialog(_ context.Context, c *call) (outcome, error) {
	next := answer{page: c.page, accept: true}
	if len(c.step.Args) > 0 {
		said := struct{ Accept *bool }{&next.accept}
		if err := json.NewDecoder(bytes.NewReader(c.step.Args)).Decode(&said); err != nil {
			return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("args.accept: %v", err), Err: err}
		}
	}
	v, err := c.run.value(c.step.Value)
	if err != nil {
		return outcome{}, err
	}
	if _, secret := v.(automation.Secret); secret && c.run.lone {
		return outcome{}, &Error{Code: Refused, Reason: "a dialog is no field for a secret"}
	}
	if _, secret := v.(automation.Secret); secret || v == nil {
		next.text = v
	} else if next.text, err = text(v); err != nil {
		return outcome{}, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	c.page.Tree().Do(func() { c.run.dialogs.armed = append(c.run.dialogs.armed, next) })
	return outcome{}, nil
}

// answer is the run's target.DialogPolicy. What has one answer needs no step. A
// document that is out of scope gets no answer that was meant for another, and a
// secret goes only where it may be typed.
func (r *run) answer(d target.Dialog) (accept bool, typed string, handled bool) {
	armed := r.dialogs.armed
	if d.Type == "alert" || len(armed) == 0 || r.scope.check(d.URL) != nil {
		return target.DefaultDialogs(d)
	}
	next := armed[0]
	r.dialogs.armed = armed[1:]
	switch v := next.text.(type) {
	case string:
		return next.accept, v, true
	case automation.Secret:
		if v.Bound() && !v.Allows(origin(d.URL)) {
			return false, "", true
		}
		return next.accept, v.Reveal(), true
	}
	return next.accept, d.Default, true
}

// expectDialog waits for a dialog of a page, after the first n of all; it gives how
// many there were with it.
func (c *call) expectDialog(ctx context.Context, n int, e automation.Expectation) (int, error) {
	var asked []string
	err := c.page.Tree().Wait(ctx, func() (bool, error) {
		asked = nil
		for i, d := range c.run.dialogs.seen[n:] {
			if d.page == c.page && (e.Method == "" || e.Method == d.Type) && strings.Contains(d.Message, e.Text) {
				n += i + 1
				return true, nil
			}
			asked = append(asked, d.Type)
		}
		return false, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return n, &Error{Code: Timeout, Reason: fmt.Sprintf("no %s dialog was shown that fits, only %q", e.Method, asked), Err: err}
	}
	return n, err
}
