package replayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// CommitPolicy is what becomes of a commit step.
type CommitPolicy string

// The policies. The default asks, and refuses where there is no one to ask.
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
var errDry = errors.New("it is a commit step, and a dry run ends before it")

// declared is mayCommit for a tool or a step that declares itself a commit step; those
// that press or type a key look at the label of the control, and ask then.
func (c *call) declared(ctx context.Context, t tool) error {
	c.effect = stronger(c.effect, stronger(t.effect, c.step.Effect))
	if c.effect != automation.Commit || c.dry || t.presses {
		return nil
	}
	return c.mayCommit(ctx, c.page.Main(), commit.Evidence{})
}

// mayCommit is called right before something is sent off, with the evidence of the
// control that sends it. It returns nil for what does not commit, and for what may: then
// it has been noted that it is sent. What the document declares can only raise it.
func (c *call) mayCommit(ctx context.Context, f *target.Frame, e commit.Evidence) error {
	verdict := commit.Judge(e)
	if verdict != commit.Harmless && c.leadsOn(e) {
		verdict = commit.Harmless
	}
	if tools[c.step.Tool].presses && c.step.Tool != "check" {
		c.effect = stronger(c.effect, automation.Write)
	}
	label := c.run.secrets.redact(e.Label)
	if consents := c.run.options.Consents; verdict == commit.Commits && consents != nil && e.Action == "" && e.Href == "" && consents(label) {
		verdict = commit.Harmless
	}
	if verdict == commit.Commits || c.pays() || c.isGranted(label) {
		c.effect = automation.Commit
	}
	c.pressed.verdict, c.acted = verdict, true
	c.run.signedInAt = ""
	if c.effect != automation.Commit && e.SignsInAs() {
		c.run.signedInAt = c.page.URL()
	}
	if c.effect != automation.Commit || c.sent { // what a step is made of is sent with it
		c.pressed.in, c.pressed.sendsForm = f, e.Action != "" && !(e.Beside && e.Method == "")
		c.run.hold.begin(c, commit.Press{Verdict: verdict, SignsIn: e.SignsIn(), Recorded: c.wasRecorded()}, label)
		return nil
	}
	if c.run.options.DryRun {
		return errDry
	}
	if c.step.Count > 1 {
		return &Error{Code: Refused, Reason: fmt.Sprintf("it commits (%q), and would do so %d times: a commit step is pressed once", label, c.step.Count)}
	}
	asked := c.approvalOf(f, e)
	if err := c.addPayment(ctx, &asked); err != nil {
		return err
	}
	if err := c.useGrant(asked); err != nil {
		return err
	}
	if err := c.run.isWho(ctx, false); err != nil {
		return err
	}
	within, err := c.payWithinLimit(ctx, asked, func(begin func(context.Context) error) error { return c.sending(ctx, f, begin) })
	if err != nil {
		return err
	}
	if !within {
		if err := c.permitted(asked); err != nil {
			return err
		}
		if err := c.sending(ctx, f, c.beginCommit); err != nil {
			return err
		}
	}
	c.pressed.in = f
	c.run.hold.begin(c, commit.Press{Verdict: verdict}, label)
	return nil
}

// leadsOn reports whether a control leads on by its label, as Continue does before the step that
// pays, and the document goes on to press something. Its request is judged all the same.
func (c *call) leadsOn(e commit.Evidence) bool {
	if c.run.isSession || c.effect == automation.Commit || !commit.LeadsOn(e.Label) {
		return false
	}
	later := c.run.automation.Steps[c.index+1:]
	return slices.ContainsFunc(later, func(step automation.Step) bool { return tools[step.Tool].presses })
}

// wasRecorded reports whether a recorder has seen what the step sets off, and took it for
// something that does not commit. What an agent calls, or another tool has written, is no
// evidence of that.
func (c *call) wasRecorded() bool {
	return !c.run.isSession && c.step.Effect == automation.Write && (c.step.Fingerprint != nil || c.kin != nil && c.kin.sameControl)
}

// permitted returns nil if the caller or the approver lets it be sent.
func (c *call) permitted(asked Approval) error {
	switch policy := c.run.options.Commit; {
	case policy == AllowCommits && !c.pays(): // an approve step asks whatever the policy
		return nil
	case policy == RefuseCommits:
		return c.refusedCommit(asked, "and this run may not commit to anything")
	case c.run.options.Person == nil:
		return c.refusedCommit(asked, "and there is no one to ask: give the run a Person, or say that it may (Commit: AllowCommits)")
	case c.approved == nil:
		return needApproval{asked}
	case !c.approved.same(asked):
		return c.refusedCommit(asked, fmt.Sprintf("and what was approved was %s", c.approved.what()))
	}
	return nil
}

