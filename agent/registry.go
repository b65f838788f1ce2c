package agent

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// lone is a tool of the registry as an agent calls it, alone.
type registered struct {
	name       string // in the registry
	as         string // what an agent calls it; "" is the same with _ between its words
	does       string
	takes      map[string]any
	needs      []string
	args       []string // of what it takes, what stands in a step's "args"
	values     bool     // it takes a value, which may be a variable's
	reads      bool     // it changes nothing
	mayCommit  bool     // it may be a commit step
	isRecorded bool     // record_start records it as a step
}

// What tools take.
var (
	targetSchema = map[string]any{
		"description": `An element: a reference of a snapshot ("d1e5"), or a selector (CSS, or aria/Name[role="button"], text/…, xpath/…); several are looked up each in the shadow root of the one before.`,
		"anyOf":       []any{map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}, map[string]any{"type": "array", "minItems": 1, "maxItems": 16, "items": map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}}},
	}
	frameSchema = map[string]any{"type": "array", "maxItems": 16, "items": map[string]any{"type": "string", "minLength": 1, "maxLength": 4096}, "description": "With a selector: those of the frames that it is in, outermost first. A reference needs none."}
	tabSchema   = map[string]any{"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,50}$", "description": "The name of the tab; the first has none."}
	timeSchema  = map[string]any{"type": "string", "pattern": "^[0-9]{1,4}(ms|s)$", "description": "How long it may take, such as 10s."}
	valueSchema = map[string]any{
		"description": `The value; {"variable": "password"} is one that you do not see, of the task or stored for the account.`,
		"anyOf": []any{
			map[string]any{"type": []string{"string", "boolean", "number"}},
			map[string]any{"type": "array", "maxItems": 200, "items": map[string]any{"type": "string"}},
			object(map[string]any{"variable": map[string]any{"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"}}, "variable"),
		},
	}
	textSchema   = map[string]any{"type": "string", "minLength": 1, "maxLength": 10_000}
	flagSchema   = map[string]any{"type": "boolean"}
	wheelSchema  = map[string]any{"type": "number", "minimum": -100_000, "maximum": 100_000}
	stateSchema  = map[string]any{"enum": automation.States}
	globSchema   = map[string]any{"type": "string", "minLength": 1, "maxLength": 2048, "description": "host[:port][/path], * is within a part, ** whole parts."}
	moreSchema   = map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"enum": []string{"Alt", "Control", "Meta", "Shift"}}}
	offsetSchema = object(map[string]any{"x": map[string]any{"type": "number", "minimum": 0, "maximum": 1}, "y": map[string]any{"type": "number", "minimum": 0, "maximum": 1}}, "x", "y")
)

