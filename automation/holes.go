package automation

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/go-reprise/reprise/selectors"
)

// A selector of the kinds text and aria may have holes, as a template has, also where it is near
// another, and so may that of what a step drags to: text/${country} names the element that says the
// value of the variable country. What stands in ${} and is no variable of the document is text.

var hole = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}`)

// MayHaveHoles reports whether a selector of the step has what looks like a hole, or what it drags to.
func (s *Step) MayHaveHoles() bool {
	return len(holesOf(s.Selector)) > 0 || len(holesOf(s.DragTo())) > 0 || slices.ContainsFunc(s.Alternatives, func(p selectors.Path) bool { return len(holesOf(p)) > 0 })
}

// SelectorNames lists the variables that the selectors of a step have holes for, each once.
func (s *Step) SelectorNames(declared *Variables) []string {
	var names []string
	for _, path := range append([]selectors.Path{s.Selector}, s.Alternatives...) {
		for _, name := range HolesIn(path, declared) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// HolesIn lists the declared variables that a path has holes for.
func HolesIn(path selectors.Path, declared *Variables) []string {
	return slices.DeleteFunc(holesOf(path), func(name string) bool { return !declared.Has(name) })
}

// DragTo returns what a step drags to, nil for any other.
func (s *Step) DragTo() selectors.Path {
	if s.Tool != "drag" {
		return nil
	}
	var args struct{ To selectors.Path }
	if json.Unmarshal(s.Args, &args) != nil {
		return nil
	}
	return args.To
}

// TurnsTo is the variable of the day to whose month a click turns a calendar; "" for another step.
func (s *Step) TurnsTo() string {
	var args struct{ TurnTo string }
	if s.Tool != "click" || json.Unmarshal(s.Args, &args) != nil {
		return ""
	}
	return args.TurnTo
}

// WithDragTo returns the step with something else that it drags to.
func (s Step) WithDragTo(to selectors.Path) (Step, error) {
	var args map[string]any
	err := json.Unmarshal(s.Args, &args)
	if err != nil {
		return s, err
	}
	args["to"] = to
	s.Args, err = json.Marshal(args)
	return s, err
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
