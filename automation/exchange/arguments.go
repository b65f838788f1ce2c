package exchange

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// arg is an argument of a step, as text; "" where it has none.
func arg(s *automation.Step, key string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(s.Args, &all) != nil || all[key] == nil {
		return ""
	}
	return plain(all[key])
}

// pathArg is an argument that names an element.
func pathArg(s *automation.Step, key string) selectors.Path {
	var all map[string]json.RawMessage
	var path selectors.Path
	if json.Unmarshal(s.Args, &all) != nil || path.UnmarshalJSON(all[key]) != nil {
		return nil
	}
	return path
}

// formFields are the fields of a fillForm as steps of their own.
func formFields(s *automation.Step) []automation.Step {
	var all struct {
		Fields []struct {
			Frame        []selectors.Path
			Selector     selectors.Path
			Alternatives []selectors.Path
			Value        *automation.Value
		}
	}
	if json.Unmarshal(s.Args, &all) != nil {
		return nil // it was validated: cannot happen
	}
	var steps []automation.Step
	for _, f := range all.Fields {
		step := automation.Step{Tool: "typeInput", Page: s.Page, Frame: f.Frame, Selector: f.Selector, Alternatives: f.Alternatives, Value: f.Value}
		if len(f.Frame) == 0 {
			step.Frame = s.Frame
		}
		var on bool
		if f.Value != nil && json.Unmarshal(f.Value.Value, &on) == nil {
			step.Tool = "check"
		}
		steps = append(steps, step)
	}
	return steps
}

// expectation is a kind as a sentence has it.
func expectation(kind string) string {
	if kind == "element" {
		return "an element"
	}
	return "a " + kind
}

// paths are all ways to the element of a step, best first.
func paths(s *automation.Step) []selectors.Path {
	if len(s.Selector) == 0 {
		return nil
	}
	return append([]selectors.Path{s.Selector}, s.Alternatives...)
}

// exact is the address that a glob stands for, "" where it stands for several.
func exact(glob string) string {
	if glob == "" || strings.ContainsAny(glob, "*?") {
		return ""
	}
	if strings.Contains(glob, "://") {
		return glob
	}
	if u, err := url.Parse("http://" + glob); err == nil && isLoopback(u.Hostname()) {
		return u.String()
	}
	return "https://" + glob
}
