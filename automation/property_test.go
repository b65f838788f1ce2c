package automation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/selectors"
)

// The generators below make every automation that Validate accepts, as far as
// the tables of tools and consequences say what that is.

var (
	anyText  = rapid.StringMatching(`[ -~é日\x{2028}<>&"\\]{1,20}[!-~]`)
	anyName  = rapid.SampledFrom([]string{"email", "password", "n"})
	anyGlob  = rapid.SampledFrom([]string{"example.com", "*.example.com/**/pwd", "localhost:3000/*", "https://a.example.org:8443/a?c"})
	anyURL   = rapid.SampledFrom([]string{"https://example.com/?q=<a>#f", "http://localhost:3000/%2f"})
	anyPage  = rapid.SampledFrom([]string{"main", "popup-2"})
	anyNotes = rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"a":[1e-3,"<&> "],"b":null}`), json.RawMessage(`null`), json.RawMessage(`"x"`)})
	anyPath  = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) selectors.Selector {
		text := rapid.SampledFrom([]string{"#a > b", `aria/Pay [now][role="button"]`, "text/", "xpath///a[@b='<']", "pierce/.x", "testid/"}).Draw(t, "selector")
		if text[len(text)-1] == '/' {
			text += anyText.Draw(t, "body")
		}
		s, err := selectors.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}), 1, 3)
)

func anyPaths(t *rapid.T, label string) []selectors.Path {
	var all []selectors.Path
	for range rapid.IntRange(1, 3).Draw(t, label) {
		all = append(all, anyPath.Draw(t, label))
	}
	return all
}

func anyValue(t *rapid.T, tool string) *Value {
	v := &Value{Kind: rapid.SampledFrom([]ValueKind{Literal, Variable, Template}).Draw(t, "kind"), X: anyNotes.Draw(t, "notes")}
	switch v.Kind {
	case Variable:
		v.Name = anyName.Draw(t, "variable")
	case Template:
		v.Text = TemplateText(anyText.Draw(t, "text")) + " ${" + anyName.Draw(t, "hole") + "} $${"
	default:
		literal := map[string]string{"check": "true", "navigate": `"https://example.com/"`, "select": `["a","b"]`, "upload": `"a.pdf"`}[tool]
		if literal == "" {
			literal = rapid.SampledFrom([]string{`"<a>&b"`, `12345678901234567890.10`, `""`}).Draw(t, "literal")
		}
		v.Value = json.RawMessage(literal)
	}
	return v
}

var argsOf = map[string]string{
	"click": `{"turnTo":"email"}`, "typeInput": `{"at":"end"}`,
	"fillForm": `{"fields":[{"selector":["a","b"],"value":{"kind":"variable","name":"email"}}]}`, "drag": `{"to":"#b"}`, "scroll": `{"dy":1}`,
	"waitFor": `{"state":"visible"}`, "assert": `{"compare":"not"}`, "extract": `{"as":"a"}`, "screenshot": `{"fullPage":true}`, "dialog": `{"accept":false}`,
	"tab": `{"action":"close"}`, "approve": `{"payee":"#p"}`, "handoff": `{"reason":"a"}`, "run": `{"name":"other","values":{}}`, "acme.solve": `{"a":[1,{}]}`,
}

// anyStep draws a tool, then what it needs and some of what it takes.
func anyStep(t *rapid.T) Step {
	tool := rapid.SampledFrom(append(Tools(), "acme.solve")).Draw(t, "tool")
	r, found := tools[tool]
	if !found {
		r = ownTool
	}
	keys := slices.Clone(r.needs)
	if len(r.anyOf) > 0 {
		keys = append(keys, rapid.SampledFrom(r.anyOf).Draw(t, "one of"))
	}
	for _, key := range r.known() {
		if rapid.Bool().Draw(t, key) && (len(r.anyOf) == 0 || tool != "navigate" || key != "url" && key != "value") {
			keys = append(keys, key)
		}
	}
	if slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(point, key) }) {
		keys = append(keys, "selector")
	}
	s := Step{Tool: tool}
	for _, key := range keys {
		s.draw(t, key)
	}
	return s
}

func (s *Step) draw(t *rapid.T, key string) {
	switch key {
	case "page":
		s.Page = anyPage.Draw(t, key)
	case "frame":
		s.Frame = anyPaths(t, key)
	case "frameAlternatives":
		for range s.Frame {
			s.FrameAlternatives = append(s.FrameAlternatives, anyPaths(t, key))
		}
	case "selector":
		s.Selector = anyPath.Draw(t, key)
	case "alternatives":
		s.Alternatives = anyPaths(t, key)
	case "fingerprint":
		s.Fingerprint = &selectors.Fingerprint{Key: "0f", Tag: "a", Own: map[string]string{"id": anyText.Draw(t, "id"), "b": ""}, Rivals: []map[string]string{{"label": "1"}}, Twins: []int{0, 2}, Box: []int{1, -2, 3, 0}, TestIDAttribute: rapid.SampledFrom([]string{"", "data-qa", "id"}).Draw(t, "test id"), Of: anyText.Draw(t, "of"), X: anyNotes.Draw(t, "notes")}
	case "offset":
		s.Offset = &Offset{rapid.Float64Range(0, 1).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "y")}
	case "url":
		if s.URL = anyGlob.Draw(t, key); s.Tool == "navigate" || s.Tool == "tab" {
			s.URL = anyURL.Draw(t, key)
		}
	case "value":
		s.Value = anyValue(t, s.Tool)
	case "key":
		s.Key = rapid.SampledFrom([]string{"Enter", "Control+Shift+A", "Control++", " ", "é"}).Draw(t, key)
	case "keys":
		s.Keys = true
	case "button":
		s.Button = rapid.SampledFrom([]string{"left", "middle", "right"}).Draw(t, key)
	case "count":
		s.Count = rapid.IntRange(1, 3).Draw(t, key)
	case "modifiers":
		s.Modifiers = []string{"Shift", "Control"}
	case "expect":
		s.Expect = rapid.SliceOfN(rapid.Custom(anyExpectation), 1, 3).Draw(t, key)
	case "optional":
		s.Optional = true
	case "when":
		s.When = &Condition{Selector: anyPath.Draw(t, key), URL: anyGlob.Draw(t, key), Variable: anyName.Draw(t, key), X: anyNotes.Draw(t, "notes")}
	case "timeout":
		s.Timeout = time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, key))
	case "effect":
		s.Effect = rapid.SampledFrom([]Effect{Read, Write, Commit}).Draw(t, key)
	case "intent":
		s.Intent = anyText.Draw(t, key)
	case "args":
		s.Args = json.RawMessage(argsOf[s.Tool])
	case "x":
		s.X = anyNotes.Draw(t, key)
	}
}

func anyExpectation(t *rapid.T) Expectation {
	e := Expectation{Kind: rapid.SampledFrom([]string{"popup", "dialog", "download", "response", "element", "text"}).Draw(t, "kind"), X: anyNotes.Draw(t, "notes")}
	r := consequences[e.Kind]
	for _, key := range slices.Concat(r.needs, r.takes) {
		switch key {
		case "method":
			e.Method = "POST"
		case "url":
			e.URL = anyGlob.Draw(t, key)
		case "status":
			e.Status = rapid.IntRange(100, 599).Draw(t, key)
		case "selector":
			e.Selector = anyPath.Draw(t, key)
		case "text":
			e.Text = anyText.Draw(t, key)
		case "page":
			e.Page = anyPage.Draw(t, key)
		}
	}
	return e
}

func anyAutomation(t *rapid.T) *Automation {
	a := &Automation{
		Name:        rapid.StringMatching(`[a-z][a-z0-9-]{0,50}`).Draw(t, "name"),
		Description: anyText.Draw(t, "description"),
		Match:       Scope{URLs: rapid.SliceOfN(anyGlob, 1, 3).Draw(t, "urls"), Account: rapid.SampledFrom([]string{"", "a@b"}).Draw(t, "account"), Blocker: rapid.SampledFrom([]Reason{"", ReasonLogin, ReasonCaptcha, ReasonPermission}).Draw(t, "blocker"), X: anyNotes.Draw(t, "notes")},
		Variables:   json.RawMessage(`{"type":"object","properties":{"email":{"type":"string"},"password":{"type":"string","writeOnly":true},"n":{"type":"number","minimum":1e-3}}}`),
		Revision:    rapid.IntRange(0, 1<<40).Draw(t, "revision"),
		Steps:       rapid.SliceOfN(rapid.Custom(anyStep), 1, 5).Draw(t, "steps"),
		X:           anyNotes.Draw(t, "x"),
	}
	if rapid.Bool().Draw(t, "identity") {
		a.Identity = &Identity{Selector: anyPath.Draw(t, "selector"), Alternatives: anyPaths(t, "alternatives"), Frame: anyPaths(t, "frame"), Value: anyValue(t, ""), X: anyNotes.Draw(t, "notes")}
	}
	return a
}

func TestWhatIsWrittenIsReadBackTheSame(t *testing.T) {
	t.Parallel()
	schema, err := compileSchema(Schema())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := anyAutomation(t)
		if err := a.Validate(); err != nil {
			t.Fatalf("the generator is wrong: %v", err)
		}
		data, err := Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(data, AnyTools())
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if !reflect.DeepEqual(a, back) {
			t.Fatal(cmp.Diff(a, back))
		}
		document, err := decodeJSON(data)
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Fatalf("the schema: %v\n%s", err, data)
		}
	})
}

// A field more or a field less must never pass: whatever is renamed in a good
// document makes it a bad one.
func TestNoRenamedFieldPasses(t *testing.T) {
	t.Parallel()
	var data []byte
	for _, document := range golden(t) {
		data = append(data[:0], document...)
		var p problems
		root := readNode(data, &p)
		renamed := 0
		rename(root, "", func(path string, key []byte) {
			broken := bytes.Clone(data)
			copy(broken[cap(data)-cap(key):], bytes.Repeat([]byte("q"), len(key)))
			if _, err := Parse(broken, AnyTools()); err == nil {
				t.Errorf("%s can be renamed", path)
			}
			renamed++
		})
		if renamed < 20 {
			t.Errorf("only %d fields were renamed", renamed)
		}
	}
}

// rename calls do with the bytes of every key that the format knows.
func rename(n *node, path string, do func(string, []byte)) {
	for _, item := range n.items {
		rename(item, path+"[]", do)
	}
	rest := n.raw
	for _, m := range n.members {
		i := bytes.Index(rest, []byte(`"`+m.key+`"`)) + 1
		here := path + "." + m.key
		free := m.key == "x" && m.value.kind != '0' // notes
		switch {
		case free, slices.Contains(ownKeys, path):
		default:
			do(here, rest[i:i+len(m.key)])
			if here != ".variables" && here != ".steps[].args" {
				rename(m.value, here, do)
			}
		}
		after := bytes.Index(rest, m.value.raw) + len(m.value.raw)
		rest = rest[after:]
	}
}

// FuzzParse: no bytes make Parse panic, and what it accepts is written and read
// back without a change.
func FuzzParse(f *testing.F) {
	for _, data := range golden(f) {
		f.Add(data)
	}
	for _, c := range bad {
		if len(c.document) < 1000 {
			f.Add([]byte(c.document))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse(data, AnyTools())
		if err != nil {
			if len(Problems(err)) == 0 {
				t.Fatalf("an error of type %T: %v", err, err)
			}
			return
		}
		if err := a.Validate(); err != nil {
			t.Fatalf("Parse and Validate disagree: %v", err)
		}
		once, err := Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(once, AnyTools())
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		twice, err := Marshal(b)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s\nbecame\n%s, %v", once, twice, err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatal(cmp.Diff(a, b))
		}
	})
}

// ownKeys are the objects whose keys are not the format's.
var ownKeys = []string{
	".variables", ".steps[].args", ".steps[].fingerprint.own", ".steps[].fingerprint.around", ".steps[].fingerprint.rivals[]", ".steps[].fingerprint.page",
}
