package automation

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/selectors"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// dotted is the name of a program's own tool.
var dotted = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)+$`)

// rule describes which fields of a step a tool needs and takes, by their keys in the
// document. A key that it needs one of is in anyOf.
type rule struct {
	needs, takes, anyOf []string
	args                []string // the keys of "args"; a "!" before one says that it is needed
}

var (
	// everyStep may say these, whatever its tool.
	everyStep = []string{"tool", "page", "expect", "optional", "when", "timeout", "effect", "intent", "x"}
	// target names an element; where a tool can do without one, it only takes it.
	target = []string{"frame", "frameAlternatives", "selector", "alternatives", "fingerprint"}
	// point is a target at which the mouse acts.
	point = append(slices.Clone(target), "offset")
)

// tools are the tools of the format. Which of them a program can run is for its
// replayer to say; a document that names one is readable everywhere.
var tools = map[string]rule{
	"navigate":   {anyOf: []string{"url", "value"}},
	"click":      {needs: []string{"selector"}, takes: with(point, "button", "count", "hold", "modifiers"), args: []string{"turnTo"}},
	"typeInput":  {needs: []string{"selector", "value"}, takes: with(target, "keys"), args: []string{"at"}},
	"fillForm":   {needs: []string{"args"}, takes: target, args: []string{"!fields"}},
	"keypress":   {needs: []string{"key"}, takes: target},
	"waitForNav": {takes: []string{"url"}},
	"select":     {needs: []string{"selector", "value"}, takes: target},
	"check":      {needs: []string{"selector"}, takes: with(point, "value")},
	"upload":     {needs: []string{"selector", "value"}, takes: target},
	"hover":      {needs: []string{"selector"}, takes: with(point, "modifiers")},
	"drag":       {needs: []string{"selector", "args"}, takes: with(point, "modifiers"), args: []string{"!to", "offset"}},
	"scroll":     {takes: target, anyOf: []string{"selector", "args"}, args: []string{"dx", "dy"}},
	"waitFor":    {takes: with(target, "value"), anyOf: []string{"selector", "url", "args"}, args: []string{"state", "text", "response"}},
	"assert":     {takes: with(target, "value"), anyOf: []string{"selector", "url"}, args: []string{"state", "attribute", "compare"}},
	"extract":    {needs: []string{"selector", "args"}, takes: target, args: []string{"!as", "attribute", "all"}},
	"screenshot": {takes: target, args: []string{"as", "fullPage"}},
	"dialog":     {takes: []string{"value"}, args: []string{"accept"}},
	"tab":        {needs: []string{"page"}, takes: []string{"url"}, args: []string{"action"}},
	"approve":    {needs: []string{"args"}, takes: target, args: []string{"payee", "amount", "currency", "origin"}},
	"handoff":    {args: []string{"reason", "message", "until"}},
	"run":        {needs: []string{"args"}, args: []string{"!name", "account", "values"}},
}

// ownTool is the rule of a program's tools: all they take is in "args".
var ownTool = rule{takes: []string{"args"}}

// Tools lists the names of the format's tools, sorted.
func Tools() []string {
	names := make([]string, 0, len(tools))
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func with(keys []string, more ...string) []string {
	return append(slices.Clone(keys), more...)
}

// known are all the keys that a step of this tool may have.
func (r rule) known() []string {
	all := slices.Concat(everyStep, r.needs, r.takes, r.anyOf)
	if len(r.args) > 0 {
		all = append(all, "args")
	}
	return all
}

// args checks the arguments of a tool of the format: which keys there are, and
// what stands in those that hold selectors and values.
func (v *validator) args(s *Step, at *place) {
	if len(s.Args) == 0 {
		return
	}
	var p problems
	n := readNode(s.Args, &p)
	if n == nil || len(p.list) > 0 || n.kind != '{' {
		v.add(at, "must be an object of JSON")
		return
	}
	r, found := tools[s.Tool]
	if !found {
		return
	}
	for _, key := range r.args {
		if name, needed := strings.CutPrefix(key, "!"); needed && n.get(name) == nil {
			v.add(at.field(name), "missing: %s needs it", s.Tool)
		}
	}
	for _, m := range n.members {
		if !slices.Contains(r.args, m.key) && !slices.Contains(r.args, "!"+m.key) && m.key != "x" {
			v.add(at.field(m.key), "unknown field")
			continue
		}
		v.arg(s.Tool, m, at.field(m.key))
	}
}

// States are those that waitFor waits for and assert holds an element to.
var States = []string{"attached", "checked", "detached", "disabled", "editable", "enabled", "focused", "hidden", "readonly", "unchecked", "visible"}

// Comparisons are how assert compares what an element says: as a whole, as a part of
// it, or that it is something else. White space counts as a person sees it.
var Comparisons = []string{"contains", "equals", "not"}

// TabActions are what the tool tab does: make the page's tab, have it shown, close it.
var TabActions = []string{"close", "open", "switch"}

// Carets are where typeInput puts a text into what a field holds: at its start, at its end,
// or where the caret stands. Without one the text replaces what the field holds.
var Carets = []string{"caret", "end", "start"}

// argWords are the arguments that are one of a few words.
var argWords = map[string][]string{
	"waitFor.state": States, "assert.state": States, "assert.compare": Comparisons, "tab.action": TabActions,
	"typeInput.at": Carets,
}

// argKinds are the JSON values of the arguments that are single values, by their first
// byte as node has it.
var argKinds = map[string]byte{
	"scroll.dx": '0', "scroll.dy": '0', "waitFor.text": '"', "assert.attribute": '"', "extract.as": '"', "extract.attribute": '"', "extract.all": 't',
	"click.turnTo": '"', "typeInput.at": '"', "screenshot.as": '"', "screenshot.fullPage": 't', "dialog.accept": 't',
	"approve.payee": '"', "approve.amount": '"', "approve.currency": '"', "approve.origin": '"',
	"handoff.reason": '"', "handoff.message": '"', "handoff.until": '"', "run.account": '"', "run.name": '"',
}

func (v *validator) arg(tool string, m member, at *place) {
	key := tool + "." + m.key
	if words := argWords[key]; words != nil && !slices.Contains(words, m.value.text) {
		v.add(at, "%q must be one of %s", shorten(m.value.text), strings.Join(words, ", "))
	}
	if kind := argKinds[key]; kind != 0 && !is(m.value, kind, at, v.problems) {
		return
	}
	switch key {
	case "click.turnTo":
		v.isDeclared(m.value.text, at)
	case "waitFor.response":
		var response *Expectation
		optional[Expectation]{&response, responseFields}.read(m.value, at, v.problems)
		if response != nil && response.URL == "" {
			v.add(at.field("url"), "missing")
		} else if response != nil {
			v.glob(response.URL, at.field("url"))
		}
	case "fillForm.fields":
		var fields []Step
		list[Step]{&fields, one(formFields)}.read(m.value, at, v.problems)
		for i := range fields {
			v.formField(&fields[i], at.item(i))
		}
	case "drag.to":
		var to Step
		path{&to.Selector}.read(m.value, at, v.problems)
	case "drag.offset":
		var to *Offset
		optional[Offset]{&to, (*Offset).fields}.read(m.value, at, v.problems)
		v.offset(to, at)
	case "run.values":
		v.runValues(m.value, at)
	case "handoff.message":
		if len(m.value.text) > MaxMessage {
			v.add(at, "has %d bytes, and may have %d", len(m.value.text), MaxMessage)
		}
	case "handoff.until":
		if strings.Contains(m.value.text, "://") {
			v.glob(m.value.text, at)
		} else if _, err := selectors.Parse(m.value.text); err != nil && m.value.text != "" {
			v.add(at, "%v", err)
		}
	case "run.name":
		if !namePattern.MatchString(m.value.text) {
			v.add(at, "%q is not the name of an automation", shorten(m.value.text))
		}
	}
}

// MaxMessage is how long the message of a handoff step may be, in bytes: a person reads it on a phone.
const MaxMessage = 1 << 10

// responseFields are the keys of a reply that is waited for: those of an expectation.
func responseFields(e *Expectation) []field {
	return slices.DeleteFunc(e.fields(), func(f field) bool { return f.key != "method" && f.key != "url" && f.key != "status" })
}

// formFields are the keys of one field of a form: a typeInput without its tool.
func formFields(s *Step) []field {
	allowed := append(slices.Clone(target), "value", "x")
	return slices.DeleteFunc(s.fields(), func(f field) bool { return !slices.Contains(allowed, f.key) })
}

// ParseField reads one of the fields of a fillForm step: a step without a tool.
func ParseField(data json.RawMessage) (Step, error) {
	var s Step
	var p problems
	if n := readNode(data, &p); n != nil {
		one(formFields)(&s).read(n, nil, &p)
	}
	return s, p.err()
}

func (v *validator) formField(s *Step, at *place) {
	if len(s.Selector) == 0 {
		v.add(at.field("selector"), "missing")
	}
	if s.Value == nil {
		v.add(at.field("value"), "missing")
		return
	}
	v.value(s.Value, at.field("value"))
}

func (v *validator) runValues(n *node, at *place) {
	if !is(n, '{', at, v.problems) {
		return
	}
	for _, m := range n.members {
		var value Value
		readObject(value.fields(), m.value, at.field(m.key), v.problems)
		v.value(&value, at.field(m.key))
	}
}

// NamesInArgs returns the variables that the arguments of a step name: those of the fields
// of a form, and of the values for another automation.
func NamesInArgs(s Step) []string {
	var args struct {
		Fields []struct{ Value *Value }
		Values map[string]*Value
	}
	if json.Unmarshal(s.Args, &args) != nil {
		return nil
	}
	var names []string
	for _, f := range args.Fields {
		if f.Value != nil {
			names = append(names, f.Value.Names()...)
		}
	}
	for _, v := range args.Values {
		names = append(names, v.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

//go:embed schema.json
var published []byte

// Schema returns the JSON Schema of the document, for editors and for programs in
// other languages. What it accepts, Parse can still refuse: that selectors and
// globs can be read, and that variables are declared, it cannot say.
func Schema() []byte { return bytes.Clone(published) }

// draft is the only one that a schema of a document may name.
const draft = "https://json-schema.org/draft/2020-12/schema"

// schemaURL stands for the schema itself; nothing is ever loaded from it.
const schemaURL = "https://schema.reprise.invalid/"

// compileSchema compiles a schema that came from a document or a program. It
// loads nothing: a reference can only point into the schema itself. The
// compiler panics on patterns that Go's RE2 cannot run, which no schema of
// JSON Schema's own forbids, so the panic is turned into the error it should be.
func compileSchema(schema []byte) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			compiled, err = nil, fmt.Errorf("not a schema that can be run: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a $ref must point into the same schema")
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() || dec.InputOffset() < int64(len(bytes.TrimSpace(data))) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// leaves are the innermost causes of a validator's error: what is really wrong.
func leaves(err error) []*jsonschema.ValidationError {
	if err == nil {
		return nil
	}
	var s *jsonschema.SchemaError
	if errors.As(err, &s) && s.Err != nil {
		err = s.Err
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return []*jsonschema.ValidationError{{Message: fromLibrary.Replace(err.Error())}}
	}
	if len(v.Causes) == 0 {
		return []*jsonschema.ValidationError{v}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range v.Causes {
		all = append(all, leaves(cause)...)
	}
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int { // the validator walks over maps
		return cmp.Or(strings.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	return all
}

// fromLibrary takes away what is the library's own in its messages.
var fromLibrary = strings.NewReplacer("jsonschema: ", "", schemaURL, "")

// pointer goes on along a JSON pointer, as the validator gives them.
func (p *place) pointer(pointer string) *place {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name, err := url.PathUnescape(token)
		if err != nil {
			name = token
		}
		if name = unescape.Replace(name); name != "" {
			p = p.field(name)
		}
	}
	return p
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// ToolSchema returns the JSON Schema of what a call of one of the format's tools may
// say: the fields of its step, without "tool" and "page", that the tool takes.
func ToolSchema(name string) (json.RawMessage, error) {
	r, found := tools[name]
	if !found {
		return nil, fmt.Errorf("%q is not a tool of the format", name)
	}
	var document struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	var step struct {
		Properties map[string]json.RawMessage `json:"properties"`
		AllOf      []toolCase                 `json:"allOf"`
	}
	if err := json.Unmarshal(published, &document); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(document.Defs["step"], &step); err != nil {
		return nil, err
	}
	delete(document.Defs, "step")
	properties := map[string]json.RawMessage{}
	for _, key := range r.known() {
		if key != "tool" && key != "page" && key != "x" {
			properties[key] = step.Properties[key]
		}
	}
	if i := slices.IndexFunc(step.AllOf, func(c toolCase) bool { return c.If.Properties.Tool.Const == name }); i >= 0 && step.AllOf[i].Then.Properties.Args != nil {
		properties["args"] = step.AllOf[i].Then.Properties.Args
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false, "$defs": document.Defs}
	if len(r.needs) > 0 {
		schema["required"] = r.needs
	}
	return json.Marshal(schema)
}

// toolCase is what the published schema says of the steps of one tool.
type toolCase struct {
	If struct {
		Properties struct {
			Tool struct {
				Const string `json:"const"`
			} `json:"tool"`
		} `json:"properties"`
	} `json:"if"`
	Then struct {
		Properties struct {
			Args json.RawMessage `json:"args"`
		} `json:"properties"`
	} `json:"then"`
}
