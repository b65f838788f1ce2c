package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// runArguments are those of a tool that runs an automation.
type runArguments struct {
	Name    string                     `json:"name"`
	Vars    map[string]json.RawMessage `json:"vars"`
	Account string                     `json:"account"`
	Task    string                     `json:"task"`
	Resume  string                     `json:"resume"`
	Login   string                     `json:"login"`
}

func (s *Server) runAny() *tool {
	return &tool{
		name: "run_automation", title: "Run an automation", destructive: true, page: true,
		does: "Runs a stored automation by its name, as its own run_… tool does: for a client that does not notice when tools come.",
		schema: object(s.takesLogin(map[string]any{
			"name":    map[string]any{"type": "string", "pattern": "^[a-z][a-z0-9-]{0,50}$", "description": "As list_automations tells it."},
			"vars":    map[string]any{"type": "object", "description": "The values that are yours to give, by their names; never secrets."},
			"account": accountSchema(nil), "task": taskSchema, "resume": resumeSchema,
		}), "name"),
		do: s.runNamed(""),
	}
}

// runNamed runs an automation; without a name the one that the arguments say.
func (s *Server) runNamed(name string) func(context.Context, *call) (*answer, error) {
	return func(ctx context.Context, c *call) (*answer, error) {
		args := runArguments{Name: name}
		if err := c.decode(&args); err != nil {
			return nil, err
		}
		a, err := s.find(ctx, args.Name, args.Account)
		if err != nil {
			return nil, err
		}
		values, err := c.values(ctx, a, args)
		if err != nil {
			return nil, err
		}
		return c.play(ctx, a, args, values)
	}
}

// find returns the document for an account: its own, else that for any.
func (s *Server) find(ctx context.Context, name, account string) (*automation.Automation, error) {
	automations := s.options.Store.Automations()
	a, err := automations.Get(ctx, name, account)
	if err == nil || account == "" || !errors.Is(err, store.ErrNotFound) {
		return a, err
	}
	if any, missing := automations.Get(ctx, name, ""); missing == nil {
		return any, nil
	}
	return nil, err
}

