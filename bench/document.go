package bench

import (
	"encoding/json"
	"slices"
	"strings"
)

// written is a script as a document written without the recorder: one CSS selector a step.
func written(s script, site string, byKeys bool) (json.RawMessage, error) {
	properties := map[string]any{}
	for name := range s.values() {
		properties[name] = map[string]any{"type": "string", "writeOnly": name == "password"}
	}
	var steps []map[string]any
	for _, one := range s.Steps {
		w := writtenStep(one, site)
		if byKeys && one.Do == fill {
			w["keys"] = true
		}
		steps = append(steps, w)
	}
	return json.Marshal(map[string]any{
		"format": 1, "name": "written", "steps": steps,
		"match": map[string]any{"urls": []string{site + "/*", strings.Replace(site, "127.0.0.1", "localhost", 1) + "/*"}},
		"variables": map[string]any{
			"type": "object", "properties": properties, "additionalProperties": false,
		},
	})
}

// tools are those of the acts.
var tools = map[act]string{
	goTo: "navigate", fill: "typeInput", choose: "select", set: "typeInput", press: "click", tick: "check", arrive: "waitForNav", see: "waitFor",
}

func writtenStep(s step, site string) map[string]any {
	w := map[string]any{"tool": tools[s.Do]}
	if s.Do == goTo || s.Do == arrive {
		w["url"] = site + s.Text
		return w
	}
	w["selector"] = s.CSS
	if s.Host != "" {
		w["selector"] = []string{s.Host, s.CSS}
	}
	if len(s.Frames) > 0 {
		w["frame"] = slices.Clone(s.Frames)
	}
	switch {
	case s.Do == tick:
		w["value"] = map[string]any{"kind": "literal", "value": true}
	case s.Variable != "":
		w["value"] = map[string]any{"kind": "variable", "name": s.Variable}
	case s.Text != "":
		w["value"] = map[string]any{"kind": "literal", "value": s.Text}
	}
	return w
}
