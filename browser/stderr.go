package browser

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// What is kept of a browser's complaints. Chrome's own lines are shorter.
const (
	keptLines  = 12
	lineLength = 1 << 10
)

const (
	// listening begins the line that tells the address of the debugging port.
	listening = "DevTools listening on "
	// dbus is in lines about desktop services that are missing, which come by the
	// dozen on servers and harm nothing.
	dbus = "ERROR:dbus/"
)

// stderr keeps the end of what the browser says, and the address that it tells.
type stderr struct {
	address chan string // one, if any

	mu    sync.Mutex
	lines []string
}

func newStderr() *stderr { return &stderr{address: make(chan string, 1)} }

// listen reads until the end.
func (s *stderr) listen(from io.Reader) {
	in := bufio.NewReaderSize(from, lineLength)
	for {
		line, _, err := in.ReadLine() // a longer line is taken as several
		if err != nil {
			return
		}
		s.hear(strings.TrimSpace(string(line)))
	}
}

func (s *stderr) hear(line string) {
	if address, ok := strings.CutPrefix(line, listening); ok {
		select {
		case s.address <- address:
		default: // it has told before
		}
		return
	}
	if line == "" || strings.Contains(line, dbus) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == keptLines {
		s.lines = append(s.lines[:0], s.lines[1:]...)
	}
	s.lines = append(s.lines, line)
}

// String is the last lines.
func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}
