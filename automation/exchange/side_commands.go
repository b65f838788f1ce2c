package exchange

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// sideCommands read the commands of each name.
var sideCommands = map[string]func(*sideReader, *sideCommand, automation.Step){
	"open":          (*sideReader).open,
	"click":         clicks(""),
	"clickAt":       clicks(""),
	"doubleClick":   clicks("twice"),
	"doubleClickAt": clicks("twice"),
	"mouseOver":     acts("hover"),
	"mouseMoveAt":   acts("hover"),
	"type":          (*sideReader).types,
	"sendKeys":      (*sideReader).sendKeys,
	"editContent":   (*sideReader).editContent,
	"select":        (*sideReader).selects,
	"addSelection":  (*sideReader).addSelection,
	"check":         checks(true),
	"uncheck":       checks(false),

	"dragAndDropToObject": (*sideReader).drag,

	"selectFrame":  (*sideReader).selectFrame,
	"selectWindow": (*sideReader).selectWindow,
	"close":        (*sideReader).close,

	"acceptAlert":                            dialogs(true),
	"acceptConfirmation":                     dialogs(true),
	"answerPrompt":                           dialogs(true),
	"dismissConfirmation":                    dialogs(false),
	"dismissPrompt":                          dialogs(false),
	"chooseOkOnNextConfirmation":             dialogs(true),
	"chooseCancelOnNextConfirmation":         dialogs(false),
	"webdriverChooseOkOnVisibleConfirmation": dialogs(true),
	"webdriverAnswerOnVisiblePrompt":         dialogs(true),

	"waitForElementPresent":    waits("attached"),
	"waitForElementVisible":    waits("visible"),
	"waitForElementEditable":   waits("editable"),
	"waitForElementNotPresent": waits("detached"),
	"waitForElementNotVisible": waits("hidden"),
	"waitForText":              (*sideReader).waitForText,

	"store":                  (*sideReader).store,
	"storeText":              extracts(""),
	"storeValue":             extracts("value"),
	"storeAttribute":         (*sideReader).storeAttribute,
	"storeWindowHandle":      (*sideReader).storeWindowHandle,
	"pause":                  passes("nothing waits for a time: steps wait until they can be done"),
	"setWindowSize":          passes("a document says nothing of the window: its size is for whoever plays it"),
	"setSpeed":               passes("steps wait until they can be done, not for a time"),
	"echo":                   passes("it only writes to a log"),
	"debugger":               passes("it only stops the recorder"),
	"mouseOut":               passes("moves of the mouse are not kept"),
	"assert":                 passes("it compares what the flow has stored, which no step can read"),
	"verify":                 passes("it compares what the flow has stored, which no step can read"),
	"assertTitle":            passes("the title of a page cannot be compared"),
	"verifyTitle":            passes("the title of a page cannot be compared"),
	"assertAlert":            passes("what a dialog says cannot be compared"),
	"assertConfirmation":     passes("what a dialog says cannot be compared"),
	"assertPrompt":           passes("what a dialog says cannot be compared"),
	"removeSelection":        passes("a list is set to all of its chosen options at once"),
	"assertSelectedLabel":    asserts("label", ""),
	"verifySelectedLabel":    asserts("label", ""),
	"assertSelectedValue":    asserts("value", ""),
	"verifySelectedValue":    asserts("value", ""),
	"assertValue":            asserts("value", ""),
	"verifyValue":            asserts("value", ""),
	"assertText":             asserts("", ""),
	"verifyText":             asserts("", ""),
	"assertNotText":          asserts("", "not"),
	"verifyNotText":          asserts("", "not"),
	"assertNotSelectedValue": asserts("value", "not"),
	"verifyNotSelectedValue": asserts("value", "not"),

	"assertElementPresent":    states("attached"),
	"verifyElementPresent":    states("attached"),
	"assertElementNotPresent": states("detached"),
	"verifyElementNotPresent": states("detached"),
	"assertChecked":           states("checked"),
	"verifyChecked":           states("checked"),
	"assertNotChecked":        states("unchecked"),
	"verifyNotChecked":        states("unchecked"),
	"assertEditable":          states("editable"),
	"verifyEditable":          states("editable"),
	"assertNotEditable":       states("disabled"),
	"verifyNotEditable":       states("disabled"),
}

