package exchange

import (
	"fmt"
	"regexp"

	"github.com/go-reprise/reprise/automation"
)

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
