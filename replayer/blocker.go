package replayer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// A blocker is what keeps a page from being used until a person deals with it: a sign-in, a code, a
// check that there is a human, a question for consent. It explains a failure, and a step that waits for
// its element looks for one, so that no one has to wait for the step's time to be over.

// blocker is what the page script reports to be in the way.
type blocker struct {
	Kind string `json:"kind"`
	By   string `json:"by"`
}

var blockerWords = map[string]string{
	"human_check": "a check whether someone is human is in the way", "sign_in": "the page wants someone to sign in",
	"one_time_code": "the page wants a one-time code", "consent": "a question for consent lies over the page",
	"covered": "something lies over the page and wants an answer", "denied": "the page is refused",
	"dead_end": "the page has nothing to go on with",
}

func (b *blocker) String() string {
	if b.By != "" {
		return blockerWords[b.Kind] + " (" + b.By + ")"
	}
	return blockerWords[b.Kind]
}

func (b *blocker) reason() automation.Reason { return automation.ReasonOf(b.Kind) }

// blockerOf asks a page for its blocker, nil for none. While the page may still come to what is waited for,
// only what must be dealt with counts; where it has stood for long without that, its structure is enough.
func blockerOf(ctx context.Context, page *target.Page, mayCome, stands bool) *blocker {
	b, _ := lookForBlocker(ctx, page, mayCome, stands) // a page that does not answer shows none
	return b
}

func lookForBlocker(ctx context.Context, page *target.Page, mayCome, stands bool) (b *blocker, err error) {
	all, there := []string{}, []string{}
	var within []*target.Frame // that the page is there for: a sign-in often stands in one
	looked := 0
	for _, f := range page.Frames() {
		all = append(all, f.URL())
		if f.Parent() != page.Main() || looked == maxBlockerFrames {
			continue
		}
		looked++
		var is *struct{ URL string } // as the page has it: a check that does not load is one, too
		if err := f.CallOnOwner(ctx, &is, "frameThereFor"); err == nil && is != nil {
			there, within = append(there, is.URL), append(within, f)
		}
	}
	if err := page.Main().Call(ctx, &b, "blocker", all, there, mayCome, stands); err != nil || b != nil {
		return b, err
	}
	for _, f := range within {
		if err := f.Call(ctx, &b, "blocker", []string{}, []string{}, mayCome, false); err == nil && b != nil {
			return b, nil
		}
	}
	return nil, nil
}

// maxBlockerFrames is in how many frames of a page a blocker is looked for.
const maxBlockerFrames = 8

// Blocker returns what blocks a page, as automation.ReasonOf names it, "" for nothing.
func Blocker(ctx context.Context, page *browser.Page) automation.Reason {
	if b := blockerOf(ctx, page.Target(), false, false); b != nil {
		return b.reason()
	}
	return ""
}

// AwaitUnblocked waits until a page is no longer blocked by something, and reports whether that came before ctx ends.
func AwaitUnblocked(ctx context.Context, page *browser.Page, reason automation.Reason) bool {
	for free := 0; ; free++ {
		err := page.Target().Main().Call(ctx, nil, "loaded")
		b, unseen := lookForBlocker(ctx, page.Target(), false, true)
		if err != nil || unseen != nil || b != nil && b.reason() == reason {
			free = -1
		}
		if free == 1 { // twice: a page that is on its way shows nothing for a moment
			return true
		}
		if pause(ctx, secondLook) != nil {
			return false
		}
	}
}

// mayBeBlocked are the failures that a blocker may explain.
var mayBeBlocked = map[Code]bool{NotFound: true, NotActionable: true, Timeout: true}

// nameBlocker makes the error one of the blocker, where there is one, in place of what could not be
// done because of it.
func (r *run) nameBlocker(ctx context.Context, page *target.Page, e *Error) {
	if b := blockerOf(ctx, page, false, false); b != nil && !r.isToldToSignIn(b, e.Step) {
		e.Reason = fmt.Sprintf("%s; without that: %s: %s", b, e.Code, e.Reason)
		e.Code, e.Suggestion = Blocked, suggest("handoff_start", b.reason())
	}
}

// isToldToSignIn reports whether the blocker is what the document itself deals with: what it looks for is
// what it has come for.
func (r *run) isToldToSignIn(b *blocker, from int) bool {
	return (b.reason() == automation.ReasonLogin || b.reason() == automation.Reason2FA) && r.signsIn(from)
}

// signsIn reports whether a secret is still to be typed, from a step on.
func (r *run) signsIn(from int) bool {
	for _, step := range r.automation.Steps[from:] {
		if step.Value == nil {
			continue
		}
		for _, name := range step.Value.Names() {
			if isSecret(r.secrets.values[name]) {
				return true
			}
		}
	}
	return false
}

const (
	// firstLook is after how long without its element a step looks for a blocker; each time after that
	// it waits twice as long.
	firstLook = time.Second
	// secondLook is how long a blocker must stand to be one: pages show for a moment what they had in
	// store for a visitor whom they do not know yet.
	secondLook = 400 * time.Millisecond
	// standsFrom is the look by which a page without what a step waits for has stood for long, after some 7 s: pages that
	// are slow have come to it by then.
	standsFrom = 3
)

// errBlocked is of a step that found a blocker before its time was over.
type errBlocked struct {
	*blocker
	without *Error // what it waited for; nil for an address
}

func (e errBlocked) Error() string { return e.String() }

// failure is the error of a step that no one unblocks.
func (e errBlocked) failure() *Error {
	failed := &Error{Code: Blocked, Reason: e.String(), Err: e, Suggestion: suggest("handoff_start", e.reason())}
	if w := e.without; w != nil {
		failed.Reason += fmt.Sprintf("; without that: %s: %s", w.Code, w.Reason)
		failed.Tried, failed.Considered = w.Tried, w.Considered
	}
	return failed
}