// registry are the format's tools that an agent calls one by one. Those that it leaves
// out are for documents: run has tools of its own here, and approve and handoff are for
// a person to be called by.
var registry = []registered{
	{name: "navigate", does: "Goes to an address (http or https).", isRecorded: true,
		takes: map[string]any{"url": map[string]any{"type": "string", "minLength": 1, "maxLength": 8192}}, needs: []string{"url"}},
	{name: "click", does: "Presses an element, when it can be seen, is enabled and stands still. A commit step (paying, ordering, sending, deleting) requires approval.", mayCommit: true, isRecorded: true,
		takes: onTarget(map[string]any{"button": map[string]any{"enum": []string{"left", "middle", "right"}}, "count": map[string]any{"type": "integer", "minimum": 1, "maximum": 3}, "modifiers": moreSchema, "offset": offsetSchema}), needs: []string{"target"}},
	{name: "typeInput", does: "Makes a text what a field holds, or puts it in at the caret.", values: true, isRecorded: true, args: []string{"at"},
		takes: onTarget(map[string]any{"at": map[string]any{"enum": automation.Carets, "description": "Where the text is put in; without it, it replaces what the field holds."}, "value": valueSchema, "keys": map[string]any{"type": "boolean", "description": "Key by key, for pages that listen to keys."}}), needs: []string{"target", "value"}},
	{name: "fillForm", does: "Fills several fields, each as what it is: texts, boxes (true, false), lists, files.", values: true, isRecorded: true, args: []string{"fields"},
		takes: map[string]any{"fields": map[string]any{"type": "array", "minItems": 1, "maxItems": 100, "items": object(map[string]any{"target": targetSchema, "frame": frameSchema, "value": valueSchema}, "target", "value")}}, needs: []string{"fields"}},
	{name: "keypress", does: `Presses a key, such as Enter or Control+A, where the focus is, or in an element.`, mayCommit: true, isRecorded: true,
		takes: onTarget(map[string]any{"key": map[string]any{"type": "string", "minLength": 1, "maxLength": 100}}), needs: []string{"key"}},
	{name: "waitForNav", does: "Waits until the tab has gone to an address.", reads: true, isRecorded: true, takes: map[string]any{"url": globSchema}, needs: []string{"url"}},
	{name: "select", does: "Chooses options of a list, by their words or values.", values: true, isRecorded: true, takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target", "value"}},
	{name: "check", does: "Sets a box, a radio or a switch; value false clears it.", values: true, mayCommit: true, isRecorded: true, takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target"}},
	{name: "upload", as: "file_upload", does: "Gives files to a field, or drops them on an element. Only files of the folders that a person has allowed.", values: true, isRecorded: true,
		takes: onTarget(map[string]any{"value": valueSchema}), needs: []string{"target", "value"}},
	{name: "hover", does: "Has the mouse come over an element.", isRecorded: true, takes: onTarget(map[string]any{"offset": offsetSchema, "modifiers": moreSchema}), needs: []string{"target"}},
	{name: "drag", as: "drag_drop", does: "Drags an element to another.", mayCommit: true, isRecorded: true, args: []string{"to"},
		takes: onTarget(map[string]any{"to": targetSchema, "offset": offsetSchema, "modifiers": moreSchema}), needs: []string{"target", "to"}},
	{name: "scroll", does: "Brings an element into view, or turns the wheel by dx and dy over it, or over the page.", args: []string{"dx", "dy"}, takes: onTarget(map[string]any{"dx": wheelSchema, "dy": wheelSchema})},
	{name: "waitFor", does: "Waits for an element to be in a state, for a text, or for an address.", reads: true, isRecorded: true, args: []string{"state", "text"},
		takes: onTarget(map[string]any{"state": stateSchema, "text": textSchema, "url": globSchema})},
	{name: "assert", does: "Holds an element, or the address, to what it should be; an error says that it is not.", reads: true, isRecorded: true, args: []string{"state", "attribute", "compare"},
		takes: onTarget(map[string]any{"url": globSchema, "value": valueSchema, "state": stateSchema, "attribute": textSchema, "compare": map[string]any{"enum": automation.Comparisons}})},
	{name: "extract", does: "Reads an element, or all that are named alike. A field that holds a secret is never read.", reads: true, isRecorded: true, args: []string{"as", "attribute", "all"},
		takes: onTarget(map[string]any{"as": map[string]any{"type": "string", "minLength": 1, "maxLength": 64, "description": "The name under which it is given."}, "attribute": textSchema, "all": flagSchema}), needs: []string{"target", "as"}},
	{name: "screenshot", does: "Takes a picture of the page; what is secret is covered. A snapshot costs less and is what other tools use.", reads: true, args: []string{"fullPage"},
		takes: onTarget(map[string]any{"full_page": flagSchema})},
	{name: "dialog", does: "Says how the next dialog of the page is answered.", isRecorded: true, args: []string{"accept"},
		takes: map[string]any{"accept": flagSchema, "value": map[string]any{"type": "string", "maxLength": 10_000, "description": "What a prompt is answered with."}}},
	{name: "tab", does: "Opens, shows (switch) or closes a tab, by a name of yours, or lists all: also those that pages opened (popup1, …).", isRecorded: true, args: []string{"action"},
		takes: map[string]any{"action": map[string]any{"enum": append([]string{listTabs}, automation.TabActions...)}, "url": map[string]any{"type": "string", "minLength": 1, "maxLength": 8192}}},
	{name: "goBack", does: "Goes back to the page before, in the tab's history."},
	{name: "goForward", does: "Goes forward again, in the tab's history."},
	{name: "reload", does: "Loads the page's address again. A form that led to it is not sent again."},
}

// listTabs is the action of the tool tab that only agents have.
const listTabs = "list"

// isLone reports whether a tool is an agent's alone: no document has it.
func (r registered) isLone() bool {
	return !slices.Contains(automation.Tools(), r.name) && !strings.Contains(r.name, ".")
}

// leftOut are the tools of the format that no agent calls one by one.
var leftOut = []string{"approve", "handoff", "run"}

func onTarget(more map[string]any) map[string]any {
	all := map[string]any{"target": targetSchema, "frame": frameSchema}
	maps.Copy(all, more)
	return all
}

// tools are those of the registry, for an agent: the format's and the program's own.
func (s *Server) registered() ([]*tool, error) {
	var all []*tool
	for _, r := range registry {
		properties := map[string]any{"tab": tabSchema, "timeout": timeSchema}
		maps.Copy(properties, r.takes)
		if r.values {
			properties["task"], properties["account"] = taskSchema, accountSchema(nil)
		}
		if r.name == "navigate" {
			properties = s.takesLogin(properties)
		}
		as := r.as
		if as == "" {
			as = snake(r.name)
		}
		all = append(all, &tool{
			name: as, title: strings.ReplaceAll(as, "_", " "), does: r.does, schema: object(properties, r.needs...),
			readOnly: r.reads, destructive: r.mayCommit, page: true, acts: !r.reads && r.name != "navigate" && r.name != "tab", do: r.do,
		})
	}
	for _, name := range s.options.Tools.Names() {
		if slices.Contains(automation.Tools(), name) {
			continue
		}
		own, err := s.ownTool(name)
		if err != nil {
			return nil, err
		}
		all = append(all, own)
	}
	return all, nil
}

// ownTool is one of the program's own.
func (s *Server) ownTool(name string) (*tool, error) {
	data, err := s.options.Tools.Schema(name)
	if err != nil {
		return nil, err
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, err
	}
	r := registered{name: name, isRecorded: true}
	properties := map[string]any{"args": alone(asMap(schema.Properties["args"])), "tab": tabSchema, "timeout": timeSchema}
	does := "A tool of this program: " + name + "."
	if said := s.options.Tools.Description(name); said != "" {
		does = said
	}
	return &tool{name: name, title: name, does: does, schema: object(properties), destructive: true, page: true, do: r.do}, nil
}

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
	if c.session.recording != nil && r.isLone() {
		return nil, refuse(Conflict, "navigate to the address instead, or stop recording first", "no automation has %s, and one is recorded", snake(r.name))
	}
	var action string
	_ = json.Unmarshal(fields["action"], &action) // it was checked
	if r.name == "tab" && action != listTabs && fields["tab"] == nil {
		return nil, refuse(InvalidArguments, argumentsNext, "the arguments: missing properties: 'tab'")
	}
	tools, err := c.session.begin(ctx, c)
	if err != nil {
		return nil, err
	}
	if action == listTabs {
		tabs, err := tools.Tabs(ctx)
		return &answer{value: map[string]any{"tabs": tabs}}, err
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
		failed := asError(ctx, err)
		failed.Consequences = tools.Consequences(ctx)
		c.noteScope(failed.Consequences)
		return nil, failed
	}
	at := tools.URL()
	a := c.did(r, step, tools, result)
	if files := tools.Downloads(ctx); len(files) > 0 {
		a.value["downloads"] = files
	}
	led := tools.Consequences(ctx)
	a.tell(led, tools)
	c.noteScope(led)
	if rec != nil && r.isRecorded {
		done := b.recorded(step)
		for _, tab := range led.Opened {
			done.Expect = append(done.Expect, automation.Expectation{Kind: "popup", Page: tab.Name})
		}
		rec.add(done, at)
	}
	return a, nil
}

// noteScope has the journal say where the session acts from now on.
func (c *call) noteScope(led replayer.Consequences) {
	for _, origin := range led.Scope {
		c.evidence = append(c.evidence, "scope extended to "+origin)
	}
}

// tell adds what pages did because of a call, if they did anything.
func (a *answer) tell(led replayer.Consequences, tools *replayer.Session) {
	told, _ := plain(led).(map[string]any)
	maps.Copy(a.value, told)
	if led.Navigated != "" {
		a.value["url"] = tools.URL()
	}
}

// did returns what a call has done.
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
	step.Timeout = min(time.Duration(took), maxTimeout)
	return err
}

