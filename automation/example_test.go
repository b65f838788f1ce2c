package automation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

const signIn = `{
  "format": 1,
  "name": "example-login",
  "match": {"urls": ["accounts.example.com/*"]},
  "variables": {"type": "object", "properties": {
    "email": {"type": "string", "format": "email"},
    "password": {"type": "string", "writeOnly": true},
    "age": {"type": "integer"}}, "required": ["email", "password"]},
  "steps": [
    {"tool": "navigate", "url": "https://accounts.example.com/"},
    {"tool": "typeInput", "selector": "#email", "value": {"kind": "variable", "name": "email"}},
    {"tool": "typeInput", "selector": "#password", "value": {"kind": "variable", "name": "password"}},
    {"tool": "keypress", "key": "Enter"}
  ]
}`

func parse() *automation.Automation {
	a, err := automation.Parse([]byte(signIn))
	if err != nil {
		fmt.Println(err)
	}
	return a
}

func ExampleParse() {
	_, err := automation.Parse([]byte(strings.Replace(signIn, `"name": "email"`, `"nme": "email"`, 1)))
	fmt.Println(err)
	// Output:
	// steps[1].value.nme: unknown field
	// steps[1].value.name: missing: a variable needs it
}

func ExampleParseFrom() {
	a, err := automation.ParseFrom(strings.NewReader(signIn))
	fmt.Println(a.Name, len(a.Steps), err)
	// Output: example-login 4 <nil>
}

func ExampleWithTools() {
	document := strings.Replace(signIn, `{"tool": "keypress", "key": "Enter"}`, `{"tool": "acme.solve", "args": {"kind": "puzle"}}`, 1)
	solve := automation.Tool{Name: "acme.solve", Schema: json.RawMessage(`{"properties": {"kind": {"enum": ["puzzle"]}}}`)}
	_, err := automation.Parse([]byte(document), automation.WithTools(solve))
	fmt.Println(err)
	// Output: steps[3].args.kind: value must be "puzzle"
}

func ExampleProblems() {
	_, err := automation.Parse([]byte(`{"format": 1, "name": "Login", "match": {"urls": ["**"]}, "steps": [{"tool": "click"}]}`))
	for _, problem := range automation.Problems(err) {
		fmt.Println(problem.Path)
	}
	// Output:
	// name
	// match.urls[0]
	// steps[0].selector
}

func ExampleAutomation_Validate() {
	a := parse()
	a.Steps[0].URL = "file:///etc/passwd"
	fmt.Println(a.Validate())
	// Output: steps[0].url: address "file:///etc/passwd": not an absolute http or https URL
}

func ExampleMarshal() {
	a := &automation.Automation{
		Name:  "open",
		Match: automation.Scope{URLs: []string{"example.com"}},
		Steps: []automation.Step{{Tool: "navigate", URL: "https://example.com/?a=1&b=2"}},
	}
	data, err := automation.Marshal(a)
	fmt.Println(string(data), err)
	// Output:
	// {
	//   "format": 1,
	//   "name": "open",
	//   "match": {
	//     "urls": [
	//       "example.com"
	//     ]
	//   },
	//   "steps": [
	//     {
	//       "tool": "navigate",
	//       "url": "https://example.com/?a=1&b=2"
	//     }
	//   ]
	// }
	//  <nil>
}

func ExampleAutomation_Declared() {
	variables, err := parse().Declared()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(variables.Names(), variables.Secrets(), variables.Required())
	age, err := variables.Coerce("age", "33")
	fmt.Println(age, err)
	fmt.Println(variables.CheckValues(map[string]any{"email": "not an address", "age": 1.5}))
	// Output:
	// [email password age] [password] [email password]
	// 33 <nil>
	// variable "email": not a valid email
	// variable "password": missing
	// variable "age": must be an integer
}

func ExampleNewSecret() {
	secret, err := automation.NewSecret("correct horse", "https://accounts.example.com")
	fmt.Println(secret, err, secret.AllowedOn("https://accounts.example.com/pwd"), secret.AllowedOn("https://evil.example"))
	fmt.Printf("%#v %s\n", struct{ Password automation.Secret }{secret}, secret.Reveal())
	// Output:
	// [secret] <nil> true false
	// struct { Password automation.Secret }{Password:[secret]} correct horse
}

