package input_test

import (
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
	events := told(t, page, "pointerdown", "pointerup")
	if len(events) != 2 || took < 500 {
		t.Fatalf("%d events in %v ms", len(events), took)
	}
	if held := events[1].At - events[0].At; held <= 0 || held > 250 {
		t.Errorf("the button was held for %v ms of the %v that the page took", held, took)
	}
}
