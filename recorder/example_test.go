package recorder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
)

// A site whose own tests find elements by data-part is recorded by it, too.
func ExampleStart() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "about:blank")
	if err != nil {
		log.Fatal(err)
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour", TestIDAttribute: "data-part"})
	if err != nil {
		log.Fatal(err)
	}
	// Here somebody does the flow.
	_, integrity, err := r.Stop(ctx)
	fmt.Println(err, integrity.Err())
	// Output: nothing was recorded <nil>
}

// Whoever shows a recording while it is made is told when there is something new.
func ExampleRecorder_State() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "about:blank")
	if err != nil {
		log.Fatal(err)
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour"})
	if err != nil {
		log.Fatal(err)
	}
	state, changed := r.State()
	fmt.Println(state.Name, len(state.Steps), state.Paused)
	if err := r.Pause(ctx); err != nil {
		log.Fatal(err)
	}
	<-changed
	state, _ = r.State()
	fmt.Println(state.Name, len(state.Steps), state.Paused)
	// Output:
	// tour 0 false
	// tour 0 true
}

// What was typed into a field that nobody could know to be secret is made one by hand,
// and forgotten.
func ExampleRecorder_MarkSecret() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "about:blank")
	if err != nil {
		log.Fatal(err)
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour"})
	if err != nil {
		log.Fatal(err)
	}
	// Here somebody types.
	state, _ := r.State()
	for _, step := range state.Steps {
		if step.Typed && step.On == "Member number" {
			if err := r.MarkSecret(ctx, step.ID); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(len(state.Steps))
	// Output: 0
}
