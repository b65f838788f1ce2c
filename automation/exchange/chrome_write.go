package exchange

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// What a recording of Chrome says where a document says nothing.
const (
	chromeWidth, chromeHeight = 1280, 800 // a window that shows desktop pages whole
	chromePoint               = 6         // px from the corner of an element of unknown size: within a checkbox, and within a round corner
	chromeTimeout             = 30 * time.Second
)

// chromeWriter writes a UserFlow.
type chromeWriter struct {
	*writer
	steps []any
	last  *chromeOut        // that can be waited after
	on    selectors.Path    // what the last step acted on
	tabs  map[string]string // addresses of tabs, by their name
}

// chromeOut is a step of which no zero is left out that must be there.
type chromeOut struct {
	chromeStep
	Value any `json:"value,omitempty"`
}

func writeChrome(w *writer) ([]byte, error) {
	c := &chromeWriter{writer: w, tabs: map[string]string{}}
	c.steps = append(c.steps, chromeStep{Type: "setViewport", chromeViewport: chromeViewport{
		Width: ptr(float64(chromeWidth)), Height: ptr(float64(chromeHeight)), DeviceScaleFactor: ptr(1.0),
		IsMobile: ptr(false), HasTouch: ptr(false), IsLandscape: ptr(false),
	}})
	w.each(c.write)
	return indented(struct {
		Title   string `json:"title"`
		Timeout int64  `json:"timeout"`
		Steps   []any  `json:"steps"`
	}{w.title(), chromeTimeout.Milliseconds(), c.steps})
}

func ptr[T any](v T) *T { return &v }

// chromeTools write the steps of each tool; the others become custom steps.
var chromeTools = map[string]func(*chromeWriter, *automation.Step){
	"navigate":   (*chromeWriter).navigate,
	"click":      (*chromeWriter).click,
	"typeInput":  (*chromeWriter).change,
	"fillForm":   (*chromeWriter).form,
	"keypress":   (*chromeWriter).keypress,
	"waitForNav": (*chromeWriter).waitForNav,
	"select":     (*chromeWriter).choose,
	"check":      (*chromeWriter).check,
	"hover":      (*chromeWriter).hover,
	"scroll":     (*chromeWriter).scroll,
	"waitFor":    (*chromeWriter).waitFor,
	"assert":     (*chromeWriter).assert,
	"tab":        (*chromeWriter).tab,
}

func (c *chromeWriter) write(s *automation.Step) {
	if _, known := c.tabs[s.Page]; s.Page != "" && !known {
		c.keep(s, "the address of its tab is not known, by which Chrome tells it")
		return
	}
	write := chromeTools[s.Tool]
	if write == nil {
		c.keep(s, "there is no such step in Chrome")
		return
	}
	write(c, s)
	c.expect(s)
}

// keep holds a step in a custom one, which Chrome passes over and Import restores.
func (c *chromeWriter) keep(s *automation.Step, why string) {
	c.lose(Dropped, why+": it becomes a custom step, which Chrome passes over", "Do by hand what it did, where it matters")
	held := *s
	held.Fingerprint = nil
	parameters, err := compact(map[string]any{"step": held})
	if err != nil {
		return // it was validated: cannot happen
	}
	c.put(&chromeOut{chromeStep: chromeStep{Type: "customStep", Name: restored, Parameters: parameters}}, nil)
}

func (c *chromeWriter) put(out *chromeOut, s *automation.Step) {
	if s != nil {
		out.Target = "main"
		if s.Page != "" {
			out.Target = c.tabs[s.Page]
		}
		if ms := s.Timeout.Milliseconds(); ms > 0 {
			out.Timeout = float64(min(ms, chromeTimeout.Milliseconds()))
			if s.Timeout > chromeTimeout {
				c.lose(Changed, "Chrome waits half a minute at most, not "+s.Timeout.String(), "")
			}
		}
		c.last, c.on = out, s.Selector
	}
	c.steps = append(c.steps, out)
}

func (c *chromeWriter) navigate(s *automation.Step) {
	address := s.URL
	if address == "" {
		address = c.text(s.Value)
	}
	c.put(&chromeOut{chromeStep: chromeStep{Type: "navigate", URL: address, AssertedEvents: []chromeEvent{{Type: "navigation", URL: address, Title: ptr("")}}}}, s)
}

