package automation

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func declared(t *testing.T, schema string) *Variables {
	t.Helper()
	v, err := (&Automation{Variables: json.RawMessage(schema)}).Declared()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const form = `{"type":"object","properties":{
	"email":{"type":"string","format":"email"},
	"password":{"type":"string","writeOnly":true,"minLength":8,"pattern":"^[^ ]+$"},
	"age":{"type":"integer","minimum":18,"maximum":120},
	"price":{"type":"number","multipleOf":0.5},
	"plan":{"enum":["free","paid"]},
	"agree":{"type":"boolean","default":true},
	"code":{"type":"string","pattern":"^[0-9]{4}$","maxLength":4},
	"when":{"type":"string","format":"date"},
	"tags":{"type":"array","items":{"type":"string"},"minItems":1},
	"shared":{"$ref":"#/$defs/short"},
	"either":{"anyOf":[{"type":"string","maxLength":1},{"type":"integer"}]}
},"required":["email","password"],"additionalProperties":false,"dependentRequired":{"age":["plan"]},
"$defs":{"short":{"type":"integer"}}}`

func TestVariablesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	v := declared(t, form)
	if got := strings.Join(v.Names(), " "); got != "email password age price plan agree code when tags shared either" {
		t.Errorf("names %s", got)
	}
	if got := v.Secrets(); !slices.Equal(got, []string{"password"}) || !v.IsSecret("password") || v.IsSecret("email") {
		t.Errorf("secrets %v", got)
	}
	if got := v.Required(); !slices.Equal(got, []string{"email", "password"}) {
		t.Errorf("required %v", got)
	}
	if preset, found := v.Default("agree"); preset != true || !found {
		t.Errorf("default %v, %v", preset, found)
	}
	if v.Has("unknown") || !v.Has("age") {
		t.Error("Has is wrong")
	}
	none := declared(t, "")
	if len(none.Names()) != 0 || none.CheckValues(nil) != nil || none.CheckValues(map[string]any{"a": 1}) == nil {
		t.Error("no variables are some")
	}
}

func TestCheckValuesNamesTheVariableAndTheRule(t *testing.T) {
	t.Parallel()
	v := declared(t, form)
	good := func() map[string]any {
		return map[string]any{"email": "a@example.com", "password": secret(t, canary)}
	}
	for _, ok := range []map[string]any{
		{}, {"agree": false}, {"age": 18, "plan": "free"}, {"age": json.Number("20"), "plan": "paid"}, {"price": 1.5}, {"tags": []string{"a"}}, {"tags": []any{"a"}},
		{"when": "2026-02-28"}, {"shared": 1}, {"either": 5}, {"either": "a"}, {"password": canary},
	} {
		values := good()
		for name, value := range ok {
			values[name] = value
		}
		if err := v.CheckValues(values); err != nil {
			t.Errorf("%v: %v", ok, err)
		}
	}
	for _, c := range []struct {
		change map[string]any
		want   string
	}{
		{map[string]any{"email": "mailto:" + canary}, `variable "email": not a valid email`},
		{map[string]any{"email": 5}, `variable "email": must be a string`},
		{map[string]any{"email": nil}, `variable "email": must be a string`},
		{map[string]any{"email": absent}, `variable "email": missing`},
		{map[string]any{"password": absent}, `variable "password": missing`},
		{map[string]any{"password": secret(t, "short")}, `variable "password": does not satisfy the rule "minLength"`},
		{map[string]any{"password": secret(t, canary+" "+canary)}, `variable "password": does not satisfy the rule "pattern"`},
		{map[string]any{"password": canary + " " + canary}, `variable "password": does not satisfy the rule "pattern"`},
		{map[string]any{"password": 12345678}, `variable "password": does not satisfy the rule "type"`},
		{map[string]any{"code": secret(t, canary)}, `variable "code": does not satisfy the rule `},
		{map[string]any{"age": canary, "plan": "free"}, `variable "age": must be an integer`},
		{map[string]any{"age": 1.5, "plan": "free"}, `variable "age": must be an integer`},
		{map[string]any{"age": 17, "plan": "free"}, `variable "age": must be at least 18`},
		{map[string]any{"age": 121, "plan": "free"}, `variable "age": must be at most 120`},
		{map[string]any{"age": 20}, `variables: together they break the rule`},
		{map[string]any{"price": 1.25}, `variable "price": must be a multiple of 0.5`},
		{map[string]any{"plan": canary}, `variable "plan": must be "free" or "paid"`},
		{map[string]any{"code": canary}, `variable "code": `},
		{map[string]any{"code": "abcd"}, `variable "code": does not match the pattern ^[0-9]{4}$`},
		{map[string]any{"when": canary}, `variable "when": not a valid date`},
		{map[string]any{"when": "2026-02-30"}, `variable "when": not a valid date`},
		{map[string]any{"tags": []string{}}, `variable "tags": must have at least 1 item`},
		{map[string]any{"tags": []any{1}}, `variable "tags": `},
		{map[string]any{"shared": canary}, `variable "shared": must be an integer`},
		{map[string]any{"either": canary}, `variable "either": `},
		{map[string]any{"foo": canary}, `variable "foo": not declared`},
		{map[string]any{"price": math.NaN()}, `variable "price": a float64 is not a value of JSON`},
		{map[string]any{"price": json.Number("1e999999999")}, `variable "price": too large`},
		{map[string]any{"price": func() {}}, `variable "price": a func() is not a value of JSON`},
		{map[string]any{"tags": []any{secret(t, canary)}}, `variable "tags": a secret stands alone`},
		{map[string]any{"email": "x", "password": absent, "bar": 1}, "variable \"email\": not a valid email\nvariable \"password\": missing\nvariable \"bar\": not declared"},
	} {
		values := good()
		for name, value := range c.change {
			if values[name] = value; value == absent {
				delete(values, name)
			}
		}
		err := v.CheckValues(values)
		var typed *ValueError
		if !errors.As(err, &typed) {
			t.Errorf("%v: %v", c.change, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.change, err, c.want)
		}
		if shows(err.Error()) {
			t.Errorf("the error shows a value: %v", err)
		}
	}
}

