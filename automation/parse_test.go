package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/selectors"
)

var update = flag.Bool("update", false, "write the golden documents again")

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func golden(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		all[file] = read(t, file)
	}
	return all
}

func TestGoldenDocumentsAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	schema, err := compileSchema(Schema())
	if err != nil {
		t.Fatal(err)
	}
	for file, data := range golden(t) {
		a, err := Parse(data, AnyTools())
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		out, err := Marshal(a)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if *update {
			if err := os.WriteFile(file, out, 0o644); err != nil {
				t.Error(err)
			}
		} else if diff := cmp.Diff(string(data), string(out)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		document, err := decodeJSON(data)
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%s does not satisfy the schema: %#v", file, err)
		}
		if !sameJSON(t, data, out) {
			t.Errorf("%s says something else when written", file)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	x, err := decodeJSON(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := decodeJSON(b)
	if err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func TestTheDocumentOfTheDesignIsReadWhole(t *testing.T) {
	t.Parallel()
	data := read(t, "testdata/design.json")
	a, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Marshal(a)
	if err != nil || !sameJSON(t, data, out) {
		t.Errorf("it is written as %s, %v", out, err)
	}
	email := &Value{Kind: Variable, Name: "email"}
	want := &Automation{
		Name: "google-login", Description: "Sign in to Google",
		Match:    Scope{URLs: []string{"accounts.google.com/*"}, Account: "jobs@gmail.com"},
		Identity: &Identity{Selector: css("[data-email]"), Value: email},
		Variables: json.RawMessage(`{"type":"object","properties":{"email":{"type":"string","format":"email"},"password":{"type":"string","writeOnly":true}},` +
			`"required":["email","password"],"additionalProperties":false}`),
		Steps: []Step{
			{Tool: "navigate", URL: "https://accounts.google.com/"},
			{Tool: "click", Selector: selectors.Path{{Kind: selectors.Aria, Body: `Accept all[role="button"]`}}, Optional: true},
			{Tool: "typeInput", Selector: css("#email"), Value: email, Intent: "enter the e-mail address", Alternatives: []selectors.Path{
				{{Kind: selectors.Aria, Body: `Email or phone[role="textbox"]`}}, {{Kind: selectors.XPath, Body: `//*[@id="email"]`}}}},
			{Tool: "click", Selector: css("#next"), Offset: &Offset{0.42, 0.51}},
			{Tool: "waitForNav", URL: "accounts.google.com/**/pwd"},
			{Tool: "typeInput", Selector: css(`input[name="Passwd"]`), Value: &Value{Kind: Variable, Name: "password"}},
			{Tool: "keypress", Key: "Enter"},
			{Tool: "waitForNav", URL: "myaccount.google.com/*"},
		},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
}

func css(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }

// inDocument puts steps into a document that is good but for them.
func inDocument(steps string) string {
	return `{"format":1,"name":"a","match":{"urls":["example.com"]},"variables":{"type":"object","properties":{"email":{"type":"string"}}},"steps":[` + steps + `]}`
}

// top puts fields next to a good document's, or in their place.
func top(fields string) string {
	document := map[string]json.RawMessage{"format": json.RawMessage("1"), "name": json.RawMessage(`"a"`), "match": json.RawMessage(`{"urls":["example.com"]}`), "steps": json.RawMessage(`[{"tool":"waitForNav"}]`)}
	more := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte("{"+fields+"}"), &more); err != nil {
		return err.Error()
	}
	for key, value := range more {
		if document[key] = value; string(value) == `"delete"` {
			delete(document, key)
		}
	}
	out, err := json.Marshal(document)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// bad are documents with one thing wrong. seen says that the published schema
// can express it.
var bad = []struct {
	document, path, reason string
	seen                   bool
}{
	{top(`"format":"delete"`), "format", "missing", true},
	{top(`"format":2`), "format", "2 is later than this program: this version of Reprise reads format 1", true},
	{top(`"format":0`), "format", "number of a format", true},
	{top(`"format":-1`), "format", "number of a format", true},
	{top(`"format":"1"`), "format", "number of a format", true},
	{top(`"format":1.5`), "format", "number of a format", true},
	{top(`"format":null`), "format", "number of a format", true},
	{top(`"nme":"x"`), "nme", "unknown field", true},
	{top(`"Name":"x"`), "Name", `it is written "name"`, true},
	{top(`"name":"delete"`), "name", "missing", true},
	{top(`"name":"A"`), "name", "lower-case", true},
	{top(`"name":"a_b"`), "name", "lower-case", true},
	{top(`"name":"1a"`), "name", "lower-case", true},
	{top(`"name":"a\n"`), "name", "lower-case", true},
	{top(`"name":"../../etc/passwd"`), "name", "lower-case", true},
	{top(`"name":"` + strings.Repeat("a", 52) + `"`), "name", "1 to 51", true},
	{top(`"name":""`), "name", "empty", true},
	{top(`"name":5`), "name", "must be a string, not a number", true},
	{top(`"name":null`), "name", "must be a string, not null", true},
	{top(`"description":"` + strings.Repeat("a", 2001) + `"`), "description", "2001", true},
	{top(`"description":"a\u0000"`), "description", "control", false},
	{top(`"match":"delete"`), "match", "missing", true},
	{top(`"match":[]`), "match", "must be an object", true},
	{top(`"match":{}`), "match.urls", "missing", true},
	{top(`"match":{"urls":[]}`), "match.urls", "at least one", true},
	{top(`"match":{"urls":"example.com"}`), "match.urls", "an array, not a string", true},
	{top(`"match":{"urls":[5]}`), "match.urls[0]", "a string", true},
	{top(`"match":{"urls":["example.com","exa mple.com"]}`), "match.urls[1]", "' '", true},
	{top(`"match":{"urls":["**"]}`), "match.urls[0]", "anyone", false},
	{top(`"match":{"urls":["example.com"],"account":" a"}`), "match.account", "white space", false},
	{top(`"match":{"urls":["example.com"],"account":"a\nb"}`), "match.account", "control", false},
	{top(`"match":{"urls":["example.com"],"acount":"a"}`), "match.acount", "unknown", true},
	{top(`"revision":-1`), "revision", "at least 0", true},
	{top(`"revision":1.5`), "revision", "whole", true},
	{top(`"revision":99999999999999999999`), "revision", "whole", false},
	{top(`"variables":[]`), "variables", "object", true},
	{top(`"variables":null`), "variables", "object", true},
	{top(`"variables":{"type":"object","properties":{"a":{"type":"strin"}}}`), "variables.properties.a.type", "JSON Schema", true},
	{top(`"identity":{"selector":"#a"}`), "identity.value", "missing", true},
	{top(`"identity":{"value":{"kind":"literal","value":"a"}}`), "identity.selector", "missing", true},
	{top(`"identity":{"selector":"#a","value":{"kind":"variable","name":"unknown"}}`), "identity.value.name", "not declared", false},
	{top(`"identity":{"selector":"#a","value":{"kind":"literal","value":"a"},"frame":[""]}`), "identity.frame[0]", "nothing", true},
	{top(`"steps":"delete"`), "steps", "missing", true},
	{top(`"steps":[]`), "steps", "at least one", true},
	{top(`"steps":{}`), "steps", "an array", true},
	{top(`"steps":[null]`), "steps[0]", "an object", true},
	{top(`"steps":[{}]`), "steps[0].tool", "missing", true},

	{inDocument(`{"tool":"clik","selector":"#a"}`), "steps[0].tool", "is not a tool", true},
	{inDocument(`{"tool":"typeinput","selector":"#a"}`), "steps[0].tool", `it is written "typeInput"`, true},
	{inDocument(`{"tool":"waitForNav"},{"Tool":"click","tool":"click","selector":"#a"}`), "steps[1].Tool", "unknown", true},
	{inDocument(`{"tool":"acme.solve","args":{}}`), "steps[0].tool", "WithTools", false},
	{inDocument(`{"tool":"acme.","args":{}}`), "steps[0].tool", "is not a tool", true},
	{inDocument(`{"tool":"click"}`), "steps[0].selector", "missing: click needs it", true},
	{inDocument(`{"tool":"click","selector":"#a","url":"example.com"}`), "steps[0].url", "click does not take it", true},
	{inDocument(`{"tool":"keypress","key":"Enter","args":{}}`), "steps[0].args", "keypress does not take it", true},
	{inDocument(`{"tool":"click","selector":"#a","args":{"turnTo":"day"}}`), "steps[0].args.turnTo", "variable \"day\" is not declared", false},
	{inDocument(`{"tool":"click","selector":""}`), "steps[0].selector", "nothing", true},
	{inDocument(`{"tool":"click","selector":"css/#a"}`), "steps[0].selector", "no prefix", true},
	{inDocument(`{"tool":"click","selector":"a["}`), "steps[0].selector", "missing at the end", false},
	{inDocument(`{"tool":"click","selector":"a\u0000"}`), "steps[0].selector", "control", true},
	{inDocument(`{"tool":"click","selector":[]}`), "steps[0].selector", "at least one", true},
	{inDocument(`{"tool":"click","selector":["a",5]}`), "steps[0].selector", "must be a selector", true},
	{inDocument(`{"tool":"click","selector":{}}`), "steps[0].selector", "must be a selector", true},
	{inDocument(`{"tool":"click","selector":"` + strings.Repeat("a", 5000) + `"}`), "steps[0].selector", "4096", true},
	{inDocument(`{"tool":"click","selector":"#a","alternatives":["#b","c]"]}`), "steps[0].alternatives[1]", "closes nothing", false},
	{inDocument(`{"tool":"click","selector":"#a","alternatives":"#b"}`), "steps[0].alternatives", "an array", true},
	{inDocument(`{"tool":"keypress","key":"Enter","alternatives":["#b"]}`), "steps[0].selector", "belongs to one", true},
	{inDocument(`{"tool":"click","selector":"#a","frame":[0]}`), "steps[0].frame[0]", "must be a selector", true},
	{inDocument(`{"tool":"click","selector":"#a","offset":{"x":0.5}}`), "steps[0].offset.y", "missing", true},
	{inDocument(`{"tool":"click","selector":"#a","offset":{"x":0.5,"y":1.5}}`), "steps[0].offset.y", "fraction", true},
	{inDocument(`{"tool":"click","selector":"#a","offset":{"x":"0.5","y":1}}`), "steps[0].offset.x", "a number", true},
	{inDocument(`{"tool":"click","selector":"#a","offset":null}`), "steps[0].offset", "an object", true},
	{inDocument(`{"tool":"click","selector":"#a","button":"back"}`), "steps[0].button", "left, middle or right", true},
	{inDocument(`{"tool":"click","selector":"#a","count":0}`), "steps[0].count", "at least 1", true},
	{inDocument(`{"tool":"click","selector":"#a","count":4}`), "steps[0].count", "1 to 3", true},
	{inDocument(`{"tool":"click","selector":"#a","modifiers":["Ctrl"]}`), "steps[0].modifiers[0]", "Control", true},
	{inDocument(`{"tool":"click","selector":"#a","modifiers":["Shift","Shift"]}`), "steps[0].modifiers[1]", "once", true},
	{inDocument(`{"tool":"click","selector":"#a","optional":"yes"}`), "steps[0].optional", "true or false", true},
	{inDocument(`{"tool":"click","selector":"#a","timeout":30}`), "steps[0].timeout", "a string", true},
	{inDocument(`{"tool":"click","selector":"#a","timeout":"30"}`), "steps[0].timeout", "30s", true},
	{inDocument(`{"tool":"click","selector":"#a","timeout":"-1s"}`), "steps[0].timeout", "positive", true},
	{inDocument(`{"tool":"click","selector":"#a","timeout":"0s"}`), "steps[0].timeout", "positive", false},
	{inDocument(`{"tool":"click","selector":"#a","effect":"pay"}`), "steps[0].effect", "read, write or commit", true},
	{inDocument(`{"tool":"click","selector":"#a","intent":""}`), "steps[0].intent", "INVALID_INTENT", true},
	{inDocument(`{"tool":"click","selector":"#a","intent":" "}`), "steps[0].intent", "INVALID_INTENT", true},
	{inDocument(`{"tool":"click","selector":"#a","intent":"` + strings.Repeat("é", 121) + `"}`), "steps[0].intent", "INVALID_INTENT", true},
	{inDocument(`{"tool":"click","selector":"#a","intent":"a\nb"}`), "steps[0].intent", "INVALID_INTENT", false},
	{inDocument(`{"tool":"click","selector":"#a","page":"a b"}`), "steps[0].page", "letters", true},
	{inDocument(`{"tool":"click","selector":"#a","when":{}}`), "steps[0].when", "needs", true},
	{inDocument(`{"tool":"click","selector":"#a","when":{"variable":"unknown"}}`), "steps[0].when.variable", "not declared", false},
	{inDocument(`{"tool":"click","selector":"#a","when":{"url":"exa mple.com"}}`), "steps[0].when.url", "glob", true},
	{inDocument(`{"tool":"click","selector":"#a","when":{"seletor":"a"}}`), "steps[0].when.seletor", "unknown", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{}}`), "steps[0].fingerprint.tag", "missing", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","own":{"id":5}}}`), "steps[0].fingerprint.own.id", "a string", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","box":[0.5]}}`), "steps[0].fingerprint.box[0]", "whole", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","testIdAttribute":""}}`), "steps[0].fingerprint.testIdAttribute", "no name", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","testIdAttribute":"a\"],*["}}`), "steps[0].fingerprint.testIdAttribute", "no name", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","testIdAttribute":"` + strings.Repeat("a", 65) + `"}}`), "steps[0].fingerprint.testIdAttribute", "no name", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","testIdAttribute":"value"}}`), "steps[0].fingerprint.testIdAttribute", "people type", true},
	{inDocument(`{"tool":"click","selector":"#a","fingerprint":{"tag":"a","testIdAttribute":["id"]}}`), "steps[0].fingerprint.testIdAttribute", "a string", true},
	{inDocument(`{"tool":"click","selector":"#a","expect":[{"kind":"magic"}]}`), "steps[0].expect[0].kind", "popup", true},
	{inDocument(`{"tool":"click","selector":"#a","expect":[{"kind":"response"}]}`), "steps[0].expect[0].url", "missing", true},
	{inDocument(`{"tool":"click","selector":"#a","expect":[{"kind":"response","url":"example.com","status":600}]}`), "steps[0].expect[0].status", "100 to 599", true},
	{inDocument(`{"tool":"click","selector":"#a","expect":[{"kind":"popup","selector":"#a"}]}`), "steps[0].expect[0].selector", "does not take", true},

	{inDocument(`{"tool":"typeInput","selector":"#a"}`), "steps[0].value", "missing: typeInput needs it", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":"x"}`), "steps[0].value", "an object, not a string", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{}}`), "steps[0].value.kind", "missing", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"variable","nme":"email"}}`), "steps[0].value.nme", "unknown field", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"secret","name":"email"}}`), "steps[0].value.kind", "literal, variable or template", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"variable"}}`), "steps[0].value.name", "missing", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"variable","name":"password"}}`), "steps[0].value.name", "not declared", false},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"variable","name":"email","length":0}}`), "steps[0].value.length", "at least 1", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"literal","value":"x","length":1}}`), "steps[0].value.length", "does not take", true},
	{top(`"variables":{"type":"object","properties":{"pin":{"type":"string","writeOnly":true}}},"identity":{"selector":"#a","value":{"kind":"variable","name":"pin","length":2}}`), "identity.value.length", "is a secret", false},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"variable","name":"email","value":"x"}}`), "steps[0].value.value", "does not take", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"literal"}}`), "steps[0].value.value", "missing", true},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"literal","value":{"a":1}}}`), "steps[0].value.value", "cannot use an object", false},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"template","text":"${email"}}`), "steps[0].value.text", "not closed", false},
	{inDocument(`{"tool":"typeInput","selector":"#a","value":{"kind":"template","text":"${password}"}}`), "steps[0].value.text", "not declared", false},
	{inDocument(`{"tool":"check","selector":"#a","value":{"kind":"literal","value":"true"}}`), "steps[0].value.value", "cannot use a string", false},
	{inDocument(`{"tool":"select","selector":"#a","value":{"kind":"literal","value":["a",5]}}`), "steps[0].value.value[1]", "a string", false},
	{inDocument(`{"tool":"keypress"}`), "steps[0].key", "missing", true},
	{inDocument(`{"tool":"keypress","key":"Return"}`), "steps[0].key", "Enter", false},
	{inDocument(`{"tool":"keypress","key":"Ctrl+A"}`), "steps[0].key", "not a key", false},

	{inDocument(`{"tool":"navigate"}`), "steps[0]", "needs one of url, value", true},
	{inDocument(`{"tool":"navigate","url":"https://example.com","value":{"kind":"variable","name":"email"}}`), "steps[0].url", "not both", false},
	{inDocument(`{"tool":"navigate","url":"example.com"}`), "steps[0].url", "absolute", false},
	{inDocument(`{"tool":"navigate","url":"file:///etc/passwd"}`), "steps[0].url", "http", false},
	{inDocument(`{"tool":"navigate","url":"javascript:alert(1)"}`), "steps[0].url", "http", false},
	{inDocument(`{"tool":"navigate","url":"http://169.254.169.254/latest/meta-data"}`), "steps[0].url", "metadata", false},
	{inDocument(`{"tool":"navigate","value":{"kind":"literal","value":"file:///etc/passwd"}}`), "steps[0].value.value", "http", false},
	{inDocument(`{"tool":"waitForNav","url":"exa mple.com/*"}`), "steps[0].url", "glob", false},

	{inDocument(`{"tool":"fillForm"}`), "steps[0].args", "missing", true},
	{inDocument(`{"tool":"fillForm","args":[]}`), "steps[0].args", "object", true},
	{inDocument(`{"tool":"fillForm","args":{}}`), "steps[0].args.fields", "missing", true},
	{inDocument(`{"tool":"fillForm","args":{"fields":[],"feilds":[]}}`), "steps[0].args.feilds", "unknown", true},
	{inDocument(`{"tool":"fillForm","args":{"fields":[{"selector":"#a"}]}}`), "steps[0].args.fields[0].value", "missing", false},
	{inDocument(`{"tool":"fillForm","args":{"fields":[{"selector":"a[","value":{"kind":"literal","value":"x"}}]}}`), "steps[0].args.fields[0].selector", "missing at the end", false},
	{inDocument(`{"tool":"fillForm","args":{"fields":[{"selector":"#a","value":{"kind":"variable","name":"password"}}]}}`), "steps[0].args.fields[0].value.name", "not declared", false},
	{inDocument(`{"tool":"fillForm","args":{"fields":[{"tool":"click","selector":"#a","value":{"kind":"literal","value":"x"}}]}}`), "steps[0].args.fields[0].tool", "unknown", false},
	{inDocument(`{"tool":"drag","selector":"#a","args":{"to":"b]"}}`), "steps[0].args.to", "closes nothing", false},
	{inDocument(`{"tool":"drag","selector":"#a","args":{"to":"b","offset":{"x":2,"y":0}}}`), "steps[0].args.offset.x", "fraction", false},
	{inDocument(`{"tool":"run","args":{"name":"A b"}}`), "steps[0].args.name", "name of an automation", false},
	{inDocument(`{"tool":"run","args":{"name":"b","values":{"c":{"kind":"variable","name":"password"}}}}`), "steps[0].args.values.c.name", "not declared", false},

	{`{"format":1,"format":1,"name":"a","match":{"urls":["example.com"]},"steps":[{"tool":"waitForNav"}]}`, "format", "twice", false},
	{inDocument(`{"tool":"click","selector":"#a","selector":"#b"}`), "steps[0].selector", "twice", false},
	{top(`"x":1,"y":2`), "y", "unknown", true},
	{`{"format":1,"name":"a","match":{"urls":["example.com"]},"steps":[{"tool":"waitForNav","x":{"a":[{"b":1,"b":2}]}}]}`, "steps[0].x.a[0].b", "twice", false},
	{top(`"x":1e999999999`), "x", "number", false},
	{top(`"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)), "", "nested", false},
	{top(`"x":[` + strings.Repeat("0,", maxNodes) + `0]`), "", "values", false},
	{top(``) + `{}`, "", "line 1, column", false},
	{top(``) + `x`, "", "not valid JSON", false},
	{top(``)[:20], "", "not valid JSON", false},
	{"{\n\n  \"format\": 1,,\n}", "", "line 3, column 15", false},
	{``, "", "not valid JSON", false},
	{`null`, "", "object, not null", true},
	{`[]`, "", "object, not an array", true},
	{"\xef\xbb\xbf{}", "", "not valid JSON", false},
	{"{\"format\":1,\"name\":\"\xff\"}", "", "UTF-8", true},
	{`{"format":1 /* no comments */}`, "", "not valid JSON", false},
}

func TestBadDocumentsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	schema, err := compileSchema(Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bad {
		_, err := Parse([]byte(c.document))
		found := Problems(err)
		if !slices.ContainsFunc(found, func(e *Error) bool { return e.Path == c.path && strings.Contains(e.Reason, c.reason) }) {
			t.Errorf("%.200s\nwant %s: %s\ngot %v", c.document, c.path, c.reason, err)
		}
		if len(found) != 1 && !strings.HasPrefix(c.reason, "unknown") { // then something else is missing
			t.Errorf("%.200s\nhas one thing wrong, but gives %d: %v", c.document, len(found), err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%.200s\nthe error has %d bytes", c.document, len(err.Error()))
		}
		document, err := decodeJSON([]byte(c.document))
		if err != nil {
			continue
		}
		if err := schema.Validate(document); (err != nil) != c.seen {
			t.Errorf("%.200s\nthe schema says %v", c.document, err)
		}
	}
}

func TestParseTellsAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte(`{"format":1,"name":"A","match":{"urls":["**"]},"steps":[{"tool":"click","slector":"#a","timeout":"x"},{"tool":"typeInput","selector":"#a","value":{"kind":"variable","nme":"b"}}]}`))
	var got []string
	for _, e := range Problems(fmt.Errorf("reading: %w", err)) {
		got = append(got, e.Path)
	}
	want := []string{"steps[0].slector", "steps[0].timeout", "steps[1].value.nme", "name", "match.urls[0]", "steps[0].selector", "steps[1].value.name"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err = Parse([]byte(inDocument(strings.Repeat(`{"tool":"clik"},`, 1000) + `{}`)))
	if n := len(Problems(err)); n != maxProblems {
		t.Errorf("a thousand problems give %d", n)
	}
}

