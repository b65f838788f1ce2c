package automation

import (
	"bytes"
	"encoding/json"
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
