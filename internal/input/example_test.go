package input_test

import (
	"context"

	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

func ExampleHand() {
	fill := func(ctx context.Context, page *target.Page, field humanize.Rect, text string) error {
		hand := input.NewHand(42) // one a run
		if err := hand.MoveTo(ctx, page, hand.Aim(field), field, nil); err != nil {
			return err
		}
		if err := hand.Press(ctx, page, input.Button{}); err != nil {
			return err
		}
		return hand.Type(ctx, page, input.Writing{Text: text})
	}
	_ = fill // wants a page of a browser
}
