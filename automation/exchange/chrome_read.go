package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// chromeReader reads the steps of a flow.
type chromeReader struct {
	*reader
	flow chromeFlow
	held []string // modifiers that are down, as our keys name them
	lone bool     // the last of them has not been used yet
}

func readChrome(r *reader, data []byte) error {
	c := &chromeReader{reader: r}
	if err := json.Unmarshal(data, &c.flow); err != nil {
		return r.fail(err, "not a recording: %v", err)
	}
	if len(c.flow.Steps) > maxSteps {
		return r.fail(ErrTooLarge, "%d steps, more than the %d allowed", len(c.flow.Steps), maxSteps)
	}
	r.title = c.flow.Title
	if selectors.CheckTestIDAttribute(c.flow.SelectorAttribute) == nil {
		r.testIDs = []string{c.flow.SelectorAttribute}
	}
	for i, raw := range c.flow.Steps {
		var s chromeStep
		r.begin(i, "")
		if err := json.Unmarshal(raw, &s); err != nil {
			return r.fail(err, "not a step: %v", err)
		}
		r.begin(i, s.Type)
		if err := c.step(&s); err != nil {
			return err
		}
	}
	return nil
}

// chromeTypes reads the steps of each type.
var chromeTypes = map[string]func(*chromeReader, *chromeStep, automation.Step){
	"navigate":                 (*chromeReader).navigates,
	"click":                    (*chromeReader).click,
	"doubleClick":              (*chromeReader).click,
	"hover":                    (*chromeReader).hover,
	"change":                   (*chromeReader).change,
	"keyDown":                  (*chromeReader).keyDown,
	"keyUp":                    (*chromeReader).keyUp,
	"scroll":                   (*chromeReader).scroll,
	"close":                    (*chromeReader).closes,
	"waitForElement":           (*chromeReader).waitForElement,
	"waitForExpression":        (*chromeReader).waitForExpression,
	"customStep":               (*chromeReader).custom,
	"setViewport":              (*chromeReader).viewport,
	"emulateNetworkConditions": (*chromeReader).network,
}

func (c *chromeReader) step(s *chromeStep) error {
	read := chromeTypes[s.Type]
	if read == nil {
		if s.Type == "" {
			return c.fail(nil, "it has no type")
		}
		c.lose(Dropped, "there is no step of this type", "Record it again, if it matters")
		return nil
	}
	step := automation.Step{Page: c.target(s.Target)}
	if ms := s.Timeout; ms >= 1 && ms <= 1e9 {
		step.Timeout = time.Duration(ms) * time.Millisecond
	}
	for _, index := range s.Frame {
		step.Frame = append(step.Frame, framePath(index))
	}
	before := len(c.steps)
	read(c, s, step)
	if len(s.AssertedEvents) > 0 && (len(c.steps) > before || s.Type == "keyUp") {
		c.follows(s, step.Page)
	}
	return nil
}

// target returns the tab of a step.
func (c *chromeReader) target(target string) string {
	if target == "" || target == "main" {
		return ""
	}
	page, isNew := c.page(target)
	if isNew {
		c.popup(page)
		c.visits(target)
		c.lose(Changed, "its target is taken for a tab that the step before has opened", "Where it is a frame of the page, give the step its frame instead")
	}
	return page
}

// framePath names a frame by its place, as Chrome does: it has no other name for it.
func framePath(index int) selectors.Path {
	return selectors.Path{{Kind: selectors.XPath, Body: fmt.Sprintf("(//iframe|//frame)[%d]", max(index, 0)+1)}}
}

// follows adds what was seen after a step.
func (c *chromeReader) follows(s *chromeStep, page string) {
	for _, e := range s.AssertedEvents {
		if e.Type != "navigation" {
			c.lose(Dropped, fmt.Sprintf("the event %q is not known", shorten(e.Type)), "")
			continue
		}
		if s.Type != "navigate" {
			c.arrived(page, e.URL)
		} else {
			c.visits(e.URL)
		}
	}
}

