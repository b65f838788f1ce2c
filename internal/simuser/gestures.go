package simuser

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/load"
)

// Click presses an element.
func (p *User) Click(ctx context.Context, path string) error {
	return p.press(ctx, path, input.Button{})
}

// DoubleClick presses an element twice.
func (p *User) DoubleClick(ctx context.Context, path string) error {
	return p.press(ctx, path, input.Button{Count: 2})
}

// ClickWith presses an element with a button, as often, and with what is held.
func (p *User) ClickWith(ctx context.Context, path string, b input.Button) error {
	return p.press(ctx, path, b)
}

func (p *User) press(ctx context.Context, path string, b input.Button) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.Press(ctx, p.page, at.X, at.Y, b)
}

// ClickAt presses a point of an element, in pixels from its middle: for what is
// in it and cannot be looked into.
func (p *User) ClickAt(ctx context.Context, path string, dx, dy float64) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.Press(ctx, p.page, at.X+dx, at.Y+dy, input.Button{})
}

// ClickTwin presses, in a cross-origin frame, the point where the element of a path
// stands in its own frame: for frames that look alike.
func (p *User) ClickTwin(ctx context.Context, path, frame string) error {
	twin, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	at, err := p.find(ctx, frame)
	if err != nil {
		return err
	}
	var shown bool
	if err := p.ask(ctx, drawn, &shown); err != nil {
		return err
	}
	for {
		if err := input.Press(ctx, p.page, at.X-at.InX+twin.InX, at.Y-at.InY+twin.InY, input.Button{}); err != nil {
			return err
		}
		var entered bool
		if err := p.ask(ctx, fmt.Sprintf(enters, frame, patience/3), &entered); err != nil {
			return err
		}
		if entered && p.focused(ctx) || ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// focused waits for a document in a frame to know that it has the focus, which it is told by
// way of the browser: what is typed before that goes nowhere.
func (p *User) focused(ctx context.Context) bool {
	ctx, cancel := load.WithTimeout(ctx, time.Second)
	defer cancel()
	for ctx.Err() == nil {
		for _, f := range p.page.Frames() {
			var on struct{ Focused, Within bool }
			if err := f.Call(ctx, &on, "keyed", "a"); err == nil && on.Focused && !on.Within && f != p.page.Main() {
				return true
			}
		}
	}
	return false
}

// drawn waits until what has been scrolled stands on the screen: where a frame of another
// process is pressed goes by the picture of before until then.
const drawn = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))`

// enters waits for a frame to get the focus. Before a frame of another process has been
// drawn, the browser sends a press there to the document around it: users see that
// nothing has happened, and press again.
const enters = `(async (frame, timeout) => {
	const deadline = performance.now() + timeout;
	while (document.activeElement !== document.querySelector(frame)) {
		if (performance.now() > deadline) return false;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	return true;
})(%q, %d)`

// Hover moves the mouse over an element.
func (p *User) Hover(ctx context.Context, path string) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	_, err = p.page.Send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}).Wait(ctx)
	return err
}

// Hold presses an element for a while.
func (p *User) Hold(ctx context.Context, path string, long time.Duration) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	mouse := map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}
	p.page.Send("Input.dispatchMouseEvent", mouse)
	mouse["type"], mouse["button"], mouse["buttons"], mouse["clickCount"] = "mousePressed", "left", 1, 1
	if _, err := p.page.Send("Input.dispatchMouseEvent", mouse).Wait(ctx); err != nil {
		return err
	}
	held := time.NewTimer(long) // holding is what is meant
	defer held.Stop()
	select {
	case <-held.C:
	case <-ctx.Done():
	}
	mouse["type"], mouse["buttons"] = "mouseReleased", 0
	_, err = p.page.Send("Input.dispatchMouseEvent", mouse).Wait(ctx)
	return err
}

// Drag drags an element to another, to a point that many pixels from its middle.
// Native says that the page leaves the dragging to the browser.
func (p *User) Drag(ctx context.Context, from, to string, dx, dy float64, native bool) error {
	at, err := p.find(ctx, from)
	if err != nil {
		return err
	}
	end, err := p.find(ctx, to)
	if err != nil {
		return err
	}
	return input.Drag{
		From: input.Point{X: at.X, Y: at.Y}, To: input.Point{X: end.X + dx, Y: end.Y + dy},
		Native: func(context.Context) (bool, error) { return native, nil },
	}.Do(ctx, p.page)
}

// Tap touches an element with a finger.
func (p *User) Tap(ctx context.Context, path string) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	point := []map[string]any{{"x": at.X, "y": at.Y}}
	p.page.Send("Input.dispatchTouchEvent", map[string]any{"type": "touchStart", "touchPoints": point})
	_, err = p.page.Send("Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}}).Wait(ctx)
	return err
}

// Swipe moves a finger from the middle of an element, so many pixels.
func (p *User) Swipe(ctx context.Context, path string, dx, dy float64) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	const moves = 6
	for n := range moves + 1 {
		point := []map[string]any{{"x": at.X + dx*float64(n)/moves, "y": at.Y + dy*float64(n)/moves}}
		kind := "touchMove"
		if n == 0 {
			kind = "touchStart"
		}
		if _, err := p.page.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": point}).Wait(ctx); err != nil {
			return err
		}
	}
	_, err = p.page.Send("Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}}).Wait(ctx)
	return err
}

// Type presses the keys of a text, where the focus is.
func (p *User) Type(ctx context.Context, text string) error {
	for _, char := range text {
		key := string(char)
		if char == '\n' {
			key = "Enter"
		}
		if err := p.Press(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Press presses a key, named as in KeyboardEvent.key, with modifiers held.
func (p *User) Press(ctx context.Context, key string, modifiers ...string) error {
	return input.PressKey(ctx, p.page, key, modifiers)
}

// Fill presses a field and types into it.
func (p *User) Fill(ctx context.Context, path, text string) error {
	if err := p.Click(ctx, path); err != nil {
		return err
	}
	return p.Type(ctx, text)
}

// AltGraph writes a character with the key of that name held, as most keyboards of
// Europe do.
func (p *User) AltGraph(ctx context.Context, char string) error {
	alt := map[string]any{"type": "rawKeyDown", "key": "AltGraph", "code": "AltRight", "windowsVirtualKeyCode": 18, "location": 2}
	p.page.Send("Input.dispatchKeyEvent", alt)
	key := map[string]any{"type": "keyDown", "key": char, "code": "KeyQ", "windowsVirtualKeyCode": 'Q', "text": char, "unmodifiedText": char}
	p.page.Send("Input.dispatchKeyEvent", key)
	p.page.Send("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": char, "code": "KeyQ", "windowsVirtualKeyCode": 'Q'})
	alt["type"] = "keyUp"
	_, err := p.page.Send("Input.dispatchKeyEvent", alt).Wait(ctx)
	return err
}

// Insert writes a text without any key, as an emoji picker or a password manager.
func (p *User) Insert(ctx context.Context, text string) error {
	_, err := p.page.Send("Input.insertText", map[string]any{"text": text}).Wait(ctx)
	return err
}

// Compose writes with an input method: what it shows on the way, and what is chosen
// in the end.
func (p *User) Compose(ctx context.Context, chosen string, shown ...string) error {
	for _, text := range shown {
		at := len([]rune(text))
		p.process()
		_, err := p.page.Send("Input.imeSetComposition", map[string]any{"text": text, "selectionStart": at, "selectionEnd": at}).Wait(ctx)
		if err != nil {
			return err
		}
	}
	return p.Insert(ctx, chosen)
}

// process sends the key that pages see of one which an input method has taken.
func (p *User) process() {
	key := map[string]any{"type": "rawKeyDown", "key": "Process", "code": "KeyN", "windowsVirtualKeyCode": processKey}
	p.page.Send("Input.dispatchKeyEvent", key)
}

// processKey is the virtual key of one that an input method takes for itself
// (https://www.w3.org/TR/uievents/#determine-keydown-keyup-keyCode).
const processKey = 229

// Answer is the user's answer to a dialog.
type Answer struct {
	Accept bool
	Text   string // typed into a prompt
}

// ClickAndAnswer presses an element, and answers the dialogs that this opens, one
// after the other.
func (p *User) ClickAndAnswer(ctx context.Context, path string, answers ...Answer) error {
	opened := make(chan struct{}, len(answers))
	remove := p.page.Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Page.javascriptDialogOpening" && e.SessionID == p.page.Session() {
			select {
			case opened <- struct{}{}:
			default:
			}
		}
	})
	defer remove()
	pressed := make(chan error, 1)
	go func() { pressed <- p.Click(ctx, path) }()
	for _, answer := range answers {
		select {
		case <-opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		params := map[string]any{"accept": answer.Accept, "promptText": answer.Text}
		if _, err := p.page.Send("Page.handleJavaScriptDialog", params).Wait(ctx); err != nil {
			return err
		}
	}
	return <-pressed
}

// Choose presses an element that has the browser ask for files, and chooses some.
func (p *User) Choose(ctx context.Context, path string, files ...string) error {
	opened := make(chan int, 1)
	remove := p.page.Tree().Client().OnEvent(func(e cdp.Event) {
		var chooser struct {
			Node int `json:"backendNodeId"`
		}
		if e.Method == "Page.fileChooserOpened" && e.SessionID == p.page.Session() && json.Unmarshal(e.Params, &chooser) == nil {
			select {
			case opened <- chooser.Node:
			default:
			}
		}
	})
	defer remove()
	p.page.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": true})
	defer p.page.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": false})
	if err := p.Click(ctx, path); err != nil {
		return err
	}
	select {
	case node := <-opened:
		_, err := p.page.Send("DOM.setFileInputFiles", map[string]any{"files": files, "backendNodeId": node}).Wait(ctx)
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Drop drops files on an element.
func (p *User) Drop(ctx context.Context, path string, files ...string) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.DropFiles(ctx, p.page, at.X, at.Y, files)
}

// Travel goes that many places through the tab's history, as the browser's own buttons
// for back and forward do. It does not wait for what comes.
func (p *User) Travel(ctx context.Context, by int) error {
	reply, err := p.page.Send("Page.getNavigationHistory", nil).Wait(ctx)
	if err != nil {
		return err
	}
	var history struct {
		At      int `json:"currentIndex"`
		Entries []struct {
			ID int `json:"id"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(reply, &history); err != nil {
		return err
	}
	to := history.At + by
	if to < 0 || to >= len(history.Entries) {
		return fmt.Errorf("going %+d places through the history of %s: there are %d, and this is number %d", by, p.page.URL(), len(history.Entries), history.At+1)
	}
	_, err = p.page.Send("Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[to].ID}).Wait(ctx)
	return err
}

// Reload has the browser load the tab's document again.
func (p *User) Reload(ctx context.Context) error {
	_, err := p.page.Send("Page.reload", nil).Wait(ctx)
	return err
}
