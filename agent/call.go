package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// tool is something that an agent can call.
type tool struct {
	name, title, does string
	schema            map[string]any // without the intent, which every tool takes
	readOnly          bool           // it changes nothing, anywhere
	destructive       bool           // it may commit to something
	page              bool           // it uses the page: calls of one session take turns
	whileHeld         bool           // it answers while a person has the page
	acts              bool           // it acts on what the page shows, which the agent must have seen
	do                func(context.Context, *call) (*answer, error)

	compiled *jsonschema.Schema
}

// answer is what a tool gives: a value that JSON can hold, and a text in its place for
// who reads rather than computes.
type answer struct {
	value    map[string]any
	text     string
	pictures [][]byte
}

// call is one call of a tool.
type call struct {
	id      string
	session *session
	request *mcp.CallToolRequest // nil for a call of a Client
	intent  string
	args    json.RawMessage // checked against the tool's schema
	// told are the arguments as the journal has them: without what is secret.
	told     json.RawMessage
	run      string // the record of the run that it played
	runBegun func() // told that there is one; nil for no one
	evidence []string

	step, steps int // of the run, as the client was told; steps is 0 for a lone tool
	waited      int // how often it was told since that a person is waited for
}

// decode reads the arguments.
func (c *call) decode(to any) error {
	if err := json.Unmarshal(c.args, to); err != nil {
		return refuse(InvalidArguments, argumentsNext, "the arguments do not fit the tool's schema")
	}
	return nil
}

// offer makes a tool of the protocol of one of ours.
func (s *Server) offer(t *tool) (*mcp.Tool, mcp.ToolHandler, error) {
	bare, err := json.Marshal(t.schema)
	if err != nil {
		return nil, nil, err
	}
	if t.compiled, err = compile(bare); err != nil {
		return nil, nil, err
	}
	properties := map[string]any{"intent": intentSchema}
	for name, p := range asMap(t.schema["properties"]) {
		properties[name] = p
	}
	whole := map[string]any{}
	for key, value := range t.schema {
		whole[key] = value
	}
	whole["properties"] = properties
	destructive := t.destructive
	return &mcp.Tool{
			Name: t.name, Title: t.title, Description: described(t.does), InputSchema: whole,
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.readOnly, DestructiveHint: &destructive},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.called(ctx, t, r), nil
		}, nil
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// called answers a call of a client of the protocol.
func (s *Server) called(ctx context.Context, t *tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	session, err := s.sessionOf(r.Session)
	if err != nil {
		return failed(asError(ctx, err), nil)
	}
	given, e := s.handle(ctx, t, &call{session: session, request: r}, r.Params.Arguments)
	if e != nil {
		return failed(e, session.redactor())
	}
	return done(given, session.redactor())
}

// handle is the way of every call: its intent, its arguments, then the tool, then the
// journal.
func (s *Server) handle(ctx context.Context, t *tool, c *call, args json.RawMessage) (*answer, *Error) {
	started := s.options.Now()
	fields, unread := fieldsOf(args)
	intent, err := takeIntent(fields)
	if err != nil {
		return nil, asError(ctx, err)
	}
	c.id, c.intent = s.options.NewID(), intent
	given, err := s.try(ctx, t, c, fields, unread)
	var e *Error
	if err != nil {
		e = c.session.clean(asError(ctx, err)).served(s)
		e.Intent = orElse(e.Intent, c.redactedIntent())
	}
	entry := c.entry(t, started, e)
	if err := s.write(ctx, entry); err != nil {
		s.options.Logger.ErrorContext(ctx, "a call was not written down", "tool", t.name, "error", err)
	}
	return given, e
}

