package render

import (
	"fmt"
	"io"
	"sync"
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

// NewPlaying writes to w. width returns the terminal's width, nil is no terminal.
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

// Break ends the line of a step that is being played, so that something else can be
// printed; the end of the step then has a line of its own.
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

// roomForRest is what a line needs in addition to the step: the mark and the duration.
const roomForRest = 14

// Many writes how many runs that are played together have ended, and how: on a
// terminal in a line of its own that changes, under those of the runs that failed;
// elsewhere a line for each run. It is safe for concurrent use.
type Many struct {
	w     io.Writer
	style Style
	width func() int // of the terminal; nil where there is none
	all   int

	mu                sync.Mutex
	running, well, no int
	open              bool // the line that changes is there
}

// NewMany writes the progress of all runs to w. width returns the terminal's width, nil is no
// terminal.
func NewMany(w io.Writer, style Style, width func() int, all int) *Many {
	return &Many{w: w, style: style, width: width, all: all}
}

// Begin notes that a run has started.
func (m *Many) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running++
	m.draw()
}

// Ended writes that run n, counted from 0, has ended, and how.
func (m *Many) Ended(n int, well bool, words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running--
	mark := m.style.Green("✓")
	if m.well++; !well {
		m.well--
		m.no++
		mark = m.style.Red("✗")
	}
	if m.width == nil || !well {
		m.erase()
		fmt.Fprintf(m.w, "  %s %s%s\n", mark, m.style.Dim(fmt.Sprintf("run %d of %d: ", n+1, m.all)), oneLine(words))
	}
	m.draw()
}

// Break makes room for other output.
func (m *Many) Break() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erase()
}

// End takes the line away that changes.
func (m *Many) End() { m.Break() }

func (m *Many) erase() {
	if m.open {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.open = false
	}
}

func (m *Many) draw() {
	if m.width == nil {
		return
	}
	m.erase()
	words := fmt.Sprintf("%d of %d done, %d failed, %d at work", m.well, m.all, m.no, m.running)
	fmt.Fprint(m.w, "  "+cut(words, m.width()-len("  ")))
	m.open = true
}
