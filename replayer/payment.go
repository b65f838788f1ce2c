package replayer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/draw"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/selectors"
)

// One payment is one question. What an approve step reads stands in the question of the step that sends,
// is read again there in the call that sends, and compared. Which step that is the document tells, before
// anything is played (senderOf), and so also after a resumption. An agent, which has no document, names the
// elements and the control in one call (requestApproval), and sends with the next.

// Limits are standing limits, which a person has set, within which payments are made without asking.
type Limits interface {
	// BeginPayment is Journal.Begin for a payment that is within a limit: it reserves the amount, and
	// notes that the step is about to be sent. ErrNotWithinLimit reports that a person must be asked: then
	// nothing was noted.
	BeginPayment(ctx context.Context, a Approval) error
}

// ErrNotWithinLimit is the error of Limits.BeginPayment for what a person must be asked about.
var ErrNotWithinLimit = errors.New("not within a standing limit")

// ErrApprovalExpired is the error of Person.Approve where no one has answered in time. It is no consent.
var ErrApprovalExpired = errors.New("no one answered in time")

// ErrDeniedOften is the error of Person.Approve where what was asked for of late was denied again and again, so that
// no one was asked: who is asked often enough says yes in the end.
var ErrDeniedOften = errors.New("what was asked for was denied again and again: no one is asked for now")

// The outcomes of an approval that was asked for and not given.
const (
	ApprovalDenied  = "denied"
	ApprovalExpired = "expired"
)

// presses reports whether a step presses something that may send what is paid.
func presses(step automation.Step) bool {
	return step.Effect == automation.Commit || tools[step.Tool].presses && step.Tool != "check"
}

// between are the tools that may stand between an approve step and the one that sends: they fill in, look or
// wait, and lead nowhere.
var between = []string{"typeInput", "fillForm", "select", "check", "hover", "scroll", "waitFor", "assert", "extract", "screenshot", "dialog", "upload"}

// senderOf returns the index of the step whose question has what an approve step reads, -1 where the approve
// step asks at its own place: the next step that presses, in the same tab, if no step before it leads
// elsewhere, and it is declared to be a commit step or is the last before the next approve step that presses.
func senderOf(steps []automation.Step, approve int) int {
	for i := approve + 1; i < len(steps); i++ {
		switch step := steps[i]; {
		case playsOthers(step.Tool), step.Tool == "approve":
			return -1
		case presses(step):
			if step.Page != steps[approve].Page || step.Effect != automation.Commit && pressesLater(steps[i+1:]) {
				return -1
			}
			return i
		case !slices.Contains(between, step.Tool):
			return -1
		}
	}
	return -1
}

// pressesLater reports whether one of the steps before the next approve step may send something, too.
func pressesLater(steps []automation.Step) bool {
	for _, step := range steps {
		switch {
		case step.Tool == "approve":
			return false
		case presses(step), playsOthers(step.Tool):
			return true
		}
	}
	return false
}

// paymentOf returns the approve step whose question a step asks, and its index.
func paymentOf(steps []automation.Step, sender int) (approve automation.Step, index int, is bool) {
	for i := min(sender, len(steps)) - 1; i >= 0; i-- {
		if steps[i].Tool == "approve" {
			return steps[i], i, senderOf(steps, i) == sender
		}
	}
	return approve, 0, false
}

// pays reports whether the step's question has what an approve step reads: it is a commit step, and asked for
// whatever the policy allows.
func (c *call) pays() bool {
	if c.run.isSession {
		return false
	}
	_, _, is := paymentOf(c.run.automation.Steps, c.index)
	return is
}

// readsPayment reports whether what is paid is read from the page before the press.
func (c *call) readsPayment() bool {
	return !c.sent && (c.pays() || c.run.isSession && c.run.granted != nil)
}

// payment are the arguments of an approve step: selectors, but for the currency and the origin.
type payment struct{ Payee, Amount, Currency, Origin string }

// readPayment reads what is to be paid to whom, as an approve step names it, from the page of the call.
func (c *call) readPayment(ctx context.Context, approve automation.Step, a *Approval) error {
	var args payment
	if err := decodeArgs(approve, &args); err != nil {
		return err
	}
	if at := origin(c.page.Main().Address()); args.Origin != "" && args.Origin != at {
		return &Error{Code: Refused, Reason: fmt.Sprintf("the page is of %s, not of %s", at, args.Origin)}
	}
	reader := *c
	reader.step = approve.WithEvidence()
	reader.step.Optional = false
	var err error
	a.Currency = args.Currency
	pointedAt := c.run.isSession
	if a.Payee, err = reader.textOf(ctx, args.Payee, pointedAt); err != nil {
		return err
	}
	a.Amount, err = reader.textOf(ctx, args.Amount, pointedAt)
	return err
}