func TestErrorsCanBeTestedFor(t *testing.T) {
	t.Parallel()
	for document, sentinel := range map[string]error{
		top(`"format":2`):                                 ErrFormat,
		top(`"format":"delete"`):                          ErrFormat,
		inDocument(`{"tool":"waitForNav","intent":""}`):   ErrInvalidIntent,
		inDocument(`{"tool":"waitForNav","intent":"\t"}`): ErrInvalidIntent,
	} {
		_, err := Parse([]byte(document))
		var typed *Error
		if !errors.Is(err, sentinel) || !errors.As(err, &typed) {
			t.Errorf("%s: %v", document, err)
		}
	}
}

// endless is a reader that must not be read to its end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

func TestALargeDocumentIsNotReadIntoWork(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte(" "), 50<<20)
	start := time.Now()
	if _, err := Parse(data); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("refusing took %v", took)
	}
	r := &endless{}
	if _, err := ParseFrom(r); !errors.Is(err, ErrTooLarge) || r.read > 3*MaxSize {
		t.Errorf("%d bytes were read: %v", r.read, err)
	}
	allowed := top(`"x":"` + strings.Repeat("a", MaxSize-200) + `"`)
	if _, err := ParseFrom(strings.NewReader(allowed)); err != nil {
		t.Error(err)
	}
}

