package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
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
// the field "x", which is left as it is. The error is one *Error, or several joined, each
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

// The bounds of a document. A long recording has some hundred steps of about
// half a kilobyte; these leave room for a hundred times that.
const (
	MaxSize  = 8 << 20 // bytes
	maxDepth = 64      // nested objects and arrays
	maxNodes = 400_000 // values; each costs about a hundred bytes while reading
)

// node is one value of a JSON text. encoding/json alone is too kind for a
// document that people and agents write: it matches keys in any case, keeps the
// last of two equal ones and drops what it does not know.
type node struct {
	kind    byte // one of { [ " 0 t n
	raw     []byte
	text    string // of a string, the value; of a number, its literal
	members []member
	items   []*node
}

type member struct {
	key   string
	value *node
}

// kindNames say what a field has to be.
var kindNames = map[byte]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "true or false", 'n': "null"}

// readNode reads a whole JSON text.
func readNode(data []byte, p *problems) *node {
	if err := checkJSON(data); err != nil {
		p.add(nil, "%v", err)
		return nil
	}
	b := &builder{data: data, dec: json.NewDecoder(bytes.NewReader(data)), problems: p}
	b.dec.UseNumber()
	n := b.value(nil, 0)
	if b.stop != "" {
		p.add(nil, "%s", b.stop)
		return nil
	}
	return n
}

// checkJSON refuses what is not one JSON value, and says where it stops being one.
func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("not valid UTF-8")
	}
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		before := data[:max(0, min(int(syntax.Offset)-1, len(data)))]
		line := bytes.Count(before, []byte("\n")) + 1
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return fmt.Errorf("not valid JSON at line %d, column %d: %v", line, column, syntax)
	}
	return err
}

// builder turns the tokens of a valid JSON text into nodes.
type builder struct {
	data  []byte
	dec   *json.Decoder
	nodes int
	stop  string // why reading ended early
	*problems
}

func (b *builder) value(at *place, depth int) *node {
	start := b.start()
	token, err := b.dec.Token()
	if b.nodes++; err != nil || b.nodes > maxNodes || depth > maxDepth {
		b.stop = fmt.Sprintf("more than %d values, or nested deeper than %d", maxNodes, maxDepth)
		return &node{kind: 'n'}
	}
	n := &node{}
	switch t := token.(type) {
	case json.Delim:
		n.kind = byte(t)
		b.inside(n, at, depth+1)
		_, _ = b.dec.Token() // the closing delimiter
	case string:
		n.kind, n.text = '"', t
	case json.Number:
		n.kind, n.text = '0', string(t)
		if !plainNumber(n.text) {
			b.add(at, "a number of this size cannot be represented exactly")
		}
	case bool:
		n.kind, n.text = 't', fmt.Sprint(t)
	default:
		n.kind = 'n'
	}
	n.raw = b.data[start:b.dec.InputOffset()]
	return n
}

// start finds where the next value begins: the decoder stands before the
// separators.
func (b *builder) start() int64 {
	start := b.dec.InputOffset()
	for start < int64(len(b.data)) && strings.IndexByte(" \t\r\n,:", b.data[start]) >= 0 {
		start++
	}
	return start
}

func (b *builder) inside(n *node, at *place, depth int) {
	if n.kind == '[' {
		for i := 0; b.stop == "" && b.dec.More(); i++ {
			n.items = append(n.items, b.value(at.item(i), depth))
		}
		return
	}
	seen := map[string]bool{}
	for b.stop == "" && b.dec.More() {
		token, _ := b.dec.Token()
		key, _ := token.(string)
		if seen[key] {
			b.add(at.field(key), "stands twice in the same object")
		}
		seen[key] = true
		n.members = append(n.members, member{key, b.value(at.field(key), depth)})
	}
}

// plainNumber bounds a number literal: arithmetic on 1e999999999 would take the
// machine, and no step of a browser needs it.
func plainNumber(literal string) bool {
	const longest, digitsOfExponent = 64, 3
	_, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	return len(literal) <= longest && len(strings.TrimLeft(exponent, "+-0")) <= digitsOfExponent
}

// get returns the member of that name, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// compact returns the JSON text without white space, so that equal values have
// equal texts.
func (n *node) compact() json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, n.raw) != nil {
		return nil
	}
	return b.Bytes()
}