func (c *chromeWriter) click(s *automation.Step) {
	out := &chromeOut{chromeStep: chromeStep{Type: "click", Button: map[string]string{"middle": "auxiliary", "right": "secondary"}[s.Button]}}
	if s.Count > 1 {
		out.Type = "doubleClick"
	}
	if s.Count > 2 {
		c.lose(Changed, "three clicks are two there", "")
	}
	if !c.element(out, s) {
		return
	}
	x, y := point(s)
	out.OffsetX, out.OffsetY = &x, &y
	out.Duration = float64(s.Hold.Milliseconds())
	c.holding(s, s.Modifiers, func() { c.put(out, s) })
}

// holding does something with modifier keys held down.
func (c *chromeWriter) holding(s *automation.Step, modifiers []string, do func()) {
	key := func(kind, name string) {
		if name == "ControlOrMeta" {
			c.lose(Changed, "Control is held, which on macOS is Meta", "")
			name = "Control"
		}
		c.steps = append(c.steps, &chromeOut{chromeStep: chromeStep{Type: kind, Key: name, Target: "main"}})
	}
	for _, name := range modifiers {
		key("keyDown", name)
	}
	do()
	for _, name := range slices.Backward(modifiers) {
		key("keyUp", name)
	}
}

func (c *chromeWriter) change(s *automation.Step) {
	out := &chromeOut{chromeStep: chromeStep{Type: "change"}, Value: c.text(s.Value)}
	if caretOf(s) != "" {
		c.lose(Changed, replacesText, "")
	}
	if s.Keys {
		c.lose(Changed, "Chrome may set the field at once, and not press its keys one by one", "")
	}
	if c.element(out, s) {
		c.put(out, s)
	}
}

func (c *chromeWriter) form(s *automation.Step) {
	for _, field := range formFields(s) {
		if field.Tool == "check" {
			c.check(&field)
		} else {
			c.change(&field)
		}
	}
}

func (c *chromeWriter) choose(s *automation.Step) {
	options := c.options(s.Value)
	if len(options) != 1 {
		c.lose(Changed, fmt.Sprintf("Chrome chooses one option of a list, and not %d: the first is chosen", len(options)), "")
		options = append(options, "")
	}
	c.often(Changed, "Chrome chooses from a list by what the page calls an option, not by what it shows", "Where these differ, write the option's value")
	out := &chromeOut{chromeStep: chromeStep{Type: "change"}, Value: options[0]}
	if c.element(out, s) {
		c.put(out, s)
	}
}

func (c *chromeWriter) check(s *automation.Step) {
	if _, known := c.wanted(s); !known {
		c.lose(Changed, "whether it is to be checked is up to a variable: it is clicked", "")
	} else {
		c.often(Changed, "a box is clicked, not set: where it is already as it should be, it changes", "")
	}
	out := &chromeOut{chromeStep: chromeStep{Type: "click"}}
	if c.element(out, s) {
		x, y := point(s)
		out.OffsetX, out.OffsetY = &x, &y
		c.put(out, s)
	}
}

// notChromeKeys are keys that Chrome has no names for.
var notChromeKeys = []string{"NumLock", "ScrollLock", "Clear", "Copy", "Cut", "Find", "Pause", "Paste", "Redo", "Undo", "Select", "ZoomIn", "ZoomOut", "PrintScreen", "AltGraph"}

func (c *chromeWriter) keypress(s *automation.Step) {
	key, err := automation.ParseKey(s.Key)
	if err != nil || slices.Contains(notChromeKeys, key.Name) || strings.HasPrefix(key.Name, "Browser") || len(key.Name) > 1 && len([]rune(key.Name)) == 1 {
		c.keep(s, fmt.Sprintf("Chrome has no key %q", s.Key))
		return
	}
	if s.Page != "" {
		c.lose(Changed, "Chrome sends all keys to the first tab", "")
	}
	if len(s.Selector) > 0 && c.on.String() != s.Selector.String() {
		c.lose(Changed, fmt.Sprintf("the key goes to what has the focus, not to %s", shorten(s.Selector.String())), "Add a click on it before, where that is harmless")
	}
	c.holding(s, key.Modifiers, func() {
		c.put(&chromeOut{chromeStep: chromeStep{Type: "keyDown", Key: key.Name}}, s)
		c.steps = append(c.steps, &chromeOut{chromeStep: chromeStep{Type: "keyUp", Key: key.Name, Target: "main"}})
	})
}