func (c *call) refusedCommit(a Approval, why string) *Error {
	return &Error{Code: Refused, Reason: fmt.Sprintf("it commits (%s), %s", a.what(), why), Suggestion: suggest("request_human", automation.ReasonApproval)}
}

func (a Approval) what() string {
	if a.Request != "" {
		pressed := ""
		if a.Label != "" {
			pressed = fmt.Sprintf("%q sends ", strings.ReplaceAll(a.Label, "\n", " / "))
		}
		return fmt.Sprintf("%s%s %s, %d bytes of %s", pressed, a.Method, a.Request, a.Size, cmp.Or(a.Type, "an unknown type"))
	}
	paid := ""
	if a.Payee != "" {
		paid += fmt.Sprintf(", to %q", oneLine(a.Payee))
	}
	if a.Amount != "" {
		paid += fmt.Sprintf(", %q", strings.TrimSpace(oneLine(a.Amount)+" "+a.Currency))
	}
	if a.Label == "" {
		return fmt.Sprintf("the step says so, on %s%s", a.Origin, paid)
	}
	return fmt.Sprintf("%q on %s%s", strings.ReplaceAll(a.Label, "\n", " / "), a.Origin, paid)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Journal stores what must outlive a crash of the program: which commit steps of a run were
// sent. A store's is one; several machines may share it.
type Journal interface {
	// Begin notes, durably, that a step is about to be sent. ErrAlreadySent reports that it was
	// noted before and not taken back: the caller must not send it.
	Begin(ctx context.Context, run string, step int) error
	// Resolve notes what became of it: true that its consequence was seen, false that it
	// never left, and may be sent again.
	Resolve(ctx context.Context, run string, step int, done bool) error
	// Committed returns the steps that were sent: true for those whose consequence was seen.
	Committed(ctx context.Context, run string) (map[int]bool, error)
}

// ErrAlreadySent is the error of Journal.Sending for a step that was sent before.
var ErrAlreadySent = errors.New("it was sent before")

// noJournal is the Journal of a run that was given none.
type noJournal struct{}

func (noJournal) Begin(context.Context, string, int) error         { return nil }
func (noJournal) Resolve(context.Context, string, int, bool) error { return nil }
func (noJournal) Committed(context.Context, string) (map[int]bool, error) {
	return nil, nil
}

// commits are the commit steps that a run has sent.
type commits struct {
	automation *automation.Automation
	sent       map[int]bool
	pending    *pending // the last of them, until what follows it was seen; or nil
	guards     map[*target.Page]*guard
	inDoubt    bool // the step at which the browser was lost may have had its effect, and cannot be done twice
}

func newCommits(a *automation.Automation) *commits {
	return &commits{automation: a, sent: map[int]bool{}, guards: map[*target.Page]*guard{}}
}

// beginCommit notes in the journal that the step is about to be sent.
func (c *call) beginCommit(ctx context.Context) error {
	return c.run.options.Journal.Begin(ctx, c.run.result.Run, c.index)
}

// sending notes by begin, before anything is sent, that this step is. What was noted before,
// by this run or by another worker, is never sent again.
func (c *call) sending(ctx context.Context, from *target.Frame, begin func(context.Context) error) error {
	r := c.run
	if r.commits.sent[c.index] {
		return &Error{Code: Uncertain, Reason: "already committed in this run; refusing to repeat"}
	}
	p := &pending{index: c.index, page: c.page, from: from, at: from.Mark(), inert: r.frames.isInert(from), seen: slices.ContainsFunc(c.step.Expect, func(e automation.Expectation) bool { return e.Kind != "change" && e.Kind != "update" })}
	g, err := c.guarded(ctx)
	if err != nil {
		return err
	}
	p.traffic, p.mark = g.traffic, g.traffic.Mark()
	if err := begin(ctx); err != nil {
		r.commits.unguard(p)
		if errors.Is(err, ErrAlreadySent) {
			return &Error{Code: Uncertain, Reason: "already committed by another attempt at this run; refusing to repeat", Err: err}
		}
		return &Error{Code: Refused, Reason: fmt.Sprintf("what commits is only sent once that is written down, and it could not be: %v", err), Err: err}
	}
	r.commits.sent[c.index], r.commits.pending, c.sent = true, p, true
	return nil
}

// unsent takes that back: the press did not reach the page.
func (c *call) unsent(ctx context.Context) error {
	if !c.sent {
		return nil
	}
	c.sent = false
	c.run.commits.endPending()
	delete(c.run.commits.sent, c.index)
	return c.run.options.Journal.Resolve(context.WithoutCancel(ctx), c.run.result.Run, c.index, false)
}

// guard watches what a page sends while something commits, and stops the browser from
// sending it again. It stays from one commit to the next, because beginning again takes longer.
type guard struct {
	traffic *target.Traffic
	fresh   *target.Fresh // nil in a browser that does not show its internals
	shared  bool          // the traffic is that of the run's hold
}

// maxTraffic is after how many requests a guard is begun again: what is remembered of
// them has a bound.
const maxTraffic = 1_000

// guarded returns the guard of the call's page.
func (c *call) guarded(ctx context.Context) (*guard, error) {
	r := c.run
	g := r.commits.guards[c.page]
	if g != nil && (g.traffic.Mark() > maxTraffic || g.shared && g.traffic != r.hold.trafficOf(c.page)) {
		g.stop()
		delete(r.commits.guards, c.page)
		g = nil
	}
	if g == nil {
		g = &guard{}
		var err, repeated error
		var both sync.WaitGroup
		both.Go(func() { g.fresh, repeated = c.page.FreshConnections(ctx) })
		if g.traffic = r.hold.trafficOf(c.page); g.traffic != nil {
			g.shared = true
		} else {
			g.traffic, err = c.page.WatchTraffic(ctx)
		}
		both.Wait()
		if err != nil {
			g.stop()
			return nil, err
		}
		if repeated != nil {
			r.options.Logger.WarnContext(ctx, "the browser may repeat a request whose connection breaks", "step", c.index, "error", repeated)
		}
		r.commits.guards[c.page] = g
	}
	if held, _ := r.hold.first(c.page); held != nil && len(held.Held()) > 0 {
		return g, nil // its navigation may be what waits
	}
	return g, c.page.Loaded(ctx)
}

func (g *guard) stop() {
	if g.traffic != nil && !g.shared {
		g.traffic.Stop()
	}
	if g.fresh != nil {
		g.fresh.Stop()
	}
}

// unguard ends the guard of a commit, unless the document declares another after it.
func (cs *commits) unguard(p *pending) {
	g := cs.guards[p.page]
	later := cs.automation.Steps[min(p.index+1, len(cs.automation.Steps)):]
	if g == nil || slices.ContainsFunc(later, func(step automation.Step) bool { return step.Effect == automation.Commit }) {
		return
	}
	delete(cs.guards, p.page)
	g.stop()
}

// close ends all guards.
func (cs *commits) close() {
	for _, g := range cs.guards {
		g.stop()
	}
}

// pending is a commit that was sent, and whose consequence has not been seen yet.
type pending struct {
	index   int
	page    *target.Page
	from    *target.Frame   // that it is sent from
	at      target.Mark     // of its document then
	inert   bool            // it may run no scripts
	seen    bool            // by what the document expects
	traffic *target.Traffic // otherwise by what the page asked its server for
	mark    int
}

// endPending ends the wait for what follows a commit.
func (cs *commits) endPending() {
	if cs.pending != nil {
		cs.unguard(cs.pending)
	}
	cs.pending = nil
}

// confirm confirms a commit after step i, as soon as all has been seen that follows. What the page
// wants to send meanwhile, and may not without approval, is asked for.
func (r *run) confirm(ctx context.Context, i int) error {
	p := r.commits.pending
	if p == nil {
		return nil
	}
	if done := r.result.Steps; i > p.index && len(done) > 0 {
		last := done[len(done)-1]
		p.seen = p.seen || last.Index == i && last.Tool == "waitForNav" && last.Skipped == ""
	}
	if steps := r.automation.Steps; i+1 < len(steps) && steps[i+1].Tool == "waitForNav" && r.tabs.named[steps[i+1].Page] == p.page {
		return nil // where the commit leads is seen by that step
	}
	for {
		waiting, stop := r.hold.untilHeld(ctx, p.page)
		err := p.answered(waiting, r.options.Timeout)
		stop()
		if !r.hold.any(p.page) {
			if err != nil {
				return err
			}
			break
		}
		c := r.newCall(i, r.automation.Steps[i])
		c.page = p.page
		if err := c.release(ctx); err != nil {
			return err
		}
	}
	if err := r.options.Journal.Resolve(ctx, r.result.Run, p.index, true); err != nil {
		return &Error{Code: Uncertain, Reason: fmt.Sprintf("it was done, and that could not be written down: %v", err), Err: err}
	}
	r.commits.endPending()
	return nil
}

// answered checks a commit against what the server has answered: that nothing which the page
// has sent since was refused or broke off. Where the document does not say what must
// follow, all that the page asks for is waited for first, and what it asks then. A page that
// has closed itself asks for nothing more; what it had not been answered may not have arrived.
func (p *pending) answered(ctx context.Context, timeout time.Duration) error {
	closed := false
	if !p.seen {
		err := p.waitForRest(ctx, timeout)
		closed = errors.Is(p.page.Err(), target.ErrClosed)
		if err != nil && !closed {
			return err
		}
	}
	for _, e := range p.traffic.Requests(p.mark) {
		if changes(e) && (e.Failed != "" || e.Status >= 400 || closed && e.Status == 0) {
			return &Error{Code: Uncertain, Reason: fmt.Sprintf("the server did not take it: %s %s gave %s", e.Method, shown(e.URL), outcomeOf(e))}
		}
	}
	return nil
}

// waitForRest waits until the page has asked its server for nothing more.
func (p *pending) waitForRest(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := load.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		had := p.traffic.Mark()
		if err := p.from.Settled(ctx); err != nil {
			return err
		}
		if err := p.traffic.WaitOver(ctx, p.mark, isAwaited); err != nil {
			return err
		}
		if p.traffic.More(had, mayAskMore) {
			continue
		}
		rests, err := p.rests(ctx, had)
		if err != nil {
			return err
		}
		if rests && !p.traffic.Reading(p.mark, isAwaited) {
			return nil
		}
	}
}

