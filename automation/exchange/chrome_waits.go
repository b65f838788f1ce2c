package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

func (c *chromeReader) scroll(s *chromeStep, step automation.Step) {
	if len(s.Selectors) > 0 {
		c.often(Changed, "an element is scrolled into view, not to a place within it", "")
		if step.Tool = "scroll"; c.on(s, &step) {
			c.push(step)
		}
		return
	}
	x, y := number(s.X), number(s.Y)
	if x == 0 && y == 0 {
		return
	}
	c.often(Dropped, "the page is not scrolled to a place: elements are scrolled into view when they are used", "")
}

func number(f *float64) float64 {
	if f == nil || math.IsNaN(*f) || math.IsInf(*f, 0) {
		return 0
	}
	return *f
}

func (c *chromeReader) closes(_ *chromeStep, step automation.Step) {
	if step.Page == "" {
		c.lose(Dropped, "the first tab is the caller's to close", "")
		return
	}
	step.Tool, step.Frame, step.Args = "tab", nil, args(map[string]any{"action": "close"})
	c.push(step)
}

func (c *chromeReader) waitForElement(s *chromeStep, step automation.Step) {
	step.Tool = "waitFor"
	count, operator := 1, s.Operator
	if s.Count != nil {
		count = *s.Count
	}
	state := "visible"
	switch {
	case count == 0 && operator != ">=", s.Visible != nil && !*s.Visible:
		state = "hidden"
	case count != 1 || operator == "<=":
		c.lose(Changed, fmt.Sprintf("it waits for one element, not for %s %d", shorten(operator), count), "")
	}
	if len(s.Properties) > 0 || len(s.Attributes) > 0 {
		c.lose(Dropped, "the properties and attributes that it compares", "Add a step of the tool assert")
	}
	step.Args = args(map[string]any{"state": state})
	if c.on(s, &step) {
		c.push(step)
	}
}

func (c *chromeReader) waitForExpression(*chromeStep, automation.Step) {
	c.lose(Dropped, "it runs a script, and scripts of a file are never run", "Wait for what it makes visible, with the tool waitFor")
}

// custom restores the steps that an export has put into custom ones, as they were.
func (c *chromeReader) custom(s *chromeStep, _ automation.Step) {
	var holder struct {
		Step *automation.Step `json:"step"`
	}
	if s.Name != restored || json.Unmarshal(s.Parameters, &holder) != nil || holder.Step == nil {
		c.lose(Dropped, fmt.Sprintf("nothing is known of the custom step %q", shorten(s.Name)), "")
		return
	}
	if strings.Contains(holder.Step.Tool, ".") {
		c.lose(Dropped, "it is a tool of some program", "")
		return
	}
	holder.Step.X = nil // a stranger's word is none on what is public
	for _, name := range holder.Step.Value.Names() {
		c.variables.named(name)
	}
	c.push(*holder.Step)
}

func (c *chromeReader) viewport(s *chromeStep, _ automation.Step) {
	do := "Its size is for whoever plays it: browser.Options"
	if w, h := number(s.Width), number(s.Height); w > 0 && h > 0 {
		do = fmt.Sprintf("It was %.0f×%.0f; in Go: browser.Options{Width: %.0f, Height: %.0f}", w, h, w, h)
	}
	c.lose(Dropped, "a document says nothing of the window", do)
}

func (c *chromeReader) network(*chromeStep, automation.Step) {
	c.lose(Dropped, "a document says nothing of the network", "")
}
