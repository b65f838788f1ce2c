package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
)

const document = `{"format": 1, "name": "sign-in", "match": {"urls": ["example.com/*"], "account": "ada: , \"}"},
"variables": {"type": "object", "properties": {"email": {"type": "string", "format": "email"},
  "password": {"type": "string", "writeOnly": true}}, "required": ["email", "password"], "additionalProperties": false},
"steps": [
  {"tool": "navigate", "url": "https://example.com/"},
  {"tool": "typeInput", "selector": "#password", "alternatives": ["input[type=\"password\"]", "aria/Password"],
   "fingerprint": {"tag": "input"},
   "value": {"kind": "variable", "name": "password"}, "intent": "something long enough that the step would not fit on a line"}
], "revision": 4}`

func parse(t *testing.T, text string) *automation.Automation {
	t.Helper()
	a, err := automation.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestADocumentIsShownWithALineForEachStep(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := Document(&b, parse(t, document)); err != nil {
		t.Fatal(err)
	}
	want := `{
  "format": 1,
  "name": "sign-in",
  "match": {"urls": ["example.com/*"], "account": "ada: , \"}"},
  "variables": {
    "type": "object",
    "properties": {
      "email": {"type": "string", "format": "email"},
      "password": {"type": "string", "writeOnly": true}
    },
    "required": ["email", "password"],
    "additionalProperties": false
  },
  "steps": [
    {"tool": "navigate", "url": "https://example.com/"},
    {"tool": "typeInput", "selector": "#password", "value": {"kind": "variable", "name": "password"}, "intent": "something long enough that the step would not fit on a line"}
  ]
}
(2 more ways to find these elements are left out here)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the document (-want +got):\n%s", diff)
	}
	shown, _, _ := strings.Cut(b.String(), "\n(")
	parse(t, shown) // it is still one
}

func TestShowingADocumentDoesNotChangeIt(t *testing.T) {
	t.Parallel()
	a := parse(t, document)
	before, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := Document(&strings.Builder{}, a); err != nil {
		t.Fatal(err)
	}
	after, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the document is another one (-before +after):\n%s", diff)
	}
}

func TestAStepIsOneLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ step, want string }{
		{`{"tool": "navigate", "url": "https://example.com/"}`, "navigate https://example.com/"},
		{`{"tool": "click", "selector": ["my-box", "#go"], "count": 2}`, "click my-box >>> #go twice"},
		{`{"tool": "click", "selector": "#go", "frame": ["#outer", "#inner"], "page": "popup1"}`, "click #go in #inner in #outer in the tab popup1"},
		{`{"tool": "keypress", "key": "Control+A"}`, "keypress Control+A"},
		{`{"tool": "select", "selector": "#many", "value": {"kind": "literal", "value": [ "a",  "b" ]}}`, `select #many = ["a","b"]`},
		{`{"tool": "typeInput", "selector": "#a", "value": {"kind": "template", "text": "to ${name}"}}`, "typeInput #a = to ${name}"},
		{`{"tool": "typeInput", "selector": "#a", "value": {"kind": "literal", "value": "` + strings.Repeat("é", 80) + `"}}`,
			`typeInput #a = "` + strings.Repeat("é", maxValue-1) + "…"},
		{`{"tool": "waitForNav"}`, "waitForNav"},
	} {
		var step automation.Step
		if err := json.Unmarshal([]byte(test.step), &step); err != nil {
			t.Fatal(err)
		}
		if got := Step(step); got != test.want {
			t.Errorf("%s reads %q, want %q", test.step, got, test.want)
		}
	}
}

func TestATableIsNotBrokenByWhatStandsInIt(t *testing.T) {
	t.Parallel()
	got := Table([][]string{{"a", "b\nc\x1b[2J", ""}, {"longer", "é", "end"}})
	want := "a       b c [2J\nlonger  é        end\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}
