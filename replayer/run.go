package replayer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
)

// run is one playing of an automation.
type run struct {
	id         string
	automation *automation.Automation
	options    Options
	scope      *scope
	values     map[string]any
	scrub      *scrubber
	pieces     map[string]*redact.Hashes // of the secrets that an origin may show, by the origin
	taught     map[*target.Frame]taught
	log        *slog.Logger
	result     *Result
	from       int // index of the first step
	depth      int // of automations that play one another

	browserPage *browser.Page
	page        *target.Page            // the first tab
	pages       map[string]*target.Page // by the document's name
	marks       map[*target.Page]target.Mark
	frames      map[frameKey]knownFrame
	holders     map[*target.Frame]*target.Holder // the elements of the frames that were found
	presses     []press                          // guarded by the tree
	dialogs     dialogs                          // guarded by the tree
	hand        *input.Hand                      // of a person; nil at full speed
	unwatch     func()

	sent           map[int]bool // steps that have committed
	innerToken     string       // of the automation that the step plays which ended the run
	innerResume    string       // the same, of the run that is resumed
	inside         *run         // that plays this one
	stopped        bool         // a dry run has come to its end
	unknown        []string     // secrets of automations that it has played, and Options.Known
	pending        *pending
	hold           *hold // nil where commits are allowed
	lone           bool  // its steps are calls of a Session
	confined       *confinement
	guards         map[*target.Page]*guard
	watchesTraffic bool
	traffic        map[*target.Page]*target.Traffic
	heard          map[*target.Page]int // where the replies begin that a wait may count
}

