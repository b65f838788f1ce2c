package input_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/input"
)

// The witness's box, and where it is dragged.
var (
	inBox  = input.Point{X: 130, Y: 330}
	beyond = input.Point{X: 600, Y: 520}
	around = humanize.Rect{X: 570, Y: 500, Width: 60, Height: 40}
)

func TestADragHoldsTheButtonAllTheWay(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(2)
	do(t, hand.Drag(t.Context(), page, input.Drag{From: inBox, To: beyond, Native: answer(false)}, around))
	events := told(t, page, "pointermove", "pointerdown", "pointerup")
	down := slices.IndexFunc(events, func(e seen) bool { return e.Type == "pointerdown" })
	up := len(events) - 1
	if down < 1 || events[up].Type != "pointerup" {
		t.Fatalf("of %d events number %d presses, and the last is %s", len(events), down, events[up].Type)
	}
	held := 0 // moves, of which a busy page may be told several in one event
	for _, e := range events[down:] {
		held += len(e.All)
	}
	if held < 10 {
		t.Errorf("the button was held for %d moves", held)
	}
	for i, e := range events {
		held := i >= down && i < up
		if (e.Buttons == 1) != held || (e.Pressure == 0.5) != held {
			t.Errorf("event %d of %d: buttons %d, pressure %v", i, up, e.Buttons, e.Pressure)
		}
	}
	if events[down].X != inBox.X || events[down].Y != inBox.Y || events[up].X != beyond.X || events[up].Y != beyond.Y {
		t.Errorf("from (%v, %v) to (%v, %v)", events[down].X, events[down].Y, events[up].X, events[up].Y)
	}
}

func answer(yes bool) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) { return yes, nil }
}

const draggable = `(() => {
	const drags = window.drags = [], box = document.querySelector("#box"), go = document.querySelector("#go");
	box.draggable = true;
	box.ondragstart = (e) => { e.dataTransfer.setData("text/plain", "tan"); drags.push("start") };
	go.ondragover = (e) => { e.preventDefault(); if (drags.at(-1) !== "over") drags.push("over") };
	go.ondrop = (e) => { e.preventDefault(); drags.push("drop " + e.dataTransfer.getData("text/plain")) };
	return true;
})()`

func TestWhatABrowserDragsIsCarriedAndDropped(t *testing.T) {
	t.Parallel()
	page := open(t)
	eval[bool](t, page, draggable)
	do(t, input.NewHand(3).Drag(t.Context(), page, input.Drag{From: inBox, To: onIt, Native: answer(true)}, button))
	if diff := cmp.Diff([]string{"start", "over", "drop tan"}, eval[[]string](t, page, "drags")); diff != "" {
		t.Errorf("the page saw (-want +got):\n%s", diff)
	}
}

func TestWhatWasNotGrabbedIsLetGo(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(4)
	err := hand.Drag(t.Context(), page, input.Drag{From: inBox, To: beyond, Grabbed: answer(false)}, around)
	if !errors.Is(err, input.ErrNotGrabbed) {
		t.Errorf("it ended with %v", err)
	}
	events := told(t, page, "pointerdown", "pointerup")
	if len(events) != 2 || events[1].Type != "pointerup" || events[1].X != inBox.X {
		t.Errorf("the page saw %+v", events)
	}
}
