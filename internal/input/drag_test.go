package input_test

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/input"
)

// slow has a page take long for each move of the mouse.
const slow = `(() => {
	addEventListener("pointermove", () => { for (const end = performance.now() + 60; performance.now() < end;); });
	return true;
})()`

func TestADragOnASlowPageIsNoLongPress(t *testing.T) {
	t.Parallel()
	page := open(t)
	eval[bool](t, page, slow)
	before := eval[float64](t, page, "performance.now()")
	do(t, input.Drag{From: inBox, To: beyond}.Do(t.Context(), page))
	took := eval[float64](t, page, "performance.now()") - before
	events := told(t, page, "pointermove", "pointerdown", "pointerup")
	down := slices.IndexFunc(events, func(e seen) bool { return e.Type == "pointerdown" })
	if down < 1 || len(events) < 10 || took < 500 {
		t.Fatalf("%d events in %v ms, and number %d presses", len(events), took, down)
	}
	for i, e := range events[1:] {
		if e.At < events[i].At {
			t.Errorf("%s at %v comes after %s at %v", e.Type, e.At, events[i].Type, events[i].At)
		}
	}
	if held := events[len(events)-1].At - events[down].At; held <= 0 || held > 250 {
		t.Errorf("the button was held for %v ms of the %v that the page took", held, took)
	}
}
