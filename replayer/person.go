package replayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/selectors"
)

// Person is the user who is asked where a run may not, or cannot, go on alone.
type Person interface {
	// Approve reports whether what is described may be sent. An error denies it.
	Approve(ctx context.Context, a Approval) (bool, error)
	// TakeOver hands the page over, and returns when the person has returned it, or will not. The
	// error is of a person who could not be asked.
	TakeOver(ctx context.Context, h Handoff) (Returned, error)
}

// Returned is how a person has returned a page.
type Returned struct {
	Status ReturnStatus
	// Handoff is the ID of the record with what was measured before and after, "" for none.
	Handoff string
	// Secrets are what the person has typed into fields for secrets: pages may repeat it. It is stored nowhere.
	Secrets []automation.Secret
}

// ReturnStatus is how a handoff ended. The zero value is Done.
type ReturnStatus string

// The ways in which a handoff ends.
const (
	Done     ReturnStatus = "done"
	Aborted  ReturnStatus = "aborted"   // the person will not do it
	TimedOut ReturnStatus = "timed_out" // no one has done it in time
)

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
	// Picture is a JPEG of what the page shows, with what is secret covered, of at most
	// MaxApprovalPicture bytes; nil where there is none. It is for the approver, and is not compared.
	Picture []byte `json:"-"`
}

// Handoff is a request to take over the page.
type Handoff struct {
	Run     string            `json:"run"`
	Step    int               `json:"step"` // index
	Reason  automation.Reason `json:"reason"`
	Message string            `json:"message,omitempty"` // for the person
	// Intent is why the step is done, "" where it does not say.
	Intent string `json:"intent,omitempty"`
	// Blocker is what the page shows that is in the way, in words, "" for a step that hands over.
	Blocker string `json:"blocker,omitempty"`
	// Tried is what was done about it before the person is called, and why that was not enough; "" for nothing.
	Tried string `json:"tried,omitempty"`
	// Until is the condition that must hold after it: a glob of an address, or a selector. Attempt counts
	// from 1 how often the person is asked because it did not.
	Until   string        `json:"until,omitempty"`
	Attempt int           `json:"attempt"`
	URL     string        `json:"url"` // of the page, without its query
	Page    *browser.Page `json:"-"`
	// Redact knows the secrets of the run, which the page may repeat.
	Redact *Redactor `json:"-"`
}

// ask asks for an approval, which then counts for this call.
func (c *call) ask(ctx context.Context, a Approval) error {
	c.run.options.Logger.InfoContext(ctx, "asking for an approval", "step", a.Step, "says", a.Label, "origin", a.Origin)
	goOn := stopClock(ctx)
	shown := a
	shown.Picture = c.pictureOf(ctx)
	yes, err := c.run.options.Person.Approve(ctx, shown)
	goOn()
	if ctx.Err() != nil { // whatever the answer is by now
		return context.Cause(ctx)
	}
	if errors.Is(err, ErrApprovalExpired) {
		return &Error{Code: Refused, Outcome: ApprovalExpired, Reason: fmt.Sprintf("no one approved it: %v; silence is no consent: try no other way", err), Err: err}
	}
	if errors.Is(err, ErrDeniedOften) {
		return &Error{Code: Refused, Outcome: ApprovalDenied, Reason: err.Error(), Err: err}
	}
	if err != nil {
		return &Error{Code: Refused, Reason: fmt.Sprintf("no one approved it: %v", err), Err: err, Suggestion: suggest("request_human", automation.ReasonApproval)}
	}
	if !yes {
		return &Error{Code: Refused, Outcome: ApprovalDenied, Reason: "the approver denied " + a.what()}
	}
	c.approved = &a
	return nil
}

// needApproval is the error of a call that must be approved first: it is made again with the
// approval, and what is there must be the same then.
type needApproval struct{ Approval }

func (needApproval) Error() string { return "it needs an approval" }

// handOff has the user take over the page.
func handOff(ctx context.Context, c *call) (outcome, error) {
	var args struct{ Reason, Message, Until string }
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	reason := automation.ReasonOf(args.Reason)
	if _, err := parseUntil(args.Until); err != nil {
		return outcome{}, err
	}
	if c.run.options.Person == nil && (c.run.options.Unblock == nil || !reason.CanBeLearned()) {
		return outcome{}, &Error{Code: Blocked, Reason: "it wants a person, and there is no one to ask", Suggestion: suggest("handoff_start", reason)}
	}
	if c.run.options.DryRun {
		return outcome{skipped: "a dry run calls no one"}, nil
	}
	return outcome{}, needPerson{c.handoff(Handoff{Reason: reason, Message: args.Message, Until: args.Until})}
}

