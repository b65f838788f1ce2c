package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/go-reprise/reprise/automation"
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
	request *mcp.CallToolRequest
	intent  string
	args    json.RawMessage // checked against the tool's schema
	// told are the arguments as the journal has them: without what is secret.
	told     json.RawMessage
	run      string // the record of the run that it played
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

// called is the way of every call: its intent, its arguments, then the tool, then the
// journal.
func (s *Server) called(ctx context.Context, t *tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	started := s.options.Now()
	fields, unread := fieldsOf(r.Params.Arguments)
	intent, err := takeIntent(fields)
	if err != nil {
		return failed(asError(ctx, err), nil)
	}
	session, err := s.sessionOf(r.Session)
	if err != nil {
		return failed(asError(ctx, err), nil)
	}
	c := &call{id: s.options.NewID(), session: session, request: r, intent: intent}
	given, err := s.try(ctx, t, c, fields, unread)
	var e *Error
	if err != nil {
		e = session.clean(asError(ctx, err))
	}
	entry := c.entry(t, started, e)
	if err := s.write(ctx, entry); err != nil {
		s.options.Logger.ErrorContext(ctx, "a call was not written down", "tool", t.name, "error", err)
	}
	if e != nil {
		return failed(e, session.scrubber())
	}
	return done(given, session.scrubber())
}

// try checks the arguments and calls the tool.
func (s *Server) try(ctx context.Context, t *tool, c *call, fields map[string]json.RawMessage, unread error) (*answer, error) {
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
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	given, err := t.do(ctx, c)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return given, err
}

// clean takes what is secret out of an error.
func (s *session) clean(e *Error) *Error {
	scrub := s.scrubber()
	clean := *e
	clean.Reason = scrub.Text(e.Reason)
	clean.Tried = append([]replayer.Tried(nil), e.Tried...)
	for i := range clean.Tried {
		clean.Tried[i].Why = scrub.Text(clean.Tried[i].Why)
	}
	return &clean
}

// progress tells the client which step of a run begins.
func (c *call) progress(ctx context.Context, done, total int, step automation.Step) {
	c.step, c.steps, c.waited = done, total, 0
	message := step.Tool
	if step.Intent != "" {
		message = step.Intent
	}
	c.tell(ctx, float64(done), message)
}

// tell tells the client how far a call is, if it has asked for that.
func (c *call) tell(ctx context.Context, progress float64, message string) {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	_ = c.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that has gone is noticed elsewhere
		ProgressToken: token, Progress: progress, Total: float64(c.steps), Message: c.session.scrubber().Text(message),
	})
}

// entry is the call as it is written down.
func (c *call) entry(t *tool, started time.Time, e *Error) store.JournalCall {
	s := c.session
	scrub := s.scrubber()
	entry := store.JournalCall{
		Session: s.id, Owner: s.server.options.Owner, ID: c.id, Tool: t.name, Intent: scrub.Text(c.intent), Outcome: store.CallDone, Arguments: scrubbed(c.told, scrub),
		Started: started, Took: s.server.options.Now().Sub(started), Run: c.run, Evidence: c.evidence,
	}
	if t.page {
		entry.URL = scrub.Text(withoutQuery(s.url()))
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
		entry.Arguments = nil // what nobody has understood may be anything
	}
	return entry
}
