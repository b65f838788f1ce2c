package replayer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// tool is one of the format's.
type tool struct {
	effect    automation.Effect // the least that it does to the world
	do        func(context.Context, *call) (outcome, error)
	presses   bool // it presses a control, whose label and form it looks at before
	moves     bool // it does something in the page that is no press, and may have that send something
	onlyWaits bool // it does nothing to the page, and may be ended at any time
	tells     bool // it reveals what the page shows
}

// tools are those of the format. Each is called with a step that was checked.
var tools map[string]tool

func init() { // some of them play others
	tools = map[string]tool{
		"navigate":   {effect: automation.Read, do: navigate},
		"click":      {effect: automation.Read, do: clickOn, presses: true},
		"typeInput":  {effect: automation.Read, do: typeInput, moves: true},
		"fillForm":   {effect: automation.Read, do: fillForm, moves: true},
		"keypress":   {effect: automation.Read, do: keypress, presses: true},
		"waitForNav": {effect: automation.Read, do: waitForNav, onlyWaits: true},
		"select":     {effect: automation.Read, do: selectOptions, moves: true},
		"check":      {effect: automation.Read, do: check, presses: true},
		"upload":     {effect: automation.Write, do: upload, moves: true},
		"hover":      {effect: automation.Read, do: hover, moves: true},
		"drag":       {effect: automation.Write, do: drag, presses: true, tells: true},
		"scroll":     {effect: automation.Read, do: scroll, moves: true},
		"waitFor":    {effect: automation.Read, do: waitFor, onlyWaits: true, tells: true},
		"assert":     {effect: automation.Read, do: assert, onlyWaits: true, tells: true},
		"extract":    {effect: automation.Read, do: extract, onlyWaits: true, tells: true},
		"screenshot": {effect: automation.Read, do: screenshot},
		"dialog":     {effect: automation.Write, do: dialog, moves: true},
		"tab":        {effect: automation.Read, do: tab},
		"approve":    {effect: automation.Read, do: approve, tells: true},
		"handoff":    {effect: automation.Read, do: handOff},
		"run":        {effect: automation.Read, do: runOther}, // its steps have effects of their own
	}
}

// sessionTools are those of a Session alone: no document names them.
var sessionTools = map[string]tool{
	"requestApproval": {effect: automation.Read, do: requestApproval, moves: true, tells: true},

	"goBack":    {effect: automation.Read, do: goBy(-1), moves: true},
	"goForward": {effect: automation.Read, do: goBy(1), moves: true},
	"reload":    {effect: automation.Read, do: func(ctx context.Context, c *call) (outcome, error) { return outcome{}, c.page.Reload(ctx) }},
}

func goBy(n int) func(context.Context, *call) (outcome, error) {
	return func(ctx context.Context, c *call) (outcome, error) {
		err := c.page.GoBy(ctx, n)
		if errors.Is(err, target.ErrNoHistory) {
			err = &Error{Code: Refused, Reason: err.Error(), Err: err}
		}
		return outcome{}, err
	}
}

// Tool is a tool of a program's own. Steps name it with arguments under "args".
type Tool struct {
	Name        string          // dotted: acme.solve
	Description string          // for people and agents
	Schema      json.RawMessage // JSON Schema of the arguments. Default: any object
	// Effect is the least that it does to the world. One that commits is asked for, and
	// never called again, like a commit step. Default: automation.Write.
	Effect automation.Effect
	// Do does it. Its error ends the run; the code of an *Error stays.
	Do func(ctx context.Context, c *Call) error
}

// Tools are what a run can do: the tools of the format, and a program's own.
type Tools struct{ own map[string]Tool }

// NewTools returns the tools of the format and these. A name without a dot, one given
// twice, or a tool without a function is an error.
func NewTools(own ...Tool) (*Tools, error) {
	t := &Tools{own: map[string]Tool{}}
	for _, one := range own {
		switch _, twice := t.own[one.Name]; {
		case !strings.Contains(one.Name, "."):
			return nil, fmt.Errorf("the tool %q: a program's own have a dot in their name", one.Name)
		case twice:
			return nil, fmt.Errorf("the tool %q is there twice", one.Name)
		case one.Do == nil:
			return nil, fmt.Errorf("the tool %q has no function", one.Name)
		}
		t.own[one.Name] = one
	}
	return t, nil
}

// Names are the names of all tools, sorted.
func (t *Tools) Names() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range maps.Keys(tools) {
			if !yield(name) {
				return
			}
		}
		for name := range t.known() {
			if !yield(name) {
				return
			}
		}
	})
}

// Schema is the JSON Schema of a call of the tool: the fields of a step
// for one of the format, an object with "args" for a program's own.
func (t *Tools) Schema(name string) (json.RawMessage, error) {
	own, found := t.known()[name]
	if !found {
		return automation.ToolSchema(name)
	}
	args := own.Schema
	if len(args) == 0 {
		args = json.RawMessage(`{"type": "object"}`)
	}
	return json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"args": args}})
}

// Description describes a program's own tool; it is "" for one of the format.
func (t *Tools) Description(name string) string { return t.known()[name].Description }

// Parsing has automation.Parse know the program's own tools, and check their arguments.
func (t *Tools) Parsing() automation.ParseOption { return automation.WithTools(t.declared()...) }

func (t *Tools) declared() []automation.Tool {
	var all []automation.Tool
	for _, one := range t.known() {
		all = append(all, automation.Tool{Name: one.Name, Schema: one.Schema})
	}
	return all
}

