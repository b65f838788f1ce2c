package render

import (
	"fmt"
	"io"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
)

// Playing writes the steps of a run while it is played: on a terminal a line
// when the step begins, which its end completes; elsewhere a line when it ends.
type Playing struct {
	w     io.Writer
	style Style
	width func() int // of the terminal; nil where there is none
	steps []automation.Step
	open  bool // a line waits for its end
}

// NewPlaying writes to w. width gives the terminal's width, nil is no terminal.
func NewPlaying(w io.Writer, style Style, width func() int, steps []automation.Step) *Playing {
	return &Playing{w: w, style: style, width: width, steps: steps}
}

// Start is for replayer.Options.OnStart.
func (p *Playing) Start(index int, _ automation.Step) {
	if p.width != nil {
		p.open = true
		fmt.Fprintf(p.w, "  %s", p.line("…", index))
	}
}

// Step is for replayer.Options.OnStep.
func (p *Playing) Step(s replayer.StepResult) {
	mark, rest := p.style.Green("✓"), Duration(time.Duration(s.Duration))
	if s.Skipped != "" {
		mark, rest = "-", "skipped: "+s.Skipped
	}
	p.end(mark, s.Index, p.style.Dim("  "+rest)+p.style.Yellow(healed(s)))
}

// healed says how an element was found that the step's own selector no longer names.
func healed(s replayer.StepResult) string {
	switch {
	case s.Matched > 0:
		return ", healed: found by " + s.Selector.String()
	case s.Matched < 0:
		return ", healed: known again by its looks"
	}
	return ""
}

// Break ends the line of a step that is being played, so that something else can be
// told; the end of the step then has a line of its own.
func (p *Playing) Break() {
	if p.open {
		fmt.Fprintln(p.w)
		p.open = false
	}
}

// End closes the line of a step that failed, if there is one.
func (p *Playing) End(err *replayer.Error) {
	if err != nil && err.Step >= 0 {
		p.end(p.style.Red("✗"), err.Step, "")
	}
}

func (p *Playing) end(mark string, index int, rest string) {
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.open = false
	}
	fmt.Fprintf(p.w, "  %s%s\n", p.line(mark, index), rest)
}

func (p *Playing) line(mark string, index int) string {
	step := p.steps[index]
	what := Step(step)
	if step.Intent != "" {
		what = step.Intent + ": " + what
	}
	before := fmt.Sprintf("step %d of %d: ", index+1, len(p.steps))
	if p.width != nil {
		what = cut(what, p.width()-len(before)-roomForRest)
	}
	return fmt.Sprintf("%s %s%s", mark, p.style.Dim(before), what)
}

// roomForRest is what a line needs beside the step: the mark and the duration.
const roomForRest = 14
