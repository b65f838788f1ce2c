// Package replayer plays automations: for each step it finds the element, checks that it can be
// used, acts, and waits for what followed when it was recorded. It never sleeps: every wait is on
// a condition in the page or the browser.
//
//	page, err := b.NewPage(ctx, "") // b is a browser.Browser
//	order, err := automation.Parse(data)
//	result, err := replayer.Play(ctx, page, order, &replayer.Options{
//		Values: replayer.Map{"email": "ada@example.com"},
//		Person: approver, // is asked before the order is placed
//	})
//	var failed *replayer.Error
//	if errors.As(err, &failed) && failed.Code == replayer.Blocked { // a sign-in, a human check
//		result, err = replayer.Play(ctx, page, order, &replayer.Options{Resume: failed.Resume})
//	}
//
// # Types
//
// [Play] runs an automation with [Options], and returns a [Result] and, where it could not go on, an
// [Error] with a code, what was tried and a token to resume with. A [Session] calls the same tools
// one by one, as an agent does. [Tools] adds a program's own tools to those of the format. [Values]
// are where the values of variables come from, and [Person] is the user who approves and takes over.
// A [Drift] is a step whose element has changed since it was recorded; [Result.Proposal] makes a
// renewed automation of them. The examples of [Play], [Begin], [NewTools] and [Session.Snapshot]
// show each.
//
// # Commit steps
//
// A commit step is a step with an effect that cannot be undone: a payment, an order, a message, a
// deletion. A step is one if its effect is declared
// to be a commit, if the control that it uses says so by its label and its form, or if the request
// that it sets off does. [Options.Commit] decides what becomes of it: by default Options.Person is
// asked with an [Approval], which must describe what is there when the step is done. A [Journal]
// notes a commit step before anything is sent, and it is never sent again. Where what follows was not
// seen, the run ends as [Uncertain]; [ResolveUncertain] resumes it once the outcome is known.
//
// # Secrets
//
// A value that is an automation.Secret is typed only on the origins that it is bound to, if it is
// bound, and is redacted from results, errors, pictures and logs. A [Redactor] redacts other texts
// alike.
//
// # How a run works
//
// [Play] is in play.go. call.do in step.go is the one sequence that each step goes through: its
// condition, its declared effect, the act, its approval, whether it is optional, and what it expects.
// tools.go has the table of tools, which are in act.go, fields.go, wait.go, tabs.go, picture.go and
// person.go. commit.go, hold.go and resume.go make a commit step happen at most once; secrets.go
// guards secrets. Journal, progress, pictures and log attach through Options.
package replayer

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/selectors"
)

// DefaultTimeout is how long a step may take when neither it nor the caller sets that.
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
	// Humanize has the mouse and the keys used as one human uses them, and takes as long.
	// Default: full speed.
	Humanize bool
	// Seed draws that human; a seed repeats a run. Default: a random one, see Result.Seed.
	Seed uint64
	// RunTimeout of all steps together. It does not count while a person is waited for, whose own
	// deadline bounds that. Default: none.
	RunTimeout time.Duration
	// DryRun plays up to the first commit step, finds its
	// element, and stops there. Default: everything is played.
	DryRun bool
	// From and Until are the indexes of the first step that is played, and of the first
	// that is not. Default: all of them; an Until of 0 is the end.
	From, Until int
	// Commit is what becomes of commit steps, by their recording or by the words on their
	// control. Default: AskCommits.
	Commit CommitPolicy
	// Person is asked for approvals, and called where a step hands over. Default: no one;
	// then such a step ends the run.
	Person Person
	// Limits are asked first where a document has an approve step: what is within them is paid without
	// asking the Person. They note what is sent in the same journal. Default: there are none.
	Limits Limits
	// Unblock is called where something blocks a step that may be learned (automation.Reason.CanBeLearned),
	// or a step hands over for that reason, before Person is: once for each step and reason. It deals with
	// it in the same page; its error is why it has not, which the person is told. Default: only Person.
	Unblock func(ctx context.Context, h Handoff) (Unblocked, error)
	// Consents reports whether a control of this label answers a question for consent, which a person has answered for
	// good: it is pressed without an approval where nothing but its looks says that it commits, and what it sends is
	// held all the same. Default: none does.
	Consents func(label string) bool
	// Tools are what steps may name. Default: the tools of the format.
	Tools *Tools
	// Automations are what steps of the tool run may play, such as those of a store.
	// Default: none.
	Automations Automations
	// Run names this run, in its journal and for its resumption; an attempt at a run that
	// was begun before has the same. Default: a new random name.
	Run string
	// Resume goes on with a run that had stopped: the token of its Error. Default: it
	// begins with its first step.
	Resume string
	// Journal stores what was committed, so that no later attempt at this run commits it
	// again. Default: only this call and its token know.
	Journal Journal
	// SecretFields returns the steps of recordings that type the secret of a variable's name
	// on the site of an address. A Session types a secret into a field that is for one
	// (a password, a one-time code, a card), or that such a step finds; Play types it where
	// its automation types it. Default: there are no such steps.
	SecretFields func(ctx context.Context, address, variable string) ([]automation.Step, error)
	// Redact are secrets that pages may repeat although no step types them, such as those of
	// a login that the page was opened with. Default: none.
	Redact []automation.Secret
	// Downloads is a directory in which files are saved that pages download; it is created with
	// the first of them. Those that have begun are waited for before the run ends, as long as they
	// make progress within Timeout. Default: none are saved; a browser without a window
	// refuses them.
	Downloads string
	// OnStart is called before each step, OnStep after it. Default: neither.
	OnStart func(index int, step automation.Step)
	OnStep  func(StepResult)
	// OnPicture receives a picture of the page before each step, with the box of the
	// step's element, and one after it. Each costs some 0.2 s. Default: none are taken.
	OnPicture func(StepPicture)
	// Logger logs each step; values are never logged. Default: silent.
	Logger *slog.Logger
}

