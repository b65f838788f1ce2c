package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// jsonlReader reads the actions of a recording.
type jsonlReader struct {
	*reader
	main     string // the first tab's key
	expects  bool   // the recording says what it waits for after an action
	anyFrame []int  // steps of which the recording does not say in which frame they are
}

func readJSONL(r *reader, data []byte) error {
	j := &jsonlReader{reader: r}
	n := 0
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if n++; n > maxSteps {
			return r.fail(ErrTooLarge, "more than the %d lines allowed", maxSteps)
		}
		var a jsonlAction
		r.begin(n-1, "")
		if err := json.Unmarshal(line, &a); err != nil {
			return r.fail(err, "not an action: %v", err)
		}
		if a.Name == "" && n == 1 {
			r.begin(whole, "")
			j.header(line)
			continue
		}
		r.begin(n-1, a.Name)
		j.action(&a)
	}
	j.unframed()
	return nil
}

// header reports what the browser was started with.
func (j *jsonlReader) header(line []byte) {
	var h struct {
		DeviceName     string                     `json:"deviceName"`
		ContextOptions map[string]json.RawMessage `json:"contextOptions"`
		Expects        bool                       `json:"generateExpectSignal"`
	}
	if json.Unmarshal(line, &h) != nil {
		return
	}
	j.expects = h.Expects
	if h.DeviceName != "" || len(h.ContextOptions) > 0 {
		j.lose(Dropped, "a document says nothing of the browser that it was recorded with: its size, its device, its saved login", "")
	}
}

// jsonlActions read the actions of each name.
var jsonlActions = map[string]func(*jsonlReader, *jsonlAction, automation.Step){
	"openPage":       (*jsonlReader).openPage,
	"closePage":      (*jsonlReader).closePage,
	"navigate":       func(j *jsonlReader, a *jsonlAction, s automation.Step) { j.navigate(s.Page, a.URL) },
	"click":          (*jsonlReader).click,
	"hover":          (*jsonlReader).hover,
	"fill":           (*jsonlReader).fill,
	"press":          (*jsonlReader).press,
	"check":          func(j *jsonlReader, a *jsonlAction, s automation.Step) { j.set(a, s, true) },
	"uncheck":        func(j *jsonlReader, a *jsonlAction, s automation.Step) { j.set(a, s, false) },
	"select":         (*jsonlReader).choose,
	"setInputFiles":  (*jsonlReader).upload,
	"assertText":     (*jsonlReader).assertText,
	"assertValue":    (*jsonlReader).assertValue,
	"assertChecked":  (*jsonlReader).assertChecked,
	"assertVisible":  (*jsonlReader).assertVisible,
	"assertSnapshot": (*jsonlReader).assertSnapshot,
}

func (j *jsonlReader) action(a *jsonlAction) {
	read := jsonlActions[a.Name]
	if read == nil {
		j.lose(Dropped, "there is no action of this name", "Record it again, if it matters")
		return
	}
	before := len(j.steps)
	read(j, a, automation.Step{Page: j.tab(a)})
	if len(j.steps) > before {
		j.follows(a)
		return
	}
	j.anyFrame = slices.DeleteFunc(j.anyFrame, func(i int) bool { return i >= before }) // it came to nothing
}

// tab returns the tab of an action: the first one that is met is the first there is.
func (j *jsonlReader) tab(a *jsonlAction) string {
	key := a.key()
	if j.main == "" {
		j.main = key
	}
	if key == j.main || key == "" {
		return ""
	}
	page, _ := j.page(key)
	return page
}

// follows adds what was seen after an action.
func (j *jsonlReader) follows(a *jsonlAction) {
	last := j.last()
	page := last.Page
	for _, s := range a.Signals {
		switch s.Name {
		case "popup":
			key := s.PopupPageGUID
			if key == "" {
				key = s.PopupAlias
			}
			popup, _ := j.page(key)
			last.Expect = append(last.Expect, automation.Expectation{Kind: "popup", Page: popup})
		case "dialog":
			last.Expect = append(last.Expect, automation.Expectation{Kind: "dialog"})
			j.often(Changed, "what a dialog said and how it was answered is not in the file", "")
		case "download":
			last.Expect = append(last.Expect, automation.Expectation{Kind: "download"})
		case "expect":
			j.expect(last, s.Selector)
		}
	}
	for _, s := range a.Signals {
		if s.Name == "navigation" && a.Name != "navigate" && a.Name != "openPage" {
			j.arrived(page, s.URL)
		}
	}
}

