package render

import (
	"os"
	"time"

	"golang.org/x/term"
)

// Style colours words on a terminal. The zero Style leaves them as they are.
type Style struct{ colour bool }

// StyleOf is the style for a file: coloured on a terminal, unless $NO_COLOR
// (https://no-color.org) or a dumb terminal says otherwise.
func StyleOf(f *os.File) Style {
	return Style{os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(f)}
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// WidthOf returns the width of a terminal in characters, nil where the file is none.
func WidthOf(f *os.File) func() int {
	if !IsTerminal(f) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return defaultWidth
		}
		return width
	}
}

// defaultWidth is for a terminal that does not report its own.
const defaultWidth = 80

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

// Duration is how long something took, with the precision that the user can use.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// When is a time on the user's clock.
func When(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// Took is how long something took, "-" where it has not ended.
func Took(began, ended time.Time) string {
	if began.IsZero() || ended.IsZero() {
		return "-"
	}
	return Duration(ended.Sub(began))
}
