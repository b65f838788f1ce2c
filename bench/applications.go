package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// What is put on the to-do list; those of its first seven are done, and the first four
// of these deleted.
var todos = []string{
	"Buy oat milk", "Call the plumber", "Water the ferns", "Return the library books", "Fix the gate", "Book a table",
	"Write to Ada", "Wash the car", "Order seeds", "Paint the fence", "Back up the disk", "Sharpen the knives",
}

const todosDone, todosDeleted = 7, 4

// todoFlow writes a list in an application of one page that draws it late.
func todoFlow() flow {
	steps := []step{{Do: goTo, Text: "/todo"}}
	of := func(i int, rest string) string { return fmt.Sprintf(`li[data-id="%d"] %s`, i+1, rest) }
	for _, text := range todos {
		steps = append(steps, step{Do: fill, CSS: "#new", Text: text}, step{Do: press, CSS: "#add"})
	}
	for i := range todosDone {
		steps = append(steps, step{Do: tick, CSS: of(i, "input")})
	}
	steps = append(steps, step{Do: press, CSS: "#done"})
	for i := range todosDeleted {
		steps = append(steps, step{Do: press, CSS: of(i, ".delete")})
	}
	steps = append(steps, step{Do: press, CSS: "#open"}, step{Do: press, CSS: "#all"}, step{Do: press, CSS: "#save"}, step{Do: see, CSS: "#saved"})
	return flow{script: script{Name: "to-do list", Scripted: true, Steps: steps}, done: savedOnce}
}

func savedOnce(s *stage) func(context.Context) error {
	before := len(taken(s, &s.lists, 0))
	var want []todo
	for i, text := range todos[todosDeleted:] {
		want = append(want, todo{text, i+todosDeleted < todosDone})
	}
	return func(context.Context) error {
		got := taken(s, &s.lists, before)
		if len(got) != 1 || !slices.Equal(got[0], want) {
			return fmt.Errorf("the lists %v were saved, want one, %v", got, want)
		}
		return nil
	}
}

// stockFlow changes a number in a row far down in a page of 20,000 elements.
func stockFlow() flow {
	want := stockEdit{Item: "Item 1976", Count: "17"}
	return flow{
		script: script{Name: "20,000 nodes", Scripted: true, Steps: []step{
			{Do: goTo, Text: "/stock"},
			{Do: fill, CSS: "#search", Text: want.Item},
			{Do: press, CSS: "form button"},
			{Do: press, CSS: "tr:nth-child(1977) td:nth-child(3) button:nth-child(1)"},
			{Do: fill, CSS: "#count", Text: want.Count},
			{Do: press, CSS: "#save"},
			{Do: see, CSS: "#saved"},
		}},
		done: func(s *stage) func(context.Context) error {
			before := len(taken(s, &s.edits, 0))
			return func(context.Context) error {
				if got := taken(s, &s.edits, before); len(got) != 1 || got[0] != want {
					return fmt.Errorf("%v were saved, want one, %v", got, want)
				}
				return nil
			}
		},
	}
}

// Where the messages of the frames go, and what they say.
var messages = map[string]string{"cross": "four", "same": "one", "srcdoc": "two", "shadow": "three"}

// framesFlow sends a message from a frame of another site, one of the same, one within
// another, and a shadow root.
func framesFlow() flow {
	steps := []step{{Do: goTo, Text: "/frames"}}
	for _, at := range []step{
		{Frames: []string{"#cross"}, Cross: true, Text: "cross"},
		{Frames: []string{"#same"}, Text: "same"},
		{Frames: []string{"#nest", "#srcdoc"}, Text: "srcdoc"},
		{Host: "letter-box", Text: "shadow"},
	} {
		typed, sent := at, at
		typed.Do, typed.CSS, typed.Text = fill, "#message", messages[at.Text]
		sent.Do, sent.CSS, sent.Text = press, "#send", ""
		steps = append(steps, typed, sent)
	}
	steps = append(steps, step{Do: see, Host: "letter-box", CSS: "#received"})
	return flow{script: script{Name: "frames", Scripted: true, Steps: steps}, done: heardOfAll}
}

// heardOfAll waits for what the frames send while the page goes on.
func heardOfAll(s *stage) func(context.Context) error {
	before := len(s.Seen())
	return func(ctx context.Context) error {
		failed := until(ctx, func() bool { return len(s.Seen())-before >= len(messages) })
		got := map[string]string{}
		for _, e := range s.Seen()[before:] {
			got[e.Source] += e.Values.Get("message")
		}
		if failed != nil || !maps.Equal(got, messages) {
			return fmt.Errorf("the messages were %v, want %v: %w", got, messages, failed)
		}
		return nil
	}
}

// How often, and how long, the site is asked for something that no event reports.
const (
	lookEvery = 5 * time.Millisecond
	lookFor   = 5 * time.Second
)

// until looks whether something is so, until it is.
func until(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lookFor, fmt.Errorf("nothing changed within %v", lookFor))
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for !so() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
