package agent

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// do calls a tool of the registry.
func (r registered) do(ctx context.Context, c *call) (*answer, error) {
	var fields map[string]json.RawMessage
	if err := c.decode(&fields); err != nil {
		return nil, err
	}
	if r.name == "navigate" {
		if err := c.arrives(ctx); err != nil {
			return nil, err
		}
	}
	tools, err := c.session.begin(ctx, c)
	if err != nil {
		return nil, err
	}
	b := &building{call: c, tools: tools, tool: r, fields: fields}
	step, err := b.step(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.session.server.mayGoTo(step.URL); err != nil && (r.name == "navigate" || r.name == "tab") {
		return nil, err
	}
	if err := b.stored(ctx, step); err != nil {
		return nil, err
	}
	rec := c.session.recording
	if rec != nil && r.isRecorded {
		rec.wentTo(tools.URL())
	}
	result, err := tools.Do(ctx, step)
	c.session.given.from = nil
	if err != nil {
		c.see(err)
		return nil, err
	}
	if rec != nil && r.isRecorded {
		rec.add(b.recorded(step), tools.URL())
	}
	return c.did(r, step, tools, result), nil
}

// did tells what a call has done.
func (c *call) did(r registered, step automation.Step, tools *replayer.Session, result replayer.StepResult) *answer {
	a := &answer{value: map[string]any{"done": true, "url": tools.URL()}}
	if result.Effect != "" {
		a.value["effect"] = result.Effect
	}
	if r.name == "extract" {
		var args struct{ As string }
		_ = json.Unmarshal(step.Args, &args) // the step was checked
		a.value["outputs"] = map[string]any{args.As: tools.Outputs()[args.As]}
	}
	for _, picture := range tools.Pictures() {
		a.pictures = append(a.pictures, picture.PNG)
		c.evidence = append(c.evidence, hashed(picture.PNG))
	}
	return a
}

// building makes a step of the arguments of a call.
type building struct {
	call   *call
	tools  *replayer.Session
	tool   registered
	fields map[string]json.RawMessage

	secret bool               // the field holds a secret: what is typed there is told nowhere
	about  *replayer.Element  // of the step, where it is known
	parts  []replayer.Element // of the fields of a form
}

func (b *building) step(ctx context.Context) (automation.Step, error) {
	step := automation.Step{Tool: b.tool.name, Intent: b.call.intent}
	args := map[string]any{}
	for name, raw := range b.fields {
		if err := b.field(&step, args, name, raw); err != nil {
			return step, err
		}
	}
	if raw, given := b.fields["target"]; given {
		if err := b.target(ctx, &step, raw, b.fields["frame"]); err != nil {
			return step, err
		}
	}
	if raw, given := b.fields["to"]; given {
		var to automation.Step
		if err := b.target(ctx, &to, raw, nil); err != nil {
			return step, err
		}
		args["to"] = to.Selector
	}
	if raw, given := b.fields["fields"]; given {
		fields, err := b.form(ctx, raw)
		if err != nil {
			return step, err
		}
		args["fields"] = fields
	}
	if len(args) > 0 {
		var err error
		if step.Args, err = json.Marshal(args); err != nil {
			return step, err
		}
	}
	return step, b.look(ctx, step)
}

// field takes over an argument that is not about an element.
func (b *building) field(step *automation.Step, args map[string]any, name string, raw json.RawMessage) (err error) {
	into := map[string]any{"url": &step.URL, "key": &step.Key, "keys": &step.Keys, "button": &step.Button, "count": &step.Count, "modifiers": &step.Modifiers, "offset": &step.Offset, "tab": &step.Page}
	switch {
	case name == "value":
		step.Value, err = asValue(raw)
	case name == "timeout":
		err = setTimeout(step, raw)
	case name == "args":
		step.Args = raw
	case name == "full_page":
		args["fullPage"] = raw
	case name == "to", name == "fields", name == "target", name == "frame", name == "task", name == "account", name == "login":
	case into[name] != nil:
		err = json.Unmarshal(raw, into[name])
	default:
		args[name] = raw
	}
	if err != nil {
		err = refuse(InvalidArguments, argumentsNext, "%s does not fit", name)
	}
	return err
}

func setTimeout(step *automation.Step, raw json.RawMessage) error {
	var took replayer.Duration
	err := json.Unmarshal(raw, &took)
	step.Timeout = min(time.Duration(took), longestTimeout)
	return err
}

// longestTimeout is how long a lone call may wait: an agent can call again.
const longestTimeout = 5 * time.Minute

// asValue makes a value of a document of what an agent gives.
func asValue(raw json.RawMessage) (*automation.Value, error) {
	var named struct{ Variable string }
	if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
		err := json.Unmarshal(raw, &named)
		return &automation.Value{Kind: automation.Variable, Name: named.Variable}, err
	}
	return &automation.Value{Kind: automation.Literal, Value: raw}, nil
}

