// Package replayer plays automations: for each step it finds the element, checks
// that it can be used, acts, and waits for what followed when it was recorded.
// It never sleeps: every wait is on a condition in the page or the browser.
package replayer

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/selectors"
)

// DefaultTimeout is how long a step may take when neither it nor the caller says.
const DefaultTimeout = 30 * time.Second

// Options of a run. The zero value, or nil, works for an automation without
// variables.
type Options struct {
	// Values of the automation's variables. Default: none.
	Values Values
	// Account that the run is for. An automation for another account is refused.
	// Default: the automation's own.
	Account string
	// UploadFrom are the folders that files may be read from. Default: those that the
	// values of variables name may be anywhere, as the caller names them, and those
	// that the document itself names nowhere.
	UploadFrom []string
	// Timeout of each step that has none of its own. Default: DefaultTimeout.
	Timeout time.Duration
	// DryRun plays up to the first step whose effect is commit, finds its
	// element, and stops there. Default: everything is played.
	DryRun bool
	// OnStart is called before each step, OnStep after it. Default: nobody is told.
	OnStart func(index int, step automation.Step)
	OnStep  func(StepResult)
	// Logger is told of each step; values are never logged. Default: silent.
	Logger *slog.Logger
}

// Result of a run, also of one that failed.
type Result struct {
	Name     string       `json:"name"`
	Account  string       `json:"account,omitempty"`
	Steps    []StepResult `json:"steps"`
	Started  time.Time    `json:"started"`
	Duration Duration     `json:"duration"`
	URL      string       `json:"url"` // where it ended, without its query
	// Drift are the steps whose element was found and is no longer quite what was
	// recorded. Proposal makes a document of them; nothing is changed by itself.
	Drift []Drift `json:"drift,omitempty"`
}

// StepResult tells how a step went.
type StepResult struct {
	Index    int            `json:"index"`
	Tool     string         `json:"tool"`
	Intent   string         `json:"intent,omitempty"`
	Selector selectors.Path `json:"selector,omitempty"` // that found the element
	Matched  int            `json:"matched,omitempty"`  // 0 is the step's own selector, 1 its first alternative, -1 its evidence alone
	Drift    float64        `json:"drift,omitempty"`    // of the element from what was recorded: 0 is unchanged, 1 is nothing left
	Skipped  string         `json:"skipped,omitempty"`  // why it was not done
	Duration Duration       `json:"duration"`
}

// Duration is a time.Duration that is written as text, like 1.2s.
type Duration time.Duration

// MarshalText writes the duration as time.Duration does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Play plays an automation in a page. Values, scope and tools are checked before
// anything is touched. An error is an *Error; the Result then tells how far the
// run came. When ctx ends the run ends, with the code Cancelled.
func Play(ctx context.Context, page *browser.Page, a *automation.Automation, o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	r := newRun(page.Target(), a, *o)
	defer r.close()
	if err := r.prepare(ctx); err != nil {
		return r.end(), before(ctx, err)
	}
	for i, step := range a.Steps {
		done, err := r.step(ctx, i, step)
		if err != nil {
			return r.end(), at(ctx, err, i, step)
		}
		if done {
			break
		}
	}
	return r.end(), nil
}

// before is an error that came before the first step.
func before(ctx context.Context, err error) *Error {
	e := *failure(ctx, err)
	e.Step = -1
	return &e
}

// at is an error of a step.
func at(ctx context.Context, err error, index int, step automation.Step) *Error {
	e := *failure(ctx, err)
	e.Step, e.Tool, e.Intent = index, step.Tool, step.Intent
	return &e
}

// prepare checks all that can be known before the page is touched.
func (r *run) prepare(ctx context.Context) error {
	if err := r.automation.Validate(); err != nil {
		return &Error{Code: Refused, Reason: "not a valid automation: " + err.Error(), Err: err}
	}
	for i, step := range r.automation.Steps {
		if tools[step.Tool] == nil {
			return &Error{Code: Refused, Reason: fmt.Sprintf("steps[%d]: the tool %s cannot be played by this version", i, step.Tool)}
		}
		for _, e := range step.Expect {
			if unplayable[e.Kind] {
				return &Error{Code: Refused, Reason: fmt.Sprintf("steps[%d]: a %s cannot be waited for by this version", i, e.Kind)}
			}
		}
	}
	if err := r.checkAccount(); err != nil {
		return err
	}
	values, err := gather(ctx, r.automation, r.options.Values)
	if err != nil {
		return err
	}
	r.values = values
	if err := r.checkFiles(); err != nil {
		return err
	}
	return r.scope.start(r.page.URL(), r.automation.Steps)
}

func (r *run) checkAccount() error {
	own := r.automation.Match.Account
	if own == "" || r.options.Account == "" || own == r.options.Account {
		return nil
	}
	return &Error{Code: OutOfScope, Reason: fmt.Sprintf("the automation is for the account %q, the run for %q", own, r.options.Account)}
}
