package replayer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/selectors"
)

// Person is the user who is asked where a run may not, or cannot, go on alone.
type Person interface {
	// Approve reports whether what is described may be sent. An error denies it.
	Approve(ctx context.Context, a Approval) (bool, error)
	// TakeOver hands the page over, and returns when the person is done.
	TakeOver(ctx context.Context, h Handoff) error
}

// Approval is a request for an approval. It is compared, whole, with what is there once it was
// approved.
type Approval struct {
	Run    string `json:"run"`
	Step   int    `json:"step"` // index
	Tool   string `json:"tool"`
	Intent string `json:"intent,omitempty"`
	Label  string `json:"says,omitempty"` // label of the control that is to be used
	Origin string `json:"origin"`         // of the document that it is in
	URL    string `json:"url"`            // of the page, without its query
	// Payee, Amount and Currency are what the page shows, where the document names their elements.
	Payee    string `json:"payee,omitempty"`
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	// Method, Request, Type and Size are of the request that waits at the browser, where
	// one does: its address without its query, and the bytes of its body, 0 where they are
	// not known. It is sent as it is once it is approved.
	Method  string `json:"method,omitempty"`
	Request string `json:"request,omitempty"`
	Type    string `json:"type,omitempty"`
	Size    int    `json:"size,omitempty"`
}

// Handoff is a request to take over the page.
type Handoff struct {
	Run     string        `json:"run"`
	Step    int           `json:"step"` // index
	Reason  string        `json:"reason"`
	Message string        `json:"message,omitempty"` // for the person
	URL     string        `json:"url"`               // of the page, without its query
	Page    *browser.Page `json:"-"`
}

// ask asks for an approval, which then counts for this call.
func (c *call) ask(ctx context.Context, a Approval) error {
	c.run.options.Logger.InfoContext(ctx, "asking for an approval", "step", a.Step, "says", a.Label, "origin", a.Origin)
	yes, err := c.run.options.Person.Approve(ctx, a)
	if ctx.Err() != nil { // whatever the answer is by now
		return context.Cause(ctx)
	}
	if err != nil {
		return &Error{Code: Refused, Reason: fmt.Sprintf("no one approved it: %v", err), Err: err, Suggestion: suggest("request_human", "approval")}
	}
	if !yes {
		return &Error{Code: Refused, Reason: "the approver denied " + a.what()}
	}
	c.approved = &a
	return nil
}

// needApproval is the error of a call that must be approved first: it is made again with the
// approval, and what is there must be the same then.
type needApproval struct{ Approval }

func (needApproval) Error() string { return "it needs an approval" }

// approve asks for an approval of what the page shows, before anything else is done.
func approve(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Payee, Amount, Currency, Origin string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.run.options.DryRun {
		return outcome{skipped: "a dry run asks no one"}, nil
	}
	a := Approval{
		Run: c.run.result.Run, Step: c.index, Tool: c.step.Tool, Intent: c.step.Intent, Currency: args.Currency,
		Origin: origin(c.page.Main().Address()), URL: c.run.secrets.redact(shown(c.page.URL())),
	}
	if args.Origin != "" && args.Origin != a.Origin {
		return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("the page is of %s, not of %s", a.Origin, args.Origin)}
	}
	var err error
	if a.Payee, err = c.textOf(ctx, args.Payee); err != nil {
		return outcome{}, err
	}
	if a.Amount, err = c.textOf(ctx, args.Amount); err != nil {
		return outcome{}, err
	}
	if c.approved != nil && *c.approved != a {
		return outcome{}, &Error{Code: Refused, Reason: "what was approved is not what the page shows now"}
	}
	if c.approved == nil && c.run.options.Person == nil {
		return outcome{}, &Error{Code: Refused, Reason: "commit step needs approval and Options.Person is nil", Suggestion: suggest("request_human", "approval")}
	}
	if c.approved == nil {
		return outcome{}, needApproval{a}
	}
	return outcome{}, nil
}

// textOf returns the text of the element of a selector.
func (c *call) textOf(ctx context.Context, selector string) (string, error) {
	if selector == "" {
		return "", nil
	}
	s, err := selectors.Parse(selector)
	if err != nil {
		return "", &Error{Code: Refused, Reason: err.Error(), Err: err}
	}
	step := c.step
	step.Selector, step.Alternatives, step.Fingerprint = selectors.Path{s}, nil, nil
	looking := *c
	looking.step = step
	at, err := looking.ready(ctx, requestFor(step, "read"))
	if err != nil {
		return "", err
	}
	text, _ := at.Said.(string)
	return c.run.secrets.redact(text), nil
}

// handOff has the user take over the page.
func handOff(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Reason, Message, Until string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.run.options.Person == nil {
		return outcome{}, &Error{Code: Blocked, Reason: "it wants a person, and there is no one to ask", Suggestion: suggest("handoff_start", cmp.Or(args.Reason, "manual_recovery"))}
	}
	if c.run.options.DryRun {
		return outcome{skipped: "a dry run calls no one"}, nil
	}
	return outcome{}, needPerson{Handoff{
		Run: c.run.result.Run, Step: c.index, Reason: cmp.Or(args.Reason, "manual_recovery"), Message: args.Message, URL: c.run.secrets.redact(shown(c.page.URL())), Page: c.run.tabs.browserPage,
	}}
}

// needPerson is the error of a call that the user does.
type needPerson struct{ Handoff }

func (needPerson) Error() string { return "it needs a person" }

// takeOver waits while the user drives the page.
func (c *call) takeOver(ctx context.Context, h Handoff) error {
	c.run.hold.pause(c.page, true)
	defer c.run.hold.pause(c.page, false)
	err := c.run.options.Person.TakeOver(ctx, h)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &Error{Code: Blocked, Reason: fmt.Sprintf("a person was asked, and did not do it: %v", err), Err: err, Suggestion: suggest("handoff_start", h.Reason)}
	}
	return nil
}

// isWho holds the page to the identity that the document names: that it shows whom it
// is played for. Unless it must be there, a page that does not show it yet will do.
func (r *run) isWho(ctx context.Context, must bool) error {
	who := r.automation.Identity
	if who == nil || r.options.DryRun {
		return nil
	}
	v, err := r.value(who.Value)
	if err != nil {
		return err
	}
	if _, secret := v.(automation.Secret); secret {
		return &Error{Code: Refused, Reason: "the identity is a secret: a page is not held to one"}
	}
	want, err := text(v)
	if err != nil {
		return &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	step := automation.Step{Tool: "assert", Frame: who.Frame, Selector: who.Selector, Alternatives: who.Alternatives, Optional: !must}
	c := r.newCall(len(r.automation.Steps), step)
	c.effect = automation.Read
	req := requestFor(step, "read")
	at, err := c.ready(ctx, req)
	if isAbsent(err) && !must {
		return nil
	}
	if err != nil {
		return err
	}
	if said, _ := at.Said.(string); !contains(said, want) {
		return &Error{Code: OutOfScope, Reason: fmt.Sprintf("the page does not show the one that this is for: %s says something else", who.Selector)}
	}
	return nil
}
