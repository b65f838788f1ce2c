package render

import (
	"strings"
	"unicode/utf8"
)

// Table lines up rows in columns, two spaces apart. What stands in a cell cannot
// break it.
func Table(rows [][]string) string {
	var widths []int
	clean := make([][]string, len(rows))
	for i, row := range rows {
		for j, cell := range row {
			cell = oneLine(cell)
			clean[i] = append(clean[i], cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range clean {
		line := ""
		for j, cell := range row {
			line += cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// oneLine takes the line breaks out of a text, and what else moves the cursor.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// Facts are rows of a name and a value.
type Facts [][]string

// Add adds a fact; what has more than one value has a row for each, and what has
// none is left out.
func (f *Facts) Add(name string, values ...string) {
	for _, value := range values {
		*f = append(*f, []string{"  " + name, value})
		name = ""
	}
}

// AddNonEmpty adds a fact unless its value is empty.
func (f *Facts) AddNonEmpty(name, value string) {
	if value != "" {
		f.Add(name, value)
	}
}