// handoff completes a request to take over the page of the call.
func (c *call) handoff(h Handoff) Handoff {
	h.Run, h.Step, h.URL, h.Page, h.Attempt = c.run.result.Run, c.index, c.run.secrets.redact(shown(c.page.URL())), c.run.tabs.browserPage, 1
	h.Intent = c.run.secrets.redact(c.step.Intent)
	h.Redact = &Redactor{c.run.secrets.redactor, c.run.secrets.all()}
	return h
}

// sentence returns the parts that are not empty, in one text.
func sentence(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// needPerson is the error of a call that the user does.
type needPerson struct{ Handoff }

func (needPerson) Error() string { return "it needs a person" }

// maxHandoffs is how often a person is asked for one step: again where the condition does not hold,
// or where something blocks the step once more.
const maxHandoffs = 3

// takeOver waits while the user drives the page, until the condition holds that was set. Nothing that
// was known of the page counts afterwards.
func (c *call) takeOver(ctx context.Context, h Handoff) error {
	until, err := parseUntil(h.Until)
	if err != nil {
		return err
	}
	for ; ; h.Attempt++ {
		if !c.unblocked(ctx, &h) {
			if err := c.handOver(ctx, h); err != nil {
				return err
			}
		}
		unmet, err := until.holds(ctx, c)
		if err != nil || unmet == "" {
			return err
		}
		if h.Attempt == maxHandoffs {
			return &Error{Code: Blocked, Reason: fmt.Sprintf("a person was asked %d times, and %s", maxHandoffs, unmet), Suggestion: suggest("handoff_start", h.Reason)}
		}
		h.URL = c.run.secrets.redact(shown(c.page.URL()))
	}
}

// unblocked has Options.Unblock deal with what blocks the call, once for each reason, and reports whether
// it has. Otherwise the request tells what was tried.
func (c *call) unblocked(ctx context.Context, h *Handoff) bool {
	r := c.run
	if r.options.Unblock == nil || !h.Reason.CanBeLearned() || c.tried[h.Reason] {
		return false
	}
	if c.tried == nil {
		c.tried = map[automation.Reason]bool{}
	}
	c.tried[h.Reason] = true
	r.hold.pause(c.page, true)
	done, err := r.options.Unblock(ctx, *h)
	r.hold.pause(c.page, false)
	for _, page := range r.tabs.named { // another run has had them
		page.SetDialogs(r.tabs.dialogs.answer)
	}
	r.interceptChoosers(true)
	r.secrets.knowMore(done.Secrets)
	if err != nil {
		h.Tried = r.secrets.redact(err.Error())
	}
	if done.Played {
		r.forgetPage()
	}
	return done.Done
}

// handOver has the user drive the page once.
func (c *call) handOver(ctx context.Context, h Handoff) error {
	if c.run.options.Person == nil {
		return &Error{Code: Blocked, Reason: sentence("it wants a person, and there is no one to ask", h.Tried), Suggestion: suggest("handoff_start", h.Reason)}
	}
	c.run.hold.pause(c.page, true)
	defer c.run.hold.pause(c.page, false)
	c.run.options.Logger.InfoContext(ctx, "handing over the page", "step", h.Step, "reason", h.Reason, "attempt", h.Attempt)
	goOn := stopClock(ctx)
	returned, err := c.run.options.Person.TakeOver(ctx, h)
	goOn()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.run.forgetPage()
	c.run.secrets.knowMore(returned.Secrets)
	switch {
	case err != nil:
		return &Error{Code: Blocked, Reason: fmt.Sprintf("a person was asked, and did not do it: %v", err), Err: err, Suggestion: suggest("handoff_start", h.Reason)}
	case returned.Status == Aborted:
		return &Error{Code: Blocked, Reason: "a person was asked, and will not do it", Suggestion: suggest("handoff_start", h.Reason)}
	case returned.Status == TimedOut:
		return &Error{Code: Blocked, Reason: "a person was asked, and no one has done it in time", Suggestion: suggest("handoff_start", h.Reason)}
	}
	return nil
}

// forgetPage has everything be looked for again: the user may have gone anywhere.
func (r *run) forgetPage() {
	r.frames = newFrames()
	for name, page := range r.tabs.named {
		if name != "" && page.Err() != nil {
			delete(r.tabs.named, name) // the user has closed it: a step that needs it says so
		}
	}
}

// condition is what must hold after a handoff; the zero value always does.
type condition struct {
	url      *automation.Glob
	selector selectors.Path
	text     string // as it was given
}

// parseUntil reads a condition: a glob of an address, which has a scheme, or a selector.
func parseUntil(text string) (condition, error) {
	until := condition{text: text}
	wrong := func(err error) error {
		return &Error{Code: Refused, Reason: fmt.Sprintf("handoff: until is neither a glob of an address, such as https://shop.example/orders*, nor a selector: %v", err), Err: err}
	}
	switch {
	case text == "":
	case strings.Contains(text, "://"):
		glob, err := automation.ParseGlob(text)
		if err != nil {
			return until, wrong(err)
		}
		until.url = glob
	default:
		selector, err := selectors.Parse(text)
		if err != nil {
			return until, wrong(err)
		}
		until.selector = selectors.Path{selector}
	}
	return until, nil
}

// untilTimeout is how long the page may take to show that the condition holds.
const untilTimeout = 5 * time.Second

// holds returns what of the condition does not hold, "" where it does.
func (u condition) holds(ctx context.Context, c *call) (unmet string, err error) {
	c.deadline = load.After(untilTimeout)
	switch {
	case u.url != nil:
		if err := c.guessesAddress(); err != nil {
			return "", err
		}
		bounded, cancel := load.WithDeadline(ctx, c.deadline)
		defer cancel()
		err := c.run.tabs.browserPage.WaitURL(bounded, u.url.MatchPath)
		if bounded.Err() != nil && ctx.Err() == nil {
			return fmt.Sprintf("the page is at %s, not at %s", c.run.secrets.redact(shown(c.page.URL())), u.text), nil
		}
		return "", err
	case len(u.selector) > 0:
		err := c.see(ctx, automation.Step{Tool: "waitFor", Selector: u.selector, Optional: true})
		if isAbsent(err) {
			return fmt.Sprintf("%s is not there", u.text), nil
		}
		return "", err
	}
	return "", nil
}

// CheckUntil returns what is wrong with the condition of a handoff: a glob of an address, which has a
// scheme, or a selector.
func CheckUntil(until string) error {
	_, err := parseUntil(until)
	return err
}

// ErrHidden is the error of Unmet for words of a page that repeats a secret: whether they are there would tell who
// guesses at it. Nothing was looked for.
var ErrHidden = errors.New("replayer: the page repeats a secret, and is not looked at for words")

// Unmet returns what a page does not show of the condition of a handoff, "" where it holds. It waits for
// some seconds. Where the page repeats a secret that redact knows (nil knows none), and the condition may be a guess
// at it, the error is ErrHidden, whether the guess is right or not.
func Unmet(ctx context.Context, page *browser.Page, until string, redact *Redactor) (string, error) {
	condition, err := parseUntil(until)
	if err != nil || until == "" {
		return "", err
	}
	s := redact.look(page)
	defer s.Close()
	unmet, err := condition.holds(ctx, s.run.newCall(0, automation.Step{Tool: "waitFor"}))
	if refused := new(Error); errors.As(err, &refused) && refused.Code == Refused { // as what a guess is answered with
		return "", ErrHidden
	}
	return unmet, err
}

// TakePicture returns a PNG of what a page shows, with what is secret covered, also what repeats a secret that redact
// knows (nil knows none).
func TakePicture(ctx context.Context, page *browser.Page, redact *Redactor) ([]byte, error) {
	s := redact.look(page)
	defer s.Close()
	return s.run.picture(ctx, page.Target(), false)
}

// look begins a session that only looks, and knows the secrets.
func (s *Redactor) look(page *browser.Page) *Session {
	o := &Options{Commit: RefuseCommits}
	if s != nil {
		o.Redact = s.secrets
	}
	return Begin(page, o)
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
