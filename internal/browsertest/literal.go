package browsertest

import (
	"encoding/json"
	"slices"

	"github.com/go-reprise/reprise/automation"
)

// Literal returns a recorded automation with the defaults of its variables in their places, as
// they were typed and chosen.
func Literal(a *automation.Automation) *automation.Automation {
	declared, err := a.Declared()
	if err != nil {
		return a
	}
	with := *a
	with.Steps = slices.Clone(a.Steps)
	for i, step := range with.Steps {
		if step.Value == nil || step.Value.Kind != automation.Variable {
			continue
		}
		preset, ok := declared.Default(step.Value.Name)
		if !ok {
			continue
		}
		data, _ := json.Marshal(preset) // it was read from JSON
		with.Steps[i].Value = &automation.Value{Kind: automation.Literal, Value: data}
	}
	return &with
}
