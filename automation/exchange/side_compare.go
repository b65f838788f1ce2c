package exchange

import (
	"fmt"
	"strconv"

	"github.com/go-reprise/reprise/automation"
)

func (s *sideWriter) waitFor(step *automation.Step) {
	if len(step.Selector) == 0 {
		s.disabled(step, "Selenium IDE waits for elements only")
		return
	}
	wait := strconv.Itoa(sideWait)
	if step.Timeout > 0 {
		wait = strconv.FormatInt(step.Timeout.Milliseconds(), 10)
	}
	if text := arg(step, "text"); text != "" {
		s.on(step, "waitForText", text)
		return
	}
	command := map[string]string{"attached": "waitForElementPresent", "editable": "waitForElementEditable", "detached": "waitForElementNotPresent", "hidden": "waitForElementNotVisible"}[arg(step, "state")]
	if command == "" {
		command = "waitForElementVisible"
	}
	s.on(step, command, wait)
}

func (s *sideWriter) assert(step *automation.Step) {
	compare, attribute := arg(step, "compare"), arg(step, "attribute")
	command := map[string]string{
		"checked": "assertChecked", "unchecked": "assertNotChecked", "editable": "assertEditable", "disabled": "assertNotEditable",
		"detached": "assertElementNotPresent", "hidden": "assertElementNotPresent",
	}[arg(step, "state")]
	switch {
	case len(step.Selector) == 0:
		s.disabled(step, "Selenium IDE compares elements only")
		return
	case command != "" || step.Value == nil:
	case compare == "contains":
		s.lose(Changed, "it is compared whole: there is no part of a text", "")
		command = "assertText"
	case attribute == "value":
		command = "assertValue"
	case attribute == "label":
		command = "assertSelectedLabel"
	case attribute != "":
		s.disabled(step, "Selenium IDE does not compare attributes")
		return
	case compare == "not":
		command = "assertNotText"
	default:
		command = "assertText"
	}
	if command == "" {
		command = "assertElementPresent"
	}
	s.on(step, command, s.text(step.Value))
}

func (s *sideWriter) extract(step *automation.Step) {
	attribute, as := arg(step, "attribute"), arg(step, "as")
	locators := s.locators(step)
	switch {
	case attribute == "":
		s.on(step, "storeText", as)
	case attribute == "value":
		s.on(step, "storeValue", as)
	case len(locators) == 0:
		s.disabled(step, "Selenium IDE cannot use any of its selectors")
	default:
		s.add("storeAttribute", locators[0][0]+"@"+attribute, as).Comment = step.Intent
	}
}

func (s *sideWriter) dialog(step *automation.Step) {
	switch {
	case arg(step, "accept") == "false":
		s.add("dismissConfirmation", "", "")
	case step.Value != nil:
		s.add("answerPrompt", s.text(step.Value), "")
	default:
		s.add("acceptConfirmation", "", "")
	}
}

func (s *sideWriter) tab(step *automation.Step) {
	if arg(step, "action") != "close" {
		s.disabled(step, "Selenium IDE only closes tabs")
		return
	}
	s.add("close", "", "")
}

// expect says what followed a step.
func (s *sideWriter) expect(step *automation.Step) {
	for _, e := range step.Expect {
		switch e.Kind {
		case "popup":
			opener := &s.commands[len(s.commands)-1]
			opener.OpensWindow, opener.WindowHandle, opener.WindowTimeout = true, e.Page, 2000
		case "element":
			s.waitFor(&automation.Step{Tool: "waitFor", Selector: e.Selector})
		case "dialog":
			s.add("acceptAlert", "", "")
		default:
			s.lose(Dropped, fmt.Sprintf("Selenium IDE does not wait for %s", expectation(e.Kind)), "")
		}
	}
}
