package exchange

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/selectors"
)

// What a project of Selenium IDE says where a document says nothing.
const (
	sideVersion = "3.0"
	sideWait    = 30000 // ms; as long as a step of ours may take
	sideSuiteS  = 300   // s; its own default
)

// sideWriter writes a test.
type sideWriter struct {
	*writer
	commands []sideCommand
	frame    []selectors.Path
	window   string
}

func writeSide(w *writer) ([]byte, error) {
	s := &sideWriter{writer: w}
	if slices.ContainsFunc(w.automation.Steps, func(step automation.Step) bool { return step.Page != "" }) {
		s.add("storeWindowHandle", "root", "")
	}
	w.each(s.write)
	name := w.automation.Name
	test := sideTest{ID: sideID(name, "test"), Name: name, Commands: s.commands}
	base := ""
	if u, err := url.Parse(w.first()); err == nil && u.Host != "" {
		base = weburl.Origin(u)
	}
	return indented(sideProject{
		ID: sideID(name, "project"), Version: sideVersion, Name: w.title(), URL: base, URLs: []string{base}, Plugins: []any{}, Tests: []sideTest{test},
		Suites: []sideSuite{{ID: sideID(name, "suite"), Name: "Default Suite", Timeout: sideSuiteS, Tests: []string{test.ID}}},
	})
}

// sideID is the same each time the same is exported, in the form of a UUID.
func sideID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (s *sideWriter) add(command, target, value string) *sideCommand {
	n := len(s.commands)
	s.commands = append(s.commands, sideCommand{ID: sideID(s.automation.Name, strconv.Itoa(n)), Command: command, Target: target, Value: value, Targets: [][]string{}})
	return &s.commands[n]
}

// sideTools write the commands of each tool; the others are left as disabled ones.
var sideTools = map[string]func(*sideWriter, *automation.Step){
	"navigate":   (*sideWriter).open,
	"click":      (*sideWriter).click,
	"typeInput":  (*sideWriter).types,
	"upload":     (*sideWriter).types,
	"keypress":   (*sideWriter).keypress,
	"waitForNav": (*sideWriter).waitForNav,
	"select":     (*sideWriter).choose,
	"check":      (*sideWriter).check,
	"hover":      func(s *sideWriter, step *automation.Step) { s.on(step, "mouseOver", "") },
	"drag":       (*sideWriter).drag,
	"waitFor":    (*sideWriter).waitFor,
	"assert":     (*sideWriter).assert,
	"extract":    (*sideWriter).extract,
	"dialog":     (*sideWriter).dialog,
	"tab":        (*sideWriter).tab,
}

func (s *sideWriter) write(step *automation.Step) {
	if step.Tool == "fillForm" {
		for _, field := range formFields(step) {
			s.write(&field)
		}
		return
	}
	write := sideTools[step.Tool]
	if write == nil {
		s.disabled(step, "there is no such command in Selenium IDE")
		return
	}
	s.enter(step)
	before := len(s.commands)
	write(s, step)
	if len(s.commands) > before {
		s.expect(step)
	}
}

// disabled leaves a command where the step was that could not be written.
func (s *sideWriter) disabled(step *automation.Step, why string) {
	s.lose(Dropped, why+": a disabled command stands in its place", "Do by hand what it did, where it matters")
	s.add("//"+step.Tool, step.Selector.String(), "").Comment = step.Intent
}

func (s *sideWriter) open(step *automation.Step) {
	address := step.URL
	if address == "" {
		address = s.text(step.Value)
	}
	s.add("open", address, "").Comment = step.Intent
	s.frame = nil
}

func (s *sideWriter) click(step *automation.Step) {
	if step.Button != "" && step.Button != "left" {
		s.disabled(step, fmt.Sprintf("Selenium IDE has no click with the %s button", step.Button))
		return
	}
	if len(step.Modifiers) > 0 {
		s.lose(Changed, "no keys are held down while it clicks", "")
	}
	command := "click"
	if step.Count > 1 {
		command = "doubleClick"
	}
	s.on(step, command, "")
}

func (s *sideWriter) types(step *automation.Step) {
	command := "type"
	if caretOf(step) != "" {
		s.lose(Changed, replacesText, "")
	}
	if f := step.Fingerprint; f != nil && !slices.Contains([]string{"input", "textarea", "select", ""}, f.Tag) {
		command = "editContent"
	} else if step.Keys {
		command = "sendKeys"
		s.lose(Changed, "sendKeys adds to what the field holds", "")
	}
	s.on(step, command, s.text(step.Value))
}

// sideKey is a key as sendKeys has it, "" for one that it has not.
func sideKey(name string) string {
	if len([]rune(name)) == 1 && name != " " {
		return name
	}
	for _, known := range []string{"ENTER", "TAB", "ESC", "BACKSPACE", "DELETE", "SPACE", "UP", "DOWN", "LEFT", "RIGHT", "PAGE_UP", "PAGE_DOWN", "HOME", "END", "INSERT"} {
		if seleniumKeys[known] == name {
			return "${KEY_" + known + "}"
		}
	}
	if _, isFunction := seleniumKeys[name]; isFunction {
		return "${KEY_" + name + "}"
	}
	return ""
}

func (s *sideWriter) keypress(step *automation.Step) {
	key, err := automation.ParseKey(step.Key)
	text := sideKey(key.Name)
	if err != nil || text == "" {
		s.disabled(step, fmt.Sprintf("Selenium IDE has no key %q", step.Key))
		return
	}
	held := ""
	for _, name := range key.Modifiers {
		held += map[string]string{"Control": "${KEY_CTRL}", "ControlOrMeta": "${KEY_CTRL}", "Alt": "${KEY_ALT}", "Shift": "${KEY_SHIFT}", "Meta": "${KEY_META}"}[name]
	}
	if len(step.Selector) == 0 {
		s.add("sendKeys", "css=:focus", held+text).Comment = step.Intent
		return
	}
	s.on(step, "sendKeys", held+text)
}

func (s *sideWriter) waitForNav(*automation.Step) {
	s.often(Changed, "Selenium IDE waits for pages automatically, and does not see where they lead", "")
}

func (s *sideWriter) choose(step *automation.Step) {
	s.often(Changed, "an option is chosen by what it shows, not by what the page calls it", "Where these differ, write value= in the place of label=")
	options := s.options(step.Value)
	command := "select"
	if len(options) > 1 {
		command = "addSelection"
		s.lose(Changed, "options are added to those that are chosen", "")
	}
	for _, option := range options {
		s.on(step, command, "label="+option)
	}
}

func (s *sideWriter) check(step *automation.Step) {
	on, known := s.wanted(step)
	if !known {
		s.lose(Changed, "whether it is to be checked is up to a variable: it is checked", "")
	}
	command := "check"
	if !on {
		command = "uncheck"
	}
	s.on(step, command, "")
}

func (s *sideWriter) drag(step *automation.Step) {
	to, _ := sideLocators([]selectors.Path{step.DragTo()}, func(value string) string { return testIDs(value, nil) })
	if len(to) == 0 {
		s.disabled(step, "where it is dragged to cannot be told there")
		return
	}
	s.on(step, "dragAndDropToObject", to[0][0])
}

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

// expect notes what followed a step.
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
		case "change", "update": // what is used next is waited for
		default:
			s.lose(Dropped, fmt.Sprintf("Selenium IDE does not wait for %s", expectation(e.Kind)), "")
		}
	}
}