// textOf returns the text of the element of a selector, which must be one that a person sees. Where an agent points at
// a field, which it may have filled in itself, the text says of which that is.
func (c *call) textOf(ctx context.Context, selector string, pointedAt bool) (string, error) {
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
	req := requestFor(step, "read")
	req.Seen = true
	at, err := looking.ready(ctx, req)
	if err != nil {
		return "", err
	}
	text, _ := at.Said.(string)
	switch {
	case pointedAt && at.Field != nil:
		text = fmt.Sprintf("%s (in the field %q)", text, *at.Field)
	case pointedAt && c.run.repeatsGiven(text):
		text += " (the agent has given this text, or a part of it)"
	}
	return c.run.secrets.redact(text), nil
}

// maxGiven are remembered of what the caller of a Session has given, the newest.
const maxGiven = 1000

// noteInput notes a text that the caller of a Session enters in a page, which may show it as if it were its own. Letters
// that are pressed one by one are one text.
func (r *run) noteInput(text string) {
	text = plain(text)
	if !r.isSession || text == "" {
		return
	}
	if n := len(r.given); n > 0 && utf8.RuneCountInString(text) == 1 {
		r.given[n-1] += text
		return
	}
	r.given = append(r.given[max(0, len(r.given)-maxGiven+1):], text)
}

// noteAddressInput notes what the caller passes to a page in an address, but not where it leads.
func (r *run) noteAddressInput(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	r.noteInput(u.Fragment)
	for _, values := range u.Query() {
		for _, value := range values {
			r.noteInput(value)
		}
	}
}

// repeatsGiven reports whether a text has one that was given within it, or the other way round.
func (r *run) repeatsGiven(text string) bool {
	text = plain(text)
	return text != "" && slices.ContainsFunc(r.given, func(given string) bool {
		return given == text || len(text) > 1 && strings.Contains(given, text) || len(given) > 1 && strings.Contains(text, given)
	})
}

// plain is what is left of a text however a page sets it: its letters and digits.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// approve asks for an approval of what the page shows, before anything else is done; where the next step asks
// for it, it only makes sure that it can be read.
func approve(ctx context.Context, c *call) (outcome, error) {
	var args payment
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.run.options.DryRun {
		return outcome{skipped: "a dry run asks no one"}, nil
	}
	a := Approval{
		Run: c.run.result.Run, Step: c.index, Tool: c.step.Tool, Intent: c.step.Intent,
		Origin: origin(c.page.Main().Address()), URL: c.run.secrets.redact(shown(c.page.URL())),
	}
	if err := c.readPayment(ctx, c.step, &a); err != nil {
		return outcome{}, err
	}
	defers := senderOf(c.run.automation.Steps, c.index) >= 0
	switch {
	case c.approved != nil && !c.approved.same(a):
		return outcome{}, &Error{Code: Refused, Reason: "what was approved is not what the page shows now"}
	case c.approved != nil:
		return outcome{}, nil
	case c.run.options.Person == nil && !(defers && c.run.options.Limits != nil):
		return outcome{}, &Error{Code: Refused, Reason: "commit step needs approval and Options.Person is nil", Suggestion: suggest("request_human", automation.ReasonApproval)}
	case defers:
		return outcome{}, nil
	}
	return outcome{}, needApproval{a}
}

// addPayment adds to the question of a step what is paid, if an approve step tells where that stands, or an
// approval was requested for the session's next commit step.
func (c *call) addPayment(ctx context.Context, a *Approval) error {
	if g := c.run.granted; c.run.isSession && g != nil {
		return c.readPayment(ctx, g.step, a)
	}
	if approve, _, is := paymentOf(c.run.automation.Steps, c.index); is && !c.run.isSession {
		return c.readPayment(ctx, approve, a)
	}
	return nil
}

// payWithinLimit sends without asking what is within a standing limit: then it has been noted that it is sent.
// It is false where a person must be asked. Only what a document tells to read counts, never what an agent
// points at.
func (c *call) payWithinLimit(ctx context.Context, a Approval, send func(begin func(context.Context) error) error) (bool, error) {
	o := c.run.options
	if o.Limits == nil || o.Commit == RefuseCommits || c.approved != nil || !c.pays() {
		return false, nil
	}
	err := send(func(ctx context.Context) error { return o.Limits.BeginPayment(ctx, a) })
	if errors.Is(err, ErrNotWithinLimit) {
		return false, nil
	}
	return err == nil, err
}

// same reports whether another request is for the same. A picture is no part of that.
func (a Approval) same(b Approval) bool {
	a.Picture, b.Picture = nil, nil
	return reflect.DeepEqual(a, b)
}

const (
	// MaxApprovalPicture is how large the picture of an approval is at most, in bytes.
	MaxApprovalPicture = 512 << 10

	// approvalQuality keeps small print legible; leastQuality is for a page of photographs.
	approvalQuality, leastQuality = 80, 35
)

// pictureOf returns a picture of what the page shows, with what is secret covered, nil where there is none.
func (c *call) pictureOf(ctx context.Context) []byte {
	data, err := c.run.picture(ctx, c.page, false)
	if err == nil {
		data, err = smaller(data)
	}
	if err != nil {
		c.run.options.Logger.DebugContext(ctx, "no picture", "step", c.index, "error", err)
		return nil
	}
	return data
}

