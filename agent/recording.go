package agent

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/draft"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// recording records a session's calls: the steps that were done, with how their elements
// are found, and variables in the place of what identifies someone and what is secret.
type recording struct {
	name, account, description string
	steps                      []automation.Step
	variables                  map[string]any
	sites                      []string // globs
	at                         string   // where the page was after the last step
	implied                    bool     // the last step is a wait that the agent has not asked for
}

// wentTo notes where the page is before the next step: if that is not where the last one
// left it, that step has led there.
func (r *recording) wentTo(address string) {
	if len(r.steps) == 0 || address == r.at || r.steps[len(r.steps)-1].Tool == "navigate" || r.steps[len(r.steps)-1].Tool == "waitForNav" {
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return
	}
	glob := weburl.SiteGlob(u) + asAny.Replace(u.EscapedPath())
	if _, err := automation.ParseGlob(glob); err != nil {
		return
	}
	r.steps = append(r.steps, automation.Step{Tool: "waitForNav", URL: glob})
	r.at, r.implied = address, true
}

// asAny puts * for what was redacted of an address.
var asAny = strings.NewReplacer(redact.Mark, "*", url.PathEscape(redact.Mark), "*")

// atStart returns where a recording that begins at an address goes first: to the root of
// the site where a part of the address was redacted.
func atStart(address string) string {
	u, err := url.Parse(address)
	if err != nil || asAny.Replace(address) == address {
		return address
	}
	return weburl.Origin(u) + "/"
}

// add appends a step that was done, and notes where the page is after it.
func (r *recording) add(step automation.Step, address string) {
	if len(r.steps) == 0 && step.Tool != "navigate" && isPage(r.at) {
		r.steps = append(r.steps, automation.Step{Tool: "navigate", URL: atStart(r.at)})
		r.visit(r.at)
	}
	if r.implied && step.Tool == "waitForNav" { // the page was there before the agent had asked whether it is
		r.steps = r.steps[:len(r.steps)-1]
	}
	r.steps, r.implied = append(r.steps, step), false
	if step.Tool == "navigate" {
		r.visit(step.URL)
	}
	r.visit(address)
	r.at = address
}

func isPage(address string) bool { return automation.CheckURL(address) == nil }

func (r *recording) visit(address string) {
	if glob, ok := draft.SiteGlob(address); ok && isPage(address) && !slices.Contains(r.sites, glob) {
		r.sites = append(r.sites, glob)
	}
}

// document returns the automation.
func (r *recording) document() (*automation.Automation, error) {
	a := &automation.Automation{
		Name: r.name, Description: r.description, Steps: r.steps,
		Match: automation.Scope{URLs: r.sites, Account: r.account},
	}
	var err error
	a.Variables, err = draft.Schema(r.variables, slices.Sorted(maps.Keys(r.variables)))
	return a, err
}

// recorded returns the step as it is stored: with all selectors of its element, and with
// variables.
func (b *building) recorded(step automation.Step) automation.Step {
	rec := b.call.session.recording
	step.Timeout = 0
	if b.about != nil && len(b.about.Step.Selector) > 0 {
		step.Selector, step.Alternatives, step.Fingerprint = b.about.Step.Selector, b.about.Step.Alternatives, b.about.Step.Fingerprint
	}
	step.BindEvidence()
	if step.Tool == "typeInput" {
		step.Value = rec.variable(step.Value, b.about)
	}
	if step.Tool == "fillForm" {
		step.Args = rec.form(step.Args, b.parts)
	}
	return step
}

func (r *recording) form(args json.RawMessage, parts []replayer.Element) json.RawMessage {
	var form struct {
		Fields []map[string]any `json:"fields"`
	}
	if json.Unmarshal(args, &form) != nil {
		return args
	}
	for i := range form.Fields {
		if i >= len(parts) || parts[i].Kind == "checkbox" || parts[i].Kind == "radio" || parts[i].Kind == "select" || parts[i].Kind == "file" {
			continue
		}
		var value automation.Value
		data, err := json.Marshal(form.Fields[i]["value"])
		if err == nil && json.Unmarshal(data, &value) == nil {
			form.Fields[i]["value"] = written(r.variable(&value, &parts[i]))
		}
		if len(parts[i].Step.Selector) > 0 {
			form.Fields[i]["selector"], form.Fields[i]["alternatives"], form.Fields[i]["fingerprint"] = parts[i].Step.Selector, parts[i].Step.Alternatives, parts[i].Step.Fingerprint
		}
	}
	data, err := json.Marshal(form)
	if err != nil {
		return args
	}
	return data
}

