package replayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// CommitPolicy says what becomes of a step that commits somebody to something: that
// pays, orders, sends or deletes.
type CommitPolicy string

// The policies. The default asks, and refuses where there is nobody to ask.
const (
	AskCommits    CommitPolicy = "ask"    // Options.Person is asked before each
	AllowCommits  CommitPolicy = "allow"  // they are done
	RefuseCommits CommitPolicy = "refuse" // the run ends before the first
)

// effects, weakest first.
var effects = []automation.Effect{"", automation.Read, automation.Write, automation.Commit}

// stronger is the stronger of two effects.
func stronger(a, b automation.Effect) automation.Effect {
	return effects[max(slices.Index(effects, a), slices.Index(effects, b))]
}

// errDry ends a dry run before what commits.
var errDry = errors.New("it commits to something, and a dry run ends before it")

// needApproval is the error of a call that a person must say yes to first: it is
// made again with their answer, and what is there must be the same then.
type needApproval struct{ Approval }

func (needApproval) Error() string { return "it needs an approval" }

// declared is mayCommit for a tool or a step that says itself that it commits; those
// that press or type a key look at what the control says, and ask then.
func (c *call) declared(ctx context.Context, t tool) error {
	c.effect = stronger(c.effect, stronger(t.effect, c.step.Effect))
	if c.effect != automation.Commit || c.dry || c.looksItself() {
		return nil
	}
	return c.mayCommit(ctx, c.page.Main(), "")
}

// looksItself says which tools look at what a control says before they use it.
func (c *call) looksItself() bool {
	switch c.step.Tool {
	case "click", "check", "drag", "keypress":
		return true
	}
	return false
}

// mayCommit is called right before something is sent off, with what the control says
// that sends it. It returns nil for what does not commit, and for what may: then it
// has been noted that it is sent.
func (c *call) mayCommit(ctx context.Context, f *target.Frame, says string) error {
	if c.looksItself() && c.step.Tool != "check" {
		c.effect = stronger(c.effect, automation.Write)
	}
	if automation.SaysCommit(says) {
		c.effect = automation.Commit
	}
	switch {
	case c.effect != automation.Commit, c.sent: // what a step is made of is sent with it
		return nil
	case c.run.options.DryRun:
		return errDry
	}
	asked := Approval{
		Run: c.run.id, Step: c.index, Tool: c.step.Tool, Intent: c.step.Intent,
		Says: c.run.scrub.text(says), Origin: origin(f.Address()), URL: c.run.scrub.text(shown(c.page.URL())),
	}
	if err := c.permitted(asked); err != nil {
		return err
	}
	if err := c.run.isWho(ctx, false); err != nil {
		return err
	}
	return c.sending(ctx, f)
}

// permitted says whether the caller, or a person, lets it be sent.
func (c *call) permitted(asked Approval) error {
	switch policy := c.run.options.Commit; {
	case policy == AllowCommits:
		return nil
	case policy == RefuseCommits:
		return c.refusedCommit(asked, "and this run may not commit to anything")
	case c.run.options.Person == nil:
		return c.refusedCommit(asked, "and there is nobody to ask: give the run a Person, or say that it may (Commit: AllowCommits)")
	case c.approved == nil:
		return needApproval{asked}
	case *c.approved != asked:
		return c.refusedCommit(asked, fmt.Sprintf("and what was approved was %s", c.approved.what()))
	}
	return nil
}

func (c *call) refusedCommit(a Approval, why string) *Error {
	return &Error{Code: Refused, Reason: fmt.Sprintf("it commits (%s), %s", a.what(), why), Suggestion: suggest("request_human", "approval")}
}

func (a Approval) what() string {
	if a.Says == "" {
		return fmt.Sprintf("the step says so, on %s", a.Origin)
	}
	return fmt.Sprintf("%q on %s", strings.ReplaceAll(a.Says, "\n", " / "), a.Origin)
}

// sending notes, before anything is sent, that this step is. What was noted before,
// by this run or by another worker, is never sent again.
func (c *call) sending(ctx context.Context, from *target.Frame) error {
	r := c.run
	if r.sent[c.index] {
		return &Error{Code: Uncertain, Reason: "it was sent before in this run, and is not sent again"}
	}
	p := &pending{index: c.index, page: c.page, from: from, seen: len(c.step.Expect) > 0}
	if err := c.watch(ctx, p); err != nil {
		p.stop()
		return err
	}
	if j := r.options.Journal; j != nil {
		if err := j.Sending(ctx, r.id, c.index); err != nil {
			p.stop()
			return notSent(err)
		}
	}
	r.sent[c.index], r.pending, c.sent = true, p, true
	return nil
}

// waitsAfter reports whether the step after i waits for where that one leads.
func (r *run) waitsAfter(i int, page *target.Page) bool {
	if i+1 >= len(r.automation.Steps) {
		return false
	}
	next := r.automation.Steps[i+1]
	return next.Tool == "waitForNav" && r.pages[next.Page] == page
}

// watch has the requests of what is about to be sent watched, and kept from being repeated.
func (c *call) watch(ctx context.Context, p *pending) (err error) {
	var repeated error
	var both sync.WaitGroup
	both.Go(func() { p.fresh, repeated = c.page.FreshConnections(ctx) })
	p.traffic, err = c.page.WatchTraffic(ctx)
	both.Wait()
	if err != nil {
		return err
	}
	if repeated != nil { // as in a browser that does not show its internals
		c.run.log.WarnContext(ctx, "the browser may repeat a request whose connection breaks", "step", c.index, "error", repeated)
	}
	p.mark = p.traffic.Mark()
	return nil
}