// smaller returns a picture as JPEG, within MaxApprovalPicture: a page of noise, which no one could have a picture of else, as one
// of half the size, or less.
func smaller(data []byte) ([]byte, error) {
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for {
		for _, quality := range []int{approvalQuality, leastQuality} {
			var out bytes.Buffer
			if err := jpeg.Encode(&out, decoded, &jpeg.Options{Quality: quality}); err != nil {
				return nil, err
			}
			if out.Len() <= MaxApprovalPicture {
				return out.Bytes(), nil
			}
		}
		half := image.NewRGBA(image.Rect(0, 0, (decoded.Bounds().Dx()+1)/2, (decoded.Bounds().Dy()+1)/2))
		draw.ApproxBiLinear.Scale(half, half.Bounds(), decoded, decoded.Bounds(), draw.Src, nil)
		decoded = half
	}
}

// grantFor is how long an approval that a session has requested is good for.
const grantFor = time.Minute

// granted is an approval that a session has requested for its next commit step.
type granted struct {
	Approval
	press automation.Step // that was approved
	step  automation.Step // the approve step that tells where it stands
	at    time.Time
}

// outlives reports whether the approval counts after another call, or for it: what was approved is the page as it
// stands, with all that its fields hold, and one press of one element. So a call that could change anything of that
// ends it.
func (g *granted) outlives(next automation.Step) bool {
	switch next.Tool {
	case "screenshot", "scroll":
		return true
	case "click":
		one := next.Count <= 1 && len(next.Modifiers) == 0 && next.Hold == 0 && (next.Button == "" || next.Button == "left")
		return one && next.Page == g.press.Page && next.Selector.String() == g.press.Selector.String() &&
			slices.EqualFunc(next.Frame, g.press.Frame, func(a, b selectors.Path) bool { return a.String() == b.String() }) && reflect.DeepEqual(next.Offset, g.press.Offset)
	}
	return tools[next.Tool].onlyWaits
}

// PaymentQuery names what is to be paid in a page: selectors of the elements that show it. The facts are read
// from there, never said by the caller.
type PaymentQuery struct {
	Payee, Amount string
	Currency      string // of an element as well; "" where the amount tells it
}

// requestApproval asks for an approval of a press that is not done yet.
func requestApproval(ctx context.Context, c *call) (outcome, error) {
	var query PaymentQuery
	if err := decodeArgs(c.step, &query); err != nil {
		return outcome{}, err
	}
	c.run.granted = nil
	if c.run.options.Person == nil || c.run.options.Commit == RefuseCommits {
		return outcome{}, &Error{Code: Refused, Reason: "there is no one to ask, or this run may not commit to anything"}
	}
	at, err := c.ready(ctx, requestFor(c.step, "click"))
	if err != nil {
		return outcome{}, err
	}
	if err := c.hoverOver(ctx, at); err != nil { // as it is pressed
		return outcome{}, err
	}
	reads := automation.Step{Tool: "approve", Page: c.step.Page, Frame: c.step.Frame}
	currency := ""
	if query.Currency != "" {
		reader := *c
		reader.step = reads
		if currency, err = reader.textOf(ctx, query.Currency, true); err != nil {
			return outcome{}, err
		}
	}
	if reads.Args, err = json.Marshal(payment{Payee: query.Payee, Amount: query.Amount, Currency: currency}); err != nil {
		return outcome{}, err
	}
	a := c.approvalOf(at.frame, at.Evidence)
	a.Tool = "click"
	if err := c.readPayment(ctx, reads, &a); err != nil {
		return outcome{}, err
	}
	switch {
	case c.approved == nil:
		return outcome{}, needApproval{a}
	case !c.approved.same(a):
		return outcome{}, &Error{Code: Refused, Reason: "what was approved is not what the page shows now"}
	}
	c.run.granted = &granted{Approval: a, press: c.step, step: reads, at: time.Now()}
	return on(at, nil), nil
}

// isGranted reports whether a press is the one that an approval was requested for, by its control.
func (c *call) isGranted(label string) bool {
	g := c.run.granted
	return g != nil && c.run.isSession && g.Label == label
}

// useGrant uses up the approval that was requested for the next commit step: it counts if everything is as it
// was approved.
func (c *call) useGrant(asked Approval) error {
	g := c.run.granted
	if g == nil || !c.run.isSession {
		return nil
	}
	c.run.granted = nil
	want := g.Approval
	want.Step, want.Intent = asked.Step, asked.Intent // the calls' own
	switch {
	case time.Since(g.at) > grantFor:
		return c.refusedCommit(asked, fmt.Sprintf("and it was approved more than %v ago: request the approval again", grantFor))
	case !want.same(asked):
		return c.refusedCommit(asked, fmt.Sprintf("and what was approved was %s", g.what()))
	}
	c.approved = &asked
	return nil
}

// approvalOf is the request for an approval of a press.
func (c *call) approvalOf(f interface{ Address() string }, e commit.Evidence) Approval {
	return Approval{
		Run: c.run.result.Run, Step: c.index, Tool: c.step.Tool, Intent: c.step.Intent,
		Label: c.run.secrets.redact(e.Label), Origin: origin(f.Address()), URL: c.run.secrets.redact(shown(c.page.URL())),
	}
}