// variable returns the value as it is stored: a variable for what is secret, or identifies
// someone; and for what went into a field that is not known.
func (r *recording) variable(value *automation.Value, field *replayer.Element) *automation.Value {
	secret := field == nil || field.Secret
	if value == nil {
		return nil
	}
	if value.Kind == automation.Variable {
		r.declare(value.Name, secret)
		return value
	}
	if !secret && !identifies(field) {
		return value
	}
	name := draft.Unique(variableName(field), func(name string) bool { return r.variables[name] != nil })
	r.declare(name, secret)
	return &automation.Value{Kind: automation.Variable, Name: name}
}

func (r *recording) declare(name string, secret bool) {
	if _, known := r.variables[name]; !known || secret {
		r.variables[name] = draft.Text(secret)
	}
}

// who are the words in the names of fields that identify someone.
var who = regexp.MustCompile(`(?i)e-?mail|user-?name|login|account|phone|\btel\b|identifier`)

func identifies(field *replayer.Element) bool {
	return field.Kind == "email" || field.Kind == "tel" || who.MatchString(strings.Join(field.Words, " "))
}

// variableName returns a name made of what a field is called.
func variableName(field *replayer.Element) string {
	if field == nil {
		return "secret"
	}
	switch field.Kind {
	case "email", "password", "tel":
		return field.Kind
	}
	words := slices.DeleteFunc(append(slices.Clone(field.Words), field.Label), func(word string) bool {
		word = strings.ToLower(word)
		return word == "off" || word == "on" // of autocomplete
	})
	return draft.VariableName("value", words...)
}

func (s *Server) recordTools() []*tool {
	return []*tool{
		{
			name: "record_start", title: "Begin to record", page: true, do: s.recordStart,
			does: "Begins to record your calls of navigate, click, type_input and the like as an automation, until record_stop. What is typed that identifies someone or is secret is stored as a variable, without its value.",
			schema: object(map[string]any{
				"name":        map[string]any{"type": "string", "pattern": "^[a-z][a-z0-9-]{0,50}$", "description": "Of the automation: google-login."},
				"account":     accountSchema(nil),
				"description": map[string]any{"type": "string", "minLength": 1, "maxLength": 300},
			}, "name"),
		},
		{
			name: "record_stop", title: "End the recording", page: true, do: s.recordStop,
			does:   "Ends the recording and saves it as an automation, which is a tool of its own from then on; keep false throws it away.",
			schema: object(map[string]any{"keep": map[string]any{"type": "boolean"}}),
		},
	}
}

func (s *Server) recordStart(ctx context.Context, c *call) (*answer, error) {
	var args struct{ Name, Account, Description string }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	if c.session.recording != nil {
		return nil, refuse(Conflict, "call record_stop first", "%s is being recorded", c.session.recording.name)
	}
	for known, err := range s.options.Store.Automations().List(ctx) {
		if err != nil {
			return nil, err
		}
		if known.Name == args.Name { // also for another account: who plays it for this one would play the agent's
			return nil, refuse(Conflict, "choose another name", "there is an automation %s already", args.Name)
		}
	}
	rec := &recording{name: args.Name, account: args.Account, description: args.Description, variables: map[string]any{}}
	rec.at = c.session.redactor().Text(withoutQuery(c.session.url()))
	c.session.recording = rec
	return &answer{value: map[string]any{"recording": args.Name}}, nil
}

func (s *Server) recordStop(ctx context.Context, c *call) (*answer, error) {
	args := struct{ Keep *bool }{}
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	rec := c.session.recording
	if rec == nil {
		return nil, refuse(NotRecording, "call record_start first", "nothing is being recorded")
	}
	if args.Keep != nil && !*args.Keep {
		c.session.recording = nil
		return &answer{value: map[string]any{"kept": false}}, nil
	}
	if len(rec.steps) == 0 {
		return nil, refuse(NotRecording, "do something first, or call it with keep false", "nothing was done since record_start")
	}
	rec.wentTo(c.session.redactor().Text(withoutQuery(c.session.url())))
	a, err := rec.document()
	if err != nil {
		return nil, err
	}
	saved, err := s.options.Store.Automations().Save(ctx, a)
	if err != nil {
		return nil, err
	}
	c.session.recording = nil
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	return &answer{value: map[string]any{"kept": true, "automation": s.summary(saved)}}, nil
}
