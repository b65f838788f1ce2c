// Package input sends what a mouse and a keyboard send: raw events of the
// browser's input pipeline, in one burst for each gesture.
package input

import (
	"context"
	"runtime"
	"strings"
	"unicode"

	"github.com/go-reprise/reprise/internal/target"
)

// keyInput is a key as Input.dispatchKeyEvent takes it.
type keyInput struct {
	Type           string   `json:"type"`
	Modifiers      int      `json:"modifiers,omitempty"`
	Key            string   `json:"key"`
	Code           string   `json:"code,omitempty"`
	KeyCode        int      `json:"windowsVirtualKeyCode,omitempty"`
	Text           string   `json:"text,omitempty"`
	UnmodifiedText string   `json:"unmodifiedText,omitempty"`
	Commands       []string `json:"commands,omitempty"`
}

// place is where a key is on a US keyboard: its code and its Windows virtual key
// (https://www.w3.org/TR/uievents-code/).
type place struct {
	code    string
	keyCode int
}

var namedKeys = map[string]place{
	"Enter": {"Enter", 13}, "Tab": {"Tab", 9}, "Escape": {"Escape", 27}, "Backspace": {"Backspace", 8}, "Delete": {"Delete", 46},
	"ArrowLeft": {"ArrowLeft", 37}, "ArrowUp": {"ArrowUp", 38}, "ArrowRight": {"ArrowRight", 39}, "ArrowDown": {"ArrowDown", 40},
	"Home": {"Home", 36}, "End": {"End", 35}, "PageUp": {"PageUp", 33}, "PageDown": {"PageDown", 34}, "Insert": {"Insert", 45},
	"Shift": {"ShiftLeft", 16}, "Control": {"ControlLeft", 17}, "Alt": {"AltLeft", 18}, "Meta": {"MetaLeft", 91},
	"F1": {"F1", 112}, "F2": {"F2", 113}, "F3": {"F3", 114}, "F4": {"F4", 115}, "F5": {"F5", 116}, "F6": {"F6", 117},
	"F7": {"F7", 118}, "F8": {"F8", 119}, "F9": {"F9", 120}, "F10": {"F10", 121}, "F11": {"F11", 122}, "F12": {"F12", 123},
	"ContextMenu": {"ContextMenu", 93}, "Pause": {"Pause", 19}, "CapsLock": {"CapsLock", 20},
}

// signs are the printable keys beside letters and digits: without and with Shift.
var signs = map[string]place{
	" ": {"Space", 32}, "-_": {"Minus", 189}, "=+": {"Equal", 187}, "[{": {"BracketLeft", 219}, "]}": {"BracketRight", 221},
	"\\|": {"Backslash", 220}, ";:": {"Semicolon", 186}, "'\"": {"Quote", 222}, "`~": {"Backquote", 192}, ",<": {"Comma", 188},
	".>": {"Period", 190}, "/?": {"Slash", 191},
	"1!": {"Digit1", 49}, "2@": {"Digit2", 50}, "3#": {"Digit3", 51}, "4$": {"Digit4", 52}, "5%": {"Digit5", 53},
	"6^": {"Digit6", 54}, "7&": {"Digit7", 55}, "8*": {"Digit8", 56}, "9(": {"Digit9", 57}, "0)": {"Digit0", 48},
}

// controlOrMeta is the modifier of a platform's own shortcuts.
var controlOrMeta = map[bool]int{false: 2, true: 4}[runtime.GOOS == "darwin"]

// editing are the commands of a platform's shortcuts, which the browser runs and
// not the page.
var editing = map[string]string{"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}

const (
	shiftBit    = 8
	commandBits = 1 | 2 | 4 // Alt, Control, Meta: the key writes nothing
)

// PressKey sends a key down and up in one burst, and returns when the page has
// handled both. The name is that of KeyboardEvent.key.
func PressKey(ctx context.Context, page *target.Page, name string, modifiers []string) error {
	event := keyEvent(name, modifiers)
	event.Type = "rawKeyDown"
	if event.Text != "" {
		event.Type = "keyDown"
	}
	page.Send("Input.dispatchKeyEvent", event)
	event.Type, event.Text, event.UnmodifiedText, event.Commands = "keyUp", "", "", nil
	_, err := page.Send("Input.dispatchKeyEvent", event).Wait(ctx)
	return err
}

// keyEvent is what pressing a key sends.
func keyEvent(name string, modifiers []string) keyInput {
	e := keyInput{Key: name, Modifiers: modifierBits(modifiers)}
	at, named := namedKeys[name]
	if !named {
		var shifted bool
		at, shifted = placeOf(name)
		if shifted {
			e.Modifiers |= shiftBit
		}
		e.Text = name
	}
	if name == "Enter" {
		e.Text = "\r"
	}
	e.Code, e.KeyCode = at.code, at.keyCode
	if e.Modifiers&commandBits != 0 {
		e.Text = ""
		if command := editing[name]; command != "" && e.Modifiers == controlOrMeta {
			e.Commands = []string{command}
		}
	}
	e.UnmodifiedText = e.Text
	return e
}

// placeOf finds a character on the keyboard; one that is not there has no place,
// and comes as text alone.
func placeOf(char string) (at place, shifted bool) {
	runes := []rune(char)
	if len(runes) == 1 && runes[0] < unicode.MaxASCII && unicode.IsLetter(runes[0]) {
		upper := unicode.ToUpper(runes[0])
		return place{"Key" + string(upper), int(upper)}, runes[0] == upper
	}
	for pair, at := range signs {
		if i := strings.Index(pair, char); i >= 0 && char != "" {
			return at, i > 0
		}
	}
	return place{}, false
}