// rests waits while the page handles the replies that it has. It reports false as soon as the
// page has asked for more than it had.
func (p *pending) rests(ctx context.Context, had int) (rests bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	asksMore := make(chan struct{})
	go func() {
		defer close(asksMore)
		if p.traffic.WaitMore(ctx, had, mayAskMore) == nil {
			cancel(errAsksMore)
		}
	}()
	err = p.handleReplies(ctx)
	cut := errors.Is(context.Cause(ctx), errAsksMore)
	cancel(nil)
	<-asksMore
	if cut || target.IsLeft(err) || err == nil && p.traffic.More(had, mayAskMore) {
		return false, nil
	}
	return err == nil, err
}

// handleReplies waits until the page's main document has drawn what it does with its replies, and
// so has the frame that the commit was sent from where that has a process of its own. What a frame was answered with asks for more
// while it loads, or in the tasks after that: it draws nothing that it then goes by.
func (p *pending) handleReplies(ctx context.Context) error {
	main, from := p.page.Main(), p.from
	breathe := func(f *target.Frame) error { return f.Call(ctx, nil, "breathe") }
	if from == main {
		return breathe(main)
	}
	within := breathe
	if from.Left(p.at) && !from.Gone() {
		if err := from.Loaded(ctx, maxFrameAnswer); err != nil {
			return err
		}
		within = func(f *target.Frame) error { return f.Tasks(ctx) }
	}
	if !from.Apart() {
		return within(main)
	}
	if p.inert {
		return breathe(main)
	}
	var apart error
	var both sync.WaitGroup
	both.Go(func() { apart = within(from) })
	err := breathe(main)
	both.Wait()
	if err == nil && !from.Gone() {
		err = apart
	}
	return err
}

