package automation_test

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

func TestWhatAStepDragsToMayHaveHoles(t *testing.T) {
	t.Parallel()
	a, err := automation.Parse([]byte(`{"format": 1, "name": "flow", "match": {"urls": ["here.test/*"]},
		"variables": {"type": "object", "properties": {"card": {"type": "string"}, "list": {"type": "string"}}},
		"steps": [
			{"tool": "drag", "selector": "text/${card}", "args": {"to": ["text/${list}", "near/div.drop"], "offset": {"x": 0.5, "y": 0.9}}},
			{"tool": "drag", "selector": "#a", "args": {"to": "#b"}},
			{"tool": "click", "selector": "#b"}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, step := range a.Steps {
		got = append(got, automation.HolesIn(step.DragTo(), declared))
	}
	if len(got[0]) != 1 || got[0][0] != "list" || got[1] != nil || got[2] != nil {
		t.Errorf("holes in what is dragged to: %v", got)
	}
	to, err := automation.FillHoles(a.Steps[0].DragTo(), declared, func(string) (string, error) { return "Done", nil })
	if err != nil {
		t.Fatal(err)
	}
	filled, err := a.Steps[0].WithDragTo(to)
	if err != nil {
		t.Fatal(err)
	}
	want := selectors.Path{{Kind: selectors.Text, Body: "Done"}, {Kind: selectors.Near, Body: "div.drop"}}
	if !slices.Equal(filled.DragTo(), want) || string(filled.Args) != `{"offset":{"x":0.5,"y":0.9},"to":["text/Done","near/div.drop"]}` {
		t.Errorf("filled: %s", filled.Args)
	}
	if again := a.Steps[0].DragTo(); slices.Equal(again, want) {
		t.Error("the step of the document was changed")
	}
}
