package person

import (
	"context"

	"github.com/go-reprise/reprise/internal/input"
)

// ClickWith presses an element with a button, as often, and with what is held.
func (p *Person) ClickWith(ctx context.Context, path string, b input.Button) error {
	return p.press(ctx, path, b)
}

// Compose writes with an input method: what it shows on the way, and what is chosen
// in the end.
func (p *Person) Compose(ctx context.Context, chosen string, shown ...string) error {
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

// Insert writes a text without any key, as an emoji picker or a password manager.
func (p *Person) Insert(ctx context.Context, text string) error {
	_, err := p.page.Send("Input.insertText", map[string]any{"text": text}).Wait(ctx)
	return err
}

// Tap touches an element with a finger.
func (p *Person) Tap(ctx context.Context, path string) error {
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
func (p *Person) Swipe(ctx context.Context, path string, dx, dy float64) error {
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
