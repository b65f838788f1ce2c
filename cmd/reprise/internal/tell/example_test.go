package tell_test

import (
	"fmt"
	"os"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/cmd/reprise/internal/tell"
	"github.com/go-reprise/reprise/recorder"
)

func ExampleStep() {
	fmt.Println(tell.Step(automation.Step{Tool: "keypress", Key: "Enter"}))
	// Output: keypress Enter
}

func ExampleNewRecording() {
	r := tell.NewRecording(os.Stdout, tell.Style{}, nil)
	r.Change(recorder.Change{Op: recorder.Add, Step: automation.Step{Tool: "keypress", Key: "Tab"}})
	r.Change(recorder.Change{Op: recorder.Remove})
	r.Change(recorder.Change{Op: recorder.Add, Step: automation.Step{Tool: "keypress", Key: "Enter"}})
	r.End()
	// Output:
	//    1  keypress Enter
}