// expect adds the element that an action is to lead to, where it is in no frame and
// can be told.
func (j *jsonlReader) expect(last *automation.Step, selector string) {
	found, err := readLocator(selector)
	if !j.expects || err != nil || len(found.frame) > 0 || found.anyFrame || len(found.lost) > 0 {
		return
	}
	seen := *last
	seen.Expect = append(slices.Clone(last.Expect), automation.Expectation{Kind: "element", Selector: found.paths[0]})
	if j.check(seen) == nil {
		last.Expect = seen.Expect
	}
}

func (j *jsonlReader) openPage(a *jsonlAction, step automation.Step) {
	blank := a.URL == "" || strings.HasPrefix(a.URL, "about:") || strings.HasPrefix(a.URL, "chrome:")
	switch {
	case step.Page == "" && !blank:
		j.navigate("", a.URL)
	case step.Page == "", j.isOpened(step.Page):
	default:
		step.Tool, step.Args = "tab", args(map[string]any{"action": "open"})
		if !blank {
			step.URL = j.cleanAddress(a.URL)
			j.visits(a.URL)
		}
		j.push(step)
	}
}

// isOpened reports whether a step is known to open a tab.
func (j *jsonlReader) isOpened(page string) bool {
	return slices.ContainsFunc(j.steps, func(s automation.Step) bool {
		return slices.ContainsFunc(s.Expect, func(e automation.Expectation) bool { return e.Kind == "popup" && e.Page == page })
	})
}

func (j *jsonlReader) closePage(_ *jsonlAction, step automation.Step) {
	if step.Page == "" {
		j.lose(Dropped, "the first tab is the caller's to close", "")
		return
	}
	step.Tool, step.Args = "tab", args(map[string]any{"action": "close"})
	j.push(step)
}

// on puts the element of an action into a step.
func (j *jsonlReader) on(a *jsonlAction, step *automation.Step) bool {
	found, err := readLocator(a.Selector)
	if err != nil {
		j.lose(Dropped, "its selector cannot be used here: "+shorten(err.Error()), "Record it again")
		return false
	}
	for _, lost := range found.lost {
		j.lose(Changed, lost, "See that it still finds one element only")
	}
	step.Frame = found.frame
	j.inAnyFrame(*step, found.anyFrame)
	return j.elementBy(step, found.paths)
}

func (j *jsonlReader) click(a *jsonlAction, step automation.Step) {
	step.Tool = "click"
	if a.Button != "left" {
		step.Button = a.Button
	}
	if a.ClickCount != nil && *a.ClickCount > 1 {
		step.Count = min(*a.ClickCount, 3)
	}
	step.Modifiers = modifiers(a.Modifiers)
	if len(a.Position) > 0 && string(a.Position) != "null" {
		j.lose(Changed, "the point is told in pixels of an element whose size is not known; its middle is clicked", "Give the step an offset")
	}
	if j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) hover(a *jsonlAction, step automation.Step) {
	if step.Tool = "hover"; j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) fill(a *jsonlAction, step automation.Step) {
	if a.Text == nil {
		j.lose(Dropped, "it has no text", "")
		return
	}
	if step.Tool = "typeInput"; j.on(a, &step) {
		step.Value = j.typed(*a.Text, a.Selector)
		j.push(step)
	}
}

func (j *jsonlReader) press(a *jsonlAction, step automation.Step) {
	held := modifiers(a.Modifiers)
	if len([]rune(a.Key)) == 1 {
		held = slices.DeleteFunc(held, func(m string) bool { return m == "Shift" })
	}
	step.Tool, step.Key = "keypress", automation.Key{Modifiers: held, Name: keyName(a.Key)}.String()
	if j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) set(a *jsonlAction, step automation.Step, on bool) {
	step.Tool, step.Value = "check", literal(on)
	if j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) choose(a *jsonlAction, step automation.Step) {
	step.Tool, step.Value = "select", literal(a.Options)
	if len(a.Options) == 1 {
		step.Value = j.typed(a.Options[0], "")
	}
	if len(a.Options) == 0 {
		step.Value = literal([]string{})
	}
	if j.on(a, &step) {
		j.push(step)
	}
}

// upload asks for the files: a recording has only their names.
func (j *jsonlReader) upload(a *jsonlAction, step automation.Step) {
	step.Tool = "upload"
	if !j.on(a, &step) {
		return
	}
	name := j.variables.ask("file", strings.Join(a.Files, "\n"), false)
	step.Value = &automation.Value{Kind: automation.Variable, Name: name}
	if j.push(step) {
		j.lose(Asked, fmt.Sprintf("only the names of files are in a recording: they are asked for as the variable %q", name), "")
	}
}

