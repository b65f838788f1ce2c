package automation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Join returns the automation that does what first does, and then what second does. It
// has the name, the account and the revision of first. A variable of the same name is
// the same variable, as first describes it; tabs of second that are named as tabs of
// first get names of their own. Neither is changed. The error tells what is wrong with
// the whole.
func Join(first, second *Automation) (*Automation, error) {
	whole := *first
	whole.Match.URLs = slices.Clone(first.Match.URLs)
	for _, glob := range second.Match.URLs {
		if !slices.Contains(whole.Match.URLs, glob) {
			whole.Match.URLs = append(whole.Match.URLs, glob)
		}
	}
	var err error
	if whole.Variables, err = joinVariables(first.Variables, second.Variables); err != nil {
		return nil, err
	}
	names := newPages(first.Steps, second.Steps)
	whole.Steps = slices.Clone(first.Steps)
	for _, step := range second.Steps {
		whole.Steps = append(whole.Steps, renamePages(step, names))
	}
	if err := whole.Validate(); err != nil {
		return nil, fmt.Errorf("joining %s and %s: %w", first.Name, second.Name, err)
	}
	return &whole, nil
}

// joinVariables returns a schema that asks for what both ask for.
func joinVariables(first, second json.RawMessage) (json.RawMessage, error) {
	if len(first) == 0 || len(second) == 0 {
		return slices.Concat(first, second), nil
	}
	whole, err := openVariables(first)
	if err != nil {
		return nil, err
	}
	more, err := openVariables(second)
	if err != nil {
		return nil, err
	}
	for name, schema := range more.properties {
		if _, known := whole.properties[name]; !known {
			whole.properties[name] = schema
		}
	}
	for _, name := range more.required {
		if !slices.Contains(whole.required, name) {
			whole.required = append(whole.required, name)
		}
	}
	return whole.close()
}

// variablesSchema is a schema of variables, with the parts that two of them share.
type variablesSchema struct {
	all        map[string]json.RawMessage
	properties map[string]json.RawMessage
	required   []string
}

func openVariables(data json.RawMessage) (*variablesSchema, error) {
	s := variablesSchema{properties: map[string]json.RawMessage{}}
	err := json.Unmarshal(data, &s.all)
	for key, to := range map[string]any{"properties": &s.properties, "required": &s.required} {
		if part := s.all[key]; err == nil && len(part) > 0 {
			err = json.Unmarshal(part, to)
		}
	}
	if err != nil {
		return nil, &Error{Path: "variables", Reason: err.Error(), Err: err}
	}
	return &s, nil
}

func (s *variablesSchema) close() (json.RawMessage, error) {
	properties, err := json.Marshal(s.properties)
	if err != nil {
		return nil, err
	}
	required, err := json.Marshal(s.required)
	if err != nil {
		return nil, err
	}
	s.all["properties"], s.all["required"] = properties, required
	return json.Marshal(s.all)
}

// newPages returns new names for the tabs of second whose names first has taken.
func newPages(first, second []Step) map[string]string {
	own, taken := openedBy(first), openedBy(slices.Concat(first, second))
	names := map[string]string{}
	for _, page := range slices.Sorted(maps.Keys(openedBy(second))) {
		for n := 1; own[page] && names[page] == ""; n++ {
			if name := fmt.Sprintf("popup%d", n); !taken[name] {
				names[page], taken[name] = name, true
			}
		}
	}
	return names
}

// openedBy are the names of the tabs that steps open.
func openedBy(steps []Step) map[string]bool {
	names := map[string]bool{}
	for _, step := range steps {
		for _, e := range step.Expect {
			if e.Page != "" {
				names[e.Page] = true
			}
		}
	}
	return names
}

func renamePages(step Step, names map[string]string) Step {
	if name := names[step.Page]; name != "" {
		step.Page = name
	}
	step.Expect = slices.Clone(step.Expect)
	for i, e := range step.Expect {
		if name := names[e.Page]; name != "" {
			step.Expect[i].Page = name
		}
	}
	return step
}