// on puts the element into a step.
func (c *chromeReader) on(s *chromeStep, step *automation.Step) bool {
	if len(step.Frame) > 0 {
		c.often(Changed, "frames are told by their place, which changes when one is added", "Give the steps a better selector of the frame")
	}
	var paths []selectors.Path
	for _, parts := range s.Selectors {
		path, err := selectors.ParsePath(parts...)
		if err != nil {
			c.lose(Dropped, "a selector cannot be read: "+shorten(err.Error()), "")
			continue
		}
		paths = append(paths, path)
	}
	return c.element(step, paths)
}

func about(s *chromeStep) string {
	var words []string
	for _, parts := range s.Selectors {
		words = append(words, parts...)
	}
	return strings.Join(words, " ")
}

func (c *chromeReader) navigates(s *chromeStep, step automation.Step) { c.navigate(step.Page, s.URL) }

var chromeButtons = map[string]string{"": "", "primary": "", "auxiliary": "middle", "secondary": "right"}

func (c *chromeReader) click(s *chromeStep, step automation.Step) {
	step.Tool = "click"
	button, known := chromeButtons[s.Button]
	if !known {
		c.lose(Dropped, fmt.Sprintf("the button %q of the mouse", shorten(s.Button)), "")
		return
	}
	step.Button, step.Modifiers = button, slices.Clone(c.held)
	c.lone = false
	if s.Type == "doubleClick" {
		step.Count = 2
	}
	if s.DeviceType != "" && s.DeviceType != "mouse" {
		c.lose(Changed, fmt.Sprintf("it is done with the mouse, not by %s", shorten(s.DeviceType)), "")
	}
	if s.Duration > float64(longPress.Milliseconds()) && s.Duration < float64(maxHold.Milliseconds()) {
		step.Hold = time.Duration(s.Duration) * time.Millisecond
	}
	if s.OffsetX != nil || s.OffsetY != nil {
		c.often(Changed, "the point of a click is told in pixels of an element whose size is not known; its middle is clicked", "")
	}
	if c.on(s, &step) {
		c.push(step)
	}
}

// longPress is from where on how long a button is down means something.
const longPress = 500 * time.Millisecond

// maxHold is how long a document may have a button held.
const maxHold = time.Minute

func (c *chromeReader) hover(s *chromeStep, step automation.Step) {
	if step.Tool = "hover"; c.on(s, &step) {
		c.push(step)
	}
}

// change is one step in Chrome for what are two here: only its selectors tell a
// list from a text field.
func (c *chromeReader) change(s *chromeStep, step automation.Step) {
	if s.Value == nil {
		c.lose(Dropped, "it has no value", "")
		return
	}
	if !c.on(s, &step) {
		return
	}
	step.Tool = "typeInput"
	if isList(s) {
		step.Tool = "select"
	}
	step.Value = c.typed(*s.Value, about(s))
	c.push(step)
}

func isList(s *chromeStep) bool {
	for _, parts := range s.Selectors {
		if len(parts) == 0 {
			continue
		}
		last := parts[len(parts)-1]
		if namesTag(last, "select") || strings.HasSuffix(last, `[role="listbox"]`) {
			return true
		}
	}
	return false
}

// namesTag reports whether the last part of a CSS or XPath selector is of a tag.
func namesTag(selector, tag string) bool {
	if strings.HasPrefix(selector, "aria/") || strings.HasPrefix(selector, "text/") {
		return false
	}
	last := selector[strings.LastIndexAny(selector, " >/+~")+1:]
	rest, found := strings.CutPrefix(last, tag)
	return found && (rest == "" || strings.ContainsRune("#.[:", rune(rest[0])))
}

// chromeFlow is a UserFlow of Chrome's recorder
// (https://github.com/puppeteer/replay/blob/main/src/Schema.ts).
type chromeFlow struct {
	Title             string            `json:"title"`
	Timeout           float64           `json:"timeout,omitempty"` // ms
	SelectorAttribute string            `json:"selectorAttribute,omitempty"`
	Steps             []json.RawMessage `json:"steps"`
}