// Unblocked is what came of Options.Unblock: whether something was played in the page, whether that has dealt
// with the blocker, and the secrets that were typed, which pages may repeat from now on.
type Unblocked struct {
	Played, Done bool
	Secrets      []automation.Secret
}

// Automations return an automation by its name and account, as a store does.
type Automations interface {
	Get(ctx context.Context, name, account string) (*automation.Automation, error)
}

// Result of a run, also of one that failed.
type Result struct {
	Run      string       `json:"run"`
	Name     string       `json:"name"`
	Account  string       `json:"account,omitempty"`
	Steps    []StepResult `json:"steps"`
	Started  time.Time    `json:"started"`
	Duration Duration     `json:"duration"`
	URL      string       `json:"url"` // where it ended, without its query
	// Outputs are what extract steps have read, by the name that they have for it: a text or
	// a list of texts.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Pictures are what screenshot steps took.
	Pictures []Picture `json:"pictures,omitempty"`
	// Downloads are the files that pages downloaded, also those that were not saved.
	Downloads []Download `json:"downloads,omitempty"`
	Seed      uint64     `json:"seed,omitempty"` // of a run that was humanized
	// Drift are the steps whose element was found and is no longer quite what was
	// recorded. Proposal makes a document of them; nothing is changed automatically.
	Drift []Drift `json:"drift,omitempty"`
}

// StepResult is how a step went.
type StepResult struct {
	Index  int    `json:"index"`
	Tool   string `json:"tool"`
	Intent string `json:"intent,omitempty"`
	// Effect is what it did to the world, by its recording and by the label of its control.
	Effect   automation.Effect `json:"effect,omitempty"`
	Selector selectors.Path    `json:"selector,omitempty"` // that found the element
	Matched  int               `json:"matched,omitempty"`  // 0 is the step's own selector, 1 its first alternative, -1 its evidence alone
	Drift    float64           `json:"drift,omitempty"`    // of the element from what was recorded: 0 is unchanged, 1 is nothing left
	Skipped  string            `json:"skipped,omitempty"`  // why it was not done
	Duration Duration          `json:"duration"`
	Steps    []StepResult      `json:"steps,omitempty"` // those of the automation that it played, if it did
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
// anything is touched. An error is an *Error; the Result then holds how far the
// run came. When ctx ends the run ends, with the code Cancelled.
func Play(ctx context.Context, page *browser.Page, a *automation.Automation, o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	if o.RunTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withClock(ctx, o.RunTimeout)
		defer cancel()
	}
	r := newRun(page, page.Target(), a, *o)
	defer r.close()
	err := r.play(ctx)
	if unsaved := r.collectDownloads(ctx); unsaved != nil && err == nil {
		err = r.ended(ctx, unsaved, unsaved.Step)
	}
	return r.end(), err
}

