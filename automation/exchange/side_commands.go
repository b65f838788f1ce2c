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

// seleniumKeys are the keys whose names differ from ours.
var seleniumKeys = map[string]string{
	"ENTER": "Enter", "RETURN": "Enter", "TAB": "Tab", "ESC": "Escape", "ESCAPE": "Escape", "BACKSPACE": "Backspace", "BKSP": "Backspace",
	"DELETE": "Delete", "DEL": "Delete", "SPACE": " ", "UP": "ArrowUp", "DOWN": "ArrowDown", "LEFT": "ArrowLeft", "RIGHT": "ArrowRight",
	"PAGE_UP": "PageUp", "PGUP": "PageUp", "PAGE_DOWN": "PageDown", "PGDN": "PageDown", "HOME": "Home", "END": "End", "INSERT": "Insert", "INS": "Insert",
	"F1": "F1", "F2": "F2", "F3": "F3", "F4": "F4", "F5": "F5", "F6": "F6", "F7": "F7", "F8": "F8", "F9": "F9", "F10": "F10", "F11": "F11", "F12": "F12",
}

// seleniumModifiers hold for the rest of what is sent.
var seleniumModifiers = map[string]string{"CTRL": "Control", "CONTROL": "Control", "ALT": "Alt", "SHIFT": "Shift", "META": "Meta", "COMMAND": "Meta"}

var keyHole = regexp.MustCompile(`\$\{KEY_([A-Z0-9_]+)\}`)

// sendKeys is texts and keys, one after the other.
func (s *sideReader) sendKeys(c *sideCommand, step automation.Step) {
	if !s.on(c, &step) {
		return
	}
	var held []string
	text := func(text string) {
		switch {
		case text == "":
		case len(held) > 0:
			for _, char := range text {
				s.pressKey(step, automation.Key{Modifiers: held, Name: string(char)})
			}
		default:
			typing := step
			typing.Tool, typing.Keys, typing.Value = "typeInput", true, s.typed(text, s.about(c))
			s.often(Changed, "keys that are sent take the place of what the field holds; Selenium adds them to it", "")
			s.push(typing)
		}
	}
	end := 0
	for _, at := range keyHole.FindAllStringSubmatchIndex(c.Value, -1) {
		text(c.Value[end:at[0]])
		end = at[1]
		name := c.Value[at[2]:at[3]]
		switch {
		case seleniumModifiers[name] != "":
			held = append(held, seleniumModifiers[name])
		case seleniumKeys[name] != "":
			s.pressKey(step, automation.Key{Modifiers: held, Name: seleniumKeys[name]})
		default:
			s.lose(Dropped, fmt.Sprintf("there is no key %q", shorten(name)), "")
		}
	}
	text(c.Value[end:])
}

func (s *sideReader) pressKey(step automation.Step, key automation.Key) {
	step.Tool, step.Key = "keypress", key.String()
	s.push(step)
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

// selectFrame leads into a frame or out of it, for all that follows.
func (s *sideReader) selectFrame(c *sideCommand, _ automation.Step) {
	var index int
	switch n, _ := fmt.Sscanf(c.Target, "index=%d", &index); {
	case c.Target == "relative=parent":
		s.frame = s.frame[:max(len(s.frame)-1, 0)]
	case c.Target == "relative=top":
		s.frame = nil
	case n == 1:
		s.often(Changed, "frames are told by their place, which changes when one is added", "Give the steps a better selector of the frame")
		s.frame = append(s.frame, framePath(index))
	default:
		path, why := sidePath(c.Target)
		if path == nil {
			s.lose(Changed, "the frame cannot be told, so what follows is looked for outside of it: "+why, "Give these steps their frame")
			return
		}
		s.frame = append(s.frame, path)
	}
	if len(s.frame) > maxDepth {
		s.lose(Changed, fmt.Sprintf("frames more than %d deep", maxDepth), "")
		s.frame = s.frame[:maxDepth]
	}
}

// handle is a window that an earlier command has named.
var handle = regexp.MustCompile(`^handle=\$\{([^}]+)\}$`)

func (s *sideReader) selectWindow(c *sideCommand, _ automation.Step) {
	s.frame = nil
	m := handle.FindStringSubmatch(c.Target)
	switch {
	case m == nil:
		s.lose(Changed, fmt.Sprintf("the window %q cannot be told: what follows is done in the first tab", shorten(c.Target)), "Give these steps their page")
		s.window = ""
	case s.pages[m[1]] == 0:
		s.window = ""
	default:
		s.window, _ = s.page(m[1])
	}
}

// storeWindowHandle names the window that is there from the start; those of new
// tabs are named by what opens them.
func (s *sideReader) storeWindowHandle(*sideCommand, automation.Step) {}

func (s *sideReader) close(_ *sideCommand, step automation.Step) {
	if step.Page == "" {
		s.lose(Dropped, "the first tab is the caller's to close", "")
		return
	}
	step.Tool, step.Frame, step.Args = "tab", nil, args(map[string]any{"action": "close"})
	s.push(step)
}

func dialogs(accept bool) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Frame, step.Args = "dialog", nil, args(map[string]any{"accept": accept})
		if strings.Contains(strings.ToLower(c.Command), "answer") {
			step.Value = s.typed(c.Target, "")
			if c.Command == "webdriverAnswerOnVisiblePrompt" {
				step.Value = s.typed(c.Value, "")
			}
		}
		s.push(step)
	}
}

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