// lookout looks for a blocker while a step waits.
type lookout struct {
	next  time.Duration // 0 where none is looked for
	looks int           // in this document
	page  *target.Page
	mark  target.Mark // of the document that it waits in
}

// lookOut begins to look for a blocker. An agent's own call looks for none: the agent sees the page.
func (c *call) lookOut() *lookout {
	if c.run.isSession || c.step.Optional {
		return &lookout{}
	}
	return &lookout{next: firstLook, page: c.page, mark: c.page.Main().Mark()}
}

// within bounds a wait by when to look.
func (l *lookout) within(remaining int64) int64 {
	if l.next == 0 {
		return remaining
	}
	if l.page.Main().Left(l.mark) { // another document may be another matter
		l.next, l.looks, l.mark = firstLook, 0, l.page.Main().Mark()
	}
	return min(remaining, l.next.Milliseconds())
}

// look looks for a blocker, without which the step would have failed so, and returns errBlocked for one.
func (c *call) look(ctx context.Context, l *lookout, without *Error) error {
	if l.next == 0 {
		return nil
	}
	l.next *= 2
	l.looks++
	// Structure alone is a reason to ask someone, and none to say that the page is blocked.
	stands := l.looks >= standsFrom && c.run.options.Person != nil && (without == nil || without.Code == NotFound)
	bounded, cancel := load.WithTimeout(ctx, blockerTimeout)
	defer cancel()
	first := c.standing(bounded, stands)
	if first == nil {
		return nil
	}
	if err := pause(ctx, secondLook); err != nil {
		return err
	}
	if again := c.standing(bounded, stands); again != nil && *again == *first && !c.page.Main().Left(l.mark) {
		return errBlocked{blocker: again, without: without}
	}
	return nil
}

// standing returns the blocker that the page shows and that nothing but a person will deal with, nil for
// none. A sign-in that the document itself has done or does may take its time.
func (c *call) standing(ctx context.Context, stands bool) *blocker {
	r := c.run
	b := blockerOf(ctx, c.page, !r.isElsewhere(c.page, c.index), stands)
	if b == nil || r.isToldToSignIn(b, c.index) || b.reason() == automation.ReasonLogin && r.signsIn(0) {
		return nil
	}
	return b
}

// isElsewhere reports whether the page is not where the document had come to before a step.
func (r *run) isElsewhere(page *target.Page, index int) bool {
	for i := min(index, len(r.automation.Steps)-1); i >= 0; i-- {
		step := r.automation.Steps[i]
		if r.tabs.named[step.Page] != page || step.URL == "" || i == index && step.Tool == "waitForNav" {
			continue
		}
		switch step.Tool {
		case "waitForNav":
			glob, err := automation.ParseGlob(step.URL)
			return err == nil && !glob.MatchPath(page.URL())
		case "navigate":
			return !samePlace(step.URL, page.URL())
		}
	}
	return false
}

// unblock has a person deal with the blocker that ended a step, and does the step again. An error that is of
// no blocker, or with no one to ask, is returned as it is.
func (c *call) unblock(ctx context.Context, out outcome, there already, err error) (outcome, error) {
	b := c.blockerOfError(ctx, err)
	if b == nil || c.run.options.DryRun {
		return out, err
	}
	asked := c.handoff(Handoff{Reason: b.reason(), Blocker: b.String()})
	if !c.unblocked(ctx, &asked) {
		if c.run.options.Person == nil || c.handoffs == maxHandoffs {
			return out, withTried(ctx, err, asked.Tried)
		}
		c.handoffs++
		asked.Attempt = c.handoffs
		if err := c.handOver(ctx, asked); err != nil {
			return out, err
		}
	}
	if c.acted { // it has had its effect, or will have it now
		c.deadline = load.After(c.timeout)
		return c.verify(ctx, out, there)
	}
	return c.do(ctx)
}

// withTried adds to a failure what was done about it in vain.
func withTried(ctx context.Context, err error, tried string) error {
	if tried == "" {
		return err
	}
	failed := *failure(ctx, err)
	failed.Reason = sentence(failed.Reason, tried)
	return &failed
}

// blockerOfError returns the blocker that explains an error, nil for none.
func (c *call) blockerOfError(ctx context.Context, err error) *blocker {
	var found errBlocked
	if errors.As(err, &found) {
		return found.blocker
	}
	if c.run.isSession || c.isPart || c.sent || !mayBeBlocked[failure(ctx, err).Code] || c.page.Err() != nil {
		return nil
	}
	bounded, cancel := load.WithTimeout(context.WithoutCancel(ctx), blockerTimeout)
	defer cancel()
	b := blockerOf(bounded, c.page, false, false)
	if b == nil || c.run.isToldToSignIn(b, c.index) {
		return nil
	}
	return b
}

// lookingOut waits, and looks for a blocker meanwhile: then the wait ends with errBlocked.
func (c *call) lookingOut(ctx context.Context, wait func(context.Context) (target.Mark, error)) (target.Mark, error) {
	lookout := c.lookOut()
	for {
		timeout := time.Duration(lookout.within(c.remaining())) * time.Millisecond
		bounded, cancel := context.WithTimeoutCause(ctx, timeout, errLook)
		reached, err := wait(bounded)
		cancel()
		if !errors.Is(err, errLook) {
			return reached, err
		}
		if err := ctx.Err(); err != nil || c.expired() {
			return reached, context.DeadlineExceeded
		}
		if err := c.look(ctx, lookout, nil); err != nil {
			return reached, err
		}
	}
}

// errLook ends a part of a wait.
var errLook = errors.New("it is time to look for a blocker")