type sideCommandReader = func(*sideReader, *sideCommand, automation.Step)

func (s *sideReader) open(c *sideCommand, step automation.Step) {
	if last := s.last(); last != nil && (last.Tool == "click" || last.Tool == "keypress") && last.Page == step.Page {
		s.lose(Changed, "Selenium waits for the page that a click leads to; here the address is opened at once", "Add a step of the tool waitForNav before it, where the one before leads to another page")
	}
	s.navigate(step.Page, s.address(c.Target))
}

func clicks(twice string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		if step.Tool = "click"; twice != "" {
			step.Count = 2
		}
		if s.on(c, &step) {
			s.push(step)
		}
	}
}

func acts(tool string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		if step.Tool = tool; s.on(c, &step) {
			s.push(step)
		}
	}
}

func checks(on bool) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Value = "check", literal(on)
		if s.on(c, &step) {
			s.push(step)
		}
	}
}

func passes(why string) sideCommandReader {
	return func(s *sideReader, c *sideCommand, _ automation.Step) { s.lose(Dropped, why, "") }
}

func (s *sideReader) types(c *sideCommand, step automation.Step) {
	if step.Tool = "typeInput"; s.on(c, &step) {
		step.Value = s.typed(c.Value, s.about(c))
		s.push(step)
	}
}

var htmlTags = regexp.MustCompile(`<[^>]*>`)

func (s *sideReader) editContent(c *sideCommand, step automation.Step) {
	plain := *c
	plain.Value = html.UnescapeString(htmlTags.ReplaceAllString(c.Value, ""))
	if plain.Value != c.Value {
		s.lose(Changed, "only the text is typed, without its markup", "")
	}
	s.types(&plain, step)
}

// option reads a locator of an option, "" where it names none by what it shows or
// is called.
func sideOption(locator string) string {
	for _, kind := range []string{"label=mostly-equals:", "label=exact:", "label=", "value="} {
		if option, found := strings.CutPrefix(locator, kind); found {
			return strings.TrimSpace(option)
		}
	}
	if strings.HasPrefix(locator, "id=") || strings.HasPrefix(locator, "index=") || strings.HasPrefix(locator, "label=regexp") {
		return ""
	}
	return strings.TrimSpace(locator)
}

func (s *sideReader) selects(c *sideCommand, step automation.Step) {
	option := sideOption(c.Value)
	if option == "" {
		s.lose(Dropped, fmt.Sprintf("an option is chosen by what it shows or is called, not by %q", shorten(c.Value)), "Add a step of the tool select")
		return
	}
	if step.Tool = "select"; s.on(c, &step) {
		step.Value = s.typed(option, "")
		s.push(step)
	}
}

// addSelection sets a list to all of its options that are added one after another.
func (s *sideReader) addSelection(c *sideCommand, step automation.Step) {
	option := sideOption(c.Value)
	last := s.last()
	if step.Tool = "select"; option == "" || !s.on(c, &step) {
		s.lose(Dropped, "the option is not told by what it shows or is called", "")
		return
	}
	if last != nil && last.Tool == "select" && last.Selector.String() == step.Selector.String() && last.Value.Kind == automation.Literal {
		w := writer{}
		last.Value = literal(append(w.options(last.Value), option))
		return
	}
	step.Value = literal([]string{option})
	s.push(step)
}

func (s *sideReader) drag(c *sideCommand, step automation.Step) {
	to, why := sidePath(c.Value)
	if to == nil {
		s.lose(Dropped, "where to drag it: "+why, "")
		return
	}
	step.Tool, step.Args = "drag", args(map[string]any{"to": to})
	if s.on(c, &step) {
		s.push(step)
	}
}