// run is one run of an automation, or a Session. Each part has its state and its methods in the
// file of its name.
type run struct {
	automation *automation.Automation
	declared   *automation.Variables // by the automation; none of a Session's
	options    Options               // with their defaults
	result     *Result               // which names the run
	from       int                   // index of the first step
	isSession  bool                  // its steps are calls of a Session

	scope      *scope
	secrets    *secrets
	tabs       *tabs
	frames     *frames
	commits    *commits
	hold       *hold       // nil where commits are allowed
	hand       *input.Hand // for human input; nil at full speed
	nesting    nesting
	saving     *saving      // the last press that changes something
	signedInAt string       // where the form was sent that signs in, if that was the last press
	opener     int          // the step after a press that may be repeated, if what that has opened goes again
	idleBefore int          // the step before which nothing was pressed, as all was as it was to be
	typedIn    *target.Page // where a text was put in, until something is pressed
	leftField  time.Time    // when a box was set right after that
	granted    *granted     // what a Session has requested an approval for; nil for nothing
	ledOn      func()       // extends the scope of a Session by where its presses have led; nil for a run
	rows       []chosenRow  // that were chosen in place of recorded ones
	given      []string     // what the caller of a Session has had typed and asked for, by [run.noteInput]
}

// inScope returns nil if something may be done in a document.
func (r *run) inScope(address string) error {
	err := r.scope.check(address)
	if err != nil && r.ledOn != nil {
		r.ledOn()
		err = r.scope.check(address)
	}
	return err
}

func newRun(on *browser.Page, page *target.Page, a *automation.Automation, o Options) *run {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Run == "" {
		o.Run = strings.ToLower(rand.Text())
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Journal == nil {
		o.Journal = noJournal{}
	}
	scope := newScope(a)
	r := &run{
		automation: a, declared: &automation.Variables{}, options: o, from: o.From, scope: scope,
		result:  &Result{Run: o.Run, Name: a.Name, Account: a.Match.Account, Started: time.Now()},
		secrets: newSecrets(o.Redact, scope), tabs: newTabs(on, page, scope), frames: newFrames(), commits: newCommits(a),
	}
	if origins, err := a.Match.Origins(); err == nil { // a private site that is named may be gone to
		page.Allow(origins...)
	}
	if o.Commit != AllowCommits {
		r.hold = newHold()
	}
	r.drawHand()
	r.interceptChoosers(true)
	return r
}

func (r *run) close() {
	r.commits.endPending()
	var policy target.DialogPolicy
	if outer := r.nesting.inside; outer != nil {
		policy = outer.tabs.dialogs.answer
	}
	if r.nesting.inside == nil || r.nesting.inside.hold != r.hold {
		r.hold.stop()
	}
	r.commits.close()
	r.interceptChoosers(false)
	r.tabs.close(policy)
}

func (r *run) end() *Result {
	r.result.Duration = Duration(time.Since(r.result.Started))
	r.result.URL = r.secrets.redact(shown(r.tabs.first.URL()))
	return r.result
}

// play plays from the first step to the last; its error is an *Error.
func (r *run) play(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return r.ended(ctx, runError(ctx, err), r.from)
	}
	steps, until := r.automation.Steps, len(r.automation.Steps)
	if r.options.Until > 0 {
		until = min(until, r.options.Until)
	}
	for i := r.from; i < until; i++ {
		stop, err := r.step(ctx, i, steps[i])
		if err != nil {
			return err
		}
		if stop {
			r.nesting.stopped = true
			return nil
		}
	}
	if err := r.sendLate(ctx, until-1); err != nil {
		return err
	}
	if r.commits.pending != nil {
		return r.ended(ctx, &Error{Code: Uncertain, Step: -1, Reason: fmt.Sprintf("the run was to end before what follows step %d, which commits", r.commits.pending.index+1)}, until)
	}
	if until < len(steps) {
		return nil
	}
	if err := r.tabs.awaitDocuments(ctx); err != nil {
		return r.ended(ctx, runError(ctx, err), until)
	}
	if until > r.from {
		if err := r.newCall(until-1, steps[until-1]).awaitBeginning(ctx); err != nil {
			return r.ended(ctx, runError(ctx, err), until)
		}
	}
	if refused := r.refused(ctx); refused != nil {
		return r.ended(ctx, refused, until)
	}
	if err := r.isWho(ctx, true); err != nil {
		return r.ended(ctx, runError(ctx, err), until)
	}
	return nil
}

