package exchange

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// sideProject is a project of Selenium IDE
// (https://github.com/SeleniumHQ/selenium-ide/tree/trunk/packages/side-model).
type sideProject struct {
	ID      string      `json:"id"`
	Version string      `json:"version"`
	Name    string      `json:"name"`
	URL     string      `json:"url"`
	Tests   []sideTest  `json:"tests"`
	Suites  []sideSuite `json:"suites"`
	URLs    []string    `json:"urls"`
	Plugins []any       `json:"plugins"`
}

type sideTest struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Commands []sideCommand `json:"commands"`
}

type sideSuite struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	PersistSession bool     `json:"persistSession"`
	Parallel       bool     `json:"parallel"`
	Timeout        int      `json:"timeout"` // s
	Tests          []string `json:"tests"`
}

type sideCommand struct {
	ID            string     `json:"id"`
	Comment       string     `json:"comment"`
	Command       string     `json:"command"`
	Target        string     `json:"target"`
	Targets       [][]string `json:"targets"`
	Value         string     `json:"value"`
	Skip          bool       `json:"skip,omitempty"`
	OpensWindow   bool       `json:"opensWindow,omitempty"`
	WindowHandle  string     `json:"windowHandleName,omitempty"`
	WindowTimeout float64    `json:"windowTimeout,omitempty"` // ms
}

// sideReader reads the commands of a test.
type sideReader struct {
	*reader
	project sideProject
	stored  map[string]string // constants, by the name of the variable
	taken   map[string]bool   // variables that the flow itself reads from the page
	frame   []selectors.Path
	window  string
	blocks  int // commands in a block of a control command are passed over
	read    int // commands, of all tests that run one another
}

func readSide(r *reader, data []byte) error {
	s := &sideReader{reader: r, stored: map[string]string{"nbsp": "\u00a0"}, taken: map[string]bool{}}
	if err := json.Unmarshal(data, &s.project); err != nil {
		return r.fail(err, "not a project: %v", err)
	}
	if len(s.project.Tests) == 0 {
		return r.fail(ErrNothing, "it holds no test")
	}
	test, err := s.test(r.options.Test)
	if err != nil {
		return err
	}
	if n := len(s.project.Tests); n > 1 && r.options.Test == "" {
		r.add(Loss{Step: whole, Kind: Dropped, What: fmt.Sprintf("of %d tests the first, %q, is taken", n, shorten(test.Name)), Do: "Take another with the option for the test's name"})
	}
	r.title = test.Name
	return s.play(test, 0)
}

// test returns a test by its name, the first for "".
func (s *sideReader) test(name string) (*sideTest, error) {
	var names []string
	for i := range s.project.Tests {
		if test := &s.project.Tests[i]; name == "" || test.Name == name {
			return test, nil
		}
		names = append(names, fmt.Sprintf("%q", shorten(s.project.Tests[i].Name)))
	}
	return nil, s.fail(ErrNothing, "there is no test %q; there are %s", shorten(name), shorten(strings.Join(names, ", ")))
}

// play reads the commands of a test. Those of a test that it runs keep the place of
// the command that runs it.
func (s *sideReader) play(test *sideTest, depth int) error {
	for i := range test.Commands {
		c := &test.Commands[i]
		if s.read++; s.read > maxSteps {
			return s.fail(ErrTooLarge, "more than the %d commands allowed", maxSteps)
		}
		if depth == 0 {
			s.begin(i, c.Command)
		}
		if c.Command == "" || c.Skip || strings.HasPrefix(c.Command, "//") {
			continue
		}
		if c.Command == "run" && s.blocks == 0 {
			if err := s.run(c.Target, depth); err != nil {
				return err
			}
			continue
		}
		s.one(c)
	}
	return nil
}

// run puts the commands of another test in the place of the one that runs it.
func (s *sideReader) run(name string, depth int) error {
	if depth >= maxDepth {
		return s.fail(ErrTooLarge, "tests run one another more than %d deep", maxDepth)
	}
	other, err := s.test(name)
	if err != nil || name == "" {
		s.lose(Dropped, fmt.Sprintf("it runs the test %q, which is not there", shorten(name)), "")
		return nil
	}
	return s.play(other, depth+1)
}

// Control commands open blocks that end closes.
var (
	sideOpens  = []string{"if", "while", "times", "forEach", "do"}
	sideCloses = []string{"end", "repeatIf"}
)