func TestAProgramsOwnToolsAreCheckedByTheirSchema(t *testing.T) {
	t.Parallel()
	solve := Tool{"acme.solve", json.RawMessage(`{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"additionalProperties":false}`)}
	parse := func(step string, opts ...ParseOption) error {
		_, err := Parse([]byte(inDocument(step)), opts...)
		return err
	}
	if err := parse(`{"tool":"acme.solve","args":{"kind":"a"},"optional":true}`, WithTools(solve)); err != nil {
		t.Error(err)
	}
	if err := parse(`{"tool":"acme.any","args":{"b":[1]}}`, WithTools(solve, Tool{Name: "acme.any"})); err != nil {
		t.Error(err)
	}
	if err := parse(`{"tool":"acme.other"}`, AnyTools()); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ step, path string }{
		{`{"tool":"acme.solve","args":{"kind":"c"}}`, "steps[0].args.kind"},
		{`{"tool":"acme.solve"}`, "steps[0].args"},
		{`{"tool":"acme.solve","args":{"kind":"a","b":1}}`, "steps[0].args"},
		{`{"tool":"acme.solve","args":5}`, "steps[0].args"},
		{`{"tool":"acme.solve","args":{"kind":"a"},"selector":"#a"}`, "steps[0].selector"},
		{`{"tool":"acme.other","args":{}}`, "steps[0].tool"},
	} {
		found := Problems(parse(c.step, WithTools(solve)))
		if len(found) != 1 || found[0].Path != c.path {
			t.Errorf("%s: %v, want %s", c.step, found, c.path)
		}
	}
	broken := Tool{"acme.solve", json.RawMessage(`{"$ref":"file:///etc/passwd"}`)}
	if err := parse(`{"tool":"acme.solve","args":{}}`, WithTools(broken)); err == nil || !strings.Contains(err.Error(), "acme.solve") {
		t.Error(err)
	}
}