// step does one step, and confirms what it or an earlier one has committed as soon as all has
// been seen that follows. Its error is an *Error; stop reports whether the run ends after it.
func (r *run) step(ctx context.Context, i int, step automation.Step) (stop bool, err error) {
	if r.options.OnStart != nil {
		r.options.OnStart(i, step)
	}
	r.tabs.first.Tree().Do(func() { r.tabs.downloads.step = i })
	started := time.Now()
	step = step.WithEvidence()
	c := r.newCall(i, step)
	outcome, err := c.do(ctx)
	err = r.secrets.clean(err)
	result := StepResult{Index: i, Tool: step.Tool, Intent: step.Intent, Effect: c.effect, Skipped: outcome.skipped, Duration: Duration(time.Since(started)), Steps: outcome.steps}
	if outcome.element != nil {
		r.found(&result, c.step, *outcome.element, c.filled)
	}
	r.options.Logger.DebugContext(ctx, "step", "index", i, "tool", step.Tool, "matched", result.Matched, "drift", result.Drift, "skipped", outcome.skipped, "error", err)
	if err == nil {
		r.result.Steps = append(r.result.Steps, result)
		if r.options.OnStep != nil {
			r.options.OnStep(result)
		}
	}
	if away := r.secrets.stoppedLeak(r.tabs.first.Tree()); away != nil {
		err = away
	}
	if err == nil {
		err = r.confirm(ctx, i)
	}
	if err != nil {
		e := stepError(ctx, err, i, step)
		r.commits.inDoubt = e.Code == BrowserLost && c.mayHaveActed()
		return false, r.ended(ctx, e, i)
	}
	return outcome.stop, nil
}

// prepare checks all that can be known before the page is touched.
func (r *run) prepare(ctx context.Context) error {
	if err := r.automation.Validate(); err != nil {
		return &Error{Code: Refused, Reason: "not a valid automation: " + err.Error(), Err: err}
	}
	if n := len(r.automation.Steps); r.from < 0 || r.from > n || r.options.Until < 0 {
		return &Error{Code: Refused, Reason: fmt.Sprintf("it cannot begin at step %d of %d, and end before step %d", r.from+1, n, r.options.Until+1)}
	}
	for i, step := range r.automation.Steps {
		if _, err := r.tool(step); err != nil {
			e := *failure(ctx, err)
			e.Reason = fmt.Sprintf("steps[%d]: %s", i, e.Reason)
			return &e
		}
	}
	if own := r.automation.Match.Account; own != "" && r.options.Account != "" && own != r.options.Account {
		return &Error{Code: OutOfScope, Reason: fmt.Sprintf("the automation is for the account %q, the run for %q", own, r.options.Account)}
	}
	var err error
	if r.declared, err = r.automation.Declared(); err != nil {
		return &Error{Code: Refused, Reason: "not a valid automation: " + err.Error(), Err: err}
	}
	values, err := gather(ctx, r.declared, r.options.Values)
	if err != nil {
		return err
	}
	r.secrets.use(values)
	if err := r.checkFiles(); err != nil {
		return err
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.recall(ctx); err != nil {
		return err
	}
	if err := r.saveDownloads(ctx); err != nil {
		return err
	}
	if err := r.tabs.watchReplies(ctx, r.automation.Steps, r.hold == nil && !r.isSession); err != nil {
		return err
	}
	return r.scope.start(r.tabs.first.URL(), r.automation.Steps[r.from:], r.from)
}

func (r *run) newCall(i int, step automation.Step) *call {
	step = step.WithEvidence()
	timeout := r.timeoutOf(step)
	page := r.tabs.named[step.Page]
	if page == nil {
		page = r.tabs.first // for a step that opens the tab
	}
	return &call{
		run: r, page: page, index: i, step: step, turned: turnedBy(step), timeout: timeout, deadline: load.After(timeout),
		dry: r.options.DryRun && step.Effect == automation.Commit,
	}
}

func (r *run) timeoutOf(step automation.Step) time.Duration {
	timeout := r.options.Timeout
	if step.Timeout > 0 {
		timeout = step.Timeout
	}
	return timeout + r.humanTime(step) + step.Hold
}