func newRun(on *browser.Page, page *target.Page, a *automation.Automation, o Options) *run {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Run == "" {
		o.Run = newID()
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &run{
		id: o.Run, automation: a, options: o, scope: newScope(a), log: log, browserPage: on, page: page, from: o.From,
		result: &Result{Run: o.Run, Name: a.Name, Account: a.Match.Account, Started: time.Now()},
		pages:  map[string]*target.Page{"": page},
		marks:  map[*target.Page]target.Mark{page: page.Main().Mark()},
		taught: map[*target.Frame]taught{}, confined: &confinement{},
		frames: map[frameKey]knownFrame{}, holders: map[*target.Frame]*target.Holder{}, sent: map[int]bool{}, guards: map[*target.Page]*guard{}, traffic: map[*target.Page]*target.Traffic{}, heard: map[*target.Page]int{},
	}
	for _, secret := range o.Known {
		r.unknown = append(r.unknown, secret.Reveal())
	}
	if origins, err := a.Match.Origins(); err == nil { // a private site that is named may be gone to
		page.Allow(origins...)
	}
	if o.Commit != AllowCommits {
		r.hold = newHold()
	}
	r.takeHand()
	r.unwatch = page.Watch(r)
	page.SetDialogs(r.answer)
	r.interceptChoosers(true)
	return r
}

// newID names a run that nobody has named.
func newID() string { return strings.ToLower(rand.Text()) }

func (r *run) close() {
	r.forgetPending()
	if r.inside == nil || r.inside.hold != r.hold {
		r.hold.stop()
	}
	for _, g := range r.guards {
		g.stop()
	}
	for _, traffic := range r.traffic {
		traffic.Stop()
	}
	r.interceptChoosers(false)
	for _, page := range r.pages {
		if r.inside != nil {
			page.SetDialogs(r.inside.answer)
		} else {
			page.SetDialogs(nil)
		}
	}
	r.unwatch()
}

func (r *run) end() *Result {
	r.result.Duration = Duration(time.Since(r.result.Started))
	r.result.URL = r.scrub.text(shown(r.page.URL()))
	return r.result
}

// step plays one step; stop says that the run ends after it.
func (r *run) step(ctx context.Context, i int, step automation.Step) (stop bool, err error) {
	if r.options.OnStart != nil {
		r.options.OnStart(i, step)
	}
	started := time.Now()
	c := r.newCall(i, step)
	outcome, err := c.do(ctx)
	err = r.clean(err)
	result := StepResult{Index: i, Tool: step.Tool, Intent: step.Intent, Effect: c.effect, Skipped: outcome.skipped, Duration: Duration(time.Since(started)), Steps: outcome.steps}
	if outcome.element != nil {
		r.found(&result, step, *outcome.element)
	}
	r.log.DebugContext(ctx, "step", "index", i, "tool", step.Tool, "matched", result.Matched, "drift", result.Drift, "skipped", outcome.skipped, "error", err)
	if err != nil {
		return false, err
	}
	r.result.Steps = append(r.result.Steps, result)
	if r.options.OnStep != nil {
		r.options.OnStep(result)
	}
	return outcome.stop, nil
}

// clean is an error without the run's secrets, for the log and the caller.
func (r *run) clean(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return r.scrub.failure(e)
}

// busyGrace is how much longer than a step's time a page may take to say that the
// time is up: one that shares its machine with many others answers late, and its
// own word on what is missing is worth more than ours.
const busyGrace = 15 * time.Second

func (r *run) newCall(i int, step automation.Step) *call {
	timeout := r.timeoutOf(step)
	page := r.pages[step.Page]
	if page == nil {
		page = r.page // for a step that opens the tab
	}
	return &call{run: r, page: page, index: i, step: step, timeout: timeout, deadline: time.Now().Add(timeout)}
}

func (r *run) timeoutOf(step automation.Step) time.Duration {
	timeout := r.options.Timeout
	if step.Timeout > 0 {
		timeout = step.Timeout
	}
	return timeout + r.humanTime(step) + step.Hold
}

// do plays a step. What a person has to say is waited for without a limit of time of
// ours; then it is looked at again, in a time of its own.
func (c *call) do(ctx context.Context) (outcome, error) {
	t, err := c.run.tool(c.step)
	if err != nil {
		return outcome{}, err
	}
	for {
		out, err := c.attempt(ctx, t)
		again := false
		for waits := (heldUp{}); errors.As(err, &waits) && !again; {
			if err := c.release(ctx); err != nil {
				return outcome{element: out.element}, err
			}
			if again = waits.finish == nil; !again {
				c.deadline = time.Now().Add(c.timeout)
				out, err = waits.finish(ctx)
			}
		}
		if again {
			continue
		}
		var approval needApproval
		var person needPerson
		switch {
		case errors.As(err, &approval):
			err = c.ask(ctx, approval.Approval)
		case errors.As(err, &person):
			return out, c.takeOver(ctx, person.Handoff)
		case errors.Is(err, errDry):
			return outcome{element: out.element, stop: true, skipped: errDry.Error()}, nil
		default:
			return out, err
		}
		if err != nil {
			return outcome{}, err
		}
	}
}

// attempt decides whether a step is to be played, and plays it in its time.
func (c *call) attempt(ctx context.Context, t tool) (outcome, error) {
	r, step := c.run, c.step
	c.deadline = time.Now().Add(c.timeout)
	if !playsOthers(step.Tool) { // its steps have times of their own, and a person may be asked
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.deadline.Add(busyGrace))
		defer cancel()
	}
	if _, err := r.pageOf(ctx, step.Page); err != nil && step.Tool != "tab" {
		return outcome{}, err
	}
	c.dry = r.options.DryRun && step.Effect == automation.Commit
	if why, err := c.unmet(ctx, step.When); err != nil || why != "" {
		return outcome{skipped: why}, err
	}
	if step.Tool != "waitForNav" && step.Tool != "waitFor" {
		r.marks[c.page] = c.page.Main().Mark()
		if traffic := r.traffic[c.page]; traffic != nil {
			r.heard[c.page] = traffic.Mark()
		}
	}
	if !onlyWaits(step.Tool) {
		if err := r.hold.on(ctx, c.page); err != nil {
			return outcome{}, err
		}
	}
	if _, late := r.hold.first(c.page); late != nil {
		return outcome{}, heldUp{}
	}
	if err := c.declared(ctx, t); err != nil {
		return outcome{}, err
	}
	there := r.already(c.page)
	if err := c.look(ctx); err != nil {
		return outcome{}, err
	}
	c.depict(ctx, false)
	doing, stop := ctx, func() {}
	if onlyWaits(step.Tool) {
		doing, stop = r.hold.untilHeld(ctx, c.page)
	}
	out, err := t.do(doing, c)
	stop()
	finish := func(ctx context.Context) (outcome, error) { return c.finish(ctx, out, err, there) }
	if err != nil && !c.pressed {
		finish = nil
	}
	if held := c.waitsToSend(ctx, finish); held != nil {
		return out, held
	}
	return c.finish(ctx, out, err, there)
}

