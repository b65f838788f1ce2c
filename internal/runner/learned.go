package runner

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store/sealed"
)

// UnblockRequest describes a page that is blocked, and for whom it is wanted.
type UnblockRequest struct {
	Page    *browser.Page
	Reason  automation.Reason
	Account string
	Task    string // values of the automation, besides those of the vault
	// Stored returns the values that were stored for the automation. Default: those of Task, and of the vault.
	Stored func(ctx context.Context, doc *automation.Automation) (replayer.Values, error)
	// Until is what the page shows when it is done, as in replayer.CheckUntil. Default: that the blocker is gone.
	Until string
	// Leased reports that the caller has the lease of the account. Default: it is taken.
	Leased bool
	// Options are those of the run that is blocked: what it may commit, who is asked, what it knows.
	Options replayer.Options
	Known   func() []automation.Secret
	Owner   string
}

// NotUnblockedError is why an automation that was learned for a blocker has not dealt with it.
type NotUnblockedError struct {
	Automation string
	Err        error
}

func (e *NotUnblockedError) Error() string {
	var failed *replayer.Error
	if errors.As(e.Err, &failed) && failed.Step >= 0 {
		return fmt.Sprintf("the learned automation %s stopped at step %d: %s", e.Automation, failed.Step+1, failed.Reason)
	}
	return fmt.Sprintf("the learned automation %s did not help: %v", e.Automation, e.Err)
}

func (e *NotUnblockedError) Unwrap() error { return e.Err }

const (
	// learnedTimeout is that of a step: what was learned fits at once, or a person is called.
	learnedTimeout = 10 * time.Second
	// unblockedTimeout is how long the page may take to be free after that.
	unblockedTimeout = 15 * time.Second
)

// Unblock plays the automation that was learned for what blocks a page, in that page. It returns its name, "" where
// there is none. The error is a *NotUnblockedError where it has not dealt with it. Nothing that blocks it in turn is
// dealt with by another: it plays once, and asks a person for nothing but what it hands over itself.
func (r *Runner) Unblock(ctx context.Context, q UnblockRequest) (name string, done replayer.Unblocked, err error) {
	doc, err := r.learnedFor(ctx, q)
	if doc == nil || err != nil {
		return "", replayer.Unblocked{}, err
	}
	fail := func(err error) (string, replayer.Unblocked, error) {
		r.logger().InfoContext(ctx, "a learned automation did not help", "automation", doc.Name, "reason", q.Reason, "error", err)
		return doc.Name, done, &NotUnblockedError{doc.Name, err}
	}
	typed := &typedSecrets{}
	options := replayer.Options{
		Commit: q.Options.Commit, UploadFrom: q.Options.UploadFrom, Humanize: q.Options.Humanize, Tools: q.Options.Tools, Redact: q.Options.Redact, Timeout: learnedTimeout,
	}
	if q.Options.Person != nil {
		options.Person = asIsHandedOver{q.Options.Person}
	}
	if doc.Match.Blocker == automation.ReasonPermission && replayer.Blocker(ctx, q.Page) == automation.ReasonPermission {
		options.Consents = consentWords.MatchString
	}
	p, err := r.Plan(ctx, Request{
		Document: doc, Account: q.Account, Task: q.Task, Pages: OpenPage{q.Page}, Known: q.Known, Owner: q.Owner, Options: options,
		Stored: func(ctx context.Context, doc *automation.Automation) (replayer.Values, error) {
			stored, err := r.storedFor(ctx, q, doc)
			typed.Values = stored
			return typed, err
		},
	})
	if err == nil {
		err = p.Check(ctx)
	}
	if err != nil {
		return fail(err)
	}
	p.leased, p.learned = q.Leased, true
	_, err = p.Run(ctx, Events{})
	done = replayer.Unblocked{Played: true, Secrets: typed.all()}
	if err != nil {
		return fail(err)
	}
	waiting, cancel := load.WithTimeout(ctx, unblockedTimeout)
	defer cancel()
	hidden := false // what it must show is not looked for
	if q.Until != "" {
		unmet, err := replayer.Unmet(ctx, q.Page, q.Until, redactorOf(q).With(done.Secrets...))
		if err == nil && unmet != "" {
			err = errors.New(unmet)
		}
		if hidden = errors.Is(err, replayer.ErrHidden); err != nil && !hidden {
			return fail(err)
		}
	}
	if (q.Until == "" || hidden) && !replayer.AwaitUnblocked(waiting, q.Page, q.Reason) {
		return fail(fmt.Errorf("all of it was done, and the page is blocked as before (%s)", q.Reason))
	}
	r.logger().InfoContext(ctx, "a learned automation has dealt with a blocker", "automation", doc.Name, "reason", q.Reason)
	done.Done = true
	return doc.Name, done, nil
}

