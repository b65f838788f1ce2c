package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-reprise/reprise/recorder"
)

// Recording writes the steps of a recording while it is made. A step changes
// while it is the last: the value grows with each key, the click that only led
// into a field goes away again. On a terminal its line changes with it; elsewhere
// a step is written when the next begins, so that a log holds each step once.
type Recording struct {
	w     io.Writer
	style Style
	width func() int // of the terminal, in characters; nil where there is none

	mu      sync.Mutex
	lines   []string // of the steps
	written int      // how many of them are written
	above   int      // and how many of these are above a note, where no line can be cleared
}

// NewRecording writes to w. width returns the terminal's width, nil is no terminal.
func NewRecording(w io.Writer, style Style, width func() int) *Recording {
	return &Recording{w: w, style: style, width: width}
}

// Change is for recorder.Options.OnChange.
func (r *Recording) Change(c recorder.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch c.Op {
	case recorder.Add:
		r.add(c)
	case recorder.Update:
		r.update(c)
	case recorder.Remove:
		r.remove(c)
	}
	if r.width != nil {
		r.flush(len(r.lines))
	}
}

// End writes what is left to write.
func (r *Recording) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush(len(r.lines))
}

func (r *Recording) update(c recorder.Change) {
	line := Step(c.Step)
	if c.Index >= len(r.lines) || r.lines[c.Index] == line {
		return
	}
	r.lines[c.Index] = line
	if c.Index >= r.written {
		return
	}
	if !r.again(c.Index) {
		r.write(c.Index) // it was written differently
	}
}

func (r *Recording) add(c recorder.Change) {
	if c.Index >= len(r.lines) {
		r.flush(len(r.lines))
		r.lines = append(r.lines, Step(c.Step))
		return
	}
	r.lines = slices.Insert(r.lines, c.Index, Step(c.Step))
	if c.Index >= r.written {
		return
	}
	if r.again(c.Index) {
		return
	}
	r.written++
	r.write(c.Index) // what stood there stands one further
}

func (r *Recording) remove(c recorder.Change) {
	if c.Index >= len(r.lines) {
		return
	}
	r.lines = slices.Delete(r.lines, c.Index, c.Index+1)
	if c.Index >= r.written {
		return
	}
	if r.again(c.Index) {
		return
	}
	r.written--
	fmt.Fprintf(r.w, "%4d was taken back, or is a part of what follows\n", c.Index+1)
	r.above = min(r.above, r.written)
}

// again clears the written lines from step i on, so that they are written again. It reports
// false where that is not possible.
func (r *Recording) again(i int) bool {
	if r.width == nil || i < r.above {
		return false
	}
	r.back(r.written - i)
	r.written = i
	return true
}

// Note writes a line between the steps.
func (r *Recording) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush(len(r.lines))
	r.above = r.written
	fmt.Fprintf(r.w, "%s%s\n", strings.Repeat(" ", numberWidth), r.style.Dim(text))
}

// back goes up some lines of the terminal, and clears what is below.
func (r *Recording) back(lines int) { fmt.Fprintf(r.w, "\x1b[%dA\x1b[J", lines) }

// flush writes the steps up to n that are not written yet.
func (r *Recording) flush(n int) {
	for ; r.written < n; r.written++ {
		r.write(r.written)
	}
}

// numberWidth is what stands before a step.
const numberWidth = 6

func (r *Recording) write(i int) {
	line := r.lines[i]
	if r.width != nil {
		line = cut(line, r.width()-numberWidth)
	}
	fmt.Fprintf(r.w, "%s  %s\n", r.style.Dim(fmt.Sprintf("%4d", i+1)), line)
}

// cut shortens a line that would wrap, where it could not be cleared.
func cut(line string, width int) string {
	line = strings.ReplaceAll(line, "\n", " ")
	if width < 2 || utf8.RuneCountInString(line) < width {
		return line
	}
	return string([]rune(line)[:width-2]) + "…"
}
