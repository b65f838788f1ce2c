package render

import (
	"os"
	"time"

	"golang.org/x/term"
)

// Style colours words where somebody sees them. The zero Style leaves them as
// they are.
type Style struct{ colour bool }

// StyleOf is the style for a file: coloured on a terminal, unless $NO_COLOR
// (https://no-color.org) or a dumb terminal says otherwise.
func StyleOf(f *os.File) Style {
	return Style{os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(f)}
}

// IsTerminal reports whether a person is at the other end of a file.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Coloured is a style that always colours.
func Coloured() Style { return Style{true} }

// Bold, Dim, Green, Yellow and Red are the words in that style.
func (s Style) Bold(words string) string   { return s.in("1", words) }
func (s Style) Dim(words string) string    { return s.in("2", words) }
func (s Style) Green(words string) string  { return s.in("32", words) }
func (s Style) Yellow(words string) string { return s.in("33", words) }
func (s Style) Red(words string) string    { return s.in("31", words) }

func (s Style) in(code, words string) string {
	if !s.colour || words == "" {
		return words
	}
	return "\x1b[" + code + "m" + words + "\x1b[0m"
}

// Duration is a time that somebody waited, as short as it is of use.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