// A person's file names only what it has: nothing is added when it is saved.
func TestAbsentFieldsStayAbsent(t *testing.T) {
	t.Parallel()
	document := top(`"x":{"b":1,"a":[]}`)
	a, err := Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(a)
	if err != nil || !sameJSON(t, []byte(document), out) {
		t.Errorf("%s became %s, %v", document, out, err)
	}
	if !strings.Contains(string(out), `"x":{"b":1,"a":[]}`) {
		t.Errorf("the notes were changed: %s", out)
	}
}

func TestStepsAndAutomationsAreJSON(t *testing.T) {
	t.Parallel()
	text := `{"tool":"click","selector":"a > b","timeout":"1.5s"}`
	var s Step
	if err := json.Unmarshal([]byte(text), &s); err != nil || s.Timeout != 1500*time.Millisecond {
		t.Fatal(s, err)
	}
	data, err := json.Marshal(map[string]any{"step": s, "steps": []*Step{&s}})
	if err != nil || !sameJSON(t, data, []byte(`{"step":`+text+`,"steps":[`+text+`]}`)) {
		t.Errorf("%s, %v", data, err)
	}
	var a Automation
	if err := json.Unmarshal([]byte(top(`"steps":[{"tool":"acme.solve"}]`)), &a); err != nil || a.Steps[0].Tool != "acme.solve" {
		t.Error(a, err)
	}
	for _, bad := range []string{`{"tool":"click","slector":"a"}`, `{"tool":5}`, `[]`, `{}`} {
		if err := json.Unmarshal([]byte(bad), &s); err == nil {
			t.Errorf("%s is a step", bad)
		}
	}
	if err := json.Unmarshal([]byte(`{}`), &a); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestMarshalRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	if out, err := Marshal(&Automation{X: json.RawMessage(`{`)}); err == nil {
		t.Errorf("wrote %s", out)
	}
}
