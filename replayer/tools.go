package replayer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// tools are those of the format. Each is called with a step that was checked.
var tools map[string]tool

// tool is one of the format's, with the least that it does to the world.
type tool struct {
	effect automation.Effect
	do     func(context.Context, *call) (outcome, error)
}

func init() { // some of them play others
	tools = map[string]tool{
		"navigate":   {automation.Read, navigate},
		"click":      {automation.Read, clickOn},
		"typeInput":  {automation.Read, typeInput},
		"fillForm":   {automation.Read, fillForm},
		"keypress":   {automation.Read, keypress},
		"waitForNav": {automation.Read, waitForNav},
		"select":     {automation.Read, selectOptions},
		"check":      {automation.Read, check},
		"upload":     {automation.Write, upload},
		"hover":      {automation.Read, hover},
		"drag":       {automation.Write, drag},
		"scroll":     {automation.Read, scroll},
		"waitFor":    {automation.Read, waitFor},
		"assert":     {automation.Read, assert},
		"extract":    {automation.Read, extract},
		"screenshot": {automation.Read, screenshot},
		"dialog":     {automation.Write, dialog},
		"tab":        {automation.Read, tab},
		"approve":    {automation.Read, approve},
		"handoff":    {automation.Read, handOff},
		"run":        {automation.Read, runOther}, // its steps say themselves
	}
}

// Tool is a tool of a program's own. Steps name it with arguments under "args".
type Tool struct {
	Name        string          // dotted: acme.solve
	Description string          // for people and agents
	Schema      json.RawMessage // JSON Schema of the arguments. Default: any object
	// Effect is the least that it does to the world. One that commits is asked for, and
	// never called again, like a step that pays. Default: automation.Write.
	Effect automation.Effect
	// Do does it. Its error ends the run; an *Error keeps its code.
	Do func(ctx context.Context, c *Call) error
}

// Tools are what a run can do: the tools of the format, and a program's own.
type Tools struct{ own map[string]Tool }

// NewTools gives the tools of the format and these. A name without a dot, one given
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

// Schema is the JSON Schema of what a call of the tool may say: the fields of a step
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

// find gives a tool by its name; false where there is none.
func (t *Tools) find(name string) (tool, bool) {
	if own, found := t.known()[name]; found {
		return tool{stronger(automation.Write, own.Effect), own.play}, true
	}
	builtin, found := tools[name]
	return builtin, found
}

func (t Tool) play(ctx context.Context, c *call) (outcome, error) {
	if c.dry {
		return outcome{stop: true}, nil
	}
	return outcome{}, t.Do(ctx, &Call{c})
}

// Call is what a program's own tool is given.
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

// Output gives the caller of the run a value, as extract does.
func (c *Call) Output(name string, value any) { c.c.run.output(name, value) }

// call is a tool being played for a step.
type call struct {
	run   *run
	page  *target.Page
	index int // of the step
	step  automation.Step

	timeout  time.Duration // of the step
	deadline time.Time
	dry      bool // find and check, but do not act; the run ends there
	effect   automation.Effect
	approved *Approval // what a person has said yes to
	sent     bool      // what commits is on its way, or done

	pressed   bool          // something was pressed, which may send something
	pressedIn *target.Frame // in this frame
	sendsForm bool          // by its markup
}

// part plays a step as a part of this one, with all that a step may say. What it
// commits is committed by this one, once.
func (c *call) part(ctx context.Context, step automation.Step) error {
	t, err := c.run.tool(step)
	if err != nil {
		return err
	}
	inner := *c
	inner.step = step
	if inner.page, err = c.run.pageOf(ctx, step.Page); err != nil {
		return err
	}
	if inner.deadline = c.deadline; step.Timeout > 0 || playsOthers(c.step.Tool) {
		inner.deadline = time.Now().Add(c.run.timeoutOf(step))
	}
	err = inner.asPart(ctx, t)
	c.sent, c.effect, c.pressed = inner.sent, stronger(c.effect, inner.effect), c.pressed || inner.pressed
	return err
}

func (c *call) asPart(ctx context.Context, t tool) error {
	for {
		if why, err := c.unmet(ctx, c.step.When); err != nil || why != "" {
			return err
		}
		err := c.declared(ctx, t)
		there := c.run.already(c.page)
		out := outcome{}
		if err == nil {
			out, err = t.do(ctx, c)
		}
		if c.waitsToSend(ctx, nil) != nil {
			if err := c.release(ctx); err != nil {
				return err
			}
		}
		var approval needApproval
		var person needPerson
		switch {
		case errors.As(err, &approval):
			if err := c.ask(ctx, approval.Approval); err != nil {
				return err
			}
			continue
		case errors.As(err, &person):
			return c.takeOver(ctx, person.Handoff)
		case c.step.Optional && isAbsent(err) && !c.sent:
			return nil
		case err == nil && out.stop:
			return errDry
		case err != nil:
			return err
		}
		return c.expect(ctx, there, c.step.Expect)
	}
}

// outcome is what a tool has to tell.
type outcome struct {
	element *reply // that was found; nil where none was needed
	skipped string
	stop    bool
	steps   []StepResult // of the automation that was played
}

// on is the outcome of a tool that found its element, unless err.
func on(at found, err error) outcome {
	if err != nil {
		return outcome{}
	}
	return outcome{element: &at.reply}
}
