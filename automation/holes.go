package automation

import (
	"regexp"
	"slices"

	"github.com/go-reprise/reprise/selectors"
)

// A selector of the kinds text and aria may have holes, as a template has, also where it is near
// another: text/${country} names the element that says the value of the variable country. What
// stands in ${} and is no variable of the document is text.

var hole = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}`)

// MayHaveHoles reports whether a selector of the step has what looks like a hole.
func (s *Step) MayHaveHoles() bool {
	return len(holesOf(s.Selector)) > 0 || slices.ContainsFunc(s.Alternatives, func(p selectors.Path) bool { return len(holesOf(p)) > 0 })
}

// SelectorNames lists the variables that the selectors of a step have holes for, each once.
func (s *Step) SelectorNames(declared *Variables) []string {
	var names []string
	for _, path := range append([]selectors.Path{s.Selector}, s.Alternatives...) {
		for _, name := range holesOf(path) {
			if declared.Has(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// HasHoles reports whether the path has a hole for a declared variable.
func HasHoles(path selectors.Path, declared *Variables) bool {
	return slices.ContainsFunc(holesOf(path), declared.Has)
}

func holesOf(path selectors.Path) (names []string) {
	for _, part := range path {
		for _, m := range hole.FindAllStringSubmatch(part.Words(), -1) {
			names = append(names, m[1])
		}
	}
	return names
}

// FillHoles returns the path with the texts of the declared variables in its holes. The texts
// are taken as they are: none of them becomes a hole or the role of an aria selector.
func FillHoles(path selectors.Path, declared *Variables, text func(name string) (string, error)) (selectors.Path, error) {
	filled := slices.Clone(path)
	for i, part := range filled {
		var failed error
		words := hole.ReplaceAllStringFunc(part.Words(), func(match string) string {
			variable := match[2 : len(match)-1]
			if !declared.Has(variable) {
				return match
			}
			value, err := text(variable)
			if err != nil {
				failed = err
			}
			return value
		})
		if failed != nil {
			return nil, failed
		}
		with, err := part.WithWords(words)
		if err != nil {
			return nil, err
		}
		filled[i] = with
	}
	return filled, filled.Validate()
}
