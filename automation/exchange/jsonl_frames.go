package exchange

import (
	"github.com/go-reprise/reprise/automation"
)

// inAnyFrame notes a step whose frame is not told. The next one in the same tab
// that is told of its frame is taken to be beside it: Playwright leaves the frame
// out only while it has not found out yet.
func (j *jsonlReader) inAnyFrame(step automation.Step, anyFrame bool) {
	switch {
	case anyFrame:
		j.anyFrame = append(j.anyFrame, len(j.steps))
	case len(step.Frame) > 0:
		for _, i := range j.anyFrame {
			if i < len(j.steps) && j.steps[i].Page == step.Page {
				j.steps[i].Frame = step.Frame
				j.add(Loss{Step: j.from[i].at, Command: j.from[i].command, Kind: Changed, What: "it does not say in which frame: that of a later step is taken", Do: "See that it is the right one"})
			}
		}
		j.anyFrame = nil
	}
}

// unframed tells of those that no later step is beside.
func (j *jsonlReader) unframed() {
	for _, i := range j.anyFrame {
		if i < len(j.steps) {
			j.add(Loss{Step: j.from[i].at, Command: j.from[i].command, Kind: Changed, What: "it does not say in which frame: it is looked for in none", Do: "Give the step its frame"})
		}
	}
}
