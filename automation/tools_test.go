package automation

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEachToolHasASchemaOfWhatItsCallsMaySay(t *testing.T) {
	t.Parallel()
	for _, name := range Tools() {
		schema, err := ToolSchema(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := compileSchema(schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ToolSchema("fly"); err == nil {
		t.Error("a tool that there is not has a schema")
	}
}

func TestTheSchemaOfAToolHoldsItsCallsToItsRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, call string
		fits       bool
	}{
		{"click", `{"selector": "#go"}`, true},
		{"click", `{"selector": ["#host", "#go"], "count": 2, "intent": "go"}`, true},
		{"click", `{}`, false},
		{"click", `{"selector": "#go", "url": "https://example.com/"}`, false},
		{"extract", `{"selector": "#go", "args": {"as": "total"}}`, true},
		{"extract", `{"selector": "#go", "args": {"from": "total"}}`, false},
		{"waitFor", `{"selector": "#go", "args": {"state": "gone"}}`, false},
	} {
		data, err := ToolSchema(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := compileSchema(data)
		if err != nil {
			t.Fatal(err)
		}
		call, err := decodeJSON(bytes.TrimSpace([]byte(c.call)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(call); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.tool, c.call, err)
		}
		if !json.Valid(data) {
			t.Errorf("%s: not JSON", c.tool)
		}
	}
}

// What a person is told has to fit, and what is waited for has to be read, before anything is played.
func TestAHandoffStepIsCheckedBeforeItIsPlayed(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"reason": "login", "message": "Sign in.", "until": "text/Orders"}`: "",
		`{"until": "https://shop.example/orders*"}`:                          "",
		`{"until": "xpath/["}`:                                               "steps[0].args.until",
		`{"until": "https://["}`:                                             "steps[0].args.until",
		`{"message": "` + strings.Repeat("я", 600) + `"}`:                    "steps[0].args.message: has 1200 bytes",
	} {
		_, err := Parse([]byte(`{"format": 1, "name": "a", "match": {"urls": ["shop.example/*"]}, "steps": [{"tool": "handoff", "args": ` + args + `}]}`))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", args, err, want)
		}
	}
}