// redactorOf knows what the caller knows.
func redactorOf(q UnblockRequest) *replayer.Redactor {
	known := slices.Clone(q.Options.Redact)
	if q.Known != nil {
		known = append(known, q.Known()...)
	}
	return replayer.NewRedactor(known...)
}

// learnedFor returns the automation for what blocks a page: by the reason, or for a reason that says nothing of the
// page by what it shows. It is nil for none.
func (r *Runner) learnedFor(ctx context.Context, q UnblockRequest) (*automation.Automation, error) {
	reasons := []automation.Reason{q.Reason}
	if !q.Reason.CanBeLearned() {
		if q.Reason == automation.Reason2FA || q.Reason == automation.ReasonApproval {
			return nil, nil
		}
		reasons[0] = replayer.Blocker(ctx, q.Page)
	}
	if !reasons[0].CanBeLearned() {
		return nil, nil
	}
	doc, err := r.Store.Automations().MatchBlocker(ctx, q.Page.URL(), q.Account, reasons[0])
	if errors.Is(err, automation.ErrNoMatch) {
		return nil, nil
	}
	return doc, err
}

// storedFor returns the values for what was learned. A task that is for other automations has none for it.
func (r *Runner) storedFor(ctx context.Context, q UnblockRequest, doc *automation.Automation) (replayer.Values, error) {
	if q.Stored != nil {
		return q.Stored(ctx, doc)
	}
	if r.Secrets == nil {
		return replayer.Map{}, nil
	}
	safe, err := r.Secrets()
	if err != nil {
		return nil, err
	}
	values, err := safe.Values(ctx, doc, sealed.Scope{Task: q.Task, Account: q.Account})
	if other := new(sealed.UseError); errors.As(err, &other) {
		values, err = safe.Values(ctx, doc, sealed.Scope{Account: q.Account})
	}
	if err != nil { // and no nil of a type
		return nil, err
	}
	return values, nil
}

// typedSecrets are values, of which the secrets are noted that were asked for.
type typedSecrets struct {
	replayer.Values

	mu    sync.Mutex
	typed []automation.Secret
}

func (v *typedSecrets) Value(ctx context.Context, name string) (any, error) {
	value, err := v.Values.Value(ctx, name)
	if secret, is := value.(automation.Secret); is && err == nil {
		v.mu.Lock()
		v.typed = append(v.typed, secret)
		v.mu.Unlock()
	}
	return value, err
}

// Has reports whether there is a value, without opening one that is sealed.
func (v *typedSecrets) Has(ctx context.Context, name string) (bool, error) {
	if labelled, is := v.Values.(interface {
		Has(ctx context.Context, name string) (bool, error)
	}); is {
		return labelled.Has(ctx, name)
	}
	_, err := v.Values.Value(ctx, name)
	if errors.Is(err, replayer.ErrNoValue) {
		return false, nil
	}
	return err == nil, err
}

func (v *typedSecrets) all() []automation.Secret {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.typed)
}

// asIsHandedOver is a person who is called where a document hands over, and not for what blocks it.
type asIsHandedOver struct{ replayer.Person }

var errBlockedItself = errors.New("something else blocks it")

// consentWords are the whole labels that a person's saving has approved for good, where a question for consent lies over
// the page.
var consentWords = regexp.MustCompile(`(?i)^\s*(i )?(accept|agree|allow|consent)( to)?( all| selected| necessary)?( cookies)?( and (close|continue))?\s*$`)

func (p asIsHandedOver) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	if h.Blocker != "" {
		return replayer.Returned{}, errBlockedItself
	}
	return p.Person.TakeOver(ctx, h)
}

// unblock returns the replayer.Options.Unblock of a run.
func (p *Plan) unblock(person replayer.Person) func(context.Context, replayer.Handoff) (replayer.Unblocked, error) {
	q := p.request
	options := q.Options
	options.Person = person
	return func(ctx context.Context, h replayer.Handoff) (replayer.Unblocked, error) {
		_, done, err := p.runner.Unblock(ctx, UnblockRequest{
			Page: h.Page, Reason: h.Reason, Account: p.account(), Task: q.Task, Stored: q.Stored, Until: h.Until, Leased: p.leased,
			Options: options, Known: q.Known, Owner: q.Owner,
		})
		return done, err
	}
}
