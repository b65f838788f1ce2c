package automation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key is a key to press, with the modifiers that are held meanwhile.
type Key struct {
	Modifiers []string // in the order given
	Name      string   // as KeyboardEvent.key: "Enter", "a", " "
}

// keyModifiers can be held while another key is pressed. ControlOrMeta is Meta
// on macOS and Control elsewhere, as people expect of shortcuts.
var keyModifiers = []string{"Alt", "Control", "ControlOrMeta", "Meta", "Shift"}

// keyNames are the named keys that a person has under their fingers, as the UI
// Events specification spells them (https://www.w3.org/TR/uievents-key/).
var keyNames = strings.Fields(`
	Alt AltGraph CapsLock Control Meta NumLock ScrollLock Shift
	Enter Tab
	ArrowDown ArrowLeft ArrowRight ArrowUp End Home PageDown PageUp
	Backspace Clear Copy Cut Delete Insert Paste Redo Undo
	ContextMenu Escape Find Help Pause Select ZoomIn ZoomOut PrintScreen
	F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12
	F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24
	MediaPlayPause MediaStop MediaTrackNext MediaTrackPrevious
	AudioVolumeDown AudioVolumeMute AudioVolumeUp
	BrowserBack BrowserForward BrowserHome BrowserRefresh BrowserSearch`)

// KeyNames lists the names of keys that are not a character.
func KeyNames() []string { return slices.Clone(keyNames) }

// ParseKey reads "Enter", "a", "Control+A", "Control+Shift+ArrowLeft", or
// "Control++" for the plus key. A key is named as KeyboardEvent.key names it.
func ParseKey(s string) (Key, error) {
	var k Key
	rest := s
	for {
		modifier, after, found := strings.Cut(rest, "+")
		if !found || after == "" || !slices.Contains(keyModifiers, modifier) {
			break
		}
		if slices.Contains(k.Modifiers, modifier) {
			return Key{}, fmt.Errorf("key %q: %s twice", shorten(s), modifier)
		}
		k.Modifiers = append(k.Modifiers, modifier)
		rest = after
	}
	if !isKey(rest) {
		return Key{}, fmt.Errorf("key %q: %q is not a key%s", shorten(s), shorten(rest), meantKey(rest))
	}
	k.Name = rest
	return k, nil
}

// String returns the text that ParseKey reads.
func (k Key) String() string {
	return strings.Join(append(slices.Clone(k.Modifiers), k.Name), "+")
}

func isKey(name string) bool {
	r, size := utf8.DecodeRuneInString(name)
	if size > 0 && size == len(name) {
		return r != utf8.RuneError && (unicode.IsGraphic(r) || r == ' ')
	}
	return slices.Contains(keyNames, name)
}

// meantKey helps with what other programs call a key.
func meantKey(name string) string {
	others := map[string]string{"esc": "Escape", "return": "Enter", "space": " ", "del": "Delete", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "ctrl": "Control", "cmd": "Meta", "option": "Alt"}
	meant := others[strings.ToLower(name)]
	for _, known := range keyNames {
		if strings.EqualFold(known, name) {
			meant = known
		}
	}
	if meant == "" {
		return " (a character, or a name such as Enter, Tab, Escape, ArrowDown)"
	}
	return fmt.Sprintf(" (it is written %q)", meant)
}