// maxFrameAnswer bounds the wait for all that the document is made of with which a frame
// was answered.
const maxFrameAnswer = 100 * time.Millisecond

var errAsksMore = errors.New("the page asks for more")

// isAwaited reports whether a page may wait for the reply before it goes on.
func isAwaited(e target.Exchange) bool {
	return e.Type == "Document" || e.Type == "XHR" || e.Type == "Fetch"
}

// mayAskMore reports whether the reply may have the page ask for something else.
func mayAskMore(e target.Exchange) bool { return isAwaited(e) || e.Type == "Script" }

// changes reports whether a request may change something: it does not only read, and is no
// beacon or report of the page.
func changes(e target.Exchange) bool {
	return !commit.OnlyReads(e.Method) && e.Type != "Ping" && e.Type != "CSPViolationReport"
}

func outcomeOf(e target.Exchange) string {
	if e.Failed != "" {
		return e.Failed
	}
	if e.Status == 0 {
		return "no answer before its tab was closed"
	}
	return fmt.Sprint(e.Status)
}

// uncertain turns what ended a run between a commit and its consequence into that.
func (cs *commits) uncertain(e *Error) *Error {
	if cs.pending == nil {
		return e
	}
	if e.Code != Uncertain {
		e.Reason = fmt.Sprintf("what step %d commits to was sent, and what follows was not seen (%s: %s)", cs.pending.index+1, e.Code, e.Reason)
		e.Code = Uncertain
	}
	cs.endPending()
	return e
}
