package exchange

import (
	"github.com/go-reprise/reprise/automation"
)

func (j *jsonlReader) assert(a *jsonlAction, step automation.Step, with map[string]any) {
	step.Tool = "assert"
	if len(with) > 0 {
		step.Args = args(with)
	}
	if j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) assertText(a *jsonlAction, step automation.Step) {
	if a.Text == nil {
		j.lose(Dropped, "it has no text", "")
		return
	}
	step.Value = literal(*a.Text)
	with := map[string]any{}
	if a.Substring != nil && *a.Substring {
		with["compare"] = "contains"
	}
	j.assert(a, step, with)
}

func (j *jsonlReader) assertValue(a *jsonlAction, step automation.Step) {
	if a.Value == nil {
		j.lose(Dropped, "it has no value", "")
		return
	}
	if _, secret := fieldKind(a.Selector, *a.Value); secret {
		j.lose(Dropped, "what it compares with looks like a secret, and is not kept", "")
		return
	}
	step.Value = literal(*a.Value)
	j.assert(a, step, map[string]any{"attribute": "value"})
}

func (j *jsonlReader) assertChecked(a *jsonlAction, step automation.Step) {
	state := "unchecked"
	if a.Checked != nil && *a.Checked {
		state = "checked"
	}
	j.assert(a, step, map[string]any{"state": state})
}

func (j *jsonlReader) assertVisible(a *jsonlAction, step automation.Step) {
	j.assert(a, step, map[string]any{"state": "visible"})
}

func (j *jsonlReader) assertSnapshot(*jsonlAction, automation.Step) {
	j.lose(Dropped, "the file does not hold what it compares with", "Add a step of the tool assert")
}
