package person

import (
	"context"

	"github.com/go-reprise/reprise/internal/input"
)

// Drag drags an element to another, to a point that many pixels from its middle.
// Native says that the page leaves the dragging to the browser.
func (p *Person) Drag(ctx context.Context, from, to string, dx, dy float64, native bool) error {
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