// onlyWaits reports whether a tool does nothing to the page: it may be ended at any time.
func onlyWaits(tool string) bool {
	return tool == "waitFor" || tool == "waitForNav" || tool == "assert" || tool == "extract"
}

// finish is what is left of a step after its tool: what must follow.
func (c *call) finish(ctx context.Context, out outcome, err error, there already) (outcome, error) {
	step := c.step
	if step.Optional && isAbsent(err) && !c.sent {
		return outcome{skipped: "optional, and not there"}, nil
	}
	if err == nil && out.stop {
		out.skipped = errDry.Error()
	}
	if err != nil || out.skipped != "" {
		return out, err
	}
	waiting, stop := c.run.hold.untilHeld(ctx, c.page)
	err = c.expect(waiting, there, step.Expect)
	stop()
	if err != nil {
		if held := c.waitsToSend(ctx, func(ctx context.Context) (outcome, error) { return c.finish(ctx, out, nil, there) }); held != nil {
			return out, held
		}
		return out, err
	}
	c.depict(ctx, true)
	return out, nil
}

// playsOthers reports whether a tool plays steps of its own.
func playsOthers(tool string) bool { return tool == "run" || strings.Contains(tool, ".") }

// expired reports whether the step's time is up.
func (c *call) expired() bool { return !time.Now().Before(c.deadline) }

// isAbsent reports whether an optional step may be passed over: its element is
// not there.
func isAbsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == Gone
}

// tool finds the tool of a step, and holds its arguments to what it takes.
func (r *run) tool(step automation.Step) (tool, error) {
	t, found := r.options.Tools.find(step.Tool)
	if !found {
		return t, &Error{Code: Refused, Reason: fmt.Sprintf("there is no tool %q here: a program's own are given to the run (Tools)", step.Tool)}
	}
	if own, is := r.options.Tools.known()[step.Tool]; is {
		if err := (automation.Tool{Name: own.Name, Schema: own.Schema}).Check(step.Args); err != nil {
			return t, &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
	}
	return t, nil
}

// pageOf gives the tab of a name.
func (r *run) pageOf(_ context.Context, name string) (*target.Page, error) {
	page := r.pages[name]
	if page == nil {
		return nil, &Error{Code: Gone, Reason: fmt.Sprintf("no step has opened the tab %q", name)}
	}
	if err := page.Err(); err != nil {
		return nil, err
	}
	return page, nil
}

// value resolves a step's value; nil where it has none.
func (r *run) value(v *automation.Value) (any, error) {
	if v == nil {
		return nil, nil
	}
	resolved, err := v.Resolve(func(name string) (any, error) {
		value, ok := r.values[name]
		if !ok {
			return nil, fmt.Errorf("variable %q: missing", name)
		}
		return value, nil
	})
	if err != nil {
		return nil, &Error{Code: InvalidValue, Reason: err.Error(), Err: err}
	}
	return resolved, nil
}

// ofPresses are what the page script says of a press: what it hit, what it made of a
// control's state, and whether the button came up where it went down or the element had
// slipped away.
var ofPresses = []string{"press", "state", "release", "slip"}

// press is what the page script says became of a press.
type press struct {
	frame   *target.Frame
	Type    string `json:"type"`
	OK      bool   `json:"ok"`
	On      string `json:"on"`
	Checked bool   `json:"checked"`
}

// Message, Navigated, Opened, Dialog and Answered make a run a target.Watcher.

// Message takes what the page script says of a press.
func (r *run) Message(f *target.Frame, _ string, payload json.RawMessage) {
	p := press{frame: f}
	if json.Unmarshal(payload, &p) == nil && slices.Contains(ofPresses, p.Type) {
		r.presses = append(r.presses, p)
	}
}

// Navigated is not needed: waits look at the frames themselves.
func (r *run) Navigated(*target.Frame, target.Navigation) {}

// Opened is not needed: popups are looked up where they are expected.
func (r *run) Opened(*target.Page) {}

// Dialog notes what a page has asked.
func (r *run) Dialog(p *target.Page, d target.Dialog) {
	r.dialogs.seen = append(r.dialogs.seen, shownDialog{p, d})
}

// Answered is not needed: the run answers itself.
func (r *run) Answered(*target.Page, target.Dialog, target.Answer) {}