// jsonlAction is a line of Playwright's codegen with the language jsonl
// (https://github.com/microsoft/playwright/tree/main/packages/recorder).
type jsonlAction struct {
	Name       string          `json:"name"`
	Selector   string          `json:"selector,omitempty"`
	URL        string          `json:"url,omitempty"`
	Button     string          `json:"button,omitempty"`
	Modifiers  *int            `json:"modifiers,omitempty"`
	ClickCount *int            `json:"clickCount,omitempty"`
	Position   json.RawMessage `json:"position,omitempty"`
	Text       *string         `json:"text,omitempty"`
	Substring  *bool           `json:"substring,omitempty"`
	Value      *string         `json:"value,omitempty"`
	Checked    *bool           `json:"checked,omitempty"`
	Key        string          `json:"key,omitempty"`
	Options    []string        `json:"options,omitempty"`
	Files      []string        `json:"files,omitempty"`
	Signals    []jsonlSignal   `json:"signals"`
	PageGUID   string          `json:"pageGuid,omitempty"`
	PageAlias  string          `json:"pageAlias,omitempty"`
	Locator    json.RawMessage `json:"locator,omitempty"`
}

type jsonlSignal struct {
	Name          string `json:"name"`
	URL           string `json:"url,omitempty"`
	PopupAlias    string `json:"popupAlias,omitempty"`
	PopupPageGUID string `json:"popupPageGuid,omitempty"`
	DialogAlias   string `json:"dialogAlias,omitempty"`
	DownloadAlias string `json:"downloadAlias,omitempty"`
	Selector      string `json:"selector,omitempty"`
}

// key is by what a line names its tab: older versions have an alias.
func (a *jsonlAction) key() string {
	if a.PageGUID != "" {
		return a.PageGUID
	}
	return a.PageAlias
}

// modifierBits are those of Playwright's recorder.
var modifierBits = []string{"Alt", "Control", "Meta", "Shift"}

func modifiers(bits *int) []string {
	var names []string
	for i, name := range modifierBits {
		if bits != nil && *bits&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (j *jsonlReader) assert(a *jsonlAction, step automation.Step, with map[string]any) {
	step.Tool = "assert"
	if len(with) > 0 {
		step.Args = args(with)
	}
	if j.on(a, &step) {
		j.push(step)
	}
}

func (j *jsonlReader) assertText(a *jsonlAction, step automation.Step) {
	if a.Text == nil {
		j.lose(Dropped, "it has no text", "")
		return
	}
	step.Value = literal(*a.Text)
	with := map[string]any{}
	if a.Substring != nil && *a.Substring {
		with["compare"] = "contains"
	}
	j.assert(a, step, with)
}

func (j *jsonlReader) assertValue(a *jsonlAction, step automation.Step) {
	if a.Value == nil {
		j.lose(Dropped, "it has no value", "")
		return
	}
	if _, secret := fieldKind(a.Selector, *a.Value); secret {
		j.lose(Dropped, "what it compares with looks like a secret, and is not stored", "")
		return
	}
	step.Value = literal(*a.Value)
	j.assert(a, step, map[string]any{"attribute": "value"})
}

func (j *jsonlReader) assertChecked(a *jsonlAction, step automation.Step) {
	state := "unchecked"
	if a.Checked != nil && *a.Checked {
		state = "checked"
	}
	j.assert(a, step, map[string]any{"state": state})
}

func (j *jsonlReader) assertVisible(a *jsonlAction, step automation.Step) {
	j.assert(a, step, map[string]any{"state": "visible"})
}

func (j *jsonlReader) assertSnapshot(*jsonlAction, automation.Step) {
	j.lose(Dropped, "the file does not hold what it compares with", "Add a step of the tool assert")
}

// inAnyFrame notes a step whose frame is not told. The next one in the same tab
// that is told of its frame is taken to be next to it: Playwright leaves the frame
// out only while it has not found out yet.
func (j *jsonlReader) inAnyFrame(step automation.Step, anyFrame bool) {
	switch {
	case anyFrame:
		j.anyFrame = append(j.anyFrame, len(j.steps))
	case len(step.Frame) > 0:
		for _, i := range j.anyFrame {
			if i < len(j.steps) && j.steps[i].Page == step.Page {
				j.steps[i].Frame = step.Frame
				j.add(Loss{Step: j.from[i].at, Command: j.from[i].command, Kind: Changed, What: "it does not say in which frame: that of a later step is taken", Do: "See that it is the right one"})
			}
		}
		j.anyFrame = nil
	}
}

// unframed reports those that no later step is next to.
func (j *jsonlReader) unframed() {
	for _, i := range j.anyFrame {
		if i < len(j.steps) {
			j.add(Loss{Step: j.from[i].at, Command: j.from[i].command, Kind: Changed, What: "it does not say in which frame: it is looked for in none", Do: "Give the step its frame"})
		}
	}
}
