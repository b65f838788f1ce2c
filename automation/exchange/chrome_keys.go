package exchange

import (
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

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
