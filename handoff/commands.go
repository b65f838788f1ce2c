package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// What the person who has control does in the page, a command at a time.

// command is what a viewer asks for.
type command struct {
	Type      string   `json:"t"`
	N         uint64   `json:"n"` // its number, of what is sent again until it has arrived; 0 for none
	X         float64  `json:"x"` // in CSS pixels of the page's viewport
	Y         float64  `json:"y"`
	DX        float64  `json:"dx"`
	DY        float64  `json:"dy"`
	Button    string   `json:"button"`
	Count     int      `json:"count"`
	Modifiers []string `json:"modifiers"`
	Key       string   `json:"key"`
	Text      string   `json:"text"`
	Accept    bool     `json:"accept"`
	On        bool     `json:"on"`
	Number    int      `json:"number"` // of a dialog
	Indexes   []int    `json:"indexes"`
	ID        string   `json:"id"`
}

// maxTyped bounds a text that is typed at once, in bytes.
const maxTyped = 64 << 10

// do does what a viewer with control asks for. It returns what only that viewer is told, nil for nothing.
func (l *live) do(c command) (reply any) {
	ctx, cancel := load.WithTimeout(l.ctx, lookTimeout)
	defer cancel()
	p := l.shown().Target()
	switch c.Type {
	case "move":
		mouse(p, "mouseMoved", c)
		return nil
	case "down":
		l.h.noteSecretsOf(ctx, p, "") // it may lead to another document
		if control := l.controlAt(ctx, p, c); control != nil {
			return map[string]any{"t": "control", "control": control}
		}
		mouse(p, "mousePressed", c)
		return nil
	case "up":
		mouse(p, "mouseReleased", c)
	case "wheel":
		p.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": c.X, "y": c.Y, "deltaX": c.DX, "deltaY": c.DY})
		return nil
	case "text":
		if len(c.Text) <= maxTyped {
			l.h.hasTyped()
			l.h.noteSecretsOf(ctx, p, c.Text)
			p.Send("Input.insertText", map[string]any{"text": c.Text})
		}
	case "key":
		l.h.hasTyped()
		l.h.noteSecretsOf(ctx, p, keyText(c))
		_ = input.PressKey(ctx, p, c.Key, c.Modifiers) // a key that does not exist does nothing
	case "choose":
		var value any = c.Text
		if c.Indexes != nil {
			value = c.Indexes
		}
		l.mu.Lock()
		f := l.control
		l.mu.Unlock()
		if f != nil {
			_ = f.Call(ctx, nil, "setControl", value) // what is gone is not set
		}
	case "open":
		if control := l.focusedControl(ctx, p); control != nil {
			return map[string]any{"t": "control", "control": control}
		}
		return nil
	case "dialog":
		p.AnswerDialog(c.Number, c.Accept, c.Text)
	case "tab":
		_ = l.showTab(c.ID) // what is gone is not in the next state
		return nil
	case "back", "forward":
		history(ctx, p, map[string]int{"back": -1, "forward": 1}[c.Type])
	case "reload":
		p.Send("Page.reload", nil)
	case "keep":
		l.h.keep(ctx, c.On)
	case "nofile":
		l.mu.Lock()
		l.chooser = nil
		l.mu.Unlock()
	default:
		return nil
	}
	l.look()
	return nil
}

// hasTyped notes that something was typed: what pages make of it is stored nowhere.
func (h *Handoff) hasTyped() {
	h.mu.Lock()
	h.typed = true
	h.mu.Unlock()
}

var buttonBits = map[string]int{"left": 1, "right": 2, "middle": 4}

func mouse(p *target.Page, kind string, c command) {
	e := map[string]any{"type": kind, "x": c.X, "y": c.Y, "modifiers": input.ModifierBits(c.Modifiers)}
	bits := buttonBits[c.Button]
	if bits != 0 {
		e["button"], e["clickCount"] = c.Button, min(max(c.Count, 1), 3)
	}
	if kind != "mouseReleased" {
		e["buttons"] = bits
	}
	p.Send("Input.dispatchMouseEvent", e)
}

// controlAt returns what stands at a point and opens a window of the browser's own, which a screencast does
// not show; nil for anything else.
func (l *live) controlAt(ctx context.Context, p *target.Page, c command) json.RawMessage {
	if c.Button != "left" || p.Asking() != nil {
		return nil
	}
	f, x, y := p.Main(), c.X, c.Y
	for depth := 0; depth < maxFrames; depth++ {
		var in *struct{ X, Y float64 }
		if err := f.Call(ctx, &in, "inFrameAt", x, y); err != nil || in == nil {
			break
		}
		child, _, err := f.Child(ctx, "frameAt", x, y)
		if err != nil {
			return nil
		}
		f, x, y = child, in.X, in.Y
	}
	return l.opens(ctx, f, "controlAt", x, y)
}

// focusedControl returns what of that has the focus, for a keyboard.
func (l *live) focusedControl(ctx context.Context, p *target.Page) json.RawMessage {
	if p.Asking() != nil {
		return nil
	}
	for _, f := range p.Frames() {
		if control := l.opens(ctx, f, "focusedControl"); control != nil {
			return control
		}
	}
	return nil
}

// opens notes the frame of the control that a function of its script returns, if it returns one.
func (l *live) opens(ctx context.Context, f *target.Frame, name string, args ...any) (control json.RawMessage) {
	if err := f.Call(ctx, &control, name, args...); err != nil || string(control) == "null" {
		return nil
	}
	l.mu.Lock()
	l.control = f
	l.mu.Unlock()
	return control
}

// maxFrames is how deep frames lie in one another.
const maxFrames = 8

func history(ctx context.Context, p *target.Page, by int) {
	var all struct {
		Current int `json:"currentIndex"`
		Entries []struct {
			ID int `json:"id"`
		} `json:"entries"`
	}
	reply, err := p.Send("Page.getNavigationHistory", nil).Wait(ctx)
	if err != nil || json.Unmarshal(reply, &all) != nil {
		return
	}
	if to := all.Current + by; to >= 0 && to < len(all.Entries) {
		p.Send("Page.navigateToHistoryEntry", map[string]any{"entryId": all.Entries[to].ID})
	}
}

// choosing asks the person for files.
func (l *live) choosing(c target.FileChooser) {
	l.mu.Lock()
	l.chooser = &c
	l.mu.Unlock()
	go l.look()
}

var errNoChooser = errors.New("handoff: the page asks for no file")

// choose answers the page with the files that it has asked for. They exist as long as the page is.
func (l *live) choose(save func(dir string) ([]string, error)) error {
	l.mu.Lock()
	asked, page := l.chooser, l.page
	l.mu.Unlock()
	if asked == nil {
		return errNoChooser
	}
	dir, err := os.MkdirTemp("", "reprise-handoff-")
	if err != nil {
		return err
	}
	l.h.desk.removeWith(page, dir)
	paths, err := save(dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return err // the page still asks
	}
	l.mu.Lock()
	is := l.chooser == asked
	if is {
		l.chooser = nil
	}
	l.mu.Unlock()
	if !is {
		return errNoChooser
	}
	asked.Choose(paths)
	l.look()
	return nil
}