// absent stands for a value that is not given at all.
var absent any = struct{ absent bool }{}

func TestCoerceFollowsTheDeclaredType(t *testing.T) {
	t.Parallel()
	v := declared(t, form)
	for _, c := range []struct {
		name, text string
		want       any
	}{
		{"email", "5", "5"}, {"email", "", ""}, {"age", "20", json.Number("20")}, {"price", "-1.50", json.Number("-1.50")}, {"agree", "true", true}, {"agree", "false", false},
		{"plan", "free", "free"}, {"shared", "3", json.Number("3")}, {"either", "a", "a"},
	} {
		got, err := v.Coerce(c.name, c.text)
		if err != nil || got != c.want {
			t.Errorf("%s=%s is %#v, %v", c.name, c.text, got, err)
		}
	}
	if got, err := v.Coerce("tags", `["a"]`); err != nil || len(got.([]any)) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	got, err := v.Coerce("password", canary)
	if s, is := got.(Secret); err != nil || !is || s.Reveal() != canary || s.HasOrigins() {
		t.Errorf("a secret is %T, %v", got, err)
	}
	for _, c := range [][2]string{{"age", canary}, {"age", ""}, {"age", " 5"}, {"age", `"5"`}, {"age", "5 6"}, {"age", "1e999999999"}, {"agree", "yes"}, {"foo", canary}, {"tags", "a,b"}} {
		got, err := v.Coerce(c[0], c[1])
		var typed *ValueError
		if !errors.As(err, &typed) || typed.Variable != c[0] || shows(err.Error()) {
			t.Errorf("%s=%s is %#v, %v", c[0], c[1], got, err)
		}
	}
}