// maxTimeout is how long a lone call may wait: an agent can call again.
const maxTimeout = 5 * time.Minute

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

// target puts into a step which element is meant.
func (b *building) target(ctx context.Context, step *automation.Step, raw, frame json.RawMessage) error {
	var ref string
	if json.Unmarshal(raw, &ref) == nil && replayer.IsRef(ref) {
		element, err := b.tools.ResolveRef(ctx, ref)
		if err != nil {
			return err
		}
		if element.Step.Selector == nil {
			return &replayer.Error{Code: replayer.NotFound, Step: -1, Reason: "no selector names that element alone"}
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
		of, err := b.call.session.stored(ctx, ValuesRequest{Task: task, Automation: lone(names, b.call.session.url(), false)})
		if err != nil {
			return err
		}
		sources = append(sources, of)
	}
	of, err := b.call.session.stored(ctx, ValuesRequest{Account: account, Automation: lone(names, b.call.session.url(), true)})
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
		return nil // anyone who goes there says what is wrong with it
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	for _, own := range s.options.SelfAddrs {
		host, at, err := net.SplitHostPort(own)
		if err == nil && at == port && (strings.EqualFold(u.Hostname(), host) || weburl.IsThisMachine(u.Hostname()) && weburl.IsThisMachine(host)) {
			return refuse(string(replayer.OutOfScope), nexts[replayer.OutOfScope], "this is Reprise's own address: no page goes there")
		}
	}
	return nil
}

// What is typed: into which fields it goes, and what the journal has of it.

// form makes the fields of a fillForm.
func (b *building) form(ctx context.Context, raw json.RawMessage) ([]map[string]any, error) {
	var given []struct{ Target, Frame, Value json.RawMessage }
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, refuse(InvalidArguments, argumentsNext, "fields does not fit")
	}
	var fields []map[string]any
	for _, g := range given {
		part := automation.Step{Tool: "typeInput"}
		b.about = nil
		if err := b.target(ctx, &part, g.Target, g.Frame); err != nil {
			return nil, err
		}
		value, err := asValue(g.Value)
		if err != nil {
			return nil, refuse(InvalidArguments, argumentsNext, "a value of fields does not fit")
		}
		field := map[string]any{"selector": part.Selector, "value": written(value)}
		if len(part.Frame) > 0 {
			field["frame"] = part.Frame
		}
		if len(part.Alternatives) > 0 {
			field["alternatives"] = part.Alternatives
		}
		if part.Fingerprint != nil {
			field["fingerprint"] = part.Fingerprint
		}
		fields = append(fields, field)
		element := replayer.Element{Step: part, Secret: true} // until someone has looked
		if b.about != nil {
			element = *b.about
		} else if found, err := b.tools.Inspect(ctx, part); err != nil {
			return nil, err
		} else if found != nil {
			element = *found
		}
		b.parts = append(b.parts, element)
	}
	b.about = nil
	b.tellForm(given)
	return fields, nil
}

