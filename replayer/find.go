package replayer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// request is what the page script is asked: find, check, make ready.
type request struct {
	Paths       [][]string             `json:"paths"`
	Fingerprint *selectors.Fingerprint `json:"fingerprint,omitempty"`
	Kin         *kin                   `json:"kin,omitempty"`
	Said        bool                   `json:"said,omitempty"`
	Rows        []chosenRow            `json:"rows,omitempty"` // that were chosen before
	Use         string                 `json:"use"`
	Timeout     int64                  `json:"timeout"` // ms
	Optional    bool                   `json:"optional,omitempty"`
	Guess       bool                   `json:"guess,omitempty"`
	Again       bool                   `json:"again,omitempty"`
	TypedInto   *[]request             `json:"typedInto,omitempty"`
	Offset      *point                 `json:"offset,omitempty"`
	Checked     *bool                  `json:"checked,omitempty"`
	Values      []string               `json:"values,omitempty"`
	Value       string                 `json:"value,omitempty"`
	Key         string                 `json:"key,omitempty"`
	Sent        bool                   `json:"sent,omitempty"`    // the page may have sent what was typed
	Closed      bool                   `json:"closed,omitempty"`  // it is to be told that what the press before has opened has gone
	Untyped     bool                   `json:"untyped,omitempty"` // it is to be told where a field has gone that was typed into
	Hovered     bool                   `json:"hovered,omitempty"`
	Uncovered   bool                   `json:"uncovered,omitempty"`
	State       string                 `json:"state,omitempty"`
	Text        *string                `json:"text,omitempty"`
	Turned      []string               `json:"turned,omitempty"` // the states that the recorded press gave to it
	Attribute   string                 `json:"attribute,omitempty"`
	Compare     string                 `json:"compare,omitempty"`
	All         bool                   `json:"all,omitempty"`
	Seen        bool                   `json:"seen,omitempty"`
	At          string                 `json:"at,omitempty"` // where a text is put in; "" replaces what the field holds
	Secret      bool                   `json:"secret,omitempty"`
	Origins     []string               `json:"origins,omitempty"` // where the value may go; nil is anywhere in scope
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// reply is what it answers.
type reply struct {
	OK         bool            `json:"ok"`
	Done       bool            `json:"done"`
	X          float64         `json:"x"`
	Y          float64         `json:"y"`
	Crossed    bool            `json:"crossed"` // the point is known only within a parent
	Depth      int             `json:"depth"`   // that many frames up
	Scrolled   bool            `json:"scrolled"`
	Matched    int             `json:"matched"`
	Code       Code            `json:"code"`
	Why        string          `json:"why"`
	Tried      []Attempt       `json:"tried"`
	Considered []Candidate     `json:"considered"`
	Empty      bool            `json:"empty"`
	Keys       bool            `json:"keys"`     // the text is to be typed key by key
	Slides     bool            `json:"slides"`   // a slider, which keys move
	Entered    bool            `json:"entered"`  // an editor, which has yet to hear where its caret is
	Ref        int             `json:"ref"`      // of a field for files
	Evidence   commit.Evidence `json:"evidence"` // of the control that is about to be used
	Said       any             `json:"said"`     // what was read
	Field      *string         `json:"field"`    // what the field is called that it was read from, nil for none
	Uncover    bool            `json:"uncover"`  // a press at the point, of the field that was typed into, may close what lies over it
	Hover      bool            `json:"hover"`    // only the mouse over the point may show it
	Size       *[2]float64     `json:"size"`     // of the element that is pressed, in CSS pixels
	Box        *[4]float64     `json:"box"`      // of the element, in parts of the page's viewport
	Row        string          `json:"row"`      // of another of a kind: the hashed words of its row
	Months     []string        `json:"months"`   // that the calendar shows which it is in, as 2031-03
	Turners    []string        `json:"turners"`  // what may turn them, from left to right

	Confidence float64    `json:"confidence"`
	Drift      float64    `json:"drift"`
	Lost       []int      `json:"lost"`    // selectors that no longer name it
	Current    *described `json:"current"` // as it would be recorded now
}

// found is an element that is ready, and the frame that it is in.
type found struct {
	reply
	frame *target.Frame
	mark  target.Mark
}

// requestFor asks for the step's element.
func requestFor(step automation.Step, use string) request {
	req := request{Use: use, Fingerprint: step.Fingerprint, Optional: step.Optional}
	for _, path := range append([]selectors.Path{step.Selector}, step.Alternatives...) {
		req.Paths = append(req.Paths, path.Strings())
	}
	if step.Offset != nil {
		req.Offset = &point{step.Offset.X, step.Offset.Y}
	}
	return req
}

// glance asks for an element that may not be there yet, or not be in sight: then the tool that
// uses it has the time of the step to look for it.
func glance(step automation.Step, use string) request {
	req := requestFor(step, use)
	req.Optional = true
	return req
}

// ready finds the element of a step and makes it ready, in whatever document is
// there: one that is left while it looks is followed by the next. Nothing is
// done in a document that is out of the automation's scope.
func (c *call) ready(ctx context.Context, req request) (found, error) {
	lookout := c.lookOut()
	for {
		f, err := c.frame(ctx)
		if err != nil {
			return found{}, err
		}
		if err := f.Settled(ctx); err != nil {
			return found{}, err
		}
		if err := c.run.inScope(f.Address()); err != nil {
			if !c.isBlank(f) {
				return found{}, err
			}
			if err := pause(ctx, lookAgain); err != nil {
				return found{}, err
			}
			continue
		}
		req.Kin = c.kin
		if req.Fingerprint != nil {
			req.Said, req.Rows = c.said, c.run.rows
		}
		if req.Timeout = lookout.within(c.remaining()); c.run.frames.isInert(f) {
			req.Timeout = 0
		}
		if req.Use == "click" && c.step.Count < 2 && !c.acted { // and not as it has been pressed by now
			req.Turned = c.turned
		}
		if req.Use == "check" || req.Use == "click" || req.Use == "focus" {
			req.Sent = c.run.tabs.replies.hasSent(c.page)
		}
		req.Closed = c.run.opener > 0 && c.run.opener == c.index && c.step.Tool == "typeInput" && !c.isPart
		at, asked := found{frame: f, mark: f.Mark()}, time.Now()
		if req.Guess = c.guesses(req); req.Guess || tools[c.step.Tool].tells {
			err = c.run.secrets.teach(ctx, f)
		}
		if err == nil {
			err = f.Call(ctx, &at.reply, "act", req)
		}
		if errors.Is(err, target.ErrNavigated) {
			continue
		}
		if err != nil {
			return found{}, err
		}
		if !at.OK && c.run.frames.isInert(f) && !c.expired() {
			if err := pause(ctx, lookAgain); err != nil {
				return found{}, err
			}
			continue
		}
		if waited := time.Since(asked).Milliseconds(); !at.OK && waited >= req.Timeout && !c.expired() {
			if err := c.look(ctx, lookout, at.failure()); err != nil {
				return found{}, err
			}
			continue // the page has no clock that grows with the load
		}
		if !at.OK {
			return found{}, at.failure()
		}
		if at.Hover {
			if err := c.hoverOver(ctx, at); err != nil {
				return found{}, err
			}
			req.Hovered = true
			continue
		}
		if at.Uncover {
			x, y, err := c.inPage(ctx, at)
			if err == nil {
				err = c.run.press(ctx, c.page, x, y, at, input.Button{})
			}
			if err != nil {
				return found{}, err
			}
			req.Uncovered = true
			continue
		}
		c.noteRow(at.Row)
		return at, nil
	}
}

// The page script answers closed where the field has gone that the press before has opened, or has not come at all, and untyped a press where a field has gone into which something was typed before.
const (
	closed  Code = "closed"
	untyped Code = "untyped"
)

func isCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// readyToPress is ready for what is pressed: before that it types again what was typed since the last press, where that
// has gone into a field that the page has put another in the place of, as one of the view before.
func (c *call) readyToPress(ctx context.Context, req request) (found, error) {
	req.Untyped = !c.run.isSession && !c.isPart
	at, err := c.ready(ctx, req)
	if !isCode(err, untyped) {
		return at, err
	}
	if err := c.typeAgain(ctx); err != nil {
		return found{}, err
	}
	req.Untyped = false // a page that insists has its way
	return c.ready(ctx, req)
}

func (c *call) typeAgain(ctx context.Context) error {
	steps, from := c.run.automation.Steps, c.index
	for from > 0 && steps[from-1].Tool == "typeInput" && steps[from-1].Page == c.step.Page {
		from--
	}
	if from > 0 && c.run.opener == from {
		from, c.run.opener = from-1, 0
	}
	for _, step := range steps[from:c.index] {
		step.Optional = true // one that has gone for good was meant to
		if err := c.part(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// isBlank reports whether a tab that a page has opened is still empty, while there is time: pages
// open it at once, so that no popup is blocked, and send it on when they know where to.
func (c *call) isBlank(f *target.Frame) bool {
	return f.Address() == "about:blank" && f == c.page.Main() && c.page != c.run.tabs.first && !c.expired()
}

// lookAgain is how often a frame is looked at whose script cannot wait: in one that may
// run no scripts no timer of ours runs either.
const lookAgain = 50 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hoverOver has the mouse come over a point: what hides there, or is said otherwise, may show then.
func (c *call) hoverOver(ctx context.Context, at found) error {
	x, y, err := c.inPage(ctx, at)
	if err != nil {
		return nil // the next look reports what is wrong
	}
	return c.move(ctx, x, y, at, nil)
}

// remaining is the time that the page may take, in ms.
func (c *call) remaining() int64 { return c.deadline.Remaining().Milliseconds() }

func (r reply) failure() *Error {
	reason := r.Why
	switch {
	case reason != "":
	case r.Code == Ambiguous:
		reason = "multiple elements match; none is preferred"
	case r.Code == Changed:
		reason = "element changed: match confidence too low"
	default:
		reason = "no element matches"
	}
	return &Error{Code: r.Code, Reason: reason, Tried: r.Tried, Considered: r.Considered}
}

// frameKey names a frame: the element that holds it, in its parent.
type frameKey struct {
	parent *target.Frame
	path   string
}

// knownFrame is a frame that was found, good as long as its parent's document.
type knownFrame struct {
	frame *target.Frame
	mark  target.Mark // of the parent
}

// frame returns the frame of the step, found along its path from the page.
func (c *call) frame(ctx context.Context) (*target.Frame, error) {
	f := c.page.Main()
	for i, path := range c.step.Frame {
		paths := [][]string{path.Strings()}
		if i < len(c.step.FrameAlternatives) {
			for _, other := range c.step.FrameAlternatives[i] {
				paths = append(paths, other.Strings())
			}
		}
		key := frameKey{f, path.String()}
		known, ok := c.run.frames.known[key]
		if ok && !f.Left(known.mark) && !known.frame.Gone() {
			f = known.frame
			continue
		}
		mark := f.Mark()
		if err := c.guessesFrame(ctx, f, paths); target.IsLeft(err) {
			return c.frame(ctx)
		} else if err != nil {
			return nil, err
		}
		child, holder, err := f.Child(ctx, "frame", paths, c.remaining())
		if errors.Is(err, target.ErrNavigated) {
			return c.frame(ctx)
		}
		if errors.Is(err, target.ErrNoFrame) {
			return nil, &Error{Code: NotFound, Reason: fmt.Sprintf("the frame %s is not there", path), Err: err}
		}
		if err != nil {
			return nil, err
		}
		c.run.frames.known[key], c.run.frames.holders[child] = knownFrame{child, mark}, holder
		f = child
	}
	return f, nil
}

// frames are what a run knows of frames within its pages.
type frames struct {
	known   map[frameKey]knownFrame
	holders map[*target.Frame]*target.Holder // their elements
}

func newFrames() *frames {
	return &frames{known: map[frameKey]knownFrame{}, holders: map[*target.Frame]*target.Holder{}}
}

// isInert reports whether a frame may run no scripts.
func (fs *frames) isInert(f *target.Frame) bool {
	holder := fs.holders[f]
	return holder != nil && holder.Inert
}

// callOnHolder calls a function of the page script with the element that holds a frame.
func (fs *frames) callOnHolder(ctx context.Context, f *target.Frame, out any, function string, args ...any) error {
	if holder := fs.holders[f]; holder != nil {
		return holder.Call(ctx, out, function, args...)
	}
	return f.CallOnOwner(ctx, out, function, args...)
}

// inPage returns the point to press in the page's own viewport. Parents of another
// origin are asked one by one; each also reports whether something covers the frame.
func (c *call) inPage(ctx context.Context, at found) (x, y float64, err error) {
	up := carried{X: at.X, Y: at.Y, Crossed: at.Crossed, Depth: at.Depth}
	for f := at.frame; up.Crossed; f = f.Parent() {
		for range up.Depth {
			f = f.Parent()
		}
		from := up
		up = carried{}
		if err := c.run.frames.callOnHolder(ctx, f, &up, "carry", from.X, from.Y, at.Scrolled); err != nil {
			return 0, 0, err
		}
		if up.Why != "" {
			return 0, 0, &Error{Code: NotActionable, Reason: up.Why}
		}
	}
	return up.X, up.Y, nil
}

// carried is a point in the viewport of a frame further out.
type carried struct {
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Crossed bool    `json:"crossed"`
	Depth   int     `json:"depth"`
	Why     string  `json:"why"`
}