func TestFormatsAreAssertedAlsoWhereTheDraftIsNamed(t *testing.T) {
	t.Parallel()
	v := declared(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"email":{"type":"string","format":"email"}}}`)
	if err := v.CheckValues(map[string]any{"email": canary}); err == nil || err.Error() != `variable "email": not a valid email` {
		t.Error(err)
	}
}

func TestDeclarationsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, path, reason string }{
		{`[]`, "variables", "object"},
		{`{"properties":{}}`, "variables.type", "object"},
		{`{"type":"array"}`, "variables.type", "object"},
		{`{"type":"object","properties":[]}`, "variables.properties", "JSON Schema"},
		{`{"type":"object","properties":{"a b":{}}}`, "variables.properties.a b", "name"},
		{`{"type":"object","properties":{"a":{"type":"strin"}}}`, "variables.properties.a.type", "JSON Schema"},
		{`{"type":"object","properties":{"a":{"minLength":-1}}}`, "variables.properties.a.minLength", "JSON Schema"},
		{`{"type":"object","properties":{"a":{"format":"emial"}}}`, "variables.properties.a.format", "emial"},
		{`{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`, "variables.properties.a.pattern", "RE2"},
		{`{"type":"object","properties":{"a":{"allOf":[{"pattern":"\\1"}]}}}`, "variables.properties.a.allOf[0].pattern", "RE2"},
		{`{"type":"object","patternProperties":{"(?<!x)":{}}}`, "variables.patternProperties.(?<!x)", "RE2"},
		{`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "variables.properties.a.$ref", "loaded"},
		{`{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`, "variables.properties.a.$ref", "loaded"},
		{`{"type":"object","properties":{"a":{"$ref":"other.json"}}}`, "variables.properties.a.$ref", "loaded"},
		{`{"type":"object","properties":{"a":{"$dynamicRef":"x#y"}}}`, "variables.properties.a.$dynamicRef", "loaded"},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/nothing"}}}`, "variables", "not found"},
		{`{"type":"object","$id":"https://example.com/"}`, "variables.$id", "loaded"},
		{`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`, "variables.$schema", "2020-12"},
		{`{"type":"object","required":["a"]}`, "variables.required[0]", "not declared"},

		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"default":"x"}}}`, "variables.properties.p.default", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"const":"x"}}}`, "variables.properties.p.const", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"enum":["x"]}}}`, "variables.properties.p.enum", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"examples":["x"]}}}`, "variables.properties.p.examples", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"anyOf":[{"const":"x"}]}}}`, "variables.properties.p.anyOf[0].const", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true}},"default":{"p":"x"}}`, "variables.default", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true}},"examples":[{"p":"x"}]}`, "variables.examples", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true}},"if":{"properties":{"p":{"const":"x"}}}}`, "variables.if.properties.p.const", "secret"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true}},"allOf":[{"default":{"p":"x"}}]}`, "variables.allOf[0].default.p", "secret"},
		{`{"type":"object","properties":{"p":{"type":"integer","writeOnly":true}}}`, "variables.properties.p.type", "string"},
		{`{"type":"object","properties":{"p":{"writeOnly":true}}}`, "variables.properties.p.type", "string"},
		{`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, "variables.properties.p.$ref", "own place"},
		{`{"type":"object","properties":{"p":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","writeOnly":true}}}`, "variables.$defs.x.writeOnly", "secret"},
		{`{"type":"object","properties":{"p":{"properties":{"q":{"writeOnly":true}}}}}`, "variables.properties.p.properties.q.writeOnly", "secret"},
	} {
		a := &Automation{Name: "x", Match: Scope{URLs: []string{"example.com"}}, Steps: []Step{{Tool: "navigate", URL: "https://example.com"}}, Variables: json.RawMessage(c.schema)}
		found := Problems(a.Validate())
		if !slices.ContainsFunc(found, func(e *Error) bool { return e.Path == c.path && strings.Contains(e.Reason, c.reason) }) {
			t.Errorf("%s: want %s: %s, got %v", c.schema, c.path, c.reason, found)
		}
		if _, err := a.Declared(); err == nil {
			t.Errorf("%s is declared", c.schema)
		}
	}
	for _, good := range []string{
		`{"type":"object","properties":{"writeOnly":{"type":"string"},"format":{"type":"string"},"default":{"type":"string"}}}`,
		`{"type":"object","properties":{"p":{"type":"string","writeOnly":false,"default":"x"}}}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"pattern":"^a+$"}}}`,
		`{"type":"object","properties":{"p":{"type":"string","writeOnly":true,"minLength":8},"q":{"type":"string","default":"x"}},"required":["p"],"dependentRequired":{"p":["q"]}}`,
	} {
		if _, err := (&Automation{Variables: json.RawMessage(good)}).Declared(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}
