package render

import (
	"fmt"
	"io"
	"sync"
)

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

// NewMany writes to w of so many runs. width gives the terminal's width, nil is no
// terminal.
func NewMany(w io.Writer, style Style, width func() int, all int) *Many {
	return &Many{w: w, style: style, width: width, all: all}
}

// Begin says that a run has begun.
func (m *Many) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running++
	m.draw()
}

// Ended says that a run has ended, its number counted from 0, and how.
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

// Break makes room for something else that is told.
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
