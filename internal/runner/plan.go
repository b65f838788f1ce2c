package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Plan is a request of which all is known that can be known before a browser opens.
type Plan struct {
	Document *automation.Automation
	Login    *Login // nil for none

	runner     *Runner
	request    Request
	stored     replayer.Values
	id         string      // of the run, "" for a new one
	leased     bool        // it has its lease
	learned    bool        // it deals with what blocks another run, and is helped by none itself
	several    bool        // it is run several times, with stored values of its own each time
	resumption *resumption // nil for a new run
}

// Plan finds the document, what is stored for it, the login, and the run that it goes on
// with. A commit step whose outcome the request resolves is resolved by it.
func (r *Runner) Plan(ctx context.Context, q Request) (*Plan, error) {
	p := &Plan{runner: r, request: q}
	var err error
	if p.Document, err = r.Find(ctx, q); err != nil {
		return nil, err
	}
	if p.resumption, err = p.resume(ctx); err != nil {
		return nil, err
	}
	if p.stored, err = p.storedValues(ctx); err != nil {
		return nil, err
	}
	p.Login, err = p.login(ctx)
	return p, err
}

// Find returns the document that a request is about.
func (r *Runner) Find(ctx context.Context, q Request) (*automation.Automation, error) {
	switch {
	case q.Document != nil:
		return q.Document, nil
	case q.Name == "":
		return r.Store.Automations().Match(ctx, q.URL, q.Account)
	}
	doc, err := r.Store.Automations().Get(ctx, q.Name, q.Account)
	var missing *store.NotFoundError
	if errors.As(err, &missing) && q.Account != "" && slices.Contains(missing.Accounts, "") {
		return r.Store.Automations().Get(ctx, q.Name, "") // which is for any account
	}
	return doc, err
}

// account is the one that the run is for.
func (p *Plan) account() string { return cmp.Or(p.request.Account, p.Document.Match.Account) }

func (p *Plan) storedValues(ctx context.Context) (replayer.Values, error) {
	switch {
	case p.request.Stored != nil:
		return p.request.Stored(ctx, p.Document)
	case p.runner.Secrets == nil:
		return replayer.Map{}, nil
	}
	safe, err := p.runner.Secrets()
	if err != nil {
		return nil, err
	}
	return safe.Values(ctx, p.Document, sealed.Scope{Task: p.request.Task, Account: p.request.Account})
}

func (p *Plan) login(ctx context.Context) (*Login, error) {
	switch {
	case p.request.Login == "":
		return nil, nil
	case p.runner.Secrets == nil:
		return nil, errors.New("there are no saved logins here")
	}
	safe, err := p.runner.Secrets()
	if err != nil {
		return nil, err
	}
	return OpenLogin(ctx, safe, p.request.Login, p.account())
}

// With returns the same plan with other values of the caller's. Plans that were made so
// may run at the same time.
func (p *Plan) With(values replayer.Values) *Plan {
	other := *p
	other.request.Values, other.several, other.id = values, true, ""
	return &other
}

// Lacks reports whether a variable has neither a value of the caller's nor a stored one.
// A stored secret is not opened for that.
func (p *Plan) Lacks(ctx context.Context, name string) (bool, error) {
	declared, err := p.Document.Declared()
	if err != nil {
		return false, err
	}
	_, _, err = p.value(ctx, name, declared.IsSecret(name))
	if errors.Is(err, replayer.ErrNoValue) {
		return true, nil
	}
	return false, err
}

// value returns the value of a variable, or of a stored secret only that there is one.
func (p *Plan) value(ctx context.Context, name string, secret bool) (value any, sealed bool, err error) {
	if p.request.Values != nil {
		if value, err = p.request.Values.Value(ctx, name); !errors.Is(err, replayer.ErrNoValue) {
			return value, false, err
		}
	}
	labelled, is := p.stored.(interface {
		Has(ctx context.Context, name string) (bool, error)
	})
	if !is || !secret {
		value, err = p.stored.Value(ctx, name)
		return value, false, err
	}
	has, err := labelled.Has(ctx, name)
	if err == nil && !has {
		err = replayer.ErrNoValue
	}
	return nil, true, err
}

// Check holds the values to what the document declares, without opening what is sealed:
// the replayer checks that as well, once it is needed.
func (p *Plan) Check(ctx context.Context) error {
	declared, err := p.Document.Declared()
	if err != nil {
		return err
	}
	values, sealed := map[string]any{}, map[string]bool{}
	for _, name := range declared.Names() {
		value, later, err := p.value(ctx, name, declared.IsSecret(name))
		if errors.Is(err, replayer.ErrNoValue) {
			continue
		}
		if err != nil {
			return err
		}
		if values[name] = value; later {
			values[name], sealed[name] = "", true
		}
	}
	return invalid(declared.CheckValues(values), sealed)
}

// invalid is what is wrong with values, apart from those that stand for sealed ones.
func invalid(err error, sealed map[string]bool) error {
	all := []error{err}
	if several, is := err.(interface{ Unwrap() []error }); is { //nolint:errorlint // it is what CheckValues joined
		all = several.Unwrap()
	}
	all = slices.DeleteFunc(slices.Clone(all), func(err error) bool {
		var of *automation.ValueError
		return err == nil || errors.As(err, &of) && sealed[of.Variable]
	})
	switch len(all) {
	case 0:
		return nil
	case 1:
		err = all[0]
	default:
		err = errors.Join(all...)
	}
	return &replayer.Error{Code: replayer.InvalidValue, Step: -1, Err: err, Reason: err.Error()}
}
