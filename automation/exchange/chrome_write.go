package exchange

import (
	"fmt"
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
	c.lose(Dropped, why+": it is kept as a custom step, which Chrome passes over", "Do by hand what it did, where it matters")
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