// written is a value as a document has it.
func written(v *automation.Value) map[string]any {
	if v.Kind == automation.Variable {
		return map[string]any{"kind": v.Kind, "name": v.Name}
	}
	return map[string]any{"kind": v.Kind, "value": v.Value}
}

// target says in a step which element is meant.
func (b *building) target(ctx context.Context, step *automation.Step, raw, frame json.RawMessage) error {
	var ref string
	if json.Unmarshal(raw, &ref) == nil && replayer.IsRef(ref) {
		element, err := b.tools.Refer(ctx, ref)
		if err != nil {
			return err
		}
		if element.Step.Selector == nil {
			return &replayer.Error{Code: replayer.Gone, Step: -1, Reason: "no selector names that element alone"}
		}
		if step.Page == "" {
			step.Page = element.Step.Page
		}
		step.Frame, step.Selector, step.Alternatives, step.Fingerprint = element.Step.Frame, element.Step.Selector, element.Step.Alternatives, element.Step.Fingerprint
		b.about = &element
		return nil
	}
	if err := json.Unmarshal(raw, &step.Selector); err != nil {
		return refuse(InvalidArguments, "name a reference of a snapshot, or a selector: "+selectorHint, "the target is neither: %v", err)
	}
	if len(frame) > 0 {
		var frames []selectors.Path
		if err := json.Unmarshal(frame, &frames); err != nil {
			return refuse(InvalidArguments, selectorHint, "frame: %v", err)
		}
		step.Frame = frames
	}
	return nil
}

const selectorHint = `CSS without a prefix, aria/Name[role="button"], text/…, xpath/…`

// stored gets what the variables of a call are.
func (b *building) stored(ctx context.Context, step automation.Step) error {
	names := automation.NamesInArgs(step)
	if step.Value != nil {
		names = append(names, step.Value.Names()...)
	}
	if len(names) == 0 {
		return nil
	}
	var task, account string
	_ = json.Unmarshal(b.fields["task"], &task) // they were checked
	_ = json.Unmarshal(b.fields["account"], &account)
	var sources []replayer.Values
	if task != "" { // in which there is what is secret and what is not
		of, err := b.call.session.stored(ctx, Wanted{Task: task, Automation: lone(names, b.call.session.url(), false)})
		if err != nil {
			return err
		}
		sources = append(sources, of)
	}
	of, err := b.call.session.stored(ctx, Wanted{Account: account, Automation: lone(names, b.call.session.url(), true)})
	if err != nil {
		return err
	}
	b.call.session.given.from = replayer.First(append(sources, of)...)
	return nil
}

// mayGoTo refuses the address at which this server itself is reached before anything is
// done; whatever else leads there the browser refuses (Browser.Refuse).
func (s *Server) mayGoTo(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil // whoever goes there says what is wrong with it
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	for _, own := range s.options.Own {
		host, at, err := net.SplitHostPort(own)
		if err == nil && at == port && (strings.EqualFold(u.Hostname(), host) || weburl.IsThisMachine(u.Hostname()) && weburl.IsThisMachine(host)) {
			return refuse(string(replayer.OutOfScope), nexts[replayer.OutOfScope], "this is Reprise's own address: no page goes there")
		}
	}
	return nil
}
