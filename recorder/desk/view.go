package desk

import (
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
)

// view is the recording as it is sent to the desk's page, which shows its texts as text.
type view struct {
	Name     string `json:"name"`
	Paused   bool   `json:"paused"`
	Pointing string `json:"pointing"`
	Ended    bool   `json:"ended"`
	Note     note   `json:"note"`
	Steps    []step `json:"steps"`
}

// step is one of its steps, in words.
type step struct {
	ID       int    `json:"id"`
	Tool     string `json:"tool"`
	Does     string `json:"does"`           // as in "Click"
	On       string `json:"on"`             // what its element is called, or an address
	Kind     string `json:"kind"`           // of its element
	With     string `json:"with"`           // what it types or chooses
	Where    string `json:"where"`          // the tab or frame, where it is not the page itself
	Selector string `json:"selector"`       // how it is found
	Effect   string `json:"effect"`         // "" for none
	Intent   string `json:"intent"`         //
	Optional bool   `json:"optional"`       //
	Typed    bool   `json:"typed"`          // can be a variable or a secret
	Variable string `json:"variable"`       // that it is
	Secret   bool   `json:"secret"`         //
	Picture  bool   `json:"picture"`        //
	Then     string `json:"then,omitempty"` // what follows it
}

func viewOf(s recorder.State, said note) view {
	v := view{Name: s.Name, Paused: s.Paused, Pointing: string(s.Pointing), Ended: s.Ended, Note: said, Steps: []step{}}
	for _, one := range s.Steps {
		v.Steps = append(v.Steps, stepOf(one))
	}
	return v
}

func stepOf(s recorder.Step) step {
	told := step{
		ID: s.ID, Tool: s.Step.Tool, Does: does(s.Step), On: s.Label, Kind: s.Kind, With: with(s), Where: where(s.Step), Selector: s.Step.Selector.String(),
		Effect: string(s.Step.Effect), Intent: s.Step.Intent, Optional: s.Step.Optional, Typed: s.Typed, Secret: s.Secret, Picture: s.Picture, Then: then(s.Step),
	}
	if told.On == "" {
		told.On = s.Step.URL
	}
	if v := s.Step.Value; v != nil && v.Kind == automation.Variable {
		told.Variable = v.Name
	}
	return told
}

// Words returns a step in words, on one line.
func Words(s recorder.Step) string {
	told := stepOf(s)
	words := told.Does
	if on := told.On; on != "" {
		if s.Label != "" {
			on = "“" + short(on) + "”"
		}
		words += " " + on
	}
	switch {
	case told.Variable != "":
		words += ": " + told.Variable
	case told.With != "":
		words += ": " + told.With
	}
	if told.Where != "" {
		words += ", " + told.Where
	}
	return words
}

// verbs are what tools do, in words.
var verbs = map[string]string{
	"navigate": "Go to", "click": "Click", "typeInput": "Type into", "keypress": "Press", "waitForNav": "Arrive at", "select": "Choose in",
	"check": "Set", "upload": "Give a file to", "drag": "Drag", "dialog": "Answer the dialog", "assert": "Check", "hover": "Point at",
}

func does(s automation.Step) string {
	verb := verbs[s.Tool]
	switch {
	case verb == "":
		return s.Tool
	case s.Count > 1:
		return "Double-click"
	case s.Button == "right":
		return "Right-click"
	case s.Tool == "keypress":
		return "Press " + s.Key
	}
	return verb
}

// maxValue is how much of a value is shown, in characters.
const maxValue = 80

// with returns what a step types, chooses or checks.
func with(s recorder.Step) string {
	v := s.Step.Value
	if v == nil || v.Kind != automation.Literal {
		return ""
	}
	var said any
	if json.Unmarshal(v.Value, &said) != nil {
		return ""
	}
	switch said := said.(type) {
	case string:
		return short(said)
	case bool:
		return map[bool]string{true: "on", false: "off"}[said]
	}
	return short(string(v.Value))
}

func short(text string) string {
	if runes := []rune(text); len(runes) > maxValue {
		return string(runes[:maxValue]) + "…"
	}
	return text
}

func where(s automation.Step) string {
	var at []string
	if len(s.Frame) > 0 {
		at = append(at, "in a frame")
	}
	if s.Page != "" {
		at = append(at, "in the tab "+s.Page)
	}
	return strings.Join(at, " ")
}

// then returns what follows a step.
func then(s automation.Step) string {
	var all []string
	for _, e := range s.Expect {
		all = append(all, map[string]string{"popup": "opens a tab", "dialog": "asks", "download": "downloads a file"}[e.Kind])
	}
	return strings.Join(all, ", ")
}