func (t *Tools) known() map[string]Tool {
	if t == nil {
		return nil
	}
	return t.own
}

// find returns a tool by its name; false where there is none.
func (t *Tools) find(name string) (tool, bool) {
	if own, found := t.known()[name]; found {
		return tool{effect: stronger(automation.Write, own.Effect), do: own.play}, true
	}
	builtin, found := tools[name]
	return builtin, found
}

// tool finds the tool of a step, and holds its arguments to what it takes.
func (r *run) tool(step automation.Step) (tool, error) {
	t, found := r.options.Tools.find(step.Tool)
	if !found && r.isSession {
		t, found = sessionTools[step.Tool]
	}
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

func (t Tool) play(ctx context.Context, c *call) (outcome, error) {
	if c.dry {
		return outcome{stop: true}, nil
	}
	return outcome{}, t.Do(ctx, &Call{c})
}

// decodeArgs reads the arguments of a tool of the format, which were checked.
func decodeArgs(step automation.Step, to any) error {
	if len(step.Args) == 0 {
		return nil
	}
	if err := json.Unmarshal(step.Args, to); err != nil {
		return &Error{Code: Refused, Reason: fmt.Sprintf("args: %v", err), Err: err}
	}
	return nil
}

// Call is what a program's own tool receives.
type Call struct{ c *call }

// Args are the arguments of the step, checked against the tool's schema; nil where it has none.
func (c *Call) Args() json.RawMessage { return c.c.step.Args }

// Step is the step that is played.
func (c *Call) Step() automation.Step { return c.c.step }

// URL is the address of the page, without its query.
func (c *Call) URL() string { return shown(c.c.page.URL()) }

// Do plays another step as a part of this one, in the same tab unless it names
// another. It is checked like a step of the automation.
func (c *Call) Do(ctx context.Context, step automation.Step) error {
	if step.Page == "" {
		step.Page = c.c.step.Page
	}
	return c.c.part(ctx, step)
}

// Output returns a value to the caller of the run, as extract does.
func (c *Call) Output(name string, value any) { c.c.run.output(name, value) }

// nesting is where a run stands among automations that play one another.
type nesting struct {
	inside  *run   // that plays this one
	depth   int    // how many are around it
	stopped bool   // a dry run has come to its end
	token   string // with which the automation is resumed that this run's last step plays
	resume  string // the same, of the run that is resumed
}

// maxNesting is how deep automations may play one another.
const maxNesting = 8

// runOther plays another automation in this tab, with values from this one.
func runOther(ctx context.Context, c *call) (outcome, error) {
	var args struct {
		Name, Account string
		Values        map[string]*automation.Value
	}
	if err := decodeArgs(c.step, &args); err != nil {
		return outcome{}, err
	}
	if c.run.options.Automations == nil {
		return outcome{}, &Error{Code: Refused, Reason: "it plays another automation, and the run was given none (Automations)"}
	}
	if c.run.nesting.depth >= maxNesting {
		return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("automations play one another more than %d deep", maxNesting)}
	}
	account := cmp.Or(args.Account, c.run.options.Account)
	other, err := c.run.options.Automations.Get(ctx, args.Name, account)
	if err != nil {
		return outcome{}, &Error{Code: Refused, Reason: fmt.Sprintf("the automation %q: %v", args.Name, err), Err: err}
	}
	values := Map{}
	for name, v := range args.Values {
		if values[name], err = c.run.value(v); err != nil {
			return outcome{}, err
		}
	}
	inner := c.run.options
	inner.Account, inner.Values, inner.Resume = account, First(values, c.run.options.Values), c.run.takeInner(c.index)
	inner.From, inner.Until, inner.Run = 0, 0, fmt.Sprintf("%s.%d", c.run.result.Run, c.index)
	inner.OnStart, inner.OnStep, inner.OnPicture = nil, nil, nil
	nested := newRun(c.run.tabs.browserPage, c.page, other, inner)
	nested.nesting, nested.hand, nested.hold = nesting{inside: c.run, depth: c.run.nesting.depth + 1}, c.run.hand, c.run.hold
	defer nested.close()
	err = nested.play(ctx)
	_ = nested.collectDownloads(ctx) // which this run waits for
	c.run.took(nested)
	if nested.nesting.stopped {
		return outcome{stop: true, steps: nested.result.Steps}, err
	}
	var e *Error
	if errors.As(err, &e) {
		c.run.nesting.token = e.Resume
		in := *e
		in.Steps = nested.result.Steps
		if len(e.Steps) > 0 { // of one within that
			in.Steps = append(in.Steps, StepResult{Index: e.Step, Tool: e.Tool, Intent: e.Intent, Steps: e.Steps})
		}
		in.Reason = fmt.Sprintf("in %s, step %d %s: %s", other.Name, e.Step+1, e.Tool, e.Reason)
		return outcome{}, &in
	}
	return outcome{steps: nested.result.Steps}, err
}

// takeInner returns the token of what a step plays, if the run is resumed at that step.
func (r *run) takeInner(step int) string {
	if step != r.from {
		return ""
	}
	resume := r.nesting.resume
	r.nesting.resume = ""
	return resume
}

// took takes over the results of a nested run.
func (r *run) took(nested *run) {
	r.secrets.add(nested.secrets)
	for name, value := range nested.result.Outputs {
		r.output(name, value)
	}
	r.result.Pictures = append(r.result.Pictures, nested.result.Pictures...)
}
