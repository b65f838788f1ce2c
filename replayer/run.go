package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// run is one playing of an automation.
type run struct {
	automation *automation.Automation
	options    Options
	scope      *scope
	values     map[string]any
	log        *slog.Logger
	result     *Result

	page    *target.Page            // the first tab
	pages   map[string]*target.Page // by the document's name
	marks   map[*target.Page]target.Mark
	frames  map[frameKey]knownFrame
	presses []press // guarded by the tree
	dialogs dialogs // guarded by the tree
	unwatch func()
}

func newRun(page *target.Page, a *automation.Automation, o Options) *run {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &run{
		automation: a, options: o, scope: newScope(a), log: log, page: page,
		result: &Result{Name: a.Name, Account: a.Match.Account, Started: time.Now()},
		pages:  map[string]*target.Page{"": page},
		marks:  map[*target.Page]target.Mark{page: page.Main().Mark()},
		frames: map[frameKey]knownFrame{},
	}
	r.unwatch = page.Watch(r)
	page.SetDialogs(r.answer)
	r.interceptChoosers(true)
	return r
}

func (r *run) close() {
	r.interceptChoosers(false)
	for _, page := range r.pages {
		page.SetDialogs(nil)
	}
	r.unwatch()
}

func (r *run) end() *Result {
	r.result.Duration = Duration(time.Since(r.result.Started))
	r.result.URL = shown(r.page.URL())
	return r.result
}

// step plays one step; stop says that the run ends after it.
func (r *run) step(ctx context.Context, i int, step automation.Step) (stop bool, err error) {
	started := time.Now()
	if r.options.OnStart != nil {
		r.options.OnStart(i, step)
	}
	outcome, err := r.do(ctx, step)
	result := StepResult{Index: i, Tool: step.Tool, Intent: step.Intent, Skipped: outcome.skipped, Duration: Duration(time.Since(started))}
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

// busyGrace is how much longer than a step's time a page may take to say that the
// time is up: one that shares its machine with many others answers late, and its
// own word on what is missing is worth more than ours.
const busyGrace = 15 * time.Second

// do decides whether a step is to be played, and plays it in its time.
func (r *run) do(ctx context.Context, step automation.Step) (outcome, error) {
	timeout := r.options.Timeout
	if step.Timeout > 0 {
		timeout = step.Timeout
	}
	deadline := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(busyGrace))
	defer cancel()
	page, err := r.pageOf(ctx, step.Page)
	if err != nil {
		return outcome{}, err
	}
	c := &call{run: r, page: page, step: step, deadline: deadline, dry: r.options.DryRun && step.Effect == automation.Commit}
	if why, err := c.unmet(ctx, step.When); err != nil || why != "" {
		return outcome{skipped: why}, err
	}
	if step.Tool != "waitForNav" {
		r.marks[page] = page.Main().Mark()
	}
	there := r.already(page)
	out, err := tools[step.Tool](ctx, c)
	if step.Optional && isAbsent(err) {
		return outcome{skipped: "optional, and not there"}, nil
	}
	if err == nil && out.stop {
		out.skipped = "it commits to something, and a dry run ends before it"
	}
	if err != nil || out.skipped != "" {
		return out, err
	}
	return out, c.expect(ctx, there, step.Expect)
}

// isAbsent reports whether an optional step may be passed over: its element is
// not there.
func isAbsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == Gone
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
	if json.Unmarshal(payload, &p) == nil && (p.Type == "press" || p.Type == "state") {
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
