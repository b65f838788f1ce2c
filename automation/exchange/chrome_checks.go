package exchange

import (
	"fmt"

	"github.com/go-reprise/reprise/automation"
)

// waitForNav is an event of the step before, which Chrome waits for from before it
// is done.
func (c *chromeWriter) waitForNav(s *automation.Step) {
	if c.last == nil || c.last.Type == "navigate" || len(c.last.AssertedEvents) > 0 {
		c.often(Dropped, "of several waits after one step Chrome has the first", "")
		return
	}
	if exact(s.URL) == "" && s.URL != "" {
		c.often(Changed, "Chrome waits for a navigation, wherever it goes", "")
	}
	c.last.AssertedEvents = append(c.last.AssertedEvents, chromeEvent{Type: "navigation", URL: exact(s.URL), Title: ptr("")})
}

func (c *chromeWriter) waitFor(s *automation.Step) {
	if len(s.Selector) == 0 {
		c.keep(s, "Chrome waits for elements only")
		return
	}
	out := &chromeOut{chromeStep: chromeStep{Type: "waitForElement"}}
	switch state := arg(s, "state"); state {
	case "", "visible":
	case "hidden", "detached":
		out.Operator, out.Count = "==", ptr(0)
	default:
		c.lose(Changed, fmt.Sprintf("Chrome waits until it is visible, not until it is %s", shorten(state)), "")
	}
	if arg(s, "text") != "" {
		c.lose(Dropped, "the text that it waits for", "")
	}
	if c.element(out, s) {
		c.put(out, s)
	}
}

// assert compares a property; what Chrome cannot compare is only looked for.
func (c *chromeWriter) assert(s *automation.Step) {
	if len(s.Selector) == 0 {
		c.keep(s, "Chrome looks at elements only")
		return
	}
	out := &chromeOut{chromeStep: chromeStep{Type: "waitForElement"}}
	attribute, state, compare := arg(s, "attribute"), arg(s, "state"), arg(s, "compare")
	switch {
	case state == "hidden", state == "detached":
		out.Operator, out.Count = "==", ptr(0)
	case state == "checked", state == "unchecked":
		out.Properties = map[string]any{"checked": state == "checked"}
	case s.Value == nil:
	case compare != "" && compare != "equals":
		c.lose(Changed, fmt.Sprintf("Chrome cannot compare by %q: it is looked for only", shorten(compare)), "")
	case attribute == "value":
		out.Properties = map[string]any{"value": c.text(s.Value)}
	case attribute != "":
		out.Attributes = map[string]any{attribute: c.text(s.Value)}
	default:
		out.Properties = map[string]any{"innerText": c.text(s.Value)}
	}
	if c.element(out, s) {
		c.put(out, s)
	}
}

func (c *chromeWriter) tab(s *automation.Step) {
	if arg(s, "action") != "close" {
		c.keep(s, "Chrome only closes tabs")
		return
	}
	c.put(&chromeOut{chromeStep: chromeStep{Type: "close"}}, s)
}

// expect says what followed a step, as far as Chrome knows it.
func (c *chromeWriter) expect(s *automation.Step) {
	for _, e := range s.Expect {
		switch {
		case e.Kind == "popup":
			c.openTab(e)
		case e.Kind == "element" && len(s.Frame) == 0:
			seen := automation.Step{Tool: "waitFor", Page: s.Page, Selector: e.Selector}
			c.waitFor(&seen)
		default:
			c.lose(Dropped, fmt.Sprintf("Chrome does not wait for %s", expectation(e.Kind)), "")
		}
	}
}

// openTab finds out by which address Chrome knows a tab: that of the popup, or the
// one that it goes to first.
func (c *chromeWriter) openTab(e automation.Expectation) {
	address := exact(e.URL)
	for i := c.at + 1; i < len(c.automation.Steps) && address == ""; i++ {
		if next := &c.automation.Steps[i]; next.Page == e.Page {
			if next.Tool == "waitForNav" {
				address = exact(next.URL)
			}
			break
		}
	}
	if address != "" {
		c.tabs[e.Page] = address
	}
}