// try checks the arguments and calls the tool.
func (s *Server) try(ctx context.Context, t *tool, c *call, fields map[string]json.RawMessage, unread error) (*answer, error) {
	if !t.whileHeld {
		if err := c.session.heldError(); err != nil {
			return nil, err
		}
	}
	if unread != nil {
		return nil, unread
	}
	var err error
	if c.args, err = json.Marshal(fields); err != nil {
		return nil, refuse(InvalidArguments, argumentsNext, "the arguments are not JSON")
	}
	if err := check(t.compiled, c.args); err != nil {
		return nil, err
	}
	if c.told = c.args; len(fields) == 0 {
		c.told = nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.session.ctx, func() { cancel(context.Cause(c.session.ctx)) })()
	if t.page {
		if err := c.session.take(ctx); err != nil {
			return nil, err
		}
		defer c.session.give()
		if err := c.session.mayAct(t); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	given, err := t.do(ctx, c)
	if err == nil && t.page && t.readOnly {
		c.session.mustLook = false
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return given, err
}

// clean takes what is secret out of an error.
func (s *session) clean(e *Error) *Error {
	redact := s.redactor()
	clean := *e
	clean.Reason, clean.Intent = redact.Text(e.Reason), redact.Text(e.Intent)
	clean.Tried = append([]replayer.Attempt(nil), e.Tried...)
	for i := range clean.Tried {
		clean.Tried[i].Why = redact.Text(clean.Tried[i].Why)
	}
	return &clean
}

// progress notifies the client which step of a run begins.
func (c *call) progress(ctx context.Context, done, total int, step automation.Step) {
	c.step, c.steps, c.waited = done, total, 0
	message := step.Tool
	if step.Intent != "" {
		message = step.Intent
	}
	c.tell(ctx, float64(done), message)
}

// tell notifies the client how far a call is, if it has asked for that.
func (c *call) tell(ctx context.Context, progress float64, message string) {
	if c.request == nil {
		return
	}
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = c.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that has gone is noticed elsewhere
		ProgressToken: token, Progress: progress, Total: float64(c.steps), Message: c.session.redactor().Text(message),
	})
}

// entry is the call as it is written down.
func (c *call) entry(t *tool, started time.Time, e *Error) store.JournalCall {
	s := c.session
	redact := s.redactor()
	entry := store.JournalCall{
		Session: s.id, Owner: s.ownedBy, ID: c.id, Tool: t.name, Intent: redact.Text(c.intent), Outcome: store.CallDone, Arguments: redacted(c.told, redact),
		Started: started, Took: s.server.options.Now().Sub(started), Run: c.run, Evidence: c.evidence,
	}
	if t.page {
		entry.URL = redact.Text(withoutQuery(s.url()))
	}
	if e == nil {
		return entry
	}
	entry.Code, entry.Reason, entry.Outcome = e.Code, e.Reason, store.CallFailed
	switch e.Code {
	case InvalidArguments, NotFound, NoMatch, Conflict, NotRecording, string(replayer.Refused), string(replayer.InvalidValue):
		entry.Outcome = store.CallRefused
	case string(replayer.Uncertain):
		entry.Outcome = store.CallUncertain
	case string(replayer.Cancelled):
		entry.Outcome = store.CallCancelled
	}
	if e.Code == InvalidArguments {
		entry.Arguments = nil // what no one has understood may be anything
	}
	return entry
}

// intentNote ends every tool's description.
const intentNote = ` Optional "intent": 1 to 120 characters, what this is for; it is stored in the journal. Leave the key out otherwise.`

// intentSchema is what a tool's schema says of it. The length is not among it: what is
// wrong with an intent has a code of its own.
var intentSchema = map[string]any{"type": "string", "description": "What this call is for, in 1 to 120 characters, for people who read the journal. Never used to find anything."}

// takeIntent takes the intent out of arguments; "" where there is none. The error is of
// the code InvalidIntent.
func takeIntent(fields map[string]json.RawMessage) (string, error) {
	raw, given := fields["intent"]
	if !given {
		return "", nil
	}
	delete(fields, "intent")
	const next = `say in 1 to 120 characters what the call is for, or leave the key "intent" out; nothing was done`
	var intent *string
	if err := json.Unmarshal(raw, &intent); err != nil || intent == nil {
		return "", refuse(InvalidIntent, next, "the intent is not a text")
	}
	if err := automation.CheckIntent(*intent); err != nil {
		return "", refuse(InvalidIntent, next, "%v", err)
	}
	return *intent, nil
}

// object is a schema of an object that takes these properties and no others.
func object(properties map[string]any, required ...string) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// compile makes a schema that loads nothing.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded") }
	if err := c.AddResource("arguments.json", bytes.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile("arguments.json")
}

// fieldsOf reads the arguments of a call, which are an object; none are an empty one.
func fieldsOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if given := bytes.TrimSpace(raw); len(given) == 0 || string(given) == "null" {
		return fields, nil
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, refuse(InvalidArguments, argumentsNext, "the arguments are not an object of JSON")
	}
	return fields, nil
}

const argumentsNext = "look at the tool's schema and call it again; nothing was done"