// one reads a command. What is done only under a condition, or several times, is
// not taken over at all: done once and always it could be something else.
func (s *sideReader) one(c *sideCommand) {
	switch {
	case slices.Contains(sideOpens, c.Command):
		if s.blocks++; s.blocks == 1 {
			s.lose(Dropped, "conditions and loops are not taken over, nor what is in them", "Record what has to be done; a step can be optional, or have a condition")
		}
		return
	case slices.Contains(sideCloses, c.Command):
		s.blocks = max(s.blocks-1, 0)
		return
	case s.blocks > 0:
		return
	}
	read := sideCommands[c.Command]
	if read == nil {
		s.lose(Dropped, sideWhy(c.Command), "")
		return
	}
	c.Target, c.Value = s.fill(c.Target), s.fill(c.Value)
	before := len(s.steps)
	step := automation.Step{Page: s.window, Frame: slices.Clone(s.frame)}
	read(s, c, step)
	if c.OpensWindow && len(s.steps) > before {
		page, _ := s.page(c.WindowHandle)
		s.last().Expect = append(s.last().Expect, automation.Expectation{Kind: "popup", Page: page})
	}
}

// sideScripts are the commands that run what a stranger wrote.
var sideScripts = []string{"executeScript", "executeAsyncScript", "runScript"}

func sideWhy(command string) string {
	switch {
	case slices.Contains(sideScripts, command):
		return "it runs a script, and scripts of a file are never run"
	case strings.HasPrefix(command, "store"):
		return "what it stores cannot be read by a step"
	case strings.HasPrefix(command, "mouse"):
		return "moves of the mouse are not imported"
	}
	return "there is no such command here"
}

// fill puts in what the file itself has stored. What else has a hole becomes a
// variable where it is typed.
func (s *sideReader) fill(text string) string {
	const most = 4 << 10 // bytes; a stored text can be put in many times, also into itself
	if !strings.Contains(text, "${") {
		return text
	}
	filled := hole.ReplaceAllStringFunc(text, func(found string) string {
		if value, known := s.stored[found[2:len(found)-1]]; known {
			return value
		}
		return found
	})
	if len(filled) > most {
		s.lose(Changed, "what is stored makes too long a text, and is not put in", "")
		return text
	}
	return filled
}

// on puts the element of a command into a step: its target first, then the others
// that were recorded.
func (s *sideReader) on(c *sideCommand, step *automation.Step) bool {
	var found []selectors.Path
	take := func(locator string) {
		path, why := sidePath(locator)
		if why != "" {
			s.lose(Dropped, fmt.Sprintf("the locator %q: %s", shorten(locator), why), "")
		}
		if path != nil {
			found = append(found, path)
		}
	}
	take(c.Target)
	for _, target := range c.Targets {
		if len(target) > 0 && target[0] != c.Target {
			take(s.fill(target[0]))
		}
	}
	ways := selectors.Rank(found, s.testIDs...)
	if first, err := selectors.ParsePath(firstOf(splitSide(c.Target))); err == nil && len(ways) > 0 { // last: where none of them names one alone
		ways = append(ways[:min(len(ways), selectors.MaxKept-1)], first)
	}
	return s.elementBy(step, ways)
}

func (s *sideReader) about(c *sideCommand) string {
	words := []string{c.Target}
	for _, target := range c.Targets {
		words = append(words, target...)
	}
	return strings.Join(words, " ")
}

// address is a target of open: an address, or a part of one on the project's own.
func (s *sideReader) address(target string) string {
	base, err := url.Parse(s.project.URL)
	if err != nil || hole.MatchString(target) {
		return target
	}
	u, err := base.Parse(target)
	if err != nil {
		return target
	}
	return u.String()
}

// timeout is the value of a wait, in milliseconds.
func sideTimeout(value string) time.Duration {
	ms, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || ms <= 0 || ms > 1e9 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

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
	"setWindowSize":          passes("a document says nothing of the window: its size is for anyone who plays it"),
	"setSpeed":               passes("steps wait until they can be done, not for a time"),
	"echo":                   passes("it only writes to a log"),
	"debugger":               passes("it only stops the recorder"),
	"mouseOut":               passes("moves of the mouse are not imported"),
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

// softly reports a check that does not end a test.
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

// store keeps a text for what follows. A secret is not stored: it is asked for.
func (s *sideReader) store(c *sideCommand, _ automation.Step) {
	if !hole.MatchString("${" + c.Value + "}") {
		s.lose(Dropped, fmt.Sprintf("%q is no name of a variable", shorten(c.Value)), "")
		return
	}
	if name, _ := fieldKind(c.Value, c.Target); name != "" && c.Target != "" {
		delete(s.stored, c.Value)
		s.variables.remember(c.Value, c.Target)
		s.lose(Asked, fmt.Sprintf("what it stores is not saved, and is asked for as the variable %q", c.Value), "")
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
