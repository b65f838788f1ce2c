package exchange

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// enter goes to the window and the frame of a step.
func (s *sideWriter) enter(step *automation.Step) {
	if step.Page != s.window {
		handle := "root"
		if step.Page != "" {
			handle = step.Page
		}
		s.add("selectWindow", "handle=${"+handle+"}", "")
		s.window, s.frame = step.Page, nil
	}
	same := slices.EqualFunc(s.frame, step.Frame, func(a, b selectors.Path) bool { return a.String() == b.String() })
	if same || len(step.Selector) == 0 {
		return
	}
	if len(s.frame) > 0 {
		s.add("selectFrame", "relative=top", "")
	}
	s.frame = step.Frame
	for _, frame := range step.Frame {
		s.add("selectFrame", s.frameTarget(frame), "")
	}
}

func (s *sideWriter) frameTarget(frame selectors.Path) string {
	if m := frameByPlace.FindStringSubmatch(frame[0].Body); m != nil && len(frame) == 1 {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			return fmt.Sprintf("index=%d", n-1)
		}
	}
	locators, approximate := sideLocators([]selectors.Path{frame}, func(value string) string { return testIDs(value, nil) })
	if len(locators) == 0 {
		s.lose(Changed, fmt.Sprintf("the frame %s cannot be told there: index=0 is written", shorten(frame.String())), "Write its number, counted from 0")
		return "index=0"
	}
	if approximate {
		s.lose(Changed, fmt.Sprintf("the frame %s is told by something like it", shorten(frame.String())), "")
	}
	return locators[0][0]
}

// locators are the ways to the element of a step; none where there is no equal.
func (s *sideWriter) locators(step *automation.Step) [][]string {
	locators, approximate := sideLocators(paths(step), func(value string) string { return testIDs(value, step) })
	if len(locators) > 0 && approximate {
		s.lose(Changed, "names and texts are told by XPath that comes near", "See that it finds one element only")
	}
	return locators
}

// on writes a command that acts on the element of a step.
func (s *sideWriter) on(step *automation.Step, command, value string) {
	locators := s.locators(step)
	if len(locators) == 0 {
		s.disabled(step, "Selenium IDE cannot use any of its selectors")
		return
	}
	c := s.add(command, locators[0][0], value)
	c.Targets, c.Comment = locators, step.Intent
}
