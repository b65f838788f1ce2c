package exchange

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// whole is the step of what concerns no single one.
const whole = -1

// Kind describes what became of something.
type Kind string

// The kinds of loss.
const (
	Dropped Kind = "dropped" // it is not there any more
	Changed Kind = "changed" // it is there, and does not mean quite the same
	Asked   Kind = "asked"   // a value that was there is asked for instead
)

// Loss is one thing that could not be carried over as it was. It never holds a
// value that was taken out.
type Loss struct {
	Step    int    `json:"step"`              // index in what was read, from 0; -1 is all of it
	Command string `json:"command,omitempty"` // what the step is called there
	Kind    Kind   `json:"kind"`
	What    string `json:"what"`         // what is lost, and why
	Do      string `json:"do,omitempty"` // what to do about it; "" where nothing has to be done
}

// String is a line for people.
func (l Loss) String() string {
	var b strings.Builder
	if l.Step >= 0 {
		fmt.Fprintf(&b, "step %d %s: ", l.Step+1, l.Command)
	}
	b.WriteString(l.What)
	if l.Do != "" {
		b.WriteString(". " + l.Do)
	}
	return b.String()
}

// Report is all that was not carried over, in the order of the steps.
type Report []Loss

// losses collects a report. What happens to many steps in the same way is told
// once, with their number.
type losses struct {
	list   Report
	common []Loss
	counts map[string]int
}

func (l *losses) add(one Loss) {
	if !slices.Contains(l.list, one) {
		l.list = append(l.list, one)
	}
}

// often adds what is told once for all steps.
func (l *losses) often(kind Kind, what, do string) {
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	if l.counts[what]++; l.counts[what] == 1 {
		l.common = append(l.common, Loss{Step: whole, Kind: kind, What: what, Do: do})
	}
}

func (l *losses) report() Report {
	all := slices.Clone(l.common)
	for i, one := range all {
		if n := l.counts[one.What]; n > 1 {
			all[i].What += fmt.Sprintf(" (%d times)", n)
		}
	}
	all = append(all, l.list...)
	slices.SortStableFunc(all, func(a, b Loss) int { return a.Step - b.Step })
	return all
}

// What callers test for. Each comes inside an *Error.
var (
	ErrTooLarge = errors.New("larger than a recording may be")
	ErrFormat   = errors.New("not a format that can be read or written")
	ErrNothing  = errors.New("nothing that could be carried over")
)

// Error is why a file could not be read, or an automation not be written.
type Error struct {
	File    string // as the caller called it
	Format  Format // "" where it is not known
	Step    int    // index in the file, or of the automation; -1 where it is no step's
	Command string // what the step is called
	Reason  string
	Err     error // a sentinel of this package, another cause, or nil
}

func (e *Error) Error() string {
	var b strings.Builder
	for _, before := range []string{e.File, string(e.Format)} {
		if before != "" {
			b.WriteString(before + ": ")
		}
	}
	if e.Step >= 0 {
		fmt.Fprintf(&b, "step %d", e.Step+1)
		if e.Command != "" {
			b.WriteString(" " + e.Command)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap returns the sentinel or the cause.
func (e *Error) Unwrap() error { return e.Err }

// shorten keeps a message to a line, whatever the file holds.
func shorten(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
