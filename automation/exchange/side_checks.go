package exchange

import (
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

func waits(state string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Timeout = "waitFor", sideTimeout(c.Value)
		step.Args = args(map[string]any{"state": state})
		if s.on(c, &step) {
			s.push(step)
		}
	}
}

func (s *sideReader) waitForText(c *sideCommand, step automation.Step) {
	step.Tool, step.Args = "waitFor", args(map[string]any{"text": c.Value})
	if s.on(c, &step) {
		s.push(step)
	}
}

func asserts(attribute, compare string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Value = "assert", s.expected(c.Value)
		with := map[string]any{}
		if attribute != "" {
			with["attribute"] = attribute
		}
		if compare != "" {
			with["compare"] = compare
		}
		if len(with) > 0 {
			step.Args = args(with)
		}
		s.softly(c)
		if s.on(c, &step) {
			s.push(step)
		}
	}
}

func states(state string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Args = "assert", args(map[string]any{"state": state})
		s.softly(c)
		if s.on(c, &step) {
			s.push(step)
		}
	}
}

// softly tells of a check that does not end a test.
func (s *sideReader) softly(c *sideCommand) {
	if strings.HasPrefix(c.Command, "verify") {
		s.often(Changed, "a verify that fails ends the run, as an assert does", "")
	}
}

// expected is a value that is compared with; it is asked for only where the file
// names a variable.
func (s *sideReader) expected(text string) *automation.Value {
	if v := s.template(text); v != nil {
		return v
	}
	return literal(text)
}

// store keeps a text for what follows. A secret is not kept: it is asked for.
func (s *sideReader) store(c *sideCommand, _ automation.Step) {
	if !hole.MatchString("${" + c.Value + "}") {
		s.lose(Dropped, fmt.Sprintf("%q is no name of a variable", shorten(c.Value)), "")
		return
	}
	if name, _ := fieldKind(c.Value, c.Target); name != "" && c.Target != "" {
		delete(s.stored, c.Value)
		s.variables.remember(c.Value, c.Target)
		s.lose(Asked, fmt.Sprintf("what is stored is not kept, and is asked for as the variable %q", c.Value), "")
		return
	}
	s.stored[c.Value] = c.Target
}

func extracts(attribute string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		with := map[string]any{"as": c.Value}
		if attribute != "" {
			with["attribute"] = attribute
		}
		step.Tool, step.Args = "extract", args(with)
		if s.on(c, &step) && s.push(step) {
			s.often(Changed, "what is read from the page is a result of the run; where a later step types it, it is asked for as a variable", "")
		}
	}
}

func (s *sideReader) storeAttribute(c *sideCommand, step automation.Step) {
	locator, attribute := c.Target, ""
	if at := strings.LastIndexByte(locator, '@'); at >= 0 {
		locator, attribute = locator[:at], locator[at+1:]
	}
	plain := *c
	plain.Target, plain.Targets = locator, nil
	extracts(attribute)(s, &plain, step)
}
