package exchange

import (
	"encoding/json"
	"fmt"
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

// target gives the tab of a step.
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
	if s.Duration > float64(longPress.Milliseconds()) && s.Duration < float64(longestHold.Milliseconds()) {
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

// longestHold is how long a document may have a button held.
const longestHold = time.Minute

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