func (c *chromeWriter) hover(s *automation.Step) {
	if out := (&chromeOut{chromeStep: chromeStep{Type: "hover"}}); c.element(out, s) {
		c.put(out, s)
	}
}

func (c *chromeWriter) scroll(s *automation.Step) {
	out := &chromeOut{chromeStep: chromeStep{Type: "scroll"}}
	x, _ := strconv.ParseFloat(arg(s, "dx"), 64)
	y, _ := strconv.ParseFloat(arg(s, "dy"), 64)
	if x != 0 || y != 0 {
		c.lose(Changed, "Chrome scrolls to a place, not by a distance", "")
		out.X, out.Y = &x, &y
	}
	if len(s.Selector) == 0 || c.element(out, s) {
		c.put(out, s)
	}
}

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

// expect notes what followed a step, as far as Chrome knows it.
func (c *chromeWriter) expect(s *automation.Step) {
	for _, e := range s.Expect {
		switch {
		case e.Kind == "popup":
			c.openTab(e)
		case e.Kind == "element" && len(s.Frame) == 0:
			seen := automation.Step{Tool: "waitFor", Page: s.Page, Selector: e.Selector}
			c.waitFor(&seen)
		case e.Kind == "request", e.Kind == "change", e.Kind == "update": // nothing follows that would miss it
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

// element puts the ways to the element into a step; false where Chrome has none.
func (c *chromeWriter) element(out *chromeOut, s *automation.Step) bool {
	for _, path := range paths(s) {
		if parts := chromePath(path, s); parts != nil {
			out.Selectors = append(out.Selectors, parts)
		}
	}
	if len(out.Selectors) == 0 {
		c.keep(s, "Chrome cannot use any of its selectors")
		return false
	}
	for _, frame := range s.Frame {
		out.Frame = append(out.Frame, c.frameIndex(frame))
	}
	return true
}

// brokenAria is what the parser of Chrome's aria selectors takes for an attribute
// wherever it stands in a name.
var brokenAria = regexp.MustCompile(`\[\s*\w+\s*=`)

// chromePath is a path as Chrome reads it, nil where it would read another.
func chromePath(path selectors.Path, s *automation.Step) chromeSelector {
	var parts chromeSelector
	for i, part := range path {
		name, _ := part.Aria()
		switch {
		case part.Kind == selectors.XPath && i > 0: // XPath knows no shadow roots
			return nil
		case slices.Contains(onlyHere, part.Kind):
			return nil
		case part.Kind == selectors.Aria && brokenAria.MatchString(name):
			return nil
		case part.Kind == selectors.TestID:
			parts = append(parts, testIDs(part.Body, s))
		default:
			parts = append(parts, part.String())
		}
	}
	return parts
}

var frameByPlace = regexp.MustCompile(`^\(//iframe\|//frame\)\[(\d+)\]$`)

// frameIndex is the place of a frame, which Chrome wants to know and a document
// does not tell.
func (c *chromeWriter) frameIndex(path selectors.Path) int {
	if m := frameByPlace.FindStringSubmatch(path[0].Body); m != nil && len(path) == 1 {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			return n - 1
		}
	}
	c.lose(Changed, fmt.Sprintf("Chrome tells frames by their number, and that of %s is not known: 0 is written", shorten(path.String())), "Where the page has several frames, write the number of this one, counted from 0")
	return 0
}

// point is where in the element to click, in pixels from its corner.
func point(s *automation.Step) (x, y float64) {
	if s.Fingerprint == nil || len(s.Fingerprint.Box) != 4 {
		return chromePoint, chromePoint
	}
	at := automation.Offset{X: 0.5, Y: 0.5}
	if s.Offset != nil {
		at = *s.Offset
	}
	in := func(part float64, size int) float64 {
		return math.Round(min(max(part*float64(size), 1), float64(max(size-1, 1))))
	}
	return in(at.X, s.Fingerprint.Box[2]), in(at.Y, s.Fingerprint.Box[3])
}