// check holds arguments to a schema. What it says quotes none of them: an agent may have
// put something in the wrong place that no one is to read.
func check(schema *jsonschema.Schema, args json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return refuse(InvalidArguments, argumentsNext, "the arguments are not JSON")
	}
	err := schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return refuse(InvalidArguments, argumentsNext, "the arguments cannot be checked")
	}
	var said []string
	for _, leaf := range leaves(invalid) {
		said = append(said, broken(leaf, schema))
	}
	slices.Sort(said)
	said = slices.Compact(said)
	return refuse(InvalidArguments, argumentsNext, "%s", strings.Join(said[:min(len(said), maxProblems)], "; "))
}

// maxProblems are told of at once.
const maxProblems = 8

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// saidBySchema are the rules of which the validator quotes the schema, and no value.
var saidBySchema = []string{"required", "type", "enum", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"}

func broken(leaf *jsonschema.ValidationError, schema *jsonschema.Schema) string {
	at, rule := leaf.InstanceLocation, leaf.KeywordLocation[strings.LastIndexByte(leaf.KeywordLocation, '/')+1:]
	depth := strings.Count(at, "/")
	if at == "" || !known(schema, at) {
		at = strings.Repeat("/…", min(1, depth))
	}
	if at == "" {
		at = "the arguments"
	}
	switch {
	case slices.Contains(saidBySchema, rule):
		return fmt.Sprintf("%s: %s", at, leaf.Message)
	case rule == "additionalProperties":
		return fmt.Sprintf("%s: there is a key that it does not take; it takes %s", at, strings.Join(taken(schema, leaf.InstanceLocation), ", "))
	}
	return fmt.Sprintf("%s does not satisfy the rule %q", at, rule)
}

// known reports whether the schema itself names what a location leads to: else the
// names in it are the caller's.
func known(s *jsonschema.Schema, location string) bool { return within(s, location) != nil }

func within(s *jsonschema.Schema, location string) *jsonschema.Schema {
	for _, part := range strings.Split(strings.TrimPrefix(location, "/"), "/") {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		switch {
		case s == nil:
			return nil
		case part == "":
		case s.Properties[part] != nil:
			s = s.Properties[part]
		default:
			s = s.Items2020 // nil where it has none
		}
	}
	return s
}

func taken(s *jsonschema.Schema, location string) []string {
	var names []string
	if at := within(s, location); at != nil {
		for name := range at.Properties {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return names
}

// maxText is how much of one text an agent is given: more fills its memory.
const maxText = 20_000

// done makes the result of a call that was done.
func done(a *answer, redact *replayer.Redactor) *mcp.CallToolResult {
	if a == nil {
		a = &answer{}
	}
	if a.value == nil {
		a.value = map[string]any{}
	}
	value := shortened(redact.Value(plain(a.value)))
	text := redact.Text(a.text)
	if text == "" {
		text = asText(value)
	}
	result := &mcp.CallToolResult{StructuredContent: value, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	for _, picture := range a.pictures {
		result.Content = append(result.Content, &mcp.ImageContent{Data: picture, MIMEType: "image/png"})
	}
	return result
}

// failed makes the result of a call that was not.
func failed(e *Error, redact *replayer.Redactor) *mcp.CallToolResult {
	value := plain(map[string]any{"error": e})
	if redact != nil {
		value = redact.Value(value)
	}
	return &mcp.CallToolResult{IsError: true, StructuredContent: value, Content: []mcp.Content{&mcp.TextContent{Text: asText(value)}}}
}

// plain is a value as JSON has it.
func plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return map[string]any{}
	}
	var made any
	if json.Unmarshal(data, &made) != nil {
		return map[string]any{}
	}
	return made
}

func asText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// shortened is a value whose texts have at most maxText bytes.
func shortened(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > maxText {
			return v[:maxText] + "… (cut)"
		}
	case []any:
		for i := range v {
			v[i] = shortened(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = shortened(v[key])
		}
	}
	return v
}

// redacted are arguments without secrets, plain or encoded.
func redacted(args json.RawMessage, redact *replayer.Redactor) json.RawMessage {
	if len(args) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	if e.Encode(withoutQueries(redact.Value(v), "")) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// withoutQueries leaves the queries of addresses out: what stands there may be a token.
func withoutQueries(v any, key string) any {
	switch v := v.(type) {
	case string:
		if key == "url" {
			return withoutQuery(v)
		}
	case map[string]any:
		for k := range v {
			v[k] = withoutQueries(v[k], k)
		}
	}
	return v
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.ForceQuery = false
	return weburl.WithoutSecrets(u)
}
