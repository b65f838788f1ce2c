package automation

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// ParseOption changes what Parse accepts.
type ParseOption func(*parsing)

type parsing struct {
	tools    map[string]Tool
	anyTools bool
}

// WithTools makes Parse know a program's own tools, by their dotted names, and
// check their arguments against their schemas.
func WithTools(tools ...Tool) ParseOption {
	return func(p *parsing) {
		for _, t := range tools {
			p.tools[t.Name] = t
		}
	}
}

// AnyTools makes Parse accept any dotted tool name with any arguments. It is
// for programs that keep or show documents; one that plays them knows its tools.
func AnyTools() ParseOption {
	return func(p *parsing) { p.anyTools = true }
}

// Parse reads a document and validates it. It is strict: at most MaxSize bytes,
// one JSON object, keys in their own case and once each, nothing unknown but
// the field "x", which is kept. The error is one *Error, or several joined, each
// naming its place, as in "steps[3].value.nme: unknown field".
func Parse(data []byte, opts ...ParseOption) (*Automation, error) {
	if len(data) > MaxSize {
		return nil, tooLarge(fmt.Sprintf("%d bytes", len(data)))
	}
	settings := parsing{tools: map[string]Tool{}}
	for _, opt := range opts {
		opt(&settings)
	}
	var p problems
	a := &Automation{}
	root := readNode(data, &p)
	if root == nil || !readFormat(root, &p) {
		return nil, p.err()
	}
	var format int
	readObject(a.fields(&format), root, nil, &p)
	a.validate(&p)
	settings.checkTools(a, &p)
	if err := p.err(); err != nil {
		return nil, err
	}
	return a, nil
}

// ParseFrom is Parse for a reader, of which it takes no more than it may.
func ParseFrom(r io.Reader, opts ...ParseOption) (*Automation, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, tooLarge("more")
	}
	return Parse(data, opts...)
}

func tooLarge(size string) error {
	return &Error{Reason: fmt.Sprintf("%s than the %d bytes that a document may have", size, MaxSize), Err: ErrTooLarge}
}

// readFormat comes before everything else: what another format means is not for
// this one to say, not even what is wrong with it.
func readFormat(root *node, p *problems) bool {
	if root.kind != '{' {
		p.add(nil, "a document is an object, not %s", kindNames[root.kind])
		return false
	}
	if reason := refuseFormat(root.get("format")); reason != "" {
		at := (*place)(nil).field("format")
		p.addError(at, ErrFormat, "%s: this version of Reprise reads format %d", reason, Format)
		return false
	}
	return true
}

func refuseFormat(n *node) string {
	if n == nil {
		return "missing"
	}
	number, err := strconv.Atoi(n.text)
	switch {
	case n.kind != '0' || err != nil || number < 1:
		return "must be the number of a format"
	case number > Format:
		return fmt.Sprintf("%d is later than this program", number)
	}
	return ""
}

// checkTools holds dotted tools to what the caller knows about them.
func (s parsing) checkTools(a *Automation, p *problems) {
	if s.anyTools {
		return
	}
	for i, step := range a.Steps {
		at := (*place)(nil).field("steps").item(i)
		if !dotted.MatchString(step.Tool) {
			continue
		}
		tool, known := s.tools[step.Tool]
		if !known {
			p.add(at.field("tool"), "%q is not known to this program: pass it with WithTools", shorten(step.Tool))
			continue
		}
		tool.check(step.Args, at.field("args"), p)
	}
}

// Tool is a program's own tool.
type Tool struct {
	Name   string          // dotted: acme.solve
	Schema json.RawMessage // a JSON Schema of its arguments; nil is any object
}

// Check holds arguments to the tool's schema; nil are none.
func (t Tool) Check(args json.RawMessage) error {
	var p problems
	t.check(args, (*place)(nil).field("args"), &p)
	return p.err()
}

func (t Tool) check(args json.RawMessage, at *place, p *problems) {
	if len(t.Schema) == 0 {
		return
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	schema, err := compileSchema(t.Schema)
	if err != nil {
		p.add(at, "the schema of tool %q: %v", t.Name, err)
		return
	}
	value, err := decodeJSON(args)
	if err == nil {
		err = schema.Validate(value)
	}
	for _, leaf := range leaves(err) {
		p.add(at.pointer(leaf.InstanceLocation), "%s", shorten(leaf.Message))
	}
}