// values are those of a run: what the agent gives, then the task's, then what is stored.
func (c *call) values(ctx context.Context, a *automation.Automation, args runArguments) (replayer.Values, error) {
	declared, err := a.Declared()
	if err != nil {
		return nil, err
	}
	own := replayer.Map{}
	for name, raw := range args.Vars {
		if declared.IsSecret(name) {
			c.told = nil // anyone who reads the journal is not to read it
			return nil, refuse(InvalidArguments, "leave it out: name a task or an account that it is stored for", "the variable %q is a secret, which is not an agent's to give", name)
		}
		if !declared.Has(name) {
			return nil, refuse(InvalidArguments, argumentsNext, "there is a variable in vars that %s does not have", a.Name)
		}
		if own[name], err = valueOf(raw); err != nil {
			return nil, err
		}
	}
	stored, err := c.session.stored(ctx, ValuesRequest{Task: args.Task, Account: orElse(args.Account, a.Match.Account), Automation: a})
	if err != nil {
		return nil, err
	}
	return replayer.First(own, stored), nil
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// valueOf is a value as the replayer takes it.
func valueOf(raw json.RawMessage) (any, error) {
	return (&automation.Value{Kind: automation.Literal, Value: raw}).Resolve(nil)
}

// play plays an automation in the session's page.
func (c *call) play(ctx context.Context, a *automation.Automation, args runArguments, values replayer.Values) (*answer, error) {
	s := c.session.server
	o := &s.options
	if err := s.mayGo(a); err != nil {
		return nil, err
	}
	if args.Resume != "" {
		if _, err := c.session.run(ctx, args.Resume); err != nil { // it must be the client's own
			return nil, err
		}
	}
	outcome, played := s.runner().Run(ctx, runner.Request{
		Document: a, Account: args.Account, Values: values, Stored: c.storedBut(a, args), Resume: args.Resume, InPage: true, Pages: &sessionPages{c, a, args}, Known: c.session.known,
		ApprovalTimeout: o.ApprovalTimeout, Intent: c.redactedIntent(), Owner: c.session.owner(),
		Options: replayer.Options{UploadFrom: o.UploadFrom, Timeout: o.Timeout, Commit: o.Commit, Person: c.session.takesOver(o.Person, c.redactedIntent()), Tools: o.Tools},
	}, c.events(ctx, a))
	if outcome.Result == nil {
		if refused := new(runner.ResumeError); errors.As(played, &refused) {
			return nil, notResumed(refused)
		}
		if busy := new(store.HeldError); errors.As(played, &busy) {
			return nil, &Error{Code: Conflict, Reason: busy.Error(), Next: "another run acts for the account: call again when it has ended", Err: played}
		}
		return nil, played
	}
	run := outcome.Record
	c.tellRun(run)
	if args.Login != "" {
		c.used(ctx, c.session.login(), a.Name, played)
	}
	if outcome.SaveError != nil {
		o.Logger.ErrorContext(ctx, "the record of a run was not saved", "run", run.ID, "error", outcome.SaveError)
	}
	if played != nil {
		e := asError(ctx, played)
		e.Run, e.Resumable = run.ID, run.Resume != "" && run.State != store.Uncertain
		c.blame(ctx, e, args.Login)
		c.see(played)
		return nil, e
	}
	for _, picture := range outcome.Result.Pictures {
		c.evidence = append(c.evidence, hashed(picture.PNG))
	}
	return &answer{value: told(a, run, outcome.Result)}, nil
}

func (s *Server) runner() *runner.Runner {
	o := &s.options
	return &runner.Runner{Store: o.Store, Logger: o.Logger, Now: o.Now, NewID: o.NewID}
}

// storedBut returns the stored values of what a run of an automation plays besides it, which has its own: what
// was learned for a blocker.
func (c *call) storedBut(a *automation.Automation, args runArguments) func(context.Context, *automation.Automation) (replayer.Values, error) {
	return func(ctx context.Context, doc *automation.Automation) (replayer.Values, error) {
		if doc == a {
			return replayer.Map{}, nil
		}
		return c.storedForLearned(ctx, doc, args.Task, orElse(args.Account, a.Match.Account))
	}
}

// storedForLearned returns the values for what was learned for a blocker. A task that is for other automations has
// none for it.
func (c *call) storedForLearned(ctx context.Context, doc *automation.Automation, task, account string) (replayer.Values, error) {
	values, err := c.session.stored(ctx, ValuesRequest{Task: task, Account: account, Automation: doc})
	if err != nil && task != "" {
		return c.session.stored(ctx, ValuesRequest{Account: account, Automation: doc})
	}
	return values, err
}

// events are what the client, and the record, are told of a run.
func (c *call) events(ctx context.Context, a *automation.Automation) runner.Events {
	return runner.Events{
		Begin: func(run store.Run) {
			if c.run = run.ID; c.runBegun != nil {
				c.runBegun()
			}
			c.tellRun(run)
		},
		Start: func(i int, step automation.Step) { c.progress(ctx, i, len(a.Steps), step) },
		Waits: c.waits(func(*store.Approval) {}),
		Paid: func(ctx context.Context, p runner.Payment) {
			c.publish(handoff.Event{Kind: handoff.Paid, Run: p.Run, URL: p.Site, Text: paymentText(p)})
			if told := c.session.server.options.OnPaid; told != nil {
				told(ctx, p.Run, p.Payment, p.Left)
			}
		},
		End: func(run *store.Run, _ *replayer.Result, _ error) {
			if guard := c.session.server.options.Guard; guard != nil {
				run.Guard = counted(guard())
			}
		},
	}
}

func paymentText(p runner.Payment) string {
	text := p.Amount.String() + " to " + p.Payee
	for _, l := range p.Left {
		text += "\nleft of limit " + l.ID + ": " + l.Rest.String() + " until " + l.Until.UTC().Format(time.RFC3339)
	}
	return text
}

// tellRun tells programs that read the events of takeovers how a run stands.
func (c *call) tellRun(run store.Run) {
	c.publish(handoff.Event{Kind: handoff.RunUpdate, Run: run.ID, Status: string(run.State)})
}

// sessionPages is the page of a call's session, which outlives its runs.
type sessionPages struct {
	call *call
	doc  *automation.Automation
	args runArguments
}

// Open returns the session's page, signed in where the call names a login.
func (p *sessionPages) Open(ctx context.Context, _ *runner.Login, _ string) (*browser.Page, func(), error) {
	s := p.call.session
	var page *browser.Page
	var err error
	if p.args.Login == "" {
		page, err = s.there(ctx)
	} else {
		page, err = s.openAs(ctx, p.args.Login, orElse(p.args.Account, p.doc.Match.Account), p.args.Resume != "")
	}
	if err == nil {
		s.endTools()
	}
	return page, func() {}, err
}

func told(a *automation.Automation, run store.Run, result *replayer.Result) map[string]any {
	value := map[string]any{"run": run.ID, "state": run.State, "automation": a.Name, "steps": len(result.Steps), "url": result.URL}
	if a.Match.Account != "" {
		value["account"] = a.Match.Account
	}
	if len(result.Outputs) > 0 {
		value["outputs"] = result.Outputs
	}
	if len(result.Downloads) > 0 {
		value["downloads"] = result.Downloads
	}
	if len(result.Drift) > 0 {
		value["drifted"] = len(result.Drift)
	}
	return value
}

// see notes what was seen when a call ended.
func (c *call) see(err error) {
	var e *replayer.Error
	if errors.As(err, &e) && len(e.Picture) > 0 {
		c.evidence = append(c.evidence, hashed(e.Picture))
	}
}

// mayGo refuses an automation that would go where this server itself is reached.
func (s *Server) mayGo(a *automation.Automation) error {
	for _, step := range a.Steps {
		if err := s.mayGoTo(step.URL); err != nil && (step.Tool == "navigate" || step.Tool == "tab") {
			return err
		}
	}
	return nil
}
