package automation

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ToolSchema gives the JSON Schema of what a call of one of the format's tools may
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