func ExampleValue_Resolve() {
	password, err := automation.NewSecret("correct horse")
	if err != nil {
		fmt.Println(err)
		return
	}
	values := map[string]any{"user": "me", "password": password}
	get := func(name string) (any, error) { return values[name], nil }
	for _, text := range []string{"Hello, ${user}", "${user}:${password}"} {
		value := automation.Value{Kind: automation.Template, Text: text}
		fmt.Println(value.Resolve(get))
	}
	// Output:
	// Hello, me <nil>
	// [secret] <nil>
}

func ExampleIndex() {
	index := automation.NewIndex()
	if err := index.Add(parse()); err != nil {
		fmt.Println(err)
		return
	}
	found, err := index.Match("https://accounts.example.com/signin?continue=x", "me@example.com")
	fmt.Println(found.Name, err)
	_, err = index.Match("https://accounts.example.com@evil.example/signin", "")
	fmt.Println(errors.Is(err, automation.ErrNoMatch))
	// Output:
	// example-login <nil>
	// true
}

func ExampleParseGlob() {
	glob, err := automation.ParseGlob("accounts.example.com/**/pwd")
	fmt.Println(glob.Match("https://accounts.example.com/v3/signin/pwd?x=y"), glob.Match("https://evil.example/accounts.example.com/pwd"), err)
	// Output: true false <nil>
}

func ExampleScope_Covers() {
	scope := automation.Scope{URLs: []string{"accounts.example.com/signin/*"}}
	fmt.Println(scope.MatchURL("https://accounts.example.com/help"), scope.Covers("https://accounts.example.com/help"), scope.Covers("https://example.com/signin/"))
	// Output: false true false
}

func ExampleCheckURL() {
	fmt.Println(automation.CheckURL("https://example.com/?q=1"))
	fmt.Println(automation.CheckURL("http://169.254.169.254/latest/meta-data/"))
	// Output:
	// <nil>
	// address "http://169.254.169.254/latest/meta-data/": link-local and metadata addresses are never opened
}

func ExampleParseKey() {
	key, err := automation.ParseKey("Control+Shift+ArrowLeft")
	fmt.Println(key.Modifiers, key.Name, err)
	_, err = automation.ParseKey("Return")
	fmt.Println(err)
	// Output:
	// [Control Shift] ArrowLeft <nil>
	// key "Return": "Return" is not a key (it is written "Enter")
}

func ExampleSchema() {
	var schema struct{ Title string }
	err := json.Unmarshal(automation.Schema(), &schema)
	fmt.Println(schema.Title, err)
	// Output: Reprise automation <nil>
}

func ExampleDiff() {
	before, err := automation.Parse([]byte(`{"format": 1, "name": "shop", "match": {"urls": ["shop.example"]}, "steps": [
		{"tool": "navigate", "url": "https://shop.example/"}, {"tool": "click", "selector": "#buy"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	after := *before
	after.Steps = append([]automation.Step{}, before.Steps...)
	after.Steps[1].Selector = selectors.Path{{Kind: selectors.TestID, Body: "buy"}}
	changes, err := automation.Diff(before, &after)
	for _, c := range changes {
		fmt.Printf("%s %s: %s, now %s\n", c.Op, c.Path, c.Old, c.New)
	}
	fmt.Println(err)
	// Output:
	// changed steps[1].selector: "#buy", now "testid/buy"
	// <nil>
}

// A database keeps each automation under its places, and looks for an address in
// the few of its own.
func ExamplePlaces() {
	kept, err := automation.Scope{URLs: []string{"*.shop.example/cart/*"}}.IndexKeys()
	fmt.Println(kept, err)
	places, err := automation.Places("https://www.shop.example/cart/7?item=2")
	fmt.Println(places, err)
	// Output:
	// [*.shop.example/cart] <nil>
	// [www.shop.example/ www.shop.example/cart *.shop.example/ *.shop.example/cart *.example/ *.example/cart] <nil>
}