type chromeStep struct {
	Type           string           `json:"type"`
	Target         string           `json:"target,omitempty"`
	Timeout        float64          `json:"timeout,omitempty"`
	AssertedEvents []chromeEvent    `json:"assertedEvents,omitempty"`
	Frame          []int            `json:"frame,omitempty"`
	Selectors      []chromeSelector `json:"selectors,omitempty"`
	OffsetX        *float64         `json:"offsetX,omitempty"`
	OffsetY        *float64         `json:"offsetY,omitempty"`
	Button         string           `json:"button,omitempty"`
	DeviceType     string           `json:"deviceType,omitempty"`
	Duration       float64          `json:"duration,omitempty"`
	Value          *string          `json:"value,omitempty"`
	Key            string           `json:"key,omitempty"`
	URL            string           `json:"url,omitempty"`
	X              *float64         `json:"x,omitempty"`
	Y              *float64         `json:"y,omitempty"`
	Operator       string           `json:"operator,omitempty"`
	Count          *int             `json:"count,omitempty"`
	Visible        *bool            `json:"visible,omitempty"`
	Properties     map[string]any   `json:"properties,omitempty"`
	Attributes     map[string]any   `json:"attributes,omitempty"`
	Name           string           `json:"name,omitempty"`
	Parameters     json.RawMessage  `json:"parameters,omitempty"`
	chromeViewport
}

// chromeViewport is what a setViewport must have, all of it.
type chromeViewport struct {
	Width             *float64 `json:"width,omitempty"`
	Height            *float64 `json:"height,omitempty"`
	DeviceScaleFactor *float64 `json:"deviceScaleFactor,omitempty"`
	IsMobile          *bool    `json:"isMobile,omitempty"`
	HasTouch          *bool    `json:"hasTouch,omitempty"`
	IsLandscape       *bool    `json:"isLandscape,omitempty"`
}

type chromeEvent struct {
	Type  string  `json:"type"`
	URL   string  `json:"url,omitempty"`
	Title *string `json:"title,omitempty"`
}

// chromeSelector is a text, or a list of them that leads through shadow roots.
type chromeSelector []string

func (s *chromeSelector) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*s = chromeSelector{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// restored is the name of the custom steps that hold a step of ours.
const restored = "reprise"

func (c *chromeReader) keyDown(s *chromeStep, step automation.Step) {
	if isModifier(s.Key) {
		if !slices.Contains(c.held, s.Key) {
			c.held = append(c.held, s.Key)
		}
		c.lone = true
		return
	}
	c.press(s.Key, step)
}

func (c *chromeReader) keyUp(s *chromeStep, step automation.Step) {
	i := slices.Index(c.held, s.Key)
	if i < 0 {
		return
	}
	c.held = slices.Delete(c.held, i, i+1)
	if c.lone {
		c.press(s.Key, step)
	}
}

// press pushes a key with the modifiers that are held. Chrome sends all keys to
// the main page, whatever their target.
func (c *chromeReader) press(key string, step automation.Step) {
	modifiers := slices.Clone(c.held)
	if len([]rune(key)) == 1 { // Shift is a part of the character that it makes
		modifiers = slices.DeleteFunc(modifiers, func(m string) bool { return m == "Shift" })
	}
	c.lone = false
	step.Tool, step.Frame = "keypress", nil
	step.Key = automation.Key{Modifiers: modifiers, Name: keyName(key)}.String()
	c.push(step)
}

func isModifier(key string) bool {
	return slices.Contains([]string{"Alt", "Control", "Meta", "Shift"}, key)
}

// keyName takes the left and the right one of a key for the same.
func keyName(key string) string {
	for _, side := range []string{"Left", "Right"} {
		if base, found := strings.CutSuffix(key, side); found && isModifier(base) {
			return base
		}
	}
	if key == "NumpadEnter" || key == "\r" || key == "\n" {
		return "Enter"
	}
	if key == "Space" {
		return " "
	}
	return key
}

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
	do := "Its size is for anyone who plays it: browser.Options"
	if w, h := number(s.Width), number(s.Height); w > 0 && h > 0 {
		do = fmt.Sprintf("It was %.0f×%.0f; in Go: browser.Options{Width: %.0f, Height: %.0f}", w, h, w, h)
	}
	c.lose(Dropped, "a document says nothing of the window", do)
}

func (c *chromeReader) network(*chromeStep, automation.Step) {
	c.lose(Dropped, "a document says nothing of the network", "")
}