func notSent(err error) *Error {
	if errors.Is(err, ErrSent) {
		return &Error{Code: Uncertain, Reason: "it was sent before, by another attempt at this run, and is not sent again", Err: err}
	}
	return &Error{Code: Refused, Reason: fmt.Sprintf("what commits is only sent once that is written down, and it could not be: %v", err), Err: err}
}

// unsent takes it back: the press did not reach the page.
func (c *call) unsent(ctx context.Context) error {
	if !c.sent {
		return nil
	}
	c.sent = false
	c.run.forgetPending()
	delete(c.run.sent, c.index)
	if j := c.run.options.Journal; j != nil {
		return j.Settled(context.WithoutCancel(ctx), c.run.id, c.index, false)
	}
	return nil
}

// pending is a commit that was sent, and whose consequence has not been seen yet.
type pending struct {
	index   int
	page    *target.Page
	from    *target.Frame   // that it is sent from
	seen    bool            // by what the document says must follow
	traffic *target.Traffic // otherwise by what the page asked its server for
	mark    int
	fresh   *target.Fresh
}

func (p *pending) stop() {
	if p == nil {
		return
	}
	if p.traffic != nil {
		p.traffic.Stop()
	}
	if p.fresh != nil {
		p.fresh.Stop()
	}
}

func (r *run) forgetPending() {
	r.pending.stop()
	r.pending = nil
}

// confirm settles a commit after step i, as soon as all has been seen that follows.
func (r *run) confirm(ctx context.Context, i int) error {
	p := r.pending
	if p == nil {
		return nil
	}
	p.seen = p.seen || i > p.index && r.waited(i)
	if r.waitsAfter(i, p.page) {
		return nil // that belongs to it
	}
	if err := r.answered(ctx, p); err != nil {
		return err
	}
	if j := r.options.Journal; j != nil {
		if err := j.Settled(ctx, r.id, p.index, true); err != nil {
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("it was done, and that could not be written down: %v", err), Err: err}
		}
	}
	r.forgetPending()
	return nil
}

// waited reports whether step i has waited for where the page went, and was not passed over.
func (r *run) waited(i int) bool {
	if len(r.result.Steps) == 0 {
		return false
	}
	last := r.result.Steps[len(r.result.Steps)-1]
	return last.Index == i && last.Tool == "waitForNav" && last.Skipped == ""
}

// answered holds a commit to what the server has answered: that nothing which the page
// has sent since was refused or broke off. Where nothing in the document says what must
// follow, all that the page asks for is waited for first, and what it asks then.
func (r *run) answered(ctx context.Context, p *pending) error {
	if !p.seen {
		if err := r.rested(ctx, p); err != nil {
			return err
		}
	}
	for _, e := range p.traffic.Requests(p.mark) {
		if changes(e) && (e.Failed != "" || e.Status >= 400) {
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("the server did not take it: %s %s gave %s", e.Method, shown(e.URL), outcomeOf(e))}
		}
	}
	return nil
}

// rested waits until the page has asked its server for nothing more.
func (r *run) rested(ctx context.Context, p *pending) error {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	for {
		had := p.traffic.Mark()
		if err := p.from.Settled(ctx); err != nil {
			return err
		}
		if err := p.traffic.WaitOver(ctx, p.mark, tells); err != nil {
			return err
		}
		if rests, err := p.breathe(ctx, had); rests || err != nil {
			return err
		}
	}
}

// breathe gives the page the time to do what it does with the answers that it has. It
// reports false as soon as the page has asked for more than it had.
func (p *pending) breathe(ctx context.Context, had int) (rests bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	asksMore := make(chan struct{})
	go func() {
		defer close(asksMore)
		if p.traffic.WaitMore(ctx, had, leadsOn) == nil {
			cancel(errAsksMore)
		}
	}()
	err = p.page.Main().Call(ctx, nil, "breathe")
	cut := errors.Is(context.Cause(ctx), errAsksMore)
	cancel(nil)
	<-asksMore
	if cut || target.IsLeft(err) || err == nil && p.traffic.More(had, leadsOn) {
		return false, nil
	}
	return err == nil, err
}

var errAsksMore = errors.New("the page asks for more")

// tells says which requests a page may be waiting for with what it does next.
func tells(e target.Exchange) bool {
	return e.Type == "Document" || e.Type == "XHR" || e.Type == "Fetch"
}

// leadsOn says which requests may have the page ask for something else.
func leadsOn(e target.Exchange) bool { return tells(e) || e.Type == "Script" }

// changes says which requests may do something: not what only reads, and not what
// pages tell of themselves in passing.
func changes(e target.Exchange) bool {
	return e.Method != "GET" && e.Method != "HEAD" && e.Method != "OPTIONS" && e.Type != "Ping" && e.Type != "CSPViolationReport"
}

func outcomeOf(e target.Exchange) string {
	if e.Failed != "" {
		return e.Failed
	}
	return fmt.Sprint(e.Status)
}

// uncertain turns what ended a run between a commit and its consequence into that.
func (r *run) uncertain(e *Error) *Error {
	if r.pending == nil {
		return e
	}
	if e.Code != Uncertain {
		e.Reason = fmt.Sprintf("what step %d commits to was sent, and what follows was not seen (%s: %s)", r.pending.index+1, e.Code, e.Reason)
		e.Code = Uncertain
	}
	r.forgetPending()
	return e
}