// look looks at the field that is about to be typed into: what goes into one that holds a
// secret is told nowhere. What no one has seen counts as one.
func (b *building) look(ctx context.Context, step automation.Step) error {
	recorded := b.call.session.recording != nil && b.tool.isRecorded
	types := b.tool.name == "typeInput"
	if !types && !recorded || len(step.Selector) == 0 {
		return nil
	}
	if b.about == nil {
		found, err := b.tools.Inspect(ctx, step)
		if err != nil {
			return err
		}
		b.about = found
	}
	if !types || step.Value == nil || step.Value.Kind != automation.Literal {
		return nil
	}
	if b.about != nil && !b.about.Secret {
		return nil
	}
	b.secret = true
	b.call.told = masked(b.call.told, "value")
	return b.call.session.learnLiteral(step.Value.Value)
}

// tellForm has the journal told of a form without what goes into fields that hold secrets.
func (b *building) tellForm(given []struct{ Target, Frame, Value json.RawMessage }) {
	var told map[string]any
	if json.Unmarshal(b.call.told, &told) != nil {
		b.call.told = nil
		return
	}
	fields, _ := told["fields"].([]any)
	for i, element := range b.parts {
		value, err := asValue(given[i].Value)
		if !element.Secret || err != nil || value.Kind != automation.Literal || i >= len(fields) {
			continue
		}
		asMap(fields[i])["value"] = covered
		if b.call.session.learnLiteral(given[i].Value) != nil {
			b.call.told = nil
			return
		}
	}
	data, err := json.Marshal(told)
	if err != nil {
		data = nil
	}
	b.call.told = data
}

// covered stands where a secret stood.
const covered = "[secret]"

func masked(args json.RawMessage, key string) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return nil
	}
	fields[key] = covered
	data, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return data
}

// learnLiteral notes a text that an agent has typed into a field that holds a secret.
func (s *session) learnLiteral(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	secret, err := automation.NewSecret(text)
	if err != nil {
		return err
	}
	s.learn(secret)
	s.tools.Redact(s.known()...)
	return nil
}
