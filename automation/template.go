package automation

import (
	"errors"
	"fmt"
	"strings"
)

// maxHoles bounds a template: each hole can bring in a value of any length.
const maxHoles = 64

// piece is a part of a template: a text, or the hole of a variable.
type piece struct {
	text string
	name string // of the variable; "" in a text
}

// parseTemplate takes a text with ${name} holes apart. $${ is a plain ${, so that
// a dollar sign right before a hole cannot be written.
func parseTemplate(s string) ([]piece, error) {
	var pieces []piece
	var text strings.Builder
	holes := 0
	for s != "" {
		before, after, found := strings.Cut(s, "${")
		if !found {
			text.WriteString(s)
			break
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			text.WriteString(plain + "${")
			s = after
			continue
		}
		text.WriteString(before)
		name, rest, closed := strings.Cut(after, "}")
		if !closed {
			return nil, errors.New("a ${ is not closed: write $${ for a plain one")
		}
		if !variablePattern.MatchString(name) {
			return nil, fmt.Errorf("${%s}: not the name of a variable; write $${ for a plain ${", shorten(name))
		}
		if holes++; holes > maxHoles {
			return nil, fmt.Errorf("more than %d holes", maxHoles)
		}
		pieces = appendText(pieces, &text)
		pieces = append(pieces, piece{name: name})
		s = rest
	}
	return appendText(pieces, &text), nil
}

func appendText(pieces []piece, text *strings.Builder) []piece {
	if text.Len() == 0 {
		return pieces
	}
	defer text.Reset()
	return append(pieces, piece{text: text.String()})
}

// TemplateText gives the text of a template that yields exactly s.
func TemplateText(s string) string { return strings.ReplaceAll(s, "${", "$${") }
