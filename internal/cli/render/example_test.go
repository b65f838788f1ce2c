package render_test

import (
	"fmt"
	"os"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/recorder"
)

func ExampleStep() {
	fmt.Println(render.Step(automation.Step{Tool: "keypress", Key: "Enter"}))
	// Output: keypress Enter
}

func ExampleNewRecording() {
	r := render.NewRecording(os.Stdout, render.Style{}, nil)
	r.Change(recorder.Change{Op: recorder.Add, Step: automation.Step{Tool: "keypress", Key: "Tab"}})
	r.Change(recorder.Change{Op: recorder.Remove})
	r.Change(recorder.Change{Op: recorder.Add, Step: automation.Step{Tool: "keypress", Key: "Enter"}})
	r.End()
	// Output:
	//    1  keypress Enter
}
