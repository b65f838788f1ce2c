package person

import (
	"context"
	"time"
)

// processKey is the virtual key of one that an input method takes for itself
// (https://www.w3.org/TR/uievents/#determine-keydown-keyup-keyCode).
const processKey = 229

// AltGraph writes a character with the key of that name held, as most keyboards of
// Europe do.
func (p *Person) AltGraph(ctx context.Context, char string) error {
	alt := map[string]any{"type": "rawKeyDown", "key": "AltGraph", "code": "AltRight", "windowsVirtualKeyCode": 18, "location": 2}
	p.page.Send("Input.dispatchKeyEvent", alt)
	key := map[string]any{"type": "keyDown", "key": char, "code": "KeyQ", "windowsVirtualKeyCode": 'Q', "text": char, "unmodifiedText": char}
	p.page.Send("Input.dispatchKeyEvent", key)
	p.page.Send("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": char, "code": "KeyQ", "windowsVirtualKeyCode": 'Q'})
	alt["type"] = "keyUp"
	_, err := p.page.Send("Input.dispatchKeyEvent", alt).Wait(ctx)
	return err
}

// process sends the key that pages see of one which an input method has taken.
func (p *Person) process() {
	key := map[string]any{"type": "rawKeyDown", "key": "Process", "code": "KeyN", "windowsVirtualKeyCode": processKey}
	p.page.Send("Input.dispatchKeyEvent", key)
}

// Hold presses an element for a while.
func (p *Person) Hold(ctx context.Context, path string, long time.Duration) error {
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
